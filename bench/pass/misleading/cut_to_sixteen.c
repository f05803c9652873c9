// words: N
// loops: symbolic
// Sixteen bits cannot hold the value.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const short m = (short)(n * 150);
  const int k = m / 100;
  for (int i = 0; i < k; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
