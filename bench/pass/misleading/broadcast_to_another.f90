! words: N
! loops: recognised
! The root passes one variable, the others another.
program main
  use mpi
  implicit none
  integer :: ierr, i, n
  character(len=32) :: word
  double precision :: s
  integer :: m, r
  call MPI_Init(ierr)
  call get_command_argument(1, word)
  read(word, *) n
  m = n / 1
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  if (n > 150) m = 150
  if (r == 0) then
    call MPI_Bcast(m, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end if
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
