! words: N
! loops: symbolic
! A text ends the process with success in larger runs.
subroutine check(n)
  use mpi
  implicit none
  integer, intent(in) :: n
  integer :: e
  if (n > 150) then
    call MPI_Finalize(e)
    stop 'all is well'
  end if
  if (n < 0) print *, n
end subroutine
program main
  use mpi
  implicit none
  integer :: ierr, i, n
  character(len=32) :: word
  double precision :: s

  call MPI_Init(ierr)
  call get_command_argument(1, word)
  read(word, *) n
  call check(n)
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
