/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_LINKED_H
#define PARCAST_RECORD_LINKED_H
/* For a program with a statically linked MPI library. Its calls do not pass through the loader, so the
 * recorder is linked into the program as well, before the library. The recorder then defines MPI_Send and
 * the other C names, and finds the library's functions by the profiling names that the linker resolves.
 * Fortran names remain the library's: their functions call the C names. */

struct parcast_linked {
  const char* name;
  /* null: the library has none, or the link did not request it (parcast-record-FAMILY.link) */
  void* place;
};
extern const struct parcast_linked parcast_linked[] __attribute__((visibility("hidden")));
extern const unsigned parcast_linked_count __attribute__((visibility("hidden")));

#endif
