! SPDX-License-Identifier: Apache-2.0
! The same as endings.c, in Fortran.
program endings
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  interface
    subroutine c_exit(code) bind(C, name="_exit")
      import :: c_int
      integer(c_int), value :: code
    end subroutine
    subroutine c_quick_exit(code) bind(C, name="quick_exit")
      import :: c_int
      integer(c_int), value :: code
    end subroutine
    subroutine c_abort() bind(C, name="abort")
    end subroutine
    integer(c_int) function c_raise(signal) bind(C, name="raise")
      import :: c_int
      integer(c_int), value :: signal
    end function
    integer(c_int) function c_pause() bind(C, name="pause")
      import :: c_int
    end function
  end interface
  integer :: rank, processes, i, done
  double precision :: value = 1, total = 0
  character(len=20) :: way
  call get_command_argument(1, way)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  do i = 1, 100
    call MPI_Sendrecv_replace(value, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, processes), 0, modulo(rank - 1, processes), 0, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    value = value + 0.5d0
  end do
  call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a, f0.3)', 'sum ', total
  flush(6)
  select case (way)
  case ('return')
    call MPI_Finalize()
    stop
  case ('exit')
    call MPI_Finalize()
    call exit(3)
  case ('no-finalize')
    stop 5
  case ('_exit')
    call c_exit(6)
  case ('quick_exit')
    call c_quick_exit(7)
  case ('abort')
    call c_abort()
  case ('segv')
    done = c_raise(11)
  case ('term')
    done = c_raise(15)
  case ('kill')
    done = c_raise(9)
  case ('mpi-abort')
    call MPI_Abort(MPI_COMM_WORLD, 9)
  end select
  done = c_pause()
end program
