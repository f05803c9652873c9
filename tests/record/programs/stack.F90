! SPDX-License-Identifier: Apache-2.0
! Calls with known call paths: the binding and the MPI library lie between the program and the recorder.
module grid
#if BINDING == 1
  implicit none
  include 'mpif.h'
#elif BINDING == 2
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
contains
  subroutine halo(count)
    integer, intent(in) :: count
    integer :: buffer(64), error
    buffer = 0
    call MPI_Bcast(buffer, count, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (error /= 0) stop 1
  end subroutine
end module

program heat
  use grid
  implicit none
  integer :: error, i
  call MPI_Init(error)
  do i = 1, 3
    call solve(1)
    call halo(2)
  end do
  call MPI_Finalize(error)
contains
  subroutine solve(count)
    integer, intent(in) :: count
    call halo(count)
    if (error /= 0) stop 2
  end subroutine
end program
