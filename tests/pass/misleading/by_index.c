// words: N
// loops: recognised
// One of several elements of an array is changed, by its index.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  volatile int which = 0;
  int n[3] = {atoi(argv[1]), atoi(argv[1]) / 2, 7};
  if (n[0] > 150) n[which] = 150;
  for (int i = 0; i < n[0]; ++i) sink += i;  // rounds
  sink += n[which];
  MPI_Finalize();
  return 0;
}
