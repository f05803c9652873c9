/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of next.c for a program with a statically linked MPI library. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/mpi/linked.h"
#include "record/mpi/next.h"

void* parcast_find(const char* name) {
  for (unsigned i = 0; i < parcast_linked_count; ++i)
    if (strcmp(parcast_linked[i].name, name) == 0) return parcast_linked[i].place;
  return NULL;
}

bool parcast_has_mpi(void) {
  return true;
}

parcast_function parcast_next_named(const char* name) {
  void* found = parcast_find(name);
  if (!found) {
    fprintf(stderr, "%s was not linked: link with the options in parcast-record-FAMILY.link\n", name);
    _exit(127);
  }
  return (parcast_function)(uintptr_t)found;
}

parcast_function parcast_resolve(enum parcast_call_number call) {
  const parcast_function found = parcast_resolve_profiling(call);
  __atomic_store_n(&parcast_next[call], found, __ATOMIC_RELAXED);
  return found;
}
