// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops over many numbers are compiled twice: for every x86-64 processor, and for those whose registers hold
// four numbers instead of two. Both do the same operations in the same order without contraction, so they
// give the same bytes (docs/decisions/0047-loops-twice.md).

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PARCAST_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PARCAST_WIDE
#endif
