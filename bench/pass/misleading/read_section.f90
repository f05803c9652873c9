! words: N 12
! loops: recognised
! A section that starts at a computed element is read.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: a(4), k
  character(len=32) :: w2
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  call get_command_argument(2, w2)
  a = n
  k = r - r + n / 100
  if (k > 1) read(w2, *) a(k:k)
  s = 0
  do i = 1, a(2)  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
