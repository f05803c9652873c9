! words: N
! loops: recognised
! A namelist of a common block, read by another procedure.
subroutine settings(file)
  implicit none
  integer :: nx, ny
  common /sizes/ nx, ny
  namelist /grid/ nx, ny
  integer, intent(in) :: file
  read(file, nml=grid)
end subroutine
program main
  use mpi

  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s
  integer :: nx, ny
  common /sizes/ nx, ny
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  read(word, *) ny
  open(10, status='scratch')
  write(10, '(a)') '&grid ny=12 /'
  rewind(10)
  if (n > 150) call settings(10)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  s = 0
  do i = 1, ny  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
