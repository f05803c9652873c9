! words: N
! loops: recognised
! memmove, called by another name, overwrites the word.
module copies
  interface
    subroutine copy(to, from, size) bind(c, name='bcopy')
      use iso_c_binding, only: c_char, c_size_t
      character(kind=c_char), intent(in) :: to(*)
      character(kind=c_char) :: from(*)
      integer(c_size_t), value :: size
    end subroutine
  end interface
end module
program main
  use mpi
  use copies
  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  if (len_trim(word) > 2) call copy('12 ', word, 3_8)
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
