/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_UNWIND_H
#define PARCAST_RECORD_UNWIND_H
/* How to get from a function's frame to its caller's: what the compiler wrote for exceptions (.eh_frame of the System V
 * ABI for x86-64), boiled down to what a return address needs. Register contents are followed for the frame pointer alone:
 * compilers use no other one for frames that cannot be found from the stack pointer. */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The canonical frame address (CFA) is what the stack pointer was before the call: the address above the return address. */
enum parcast_cfa {
  PARCAST_CFA_UNKNOWN,   /* nothing is said of the address, or in words that are not understood here */
  PARCAST_CFA_OUTERMOST, /* it has no caller */
  PARCAST_CFA_STACK,     /* stack pointer + cfa_offset */
  PARCAST_CFA_FRAME,     /* frame pointer + cfa_offset */
  PARCAST_CFA_KEPT       /* the word at frame pointer + cfa_offset: functions that align the stack */
};

enum parcast_caller_frame { /* the caller's frame pointer is */
  PARCAST_FRAME_SAME,
  PARCAST_FRAME_BY_CFA,   /* the word at CFA + frame_offset */
  PARCAST_FRAME_BY_FRAME, /* the word at frame pointer + frame_offset */
  PARCAST_FRAME_LOST
};

struct parcast_rule {
  uintptr_t function; /* its first byte */
  enum parcast_cfa cfa;
  enum parcast_caller_frame frame;
  int32_t cfa_offset, frame_offset;
  int32_t return_offset; /* the return address is the word at CFA + this */
};

/* The table of a loaded module (.eh_frame_hdr), and the bytes around it that may be read. */
struct parcast_unwind_table {
  const unsigned char* header; /* null: none */
  const unsigned char *low, *high;
};

/* The rule that holds at `address`, which is inside of a call's instruction. Unknown: `cfa` says so. */
struct parcast_rule parcast_unwind_rule(const struct parcast_unwind_table* table, uintptr_t address);

#ifdef __cplusplus
}
#endif

#endif
