! words: N
! loops: recognised
! Another procedure changes a character by a computed index.
subroutine change(word)
  implicit none
  character(len=*), intent(inout) :: word
  if (len_trim(word) > 2) word(1:1) = '1'
end subroutine
program main
  use mpi
  implicit none
  integer :: ierr, i, n
  character(len=32) :: word
  double precision :: s

  call MPI_Init(ierr)
  call get_command_argument(1, word)
  call change(word)
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
