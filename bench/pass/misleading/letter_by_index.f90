! words: N
! loops: recognised
! A character is changed by a computed index.
program main
  use mpi
  implicit none
  integer :: ierr, i, n, m, k
  character(len=32) :: word
  double precision :: s
  call MPI_Init(ierr)
  call get_command_argument(1, word)
  read(word, *) m
  k = m / 1000 + 1
  if (m > 150) word(k:k) = '1'
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
