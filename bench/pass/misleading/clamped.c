// words: N
// loops: symbolic
// An unsigned difference is clamped.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const unsigned k = (unsigned)n - 60u; const int m = k < 40u ? (int)k : 40;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
