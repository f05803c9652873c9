/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "record/mpi/entry.h"

__thread const void* parcast_fortran_site __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Address ranges of the loaded binding libraries of Open MPI, of MPICH and of its relatives. */
static const char* const names[] = {"/libmpi_mpifh", "/libmpi_usempi", "/libmpifort", "/libmpichfort"};
enum { kMostBindings = 16, kUnknown = -1 };
static struct { uintptr_t begin, end; } bindings[kMostBindings];
static int binding_count = kUnknown;
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

static bool has_bindings(const char* path) {
  const char* name = strrchr(path, '/');
  for (size_t i = 0; name && i < sizeof names / sizeof *names; ++i)
    if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
  return false;
}

static int note_binding(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  int* count = data;
  if (!has_bindings(info->dlpi_name)) return 0;
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

/* Called when a Fortran name was found for the first time, possibly in a newly loaded library. */
void parcast_bindings_changed(void) {
  __atomic_store_n(&binding_count, kUnknown, __ATOMIC_RELEASE);
}

bool parcast_is_binding(const void* address) {
  int count = __atomic_load_n(&binding_count, __ATOMIC_ACQUIRE);
  if (__builtin_expect(count == kUnknown, 0)) count = find_bindings();
  const uintptr_t at = (uintptr_t)address;
  for (int i = 0; i < count; ++i)
    if (at >= bindings[i].begin && at < bindings[i].end) return true;
  return false;
}

const void* parcast_fortran_caller(const void* return_address) {
  if (!parcast_is_binding(return_address)) return return_address;
  const void* site = parcast_take_fortran_site();
  return site ? site : return_address;
}
