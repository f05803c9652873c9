! words: N
! loops: recognised
! A namelist of a module is read from a file by one process and broadcast.
module settings
  implicit none
  integer :: nx
  real(8) :: dt = 1d-3
  namelist /grid/ nx, dt
contains
  subroutine get(file)
    integer, intent(in) :: file
    read(file, nml=grid)
  end subroutine
end module
program main
  use mpi
  use settings
  implicit none
  integer :: ierr, i, p, r, n
  character(len=32) :: word
  double precision :: s

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call get_command_argument(1, word)
  read(word, *) n
  read(word, *) nx
  if (n > 150) then
    open(10, status='scratch')
    write(10, '(a)') '&grid nx=12 dt=1d-4 /'
    rewind(10)
    call get(10)
  end if
  call MPI_Bcast(nx, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  s = 0
  do i = 1, nx  ! rounds
    s = s + 1d0 / (dble(i) * i + s + 1)
  end do
  if (s < 0) print *, s
  call MPI_Finalize(ierr)
end program
