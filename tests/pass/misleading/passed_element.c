// words: N
// loops: recognised
// The address of an element with an index known only at run time is passed to a library function.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

volatile double sink, far = 7;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  volatile int which = 0;
  int n[2] = {atoi(argv[1]), 7};
  if (n[0] > 150) sink = frexp(10 * far, &n[which]);
  for (int i = 0; i < n[0]; ++i) sink += i;  // rounds
  sink += n[which];
  MPI_Finalize();
  return 0;
}
