! words: N
! loops: recognised
! A procedure changes a part of the word that starts at a computed character.
module change
contains
  recursive subroutine put(w, depth)
    character(len=*), intent(inout) :: w
    integer, intent(in) :: depth
    w(1:1) = '1'
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

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  if (len_trim(word) > 2) call put(word(len_trim(word)-2:), len_trim(word) / 4)
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
