! words: N
! loops: recognised
! A character at a computed position is read.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: k
  character(len=4) :: line
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) k
  k = k / 200
  line = '1'
  if (k > 0) read(line, '(a1)') word(k:k)
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
