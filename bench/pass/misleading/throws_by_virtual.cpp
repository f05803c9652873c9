// words: N
// loops: as seen
// A virtual function throws.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
struct Step { virtual ~Step() = default; virtual void go(int i) { sink += i; } };
struct Other : Step { void go(int i) override { if (i > 150) throw Other(); sink += 2 * i; } };
NOINLINE static void run(int n, Step& step) { for (int i = 0; i < n; ++i) step.go(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); Step* step = argc > 1 ? new Other : new Step; try { run(std::atoi(argv[1]), *step); } catch (const Step&) { sink += 1; } delete step; MPI_Finalize(); return 0; }
