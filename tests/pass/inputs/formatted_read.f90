! words: N
! loops: symbolic
program f
  use mpi
  implicit none
  integer :: p, r, ierr, n, i
  character(len=32) :: word
  double precision :: s
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, "(i10)") n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
