/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "record/mpi/recorder.h"

/* Call sites by return address: an open table that only grows. A slot's number is written before its
 * address, so that readers need no lock. Number 0 is the unknown site. */
enum { kSlots = 1 << 15, kMostSites = kSlots * 3 / 4, kMostModules = 512 };
static struct {
  const void* address;
  uint32_t site;
} slots[kSlots];
static uint32_t site_count = 1;

static struct {
  uintptr_t base;
  const char* name;
} modules[kMostModules];
static uint32_t module_count;
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

struct found_module {
  uintptr_t address, base;
  const char* name;
  unsigned char build_id[64];
  uint32_t build_id_length;
  struct parcast_unwind_table table;
  bool found;
};

static void read_notes(struct found_module* found, const char* note, size_t length) {
  while (length >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr)* header = (const void*)note;
    const size_t name = (header->n_namesz + 3u) & ~3u, data = (header->n_descsz + 3u) & ~3u;
    const size_t whole = sizeof *header + name + data;
    if (whole > length) return;
    if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(header + 1, "GNU", 4) == 0 &&
        header->n_descsz <= sizeof found->build_id) {
      found->build_id_length = header->n_descsz;
      memcpy(found->build_id, (const char*)(header + 1) + name, header->n_descsz);
    }
    note += whole;
    length -= whole;
  }
}

static void note_unwind_table(struct found_module* found, const struct dl_phdr_info* info) {
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      found->table.header = (const unsigned char*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  for (int i = 0; i < info->dlpi_phnum && found->table.header; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const unsigned char* start = (const unsigned char*)(info->dlpi_addr + part->p_vaddr);
    if (part->p_type != PT_LOAD || found->table.header < start ||
        found->table.header >= start + part->p_memsz)
      continue;
    found->table.low = start;
    found->table.high = start + part->p_memsz;
  }
}

static int look_at(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct found_module* found = data;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && found->address >= start && found->address - start < part->p_memsz)
      found->found = true;
  }
  if (!found->found) return 0;
  found->base = info->dlpi_addr;
  found->name = info->dlpi_name;
  note_unwind_table(found, info);
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      read_notes(found, (const char*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                 info->dlpi_phdr[i].p_memsz);
  return 1;
}

static uint32_t module_of(struct parcast_thread* thread, const struct found_module* found) {
  for (uint32_t i = 0; i < module_count; ++i)
    if (modules[i].base == found->base && modules[i].name == found->name) return i;
  if (module_count == kMostModules) {
    parcast_note_left_out(&parcast_recorder.writer, PARCAST_LEFT_OUT_MODULES);
    return PARCAST_NO_ID;
  }
  char path[4096];
  if (found->name && found->name[0]) {
    strncpy(path, found->name, sizeof path - 1);
    path[sizeof path - 1] = 0;
  } else {
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
  }
  if (!parcast_put_module(&parcast_recorder.writer, &thread->stream, module_count, path, found->build_id,
                          found->build_id_length))
    return PARCAST_NO_ID;
  modules[module_count].base = found->base;
  modules[module_count].name = found->name;
  return module_count++;
}

static uint32_t define_site(struct parcast_thread* thread, const void* address) {
  if (site_count >= kMostSites) {
    parcast_note_left_out(&parcast_recorder.writer, PARCAST_LEFT_OUT_SITES);
    return 0;
  }
  struct found_module found = {.address = (uintptr_t)address - 1};
  dl_iterate_phdr(look_at, &found);
  const uint32_t module = found.found ? module_of(thread, &found) : PARCAST_NO_ID;
  const uint64_t offset = (uint64_t)((uintptr_t)address - found.base);
  if (!parcast_put_site(&parcast_recorder.writer, &thread->stream, site_count, module, offset)) return 0;
  return site_count++;
}

bool parcast_find_module(struct parcast_thread* thread, uintptr_t address, struct parcast_in_module* in) {
  struct found_module found = {.address = address};
  dl_iterate_phdr(look_at, &found);
  if (!found.found) return false;
  pthread_mutex_lock(&growing);
  *in = (struct parcast_in_module){module_of(thread, &found), found.base, found.name, found.table};
  pthread_mutex_unlock(&growing);
  return true;
}

static __attribute__((noinline)) uint32_t new_site(struct parcast_thread* thread, const void* address,
                                                   uint32_t slot) {
  pthread_mutex_lock(&growing);
  while (slots[slot].address && slots[slot].address != address) slot = (slot + 1) % kSlots;
  if (!slots[slot].address) {
    const uint32_t site = define_site(thread, address);
    if (site) {
      slots[slot].site = site;
      __atomic_store_n(&slots[slot].address, address, __ATOMIC_RELEASE);
    }
  }
  const uint32_t site = slots[slot].address ? slots[slot].site : 0;
  pthread_mutex_unlock(&growing);
  parcast_restart_segment(thread);
  return site;
}

uint32_t parcast_site(struct parcast_thread* thread, const void* return_address) {
  uint32_t slot = (uint32_t)(((uintptr_t)return_address * 0x9e3779b97f4a7c15ull) >> 49);
  for (;;) {
    const void* there = __atomic_load_n(&slots[slot].address, __ATOMIC_ACQUIRE);
    if (__builtin_expect(there == return_address, 1)) return slots[slot].site;
    if (!there) return new_site(thread, return_address, slot);
    slot = (slot + 1) % kSlots;
  }
}

/* Makes the executable module 0, whatever calls first. */
static int look_at_first(struct dl_phdr_info* info, size_t size, void* data) {
  struct found_module* found = data;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      found->address = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      break;
    }
  return look_at(info, size, data) ? 1 : 1;
}

void parcast_define_executable(struct parcast_thread* thread) {
  struct found_module found = {0};
  dl_iterate_phdr(look_at_first, &found);
  module_of(thread, &found);
  parcast_put_site(&parcast_recorder.writer, &thread->stream, 0, PARCAST_NO_ID, 0);
}
