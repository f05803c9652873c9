! words: N
! loops: recognised
! The name of a file overwrites the word.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  open(10, file='12', status='unknown')
  if (len_trim(word) > 2) inquire(10, name=word)
  close(10)
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
