/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_LINKED_H
#define PARCAST_RECORD_LINKED_H
/* A program whose MPI library is linked into it: its calls do not pass the loader, so that the recorder is linked into it as
 * well, before the library. It then defines MPI_Send and the others of C, and finds the library's by the profiling names that
 * the linker knows. The names of Fortran stay the library's: the functions behind them call those of C. */

struct parcast_linked {
  const char* name;
  void* place; /* null: the library has none, or the linker was not asked for it (parcast-record-FAMILY.link) */
};
extern const struct parcast_linked parcast_linked[] __attribute__((visibility("hidden")));
extern const unsigned parcast_linked_count __attribute__((visibility("hidden")));

#endif
