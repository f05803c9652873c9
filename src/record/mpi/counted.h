/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTED_H
#define PARCAST_RECORD_COUNTED_H
/* Finds the parts of this process that were compiled with the pass and count their execution
 * (recording/counted.h). They are found by the section headers of the loaded files, which stripping does
 * not remove. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/counted.h"

enum { PARCAST_MOST_BINARIES = 32 };

/* An executable or shared library. Its modules share one displacement, a word of each thread. */
struct parcast_counted_binary {
  uintptr_t base;
  char* counters; /* of all its modules, complete pages */
  size_t bytes;
  const struct parcast_counted_module* modules;
  uint64_t module_count;
  int64_t* (*displacement)(void);
};

struct parcast_counted {
  uint32_t count, left_out; /* binaries stored; binaries for which there was no room */
  struct parcast_counted_binary binaries[PARCAST_MOST_BINARIES];
};

/* Finds everything that is loaded now. */
void parcast_find_counted(struct parcast_counted* counted);
/* Returns a number that grows with each library loaded. */
uint64_t parcast_libraries_loaded(void);

#endif
