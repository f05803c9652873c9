/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/next.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* MPI loaded by dlopen without RTLD_GLOBAL, as interpreters do, is not in the lookup order. Nor are the
 * Fortran bindings that a plugin loads. */
enum { kMostLibraries = 32 };
struct libraries {
  int count;
  const char* names[kMostLibraries];
};

static int note_library(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct libraries* libraries = data;
  const char* name = strrchr(info->dlpi_name, '/');
  if (name && strncmp(name, "/libmpi", 7) == 0 && libraries->count < kMostLibraries)
    libraries->names[libraries->count++] = info->dlpi_name;
  return 0;
}

static void* find_in_loaded(const char* name) {
  struct libraries libraries = {.count = 0};
  dl_iterate_phdr(note_library, &libraries);
  void* found = NULL;
  for (int i = 0; i < libraries.count && !found; ++i) {
    void* handle = dlopen(libraries.names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) continue;
    found = dlsym(handle, name);
    dlclose(handle);
  }
  return found;
}

/* Searches the complete lookup order: the executable may hold the only valid copy of a library's variable. */
void* parcast_find(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found ? found : find_in_loaded(name);
}

bool parcast_has_mpi(void) {
  return dlsym(RTLD_NEXT, "MPI_Init") || find_in_loaded("MPI_Init");
}

/* Does what the dynamic linker would do if the recorder did not define the name. */
parcast_function parcast_next_named(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) found = find_in_loaded(name);
  if (!found) {
    fprintf(stderr, "symbol lookup error: undefined symbol: %s\n", name);
    _exit(127);
  }
  return (parcast_function)(uintptr_t)found;
}

parcast_function parcast_resolve(enum parcast_call_number call) {
  const parcast_function found = parcast_next_named(parcast_calls[call].name);
  __atomic_store_n(&parcast_next[call], found, __ATOMIC_RELAXED);
  return found;
}
