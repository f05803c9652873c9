// words: N
// loops: recognised
// The exception of a rejected length is caught.
#include "../../../tests/pass/program.h"
#include <string>
#include <stdexcept>
#include <vector>
volatile std::size_t huge = -1;
__attribute__((noinline)) void step(int i) { std::vector<int> v; if (i > 150) v.reserve(huge); sink = static_cast<double>(v.size()); }
__attribute__((noinline)) void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (const std::exception&) { sink += 1; }
  MPI_Finalize();
  return 0;
}
