! SPDX-License-Identifier: Apache-2.0
! BUILD SSE: -O2
! BUILD AVX: -O3 -mavx2
! CHECK-LABEL: daxpy_ at vectors.f90:{{[0-9]+}}
subroutine daxpy(n, a, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: a, x(n)
  real(8), intent(inout) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine

! CHECK-LABEL: chained_ at vectors.f90:{{[0-9]+}}
subroutine chained(n, x)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 2, n
    x(i) = 0.5d0 * x(i - 1) + x(i)
  end do
end subroutine
