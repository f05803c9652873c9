! words: N
! loops: symbolic
! The remainder of a number below zero has its sign.
program main
  use mpi
  implicit none
  integer :: ierr, i, n
  character(len=32) :: word
  double precision :: s
  integer :: m
  call MPI_Init(ierr)
  call get_command_argument(1, word)
  read(word, *) n
  m = mod(100 - n, 7) + 50
  s = 0
  do i = 1, m  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
