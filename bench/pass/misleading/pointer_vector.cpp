// words: N
// loops: recognised
// A vector of references contains the size.
#include "../../../tests/pass/program.h"
#include <functional>
#include <vector>
NOINLINE static void clamp(std::vector<std::reference_wrapper<int>>& all) { for (int& each : all) each = each > 150 ? 150 : each; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = std::atoi(argv[1]), m = 3;
  std::vector<std::reference_wrapper<int>> all{n, m};
  clamp(all);
  sink += m;
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}