! SPDX-License-Identifier: Apache-2.0
! In a separate file, so that it stays a call.
subroutine one(c)
  integer :: c
  c = c + 1
end subroutine
