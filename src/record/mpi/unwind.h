/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_UNWIND_H
#define PARCAST_RECORD_UNWIND_H
/* Finds a caller's frame from a function's frame, using the compiler's unwinding tables (.eh_frame of the
 * System V ABI for x86-64), reduced to what a return address needs. Of the registers only the frame
 * pointer is followed: compilers use no other register for frames that cannot be found from the stack
 * pointer. */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The canonical frame address (CFA) is the stack pointer's value before the call: the address above the
 * return address. */
enum parcast_cfa {
  /* the table has no entry for the address, or one that is not supported here */
  PARCAST_CFA_UNKNOWN,
  PARCAST_CFA_OUTERMOST, /* the function has no caller */
  PARCAST_CFA_STACK,     /* stack pointer + cfa_offset */
  PARCAST_CFA_FRAME,     /* frame pointer + cfa_offset */
  /* the word at frame pointer + cfa_offset: used by functions that align the stack */
  PARCAST_CFA_KEPT
};

enum parcast_caller_frame { /* the caller's frame pointer is */
                            PARCAST_FRAME_SAME,
                            PARCAST_FRAME_BY_CFA,   /* the word at CFA + frame_offset */
                            PARCAST_FRAME_BY_FRAME, /* the word at frame pointer + frame_offset */
                            PARCAST_FRAME_LOST
};

struct parcast_rule {
  uintptr_t function; /* address of its first byte */
  enum parcast_cfa cfa;
  enum parcast_caller_frame frame;
  int32_t cfa_offset, frame_offset;
  int32_t return_offset; /* the return address is the word at CFA + return_offset */
};

/* The unwinding table of a loaded module (.eh_frame_hdr), and the readable address range around it. */
struct parcast_unwind_table {
  const unsigned char* header; /* null: none */
  const unsigned char *low, *high;
};

/* Returns the rule for `address`, which is inside a call instruction; `cfa` is PARCAST_CFA_UNKNOWN when
 * there is none. */
struct parcast_rule parcast_unwind_rule(const struct parcast_unwind_table* table, uintptr_t address);

#ifdef __cplusplus
}
#endif

#endif
