/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FRAMES_H
#define PARCAST_RECORD_FRAMES_H
/* What is known of a return address, looked up once in a process: the function, and how to get to its caller. */

#include "record/mpi/unwind.h"

struct parcast_thread;

/* A function of the program, as a part of a path. */
struct parcast_function {
  uintptr_t start; /* 0: none */
  uint64_t offset; /* of its first byte in the module */
  uint32_t module;
  bool of_c_library; /* main's and a thread's callers are */
};

struct parcast_place {
  uintptr_t address; /* returned to */
  struct parcast_rule rule;
  struct parcast_function function;
};

struct parcast_place parcast_place_of(struct parcast_thread* thread, uintptr_t return_address);

#endif
