/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes that start two more, twice, and send them a number; the children add it up. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  int rank, number = -1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Bcast(&number, 1, MPI_INT, 0, parent);
    for (int i = 0; i < number; ++i) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return sum == 2 * number ? 0 : 1;
  }
  for (number = 3; number <= 5; number += 2) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Bcast(&number, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
    MPI_Comm_disconnect(&children);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
