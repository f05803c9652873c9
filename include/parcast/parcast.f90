! SPDX-License-Identifier: Apache-2.0
! The region and probe API (parcast.h) for Fortran. Compile this file with the program and link with -lparcast.
!
!     use parcast
!     call parcast_parameter('N', real(n, 8))
!     call parcast_region_begin('solve')
!     ...
!     call parcast_region_end()
!
!     call parcast_probe_begin(['n', 'm'], [real(n, 8), real(m, 8)])
!     ...
!     call parcast_phase('multiply', parcast_compute, operations, quantums)
module parcast
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_null_ptr, c_ptr
  implicit none
  private
  public :: parcast_region_begin, parcast_region_end, parcast_parameter, parcast_classes
  public :: parcast_probe_begin, parcast_phase
  integer, parameter, public :: parcast_compute = 0, parcast_communicate = 1, parcast_idle = 2

  interface
    subroutine parcast_region_end() bind(C, name='parcast_region_end')
    end subroutine
    subroutine region_begin(name) bind(C, name='parcast_region_begin')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine parameter_of(name, amount) bind(C, name='parcast_parameter')
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: amount
    end subroutine
    subroutine classes(list) bind(C, name='parcast_classes')
      import :: c_char
      character(kind=c_char), intent(in) :: list(*)
    end subroutine
    subroutine probe_begin(parameters, number) bind(C, name='parcast_probe_begin')
      import :: c_int, c_ptr
      type(c_ptr), value :: parameters
      integer(c_int), value :: number
    end subroutine
    subroutine phase(name, kind, operations, quantums) bind(C, name='parcast_phase')
      import :: c_char, c_double, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: kind
      real(c_double), value :: operations, quantums
    end subroutine
  end interface

contains

  subroutine parcast_region_begin(name)
    character(len=*), intent(in) :: name
    call region_begin(trim(name) // c_null_char)
  end subroutine

  subroutine parcast_parameter(name, amount)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: amount
    call parameter_of(trim(name) // c_null_char, amount)
  end subroutine

  ! Records only these classes from now on, e.g. 'mpi,io,user,memory'; a blank list switches all off.
  subroutine parcast_classes(list)
    character(len=*), intent(in) :: list
    call classes(trim(list) // c_null_char)
  end subroutine

  ! Begins the probe and declares the run's parameters, one name for each value.
  subroutine parcast_probe_begin(names, values)
    character(len=*), intent(in), optional :: names(:)
    real(c_double), intent(in), optional :: values(:)
    integer :: i
    if (present(names) .and. present(values)) then
      do i = 1, min(size(names), size(values))
        call parcast_parameter(names(i), values(i))
      end do
    end if
    call probe_begin(c_null_ptr, 0_c_int)
  end subroutine

  ! Ends a phase of the kind parcast_compute, parcast_communicate or parcast_idle.
  subroutine parcast_phase(name, kind, operations, quantums)
    character(len=*), intent(in) :: name
    integer, intent(in) :: kind
    real(c_double), intent(in) :: operations, quantums
    call phase(trim(name) // c_null_char, int(kind, c_int), operations, quantums)
  end subroutine

end module
