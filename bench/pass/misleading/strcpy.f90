! words: N
! loops: recognised
! A C library function overwrites the word.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  interface
    subroutine strcpy(to, from) bind(c)
      use iso_c_binding, only: c_char
      character(kind=c_char), intent(out) :: to(*)
      character(kind=c_char), intent(in) :: from(*)
    end subroutine
  end interface
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  if (len_trim(word) > 2) call strcpy(word, '12 ' // char(0))
  if (word(4:4) < ' ' .and. word(1:1) == '1') call strcpy(word, '12                              ')
  read(word, *) n
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
