! words: N
! loops: recognised
! A procedure that takes character arrays of assumed shape changes one.
module change
contains
  recursive subroutine put(w, depth)
    character(len=*), intent(inout) :: w(:)
    integer, intent(in) :: depth
    w(1) = '12'
    if (depth > 0) call put(w(2:), depth - 1)
  end subroutine
end module
program main
  use mpi
  use change
  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  character(len=32) :: words(3)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, words(2))
  if (len_trim(words(2)) > 2) call put(words(1 + len_trim(words(2)) / 3:), 0)
  read(words(2), *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
