// words: N
// loops: as seen
// The exception is caught by its second base.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
struct One { int a = 1; }; struct Two { int b = 2; }; struct Both : One, Two { int c = 3; };
NOINLINE static void check(int i) { if (i > 150) throw Both(); sink += i; }
NOINLINE static void step(int i) { try { check(i); } catch (long) { sink += 5; } }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const Two&) { sink += 1; } MPI_Finalize(); return 0; }
