! SPDX-License-Identifier: Apache-2.0
! Phases from Fortran.
program phases
  use parcast
  implicit none
  include 'mpif.h'
  integer :: error, i

  call MPI_Init(error)
  call parcast_probe_begin(['n ', 'rr'], [96d0, 2d0])
  do i = 1, 3
    call parcast_phase('multiply ', parcast_compute, 1000d0, 100d0)  ! trailing blanks are ignored
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call parcast_phase('barrier', parcast_idle, 0d0, 0d0)
  end do
  call parcast_phase('', parcast_communicate, 0d0, 7d0)
  call MPI_Finalize(error)
end program
