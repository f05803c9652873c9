/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FRAMES_H
#define PARCAST_RECORD_FRAMES_H
/* Facts about a return address, looked up once per process: its function, and how to find the caller's
 * frame. */

#include "record/mpi/unwind.h"

struct parcast_thread;

/* A function of the program, as a part of a path. */
struct parcast_function {
  uintptr_t start; /* 0: none */
  uint64_t offset; /* first byte of the function minus load address */
  uint32_t module;
  bool of_c_library; /* as are the callers of main and of thread functions */
};

struct parcast_place {
  uintptr_t address; /* return address */
  struct parcast_rule rule;
  struct parcast_function function;
};

struct parcast_place parcast_place_of(struct parcast_thread* thread, uintptr_t return_address);

#endif
