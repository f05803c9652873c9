/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/mpi/fortran.h"
#include "record/mpi/next.h"
#include "record/mpi/recorder.h"

__thread const void* parcast_fortran_site __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Address ranges of the loaded libraries of bindings: libmpi_mpifh and libmpi_usempi* of Open MPI. */
enum { kMostBindings = 16, kUnknown = -1 };
static struct {
  uintptr_t begin, end;
} bindings[kMostBindings];
static int binding_count = kUnknown;
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

static int note_binding(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  int* count = data;
  const char* name = strrchr(info->dlpi_name, '/');
  if (!name || (strncmp(name, "/libmpi_mpifh", 13) != 0 && strncmp(name, "/libmpi_usempi", 14) != 0)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || *count == kMostBindings) continue;
    bindings[*count].begin = info->dlpi_addr + part->p_vaddr;
    bindings[*count].end = bindings[*count].begin + part->p_memsz;
    ++*count;
  }
  return 0;
}

static int find_bindings(void) {
  pthread_mutex_lock(&looking);
  int count = binding_count;
  if (count == kUnknown) {
    count = 0;
    dl_iterate_phdr(note_binding, &count);
    __atomic_store_n(&binding_count, count, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&looking);
  return count;
}

bool parcast_is_binding(const void* address) {
  int count = __atomic_load_n(&binding_count, __ATOMIC_ACQUIRE);
  if (__builtin_expect(count == kUnknown, 0)) count = find_bindings();
  const uintptr_t at = (uintptr_t)address;
  for (int i = 0; i < count; ++i)
    if (at >= bindings[i].begin && at < bindings[i].end) return true;
  return false;
}

const void* parcast_take_fortran_site(void) {
  const void* site = parcast_fortran_site;
  parcast_fortran_site = NULL;
  return site;
}

/* Bindings that a plugin brought with it, as interpreters load them, are not in the lookup order. */
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

/* What the dynamic linker would do had the recorder not given the name. */
void* parcast_fortran_resolve(uint32_t name) {
  void* found = dlsym(RTLD_NEXT, parcast_fortran_names[name]);
  if (!found) found = find_in_loaded(parcast_fortran_names[name]);
  if (!found) {
    fprintf(stderr, "symbol lookup error: undefined symbol: %s\n", parcast_fortran_names[name]);
    _exit(127);
  }
  __atomic_store_n(&parcast_fortran_next[name], found, __ATOMIC_RELAXED);
  return found;
}
