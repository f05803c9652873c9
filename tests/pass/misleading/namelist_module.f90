! words: N
! loops: recognised
! A namelist of a module.
module given_data
  implicit none
  integer :: n
  namelist /given/ n
end module
program main
  use mpi
  use given_data
  implicit none
  integer :: ierr, i, p, r
  character(len=32) :: word
  double precision :: s
  
  character(len=40) :: text(1)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  if (n > 150) then
    text(1) = "&given n=12 /"
    read(text, nml=given)
  end if
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
