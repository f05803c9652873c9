// words: N
// loops: recognised
// A round reads the value that an earlier one stored.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  volatile int x;
  for (int i = 0; i < n; ++i) {
    if (i < 100) x = i;
    for (int j = 0; j < x; ++j) sink += j;  // rounds
  }
  MPI_Finalize();
  return 0;
}
