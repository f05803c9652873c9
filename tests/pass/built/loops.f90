! SPDX-License-Identifier: Apache-2.0
! Each calls one() as often as the formulas in ring.F90 require.
subroutine pairs(n, c)
  integer :: n, c, i, j
  do i = 1, n
    do j = i, n
      call one(c)
    end do
  end do
end subroutine

subroutine thirds(n, c)
  integer :: n, c, i
  do i = 2, n, 3
    call one(c)
  end do
end subroutine

subroutine part(n, rank, ranks, c)
  integer :: n, rank, ranks, c, i
  do i = 1 + rank, n, ranks
    call one(c)
  end do
end subroutine

subroutine cells(n, c)
  integer :: n, c, i, j
  do i = 1, n
    do j = n, 2, -1
      call one(c)
    end do
  end do
end subroutine
