// words: N
// loops: symbolic
// An unsigned first round wraps.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const unsigned k = 100u - (unsigned)n;
  for (unsigned i = k; i < 120u; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
