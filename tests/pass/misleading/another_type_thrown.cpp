// words: N
// loops: as seen
// A handler catches another type.
#include "../program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
NOINLINE static void check(int i) { if (i > 150) throw 3L; sink += i; }
NOINLINE static void step(int i) { try { check(i); } catch (int) { sink += 5; } }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (...) { sink += 1; } MPI_Finalize(); return 0; }
