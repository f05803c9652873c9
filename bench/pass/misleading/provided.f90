! words: N
! loops: recognised
! MPI_Init_thread requests a higher level in larger runs.
program main
  use mpi
  implicit none
  integer :: ierr, i, n, want, got
  character(len=32) :: word
  double precision :: s
  call get_command_argument(1, word)
  read(word, *) n
  want = MPI_THREAD_SINGLE
  got = MPI_THREAD_SINGLE
  if (n > 150) want = MPI_THREAD_MULTIPLE
  call MPI_Init_thread(want, got, ierr)
  s = 0
  do i = 1, n + 10 * got  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
