/* SPDX-License-Identifier: Apache-2.0 */
#include "record/mpi/entry.h"

#include <stddef.h>
#include <string.h>

#include "calls.h"
#include "record/mpi/next.h"

parcast_function parcast_next[PARCAST_MPI_CALLS];
parcast_function parcast_next_profiling[PARCAST_MPI_CALLS];

parcast_function parcast_resolve_profiling(enum parcast_call_number call) {
  char name[128] = "P";
  strncat(name, parcast_calls[call].name, sizeof name - 2);
  const parcast_function found = parcast_next_named(name);
  __atomic_store_n(&parcast_next_profiling[call], found, __ATOMIC_RELAXED);
  return found;
}

parcast_function parcast_entry_resolve(uint32_t number) {
  parcast_function found;
  if (number < PARCAST_MPI_CALLS) {
    found = parcast_next_of((enum parcast_call_number)number);
  } else if (number < 2 * PARCAST_MPI_CALLS) {
    found = parcast_next_profiling_of((enum parcast_call_number)(number - PARCAST_MPI_CALLS));
  } else {
    parcast_bindings_changed();
    found = parcast_next_named(parcast_entry_names[number]);
  }
  /* the entry may have been changed meanwhile */
  parcast_function expected = parcast_entry_unresolved;
  __atomic_compare_exchange_n(&parcast_entries[number], &expected, found, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return found;
}

static void turn(parcast_function* to, const parcast_function* from) {
  for (uint32_t i = 0; i < PARCAST_MPI_CALLS; ++i)
    if (from[i]) __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
}

void parcast_entries_turn(const parcast_function* entries, const parcast_function* profiling_entries) {
  turn(parcast_entries, entries);
  turn(parcast_entries + PARCAST_MPI_CALLS, profiling_entries);
}
