// SPDX-License-Identifier: Apache-2.0
#pragma once
// 128-bit integers: sums of a few products of counts and coefficients cannot overflow.

namespace parcast::program {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

}  // namespace parcast::program
