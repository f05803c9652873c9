/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/next.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "record/mpi/recorder.h"

void* parcast_next[PARCAST_CALL_COUNT];
void* parcast_next_profiling[PARCAST_CALL_COUNT];

static int is_mpi(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  const char* name = strrchr(info->dlpi_name, '/');
  if (!name || strncmp(name, "/libmpi.so", 10) != 0) return 0;
  *(const char**)data = info->dlpi_name;
  return 1;
}

/* MPI loaded by dlopen without RTLD_GLOBAL, as interpreters do, is not in the lookup order. */
static void* find_in_loaded_mpi(const char* name) {
  const char* library = NULL;
  dl_iterate_phdr(is_mpi, &library);
  if (!library) return NULL;
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return NULL;
  void* found = dlsym(handle, name);
  dlclose(handle);
  return found;
}

/* In the whole lookup order: of a variable of the library the executable may hold the only true copy. */
void* parcast_find(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found ? found : find_in_loaded_mpi(name);
}

static void* resolve(const char* name, void** next) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) found = find_in_loaded_mpi(name);
  if (found) __atomic_store_n(next, found, __ATOMIC_RELAXED);
  return found;
}

void* parcast_resolve(enum parcast_call_number call) { return resolve(parcast_calls[call].name, &parcast_next[call]); }

void* parcast_resolve_profiling(enum parcast_call_number call) {
  char name[128] = "P";
  strncat(name, parcast_calls[call].name, sizeof name - 2);
  return resolve(name, &parcast_next_profiling[call]);
}
