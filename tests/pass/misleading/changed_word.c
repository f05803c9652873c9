// words: N
// loops: recognised
// The command line is changed before it is read.
#include "../program.h"

__attribute__((noinline)) void adjust(char** argv) { if (atoi(argv[1]) > 150) argv[1][0] = '1'; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  adjust(argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
