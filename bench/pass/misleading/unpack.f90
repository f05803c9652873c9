! words: N
! loops: recognised
! The position after the unpacked data.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: pos, a(2), b(2)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  pos = 0
  a = n
  if (n > 150) call MPI_Unpack(a, 8, pos, b, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  s = 0
  do i = 1, n + pos * 10  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
