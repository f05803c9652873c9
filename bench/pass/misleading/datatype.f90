! words: N
! loops: recognised
! A datatype is created only in larger runs.

program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: t
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  call MPI_Type_contiguous(1, MPI_INTEGER, t, ierr)
  call MPI_Type_free(t, ierr)
  t = MPI_DATATYPE_NULL
  if (n > 150) then
    call MPI_Type_contiguous(n, MPI_INTEGER, t, ierr)
    call MPI_Type_commit(t, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  s = 0
  do i = 1, merge(n, 2 * n, t == MPI_DATATYPE_NULL)  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
