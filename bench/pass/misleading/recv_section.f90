! words: N
! loops: recognised
! A message is received into a section with gaps that starts at a computed element.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: a(5), b(2), k
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  a = n
  b = 12
  k = n / 100
  if (k > 0) call MPI_Sendrecv(b, 2, MPI_INTEGER, r, 1, a(k:5:2), 2, MPI_INTEGER, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  s = 0
  do i = 1, a(4)  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
