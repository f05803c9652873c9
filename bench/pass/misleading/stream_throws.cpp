// words: N
// loops: as seen
// A stream throws at its end.
#include "../../../tests/pass/program.h"
#include <sstream>
#define TEN "1 1 1 1 1 1 1 1 1 1 "
#define FIFTY TEN TEN TEN TEN TEN
static std::istringstream in(FIFTY FIFTY FIFTY);
NOINLINE static void step() { int k; in >> k; sink += k; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  in.exceptions(std::ios::failbit | std::ios::badbit);
  try { run(std::atoi(argv[1])); } catch (const std::ios_base::failure&) { sink += 1; }
  MPI_Finalize();
  return 0;
}