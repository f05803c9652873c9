! SPDX-License-Identifier: Apache-2.0
! Regions, a parameter and a switch of classes from Fortran.
program regions
  use parcast
  implicit none
  include 'mpif.h'
  integer :: error, i

  call MPI_Init(error)
  call parcast_parameter('cells', 4096d0)
  do i = 1, 3
    call parcast_region_begin('step')
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call parcast_region_begin('inner ')  ! trailing blanks are ignored
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call parcast_region_end()
    call parcast_region_end()
  end do
  call parcast_classes('user')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call parcast_classes('mpi,user')
  call MPI_Finalize(error)
end program
