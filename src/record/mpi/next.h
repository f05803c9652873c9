/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_NEXT_H
#define PARCAST_RECORD_NEXT_H
/* The function that a wrapper stands in front of: the next of that name in the lookup order (another tool's, or MPI's),
 * found at its first use. */

#include "calls.h"

extern void* parcast_next[PARCAST_CALL_COUNT];
void* parcast_resolve(enum parcast_call_number call);

static inline void* parcast_next_of(enum parcast_call_number call) {
  void* found = __atomic_load_n(&parcast_next[call], __ATOMIC_RELAXED);
  return __builtin_expect(found != 0, 1) ? found : parcast_resolve(call);
}
/* The same of its profiling name, which the Fortran bindings of Open MPI call. */
extern void* parcast_next_profiling[PARCAST_CALL_COUNT];
void* parcast_resolve_profiling(enum parcast_call_number call);

static inline void* parcast_next_profiling_of(enum parcast_call_number call) {
  void* found = __atomic_load_n(&parcast_next_profiling[call], __ATOMIC_RELAXED);
  return __builtin_expect(found != 0, 1) ? found : parcast_resolve_profiling(call);
}
/* A pointer to a function as it comes out of the dynamic linker. */
#define NEXT(call) ((__typeof__(next))(uintptr_t)parcast_next_of(call))
#define NEXT_PROFILING(call) ((__typeof__(next))(uintptr_t)parcast_next_profiling_of(call))

#endif
