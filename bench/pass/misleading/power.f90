! words: N
! loops: recognised
! A power whose exponent is 0 in larger runs.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: k, a
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  k = 2 - n / 100
  a = n ** k
  s = 0
  do i = 1, n + mod(a, 100)  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
