// SPDX-License-Identifier: Apache-2.0
// The counted function: work(n) is entered once and loops n times, n > 0.
#pragma once

static volatile long sink;

__attribute__((noinline)) static void work(long rounds) {
  __asm__ volatile("" : "+r"(rounds));  // hides the value from the compiler, which keeps the loop
  for (long i = 0; i < rounds; ++i) sink = i;
}
