// words: N
// loops: as seen
// The exception has a type that is local to this file.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
namespace { struct Large { int i; }; struct Larger : Large {}; }
NOINLINE static void check(int i) { if (i > 150) throw Larger{{i}}; sink += i; }
NOINLINE static void step(int i) { try { check(i); } catch (long) { sink += 5; } }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const Large&) { sink += 1; } MPI_Finalize(); return 0; }
