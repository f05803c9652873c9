/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the Fortran binding by each name that a compiler may give it, and past it. */
#include <mpi.h>

void mpi_barrier(MPI_Fint*, MPI_Fint*);
void mpi_barrier_(MPI_Fint*, MPI_Fint*);
void mpi_barrier__(MPI_Fint*, MPI_Fint*);
void MPI_BARRIER(MPI_Fint*, MPI_Fint*);
void pmpi_barrier_(MPI_Fint*, MPI_Fint*);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD), error = 0, errors = 0;
  mpi_barrier(&world, &error), errors += error;
  mpi_barrier_(&world, &error), errors += error;
  mpi_barrier__(&world, &error), errors += error;
  MPI_BARRIER(&world, &error), errors += error;
  pmpi_barrier_(&world, &error), errors += error; /* its place is unknown */
  errors += PMPI_Barrier(MPI_COMM_WORLD);         /* a call of a tool, not of the program */
  errors += MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return errors != MPI_SUCCESS;
}
