! words: N
! loops: recognised
! A rank receives the word from itself.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  character(len=32) :: other
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  other = '12'
  if (len_trim(word) > 2) call MPI_Sendrecv(other, 32, MPI_CHARACTER, r, 1, word, 32, MPI_CHARACTER, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
