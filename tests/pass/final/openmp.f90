! SPDX-License-Identifier: Apache-2.0
! BUILD OMP = -O2 -fopenmp
! CHECK-LABEL: shared_..omp_par at {{.*}}
! CHECK-NEXT: loop 0 at {{.*}}: width 2, interleave 2, shared static
subroutine shared(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  integer :: i
  !$omp parallel do schedule(static)
  do i = 1, n
    y(i) = y(i) + 2 * x(i)
  end do
  !$omp end parallel do
end subroutine

! CHECK-LABEL: on_demand_..omp_par at {{.*}}
! CHECK-NEXT: loop 0 at {{.*}}: width 1, interleave 1, shared dynamic, chunks
! CHECK-NEXT: loop 1 at {{.*}}: width 2, interleave 2, shared dynamic
subroutine on_demand(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  integer :: i
  !$omp parallel do schedule(dynamic, 4)
  do i = 1, n
    y(i) = y(i) + 2 * x(i)
  end do
  !$omp end parallel do
end subroutine
