/* SPDX-License-Identifier: Apache-2.0 */
/* The number of barriers that the command line gives, which the recorder does not get: steps -n NUMBER */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 2 ? atoi(argv[2]) : 0;
  for (int i = 0; i < steps; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
