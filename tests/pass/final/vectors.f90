! SPDX-License-Identifier: Apache-2.0
! BUILD SSE = -O2
! BUILD AVX = -O3 -march=haswell
! CHECK-LABEL: daxpy_ at vectors.f90:{{[0-9]+}}
subroutine daxpy(n, a, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: a, x(n)
  real(8), intent(inout) :: y(n)
  integer :: i
  ! SSE-NEXT: loop 0 at vectors.f90:[[@LINE+4]]: width 2, interleave 2
  ! SSE-NEXT: block 2 at vectors.f90:[[@LINE+4]]: branch 4 by 1, double_add 2 by 1, double_multiply 2 by 1, {{.*}}, load 2 by 1, store 2 by 1
  ! AVX-NEXT: loop 0 at vectors.f90:[[@LINE+2]]: width 4, interleave 4
  ! AVX-NEXT: block 2 at vectors.f90:[[@LINE+2]]: branch 16 by 1, double_add 4 by 1, double_multiply 4 by 1, {{.*}}, load 4 by 1, store 4 by 1
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine

! CHECK-LABEL: chained_ at vectors.f90:{{[0-9]+}}
subroutine chained(n, x)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  ! CHECK-NEXT: loop 0 at vectors.f90:[[@LINE+1]]: width 1, interleave 1
  do i = 2, n
    x(i) = 0.5d0 * x(i - 1) + x(i)
  end do
end subroutine
