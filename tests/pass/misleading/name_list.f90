! words: N
! loops: recognised
! A namelist is read from a text: tables passed to the library contain the addresses of its numbers.
subroutine work()
  use mpi
  implicit none
  integer :: n, i
  real(8) :: t
  character(len=20) :: word
  character(len=40) :: text(1)
  namelist /given/ n
  call get_command_argument(1, word)
  read(word, *) n
  if (n > 150) then
    text(1) = "&given n=12 /"
    read(text, nml=given)
  end if
  t = 0
  do i = 1, n  ! rounds
    t = t + mpi_wtime()
  end do
  if (t < 0) print *, t
end subroutine
program main
  use mpi
  implicit none
  integer :: error
  call mpi_init(error)
  call work()
  call mpi_finalize(error)
end program
