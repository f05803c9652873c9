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
/* A pointer to a function as it comes out of the dynamic linker. */
#define NEXT(call) ((__typeof__(next))(uintptr_t)parcast_next_of(call))

#endif
