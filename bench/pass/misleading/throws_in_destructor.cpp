// words: N
// loops: as seen
// A destructor that may throw throws.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
struct Held { int i; NOINLINE ~Held() noexcept(false) { if (i > 150) throw 1; sink += i; } };
NOINLINE static void step(int i) { Held held{i}; sink += 2; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (int) { sink += 1; } MPI_Finalize(); return 0; }
