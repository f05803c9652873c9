/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTED_H
#define PARCAST_RECORD_COUNTED_H
/* What of this process was compiled with the pass and counts what it executes (recording/counted.h): found by the section
 * headers of the files that were loaded, which stripping leaves. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/counted.h"

enum { PARCAST_MOST_BINARIES = 32 };

/* An executable or shared library. Its modules share one displacement, a word of each thread. */
struct parcast_counted_binary {
  uintptr_t base;
  char* counters; /* of all its modules, whole pages */
  size_t bytes;
  const struct parcast_counted_module* modules;
  uint64_t module_count;
  int64_t* (*displacement)(void);
};

struct parcast_counted {
  uint32_t count, left_out; /* the second: there was no room for them */
  struct parcast_counted_binary binaries[PARCAST_MOST_BINARIES];
};

/* All that is loaded now. */
void parcast_find_counted(struct parcast_counted* counted);
/* Grows with each library that is loaded. */
uint64_t parcast_libraries_loaded(void);

#endif
