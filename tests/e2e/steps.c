/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the number of barriers in the command line, which the recorder does not get: steps -n NUMBER */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 2 ? atoi(argv[2]) : 0;
  for (int i = 0; i < steps; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
