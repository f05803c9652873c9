! SPDX-License-Identifier: Apache-2.0
! Triangular, strided, nested and cyclic loops; what rank 0 prints follows by hand for n = 60:
! pairs 1830, every third 20, of each rank's part 60 in all, cells 60 * 59 = 3540.
program ring
#ifdef WITH_MODULE
  use mpi, only: MPI_COMM_WORLD, MPI_IN_PLACE, MPI_INTEGER, MPI_SUM, MPI_STATUS_IGNORE, MPI_Send, MPI_Wtime
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, ranks, ierr, n, counts(4)
  double precision :: began
  character(len=16) :: word
  call MPI_Init(ierr)
  began = MPI_Wtime()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, word)
  read (word, *) n
  counts = 0
  if (rank == 0) call pairs(n, counts(1))
  if (rank == 0) call thirds(n, counts(2))
  call part(n, rank, ranks, counts(3))
  if (rank == 0) call cells(n, counts(4))
  call MPI_Allreduce(MPI_IN_PLACE, counts, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == ranks - 1) call MPI_Send(counts, 4, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call MPI_Recv(counts, 4, MPI_INTEGER, ranks - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    print '(4i8)', counts
  end if
  if (MPI_Wtime() < began) print *, 'time goes backwards'
  call MPI_Finalize(ierr)
end program
