// words: N
// loops: as seen
// A conversion rejects a number that is too long.
#include "../../../tests/pass/program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>
#include <functional>
#include <exception>
NOINLINE static void step(int i) { std::string text(i / 20 + 1, '1'); sink += std::stoi(text); }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) { MPI_Init(&argc, &argv); try { run(std::atoi(argv[1])); } catch (const std::out_of_range&) { sink += 1; } MPI_Finalize(); return 0; }
