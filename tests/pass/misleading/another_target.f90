! words: N
! loops: recognised
! In larger runs the pointer points to the size, and not to the other number.
program f
  use mpi
  implicit none
  integer, target :: n, other
  integer, pointer :: which
  integer :: ierr, i
  character(len=32) :: word
  double precision :: s
  call MPI_Init(ierr)
  call get_command_argument(1, word)
  read(word, *) n
  other = n / 2
  which => other
  if (n > 150) which => n
  which = which / 3
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < other) print *, s
  call MPI_Finalize(ierr)
end program
