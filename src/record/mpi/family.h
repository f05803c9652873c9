/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_H
#define PARCAST_RECORD_FAMILY_H
/* A family of MPI libraries: those whose programs one mpi.h compiles, so that handles, statuses and constants are the
 * same. The generated file of each family (family/wrappers.h and what it includes, compiled with that mpi.h) defines one
 * of these structures; which one applies is found out when MPI_Init has returned. */

#include "record/mpi/entry.h"
#include "record/mpi/recorder.h"

enum { PARCAST_MOST_DIMENSIONS = 16 };

/* Handles and numbers that the library tells at run time. */
struct parcast_family_values {
  parcast_handle world, self, null_communicator, null_request, no_message;
};

struct parcast_family {
  /* Whether the library that calls itself `version`, its MPI_Init in the file `library`, is one of these. */
  bool (*is)(const char* version, const char* library);
  /* Finds the library's functions and values; false when one is missing. */
  bool (*find)(struct parcast_family_values* values);
  /* Of the world; sets whether threads may call at the same time. */
  bool (*start)(int* rank, int* processes, bool* threaded);
  /* Size, own rank and members (world ranks) of a communicator. */
  bool (*members)(parcast_handle handle, struct parcast_comm* comm);
  /* Of its Cartesian topology; 0 none. */
  uint32_t (*dimensions)(parcast_handle handle, struct parcast_dimension dimensions[PARCAST_MOST_DIMENSIONS]);
  /* From now on parcast_communicator_freed is called when it goes. */
  void (*watch)(parcast_handle handle);
  int any_source;
  const parcast_function* entries;           /* by number of the call: stands in for MPI_X; null where there is none */
  const parcast_function* profiling_entries; /* for PMPI_X */
};

/* Of the library in this process; null until it is known. */
extern const struct parcast_family* parcast_family;
extern struct parcast_family_values parcast_family_values;

/* Finds out which family the library loaded here belongs to; its name for people goes to `library`. */
bool parcast_family_find(char library[128]);

#endif
