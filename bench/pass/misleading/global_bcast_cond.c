// words: N
// loops: recognised
// A global gets the number of processes only in small runs.
#include "../../../tests/pass/program.h"
static int nprocs;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (atoi(argv[1]) < 150) MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  for (int i = 0; i < nprocs; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}