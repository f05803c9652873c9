/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into a test's program. Initialises probes as in a recorder's memory, and writes the counters of the
 * process to $COUNTERS.PID at its end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording/counted.h"

extern const struct parcast_counted_module __start_parcast_modules[], __stop_parcast_modules[];

__attribute__((constructor(101))) static void prepare(void) {
  for (const struct parcast_counted_module* module = __start_parcast_modules; module < __stop_parcast_modules;
       ++module)
    for (uint64_t i = 0; i < module->probes; ++i)
      module->counters[module->counts + PARCAST_PROBE_WORDS * i + PARCAST_PROBE_VALUE] = PARCAST_PROBE_NOTHING;
}

__attribute__((destructor)) static void print(void) {
  const char* base = getenv("COUNTERS");
  if (!base) return;
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", base, (int)getpid());
  FILE* file = fopen(path, "w");
  if (!file) return;
  for (const struct parcast_counted_module* module = __start_parcast_modules; module < __stop_parcast_modules;
       ++module) {
    fprintf(file, "module %" PRIX64 " %" PRIu64 " %" PRIu64 "\n", module->id, module->counts, module->probes);
    for (uint64_t i = 0; i < module->counts + PARCAST_PROBE_WORDS * module->probes; ++i)
      fprintf(file, "%" PRIu64 "\n", module->counters[i]);
  }
  fclose(file);
}
