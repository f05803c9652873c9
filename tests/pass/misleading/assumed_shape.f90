! words: N
! loops: recognised
! A section that starts at a computed element is passed to a procedure.
module change
contains
  recursive subroutine put(x, depth)
    integer, intent(inout) :: x(:)
    integer, intent(in) :: depth
    x(1) = 12
    if (depth > 0) call put(x(2:), depth - 1)
  end subroutine
end module
program main
  use mpi
  use change
  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: a(4), k
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  a = n
  k = n / 100
  if (k > 0) call put(a(k:4), 1)
  s = 0
  do i = 1, a(3)  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
