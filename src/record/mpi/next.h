/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_NEXT_H
#define PARCAST_RECORD_NEXT_H
/* Finds the function that a wrapper replaces: the next of that name in lookup order (another tool's, or
 * MPI's), on first use. If there is none the process ends, as it would have without the recorder. */

#include "calls.h"
#include "record/mpi/entry.h"

parcast_function parcast_next_named(const char* name);

extern parcast_function parcast_next[PARCAST_MPI_CALLS] PARCAST_HIDDEN;
parcast_function parcast_resolve(enum parcast_call_number call);

static inline parcast_function parcast_next_of(enum parcast_call_number call) {
  const parcast_function found = __atomic_load_n(&parcast_next[call], __ATOMIC_RELAXED);
  return __builtin_expect(found != 0, 1) ? found : parcast_resolve(call);
}
/* Same, for the profiling name. */
extern parcast_function parcast_next_profiling[PARCAST_MPI_CALLS] PARCAST_HIDDEN;
parcast_function parcast_resolve_profiling(enum parcast_call_number call);

static inline parcast_function parcast_next_profiling_of(enum parcast_call_number call) {
  const parcast_function found = __atomic_load_n(&parcast_next_profiling[call], __ATOMIC_RELAXED);
  return __builtin_expect(found != 0, 1) ? found : parcast_resolve_profiling(call);
}
#define NEXT(call) ((__typeof__(next))parcast_next_of(call))
#define NEXT_PROFILING(call) ((__typeof__(next))parcast_next_profiling_of(call))

/* Returns whether an MPI library of any family is loaded. */
bool parcast_has_mpi(void);
/* Returns a profiling function or a variable of the MPI library, or null. */
void* parcast_find(const char* name);

#endif
