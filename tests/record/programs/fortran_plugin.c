/* SPDX-License-Identifier: Apache-2.0 */
/* Contains its own Fortran binding, like a module of an interpreter: fortran_host.c loads it. */
#include <mpi.h>
#include <stddef.h>

void mpi_barrier_(MPI_Fint*, MPI_Fint*);

int plugin_main(void) {
  MPI_Fint world, error = 0;
  MPI_Init(NULL, NULL);
  world = MPI_Comm_c2f(MPI_COMM_WORLD);
  mpi_barrier_(&world, &error);
  MPI_Finalize();
  return error;
}
