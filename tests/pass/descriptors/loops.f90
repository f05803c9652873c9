! SPDX-License-Identifier: Apache-2.0
! The body is executed (last - first + step) / step times: rounds + 1. flang gives the outer loop the inner's line.
! CHECK-LABEL: triangular_ at loops.f90:{{[0-9]+}}
subroutine triangular(n, x, s)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n, n)
  real(8), intent(out) :: s
  integer :: i, j
  s = 0
  do j = 1, n
    ! CHECK-NEXT: loop 0 at loops.f90:[[@LINE+3]]: rounds = (zext64(load *arg0) - 1), variable from 1 to sext64(load *arg0) step 1, whole
    ! CHECK-NEXT: loop 1 in 0 at loops.f90:[[@LINE+2]]: rounds = <0, +1>0, variable from 1 to <2, +1>0 step 1, whole
    ! CHECK-NEXT: if (load *arg0 s> 0)
    do i = 1, j
      s = s + x(i, j)
    end do
  end do
end subroutine

! CHECK-LABEL: strided_ at loops.f90:{{[0-9]+}}
subroutine strided(n, k, x, s)
  integer, intent(in) :: n, k
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  integer :: i
  s = 0
  ! CHECK-NEXT: loop 0 at loops.f90:[[@LINE+1]]: rounds = ((zext64((load *arg0 + 1)) s/ 3) - smin(1, (zext64((load *arg0 + 1)) s/ 3))), variable from sext64(((load *arg0 + 1) u/ 3)) to 1 step -1, whole
  do i = 2, n, 3
    s = s + x(i)
  end do
  ! CHECK-NEXT: loop 1 at loops.f90:[[@LINE+2]]: rounds = ((zext64((load *arg0 + 1)) s/ 2) - smin(1, (zext64((load *arg0 + 1)) s/ 2))), variable from sext64(((load *arg0 + 1) u>> 1)) to 1 step -1, whole
  ! CHECK-NEXT: if (load *arg0 s> 1)
  do i = n, 1, -2
    s = s + x(i)
  end do
end subroutine

! CHECK-LABEL: until_ at loops.f90:{{[0-9]+}}
integer function until(n)
  integer, intent(in) :: n
  integer :: m
  m = n
  until = 0
  ! floor(log2(n / 4)) + 1: m > 3 is what leaves more than 1 behind
  ! CHECK-NEXT: loop 0 at loops.f90:[[@LINE+3]]: rounds = ? or smax(0, (fptosi64(floor(log2(fmax((uitofp64(load *arg0) / (uitofp64(3) + 0x3FF0000000000000)), 0x3FE0000000000000)))) + 1))
  ! CHECK-NEXT: if (load *arg0 s> 1)
  ! CHECK-NEXT: if (phi? u> 3)
  do while (m > 1)
    m = m / 2
    until = until + 1
  end do
end function
