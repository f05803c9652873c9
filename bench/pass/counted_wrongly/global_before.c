// words: N
// loops: symbolic
// A global has a number before MPI gives the number of processes.
#include "../../../tests/pass/program.h"
static int threads = 4;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < threads; ++i) sink += i;  // rounds
  MPI_Comm_size(MPI_COMM_WORLD, &threads);
  sink += threads;
  MPI_Finalize();
  return 0;
}