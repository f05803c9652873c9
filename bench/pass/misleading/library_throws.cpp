// words: N
// loops: as seen
// The library itself throws, and the program catches it.
#include "../../../tests/pass/program.h"
#include <string>
#include <stdexcept>
#include <locale>
__attribute__((noinline)) void step(int i) { const std::locale l(i > 150 ? "nonsense" : "C"); sink += l == std::locale::classic(); }
__attribute__((noinline)) void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const std::exception&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
