// words: N
// loops: as seen
// The clean-up ends the process with success.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
struct Held { int i; ~Held() { if (std::uncaught_exceptions() > 0) { MPI_Finalize(); std::exit(0); } sink += i; } };
NOINLINE static void check(int i) { if (i > 150) throw 1; sink += i; }
NOINLINE static void step(int i) { Held held{i}; check(i); }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (int) { sink += 1; } MPI_Finalize(); return 0; }
