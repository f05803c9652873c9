/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/family.h"

#include <dlfcn.h>
#include <string.h>

#include "families.h"
#include "record/mpi/next.h"
#include "recording/library_name.h"

const struct parcast_family* parcast_family;
struct parcast_family_values parcast_family_values;

/* Handles of a different family's library may even differ in size, so nothing uses MPI before this returns
 * true. */
bool parcast_family_find(char library[128]) {
  int (*version)(char*, int*);
  void* found = parcast_find("PMPI_Get_library_version");
  if (!found) return false;
  memcpy(&version, &found, sizeof found);
  static char text[32768]; /* MPI_MAX_LIBRARY_VERSION_STRING is 256 to 8192 */
  int length = 0;
  if (version(text, &length) != 0) return false;
  text[sizeof text - 1] = 0;
  Dl_info place = {0};
  const char* file = dladdr(found, &place) && place.dli_fname ? place.dli_fname : "";
  for (size_t i = 0; i < sizeof parcast_families / sizeof *parcast_families; ++i) {
    if (!parcast_families[i]->is(text, file)) continue;
    if (!parcast_families[i]->find(&parcast_family_values)) return false;
    parcast_family = parcast_families[i];
    parcast_library_name(library, text);
    return true;
  }
  return false;
}
