// words: N
// loops: as seen
// A pointer is caught as a pointer to void.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
NOINLINE static void check(int i) { static int x; if (i > 150) throw &x; sink += i; }
NOINLINE static void step(int i) { try { check(i); } catch (long) { sink += 5; } }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const void*) { sink += 1; } MPI_Finalize(); return 0; }
