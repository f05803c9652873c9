// words: N
// loops: as seen
// A stored exception is thrown later.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
static std::exception_ptr kept;
NOINLINE static void check(int i) { if (i > 150) kept = std::make_exception_ptr(std::runtime_error("x")); sink += i; }
NOINLINE static void step(int i) { check(i); if (kept) std::rethrow_exception(kept); }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const std::exception&) { sink += 1; } MPI_Finalize(); return 0; }
