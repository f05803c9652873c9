// words: N
// loops: symbolic
// Eight bits cannot hold the value.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const signed char m = (signed char)n;
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
