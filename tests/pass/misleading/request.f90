! words: N
! loops: recognised
! A request that is null or is not.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: buf(2), req
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  call MPI_Ibarrier(MPI_COMM_WORLD, req, ierr)
  call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
  req = MPI_REQUEST_NULL
  buf = n
  if (n > 150) then
    call MPI_Irecv(buf(1), 1, MPI_INTEGER, r, 1, MPI_COMM_WORLD, req, ierr)
    call MPI_Send(buf(2), 1, MPI_INTEGER, r, 1, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  s = 0
  do i = 1, merge(n, 2 * n, req == MPI_REQUEST_NULL)  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
