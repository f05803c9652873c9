// words: N
// loops: as seen
// A function that stores a jump target throws.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
static std::jmp_buf kept;
NOINLINE static void step(int i) { if (setjmp(kept) == 0) { if (i > 150) throw std::runtime_error("large"); sink += i; } }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const std::exception&) { sink += 1; } MPI_Finalize(); return 0; }
