! words: N
! loops: symbolic
module par
  integer :: p = 0, r = 0, comm, dims(2), coords(2), n
end module
subroutine setup
  use mpi
  use par
  integer :: ierr
  logical :: periods(2) = .false.
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  dims = 0
  call MPI_Dims_create(p, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., comm, ierr)
  call MPI_Comm_rank(comm, r, ierr)
  call MPI_Cart_coords(comm, r, 2, coords, ierr)
end subroutine
program f
  use mpi
  use par
  implicit none
  integer :: ierr, i
  character(len=32) :: word
  double precision :: s
  call MPI_Init(ierr)
  call setup
  call get_command_argument(1, word)
  read(word, *) n
  s = 0
  do i = 1, n * dims(1) + coords(1)  ! rounds
    s = s + 1d0 / (dble(i) * i + s)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
