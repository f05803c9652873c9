/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_H
#define PARCAST_RECORD_FAMILY_H
/* A family of MPI libraries: libraries that share one mpi.h, so that handles, statuses and constants are
 * the same. The generated file of each family (family/wrappers.h and its includes, compiled with that
 * mpi.h) defines one of these structures. The family is determined when MPI_Init has returned. */

#include "record/mpi/entry.h"
#include "record/mpi/recorder.h"

enum { PARCAST_MOST_DIMENSIONS = 16 };

/* Handles and numbers that the library provides at run time. */
struct parcast_family_values {
  parcast_handle world, self, null_communicator, null_request, no_message;
};

struct parcast_family {
  /* Returns whether a library belongs to the family, by its `version` text and the file `library` that
   * contains its MPI_Init. */
  bool (*is)(const char* version, const char* library);
  /* Finds the library's functions and values; returns false when one is missing. */
  bool (*find)(struct parcast_family_values* values);
  /* Reads the rank and size of the world; sets whether threads may call concurrently. */
  bool (*start)(int* rank, int* processes, bool* threaded);
  /* Reads size, own rank and members (world ranks) of a communicator. */
  bool (*members)(parcast_handle handle, struct parcast_comm* comm);
  /* Reads the Cartesian topology of a communicator; returns its number of dimensions, or 0. */
  uint32_t (*dimensions)(parcast_handle handle, struct parcast_dimension dimensions[PARCAST_MOST_DIMENSIONS]);
  /* Makes MPI call parcast_communicator_freed when the communicator is freed. */
  void (*watch)(parcast_handle handle);
  int any_source;
  /* wrappers of MPI_X by number of the call; null when there is none */
  const parcast_function* entries;
  const parcast_function* profiling_entries; /* same, for PMPI_X */
};

/* The family of this process's library; null until it is known. */
extern const struct parcast_family* parcast_family;
extern struct parcast_family_values parcast_family_values;

/* Determines the family of the loaded library and writes its readable name to `library`. */
bool parcast_family_find(char library[128]);

#endif
