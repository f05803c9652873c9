! words: N
! loops: symbolic
program grid
  use mpi
  implicit none
  integer :: p, r, ierr, comm, dims(2), coords(2), n, i, j, px, py, steps
  logical :: periods(2)
  character(len=32) :: word
  double precision :: s
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  dims = 0
  periods = .false.
  call MPI_Dims_create(p, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., comm, ierr)
  call MPI_Cart_coords(comm, r, 2, coords, ierr)
  s = 0
  do i = 1, n * (coords(1) + 1) / dims(1) - n * coords(1) / dims(1)  ! rounds
    do j = 1, n * (coords(2) + 1) / dims(2) - n * coords(2) / dims(2)  ! rounds
      s = s + 1d0 / (i * j + s)
    end do
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
