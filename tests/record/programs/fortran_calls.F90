! SPDX-License-Identifier: Apache-2.0
! The calls of a typical Fortran program, by mpif.h (BINDING 1), the module mpi (2) or mpi_f08 (3), on two or
! more processes. Stops with 1 if a result is wrong. fortran_test.cpp contains the call counts and message
! sizes of this file.
#if BINDING == 3
#define HANDLE(KIND) type(MPI_/**/KIND)
#define STATUS type(MPI_Status)
#define SOURCE(S) S%MPI_SOURCE
#else
#define HANDLE(KIND) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE(S) S(MPI_SOURCE)
#endif
program fortran_calls
#if BINDING == 1
  implicit none
  include 'mpif.h'
#elif BINDING == 2
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
  integer :: error, rank, processes, next, before, i, number, which, wrong = 0, provided
  integer, allocatable :: counts(:), places(:), sent(:), got(:)
  double precision :: a(16), b(16), sums(2)
  HANDLE(Request) :: requests(2)
  HANDLE(Comm) :: other
  HANDLE(Datatype) :: every_second
  STATUS :: state

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  next = modulo(rank + 1, processes)
  before = modulo(rank - 1, processes)
  a = [(rank + 0.5d0 * i, i = 0, 15)]
  allocate(counts(processes), places(processes), sent(processes), got(processes))

  call MPI_Irecv(b, 16, MPI_DOUBLE_PRECISION, before, 1, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send(a, 16, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, error)
  call MPI_Wait(requests(1), state, error)
  if (SOURCE(state) /= before .or. b(2) /= before + 0.5d0) wrong = wrong + 1

  call MPI_Sendrecv(a, 3, MPI_DOUBLE_PRECISION, next, 2, b, 3, MPI_DOUBLE_PRECISION, before, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)

  call MPI_Irecv(b, 16, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(a, 2, MPI_DOUBLE_PRECISION, next, 3, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  if (requests(1) /= MPI_REQUEST_NULL) wrong = wrong + 1

  call MPI_Send_init(sent, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(1), error)
  call MPI_Recv_init(got, 1, MPI_INTEGER, before, 4, MPI_COMM_WORLD, requests(2), error)
  do i = 1, 3
    sent(1) = i * 100 + rank
    call MPI_Startall(2, requests, error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    if (got(1) /= i * 100 + before) wrong = wrong + 1
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)

  call MPI_Isend(a, 7, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, requests(1), error)
  call MPI_Probe(before, MPI_ANY_TAG, MPI_COMM_WORLD, state, error)
  call MPI_Get_count(state, MPI_DOUBLE_PRECISION, number, error)
  if (number /= 7) wrong = wrong + 1
  call MPI_Recv(b, 16, MPI_DOUBLE_PRECISION, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)

  call MPI_Irecv(b(1), 1, MPI_DOUBLE_PRECISION, before, 6, MPI_COMM_WORLD, requests(1), error)
  call MPI_Irecv(b(2), 1, MPI_DOUBLE_PRECISION, before, 7, MPI_COMM_WORLD, requests(2), error)
  call MPI_Send(a(1), 1, MPI_DOUBLE_PRECISION, next, 6, MPI_COMM_WORLD, error)
  call MPI_Send(a(2), 1, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, error)
  do i = 1, 2
    call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, error)
    if (which > 2) wrong = wrong + 1  ! MPICH 4.0.2 counts from 0 in mpi_f08
  end do
  if (b(1) /= before .or. b(2) /= before + 0.5d0) wrong = wrong + 1

  call MPI_Type_vector(4, 2, 4, MPI_DOUBLE_PRECISION, every_second, error)
  call MPI_Type_commit(every_second, error)
  call MPI_Irecv(b, 8, MPI_DOUBLE_PRECISION, before, 8, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send(a, 1, every_second, next, 8, MPI_COMM_WORLD, error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  if (b(3) /= before + 2) wrong = wrong + 1
  call MPI_Send(a, 16, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 9, MPI_COMM_WORLD, error)

  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Bcast(a, 5, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  call MPI_Reduce(a, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  sums(1) = 1
  call MPI_Allreduce(MPI_IN_PLACE, sums, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (sums(1) /= processes) wrong = wrong + 1
  sent = rank
  call MPI_Allgather(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (got(processes) /= processes - 1) wrong = wrong + 1
  counts = 1
  places = [(i - 1, i = 1, processes)]
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (got(1) /= 0) wrong = wrong + 1
  call MPI_Iallreduce(a, sums, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, requests(1), error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)

  call MPI_Comm_split(MPI_COMM_WORLD, 0, processes - rank, other, error)
  sent(1) = rank
  call MPI_Bcast(sent, 1, MPI_INTEGER, 0, other, error)
  if (sent(1) /= processes - 1) wrong = wrong + 1
  call MPI_Sendrecv(a, 4, MPI_DOUBLE_PRECISION, modulo(processes - 1 - rank + 1, processes), 10, b, 4, MPI_DOUBLE_PRECISION, &
                    modulo(processes - 1 - rank - 1, processes), 10, other, MPI_STATUS_IGNORE, error)
  call MPI_Comm_free(other, error)
  print '(a, i0, a, i0)', 'rank ', rank, ' wrong ', wrong
  call MPI_Finalize(error)
  if (wrong > 0) stop 1
end program
