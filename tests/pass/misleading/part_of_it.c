// words: N 0.29
// loops: recognised
// (int)(100 * 0.29) is 28, and the integer part of 100 x 29/100 is 29.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = (int)(atoi(argv[1]) * atof(argv[2]));
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
