// words: N
// loops: as seen
// The target of a function object throws.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
NOINLINE static void run(int n, const std::function<void(int)>& f) { for (int i = 0; i < n; ++i) f(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1]), [](int i) { if (i > 150) throw std::runtime_error("x"); sink += i; }); } catch (const std::exception&) { sink += 1; } MPI_Finalize(); return 0; }
