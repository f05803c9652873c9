! SPDX-License-Identifier: Apache-2.0
! The region API (parcast.h) for Fortran: compile this file with the program and link with -lparcast.
!
!     use parcast
!     call parcast_parameter('N', real(n, 8))
!     call parcast_region_begin('solve')
!     ...
!     call parcast_region_end()
module parcast
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_null_char
  implicit none
  private
  public :: parcast_region_begin, parcast_region_end, parcast_parameter, parcast_classes

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

  ! 'mpi,io,user,memory': what is recorded from now on; a blank list switches all off.
  subroutine parcast_classes(list)
    character(len=*), intent(in) :: list
    call classes(trim(list) // c_null_char)
  end subroutine

end module
