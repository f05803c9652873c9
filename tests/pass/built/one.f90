! SPDX-License-Identifier: Apache-2.0
! In a file of its own, so that it stays a call.
subroutine one(c)
  integer :: c
  c = c + 1
end subroutine
