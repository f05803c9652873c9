! words: N
! loops: recognised symbolic
! A loop that doubles its index, in a branch that larger runs skip.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: k
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  k = 220 - n
  if (k > 0) then
    i = 1
    do while (i <= k)  ! rounds
      i = i * 2
      s = s + 1d0 / (k + s)
    end do
    if (s == 7) print *, s
  end if
  s = 0
  do i = 1, n  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
