// words: N
// loops: as seen
// A private base does not catch the exception.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
struct Base { int x = 1; };
struct Derived : private Base { int y = 2; };
NOINLINE static void check(int i) { if (i > 150) throw Derived(); sink += i; }
NOINLINE static void step(int i) { try { check(i); } catch (const Base& b) { sink += b.x; } }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const Derived&) { sink += 1; } MPI_Finalize(); return 0; }
