/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/counted.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "recording/uncancelled.h"

enum { kHeadersAtOnce = 64, kMostSections = 1 << 14 };

/* A section in memory. */
struct section {
  char* begin;
  uint64_t bytes;
};

static bool read_at(int file, void* into, size_t bytes, uint64_t at) {
  return pread(file, into, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Returns whether the binary has this memory loaded with these access rights. */
static bool holds(const struct dl_phdr_info* info, uint32_t rights, const void* begin, uint64_t bytes) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & rights) != rights) continue;
    const uintptr_t low = info->dlpi_addr + part->p_vaddr, at = (uintptr_t)begin;
    if (at >= low && at - low <= part->p_memsz && part->p_memsz - (at - low) >= bytes) return true;
  }
  return false;
}

/* Returns whether a binary may contain counters: these need thread-local memory and at least a page of
 * data in the file. Most libraries need not be opened. */
static bool may_count(const struct dl_phdr_info* info) {
  bool local = false, data = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    local = local || part->p_type == PT_TLS;
    data =
        data || (part->p_type == PT_LOAD && (part->p_flags & PF_W) && part->p_filesz >= PARCAST_COUNTED_PAGE);
  }
  return local && data;
}

static void take_section(int file, const ElfW(Shdr) * names, const ElfW(Shdr) * section,
                         const struct dl_phdr_info* info, struct section* modules, struct section* counters) {
  const bool rows = section->sh_size % sizeof(struct parcast_counted_module) == 0,
             pages = section->sh_size % PARCAST_COUNTED_PAGE == 0;
  if (section->sh_size == 0 || (!rows && !pages)) return;
  char name[sizeof PARCAST_COUNTERS_SECTION] = "";
  _Static_assert(sizeof PARCAST_MODULES_SECTION <= sizeof name, "both fit");
  if ((section->sh_flags & (SHF_ALLOC | SHF_WRITE)) != (SHF_ALLOC | SHF_WRITE) ||
      section->sh_name >= names->sh_size)
    return;
  const uint64_t left = names->sh_size - section->sh_name;
  if (!read_at(file, name, left < sizeof name ? left : sizeof name, names->sh_offset + section->sh_name))
    return;
  const struct section found = {(char*)info->dlpi_addr + section->sh_addr, section->sh_size};
  if (!holds(info, PF_R | PF_W, found.begin, found.bytes)) return;
  if (memcmp(name, PARCAST_MODULES_SECTION, sizeof PARCAST_MODULES_SECTION) == 0) *modules = found;
  if (memcmp(name, PARCAST_COUNTERS_SECTION, sizeof PARCAST_COUNTERS_SECTION) == 0) *counters = found;
}

static void find_sections(int file, const struct dl_phdr_info* info, struct section* modules,
                          struct section* counters) {
  ElfW(Ehdr) header;
  ElfW(Shdr) names, sections[kHeadersAtOnce];
  if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header.e_shentsize != sizeof names || header.e_shnum > kMostSections ||
      header.e_shstrndx >= header.e_shnum)
    return;
  if (!read_at(file, &names, sizeof names, header.e_shoff + header.e_shstrndx * sizeof names)) return;
  for (uint32_t done = 0; done < header.e_shnum; done += kHeadersAtOnce) {
    const uint32_t now = header.e_shnum - done < kHeadersAtOnce ? header.e_shnum - done : kHeadersAtOnce;
    if (!read_at(file, sections, now * sizeof names, header.e_shoff + done * sizeof names)) return;
    for (uint32_t i = 0; i < now; ++i) take_section(file, &names, &sections[i], info, modules, counters);
  }
}

/* Returns whether the memory matches the file. The file may have been replaced since it was loaded. */
static bool is_module(const struct parcast_counted_module* module, const struct dl_phdr_info* info,
                      const struct section* counters) {
  const uint64_t words = counters->bytes / sizeof(uint64_t),
                 first = (uint64_t)((char*)module->counters - counters->begin) / sizeof(uint64_t);
  return module->magic == PARCAST_COUNTED_MAGIC && (char*)module->counters >= counters->begin &&
         first <= words && (uintptr_t)module->counters % PARCAST_COUNTED_PAGE == 0 &&
         module->counts <= words - first &&
         module->probes <= (words - first - module->counts) / PARCAST_PROBE_WORDS &&
         holds(info, PF_R | PF_X, (const void*)(uintptr_t)module->displacement, 1);
}

static int look_at(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct parcast_counted* counted = data;
  if (!may_count(info)) return 0;
  const int file =
      openat(AT_FDCWD, info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe",
             O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct section modules = {NULL, 0}, counters = {NULL, 0};
  find_sections(file, info, &modules, &counters);
  close(file);
  const uint64_t count = modules.bytes / sizeof(struct parcast_counted_module);
  if (count == 0 || counters.bytes == 0 || (uintptr_t)counters.begin % PARCAST_COUNTED_PAGE ||
      counters.bytes % PARCAST_COUNTED_PAGE)
    return 0;
  const struct parcast_counted_module* module = (const void*)modules.begin;
  for (uint64_t i = 0; i < count; ++i)
    if (!is_module(&module[i], info, &counters) || module[i].displacement != module->displacement) return 0;
  if (counted->count == PARCAST_MOST_BINARIES) {
    ++counted->left_out;
    return 0;
  }
  counted->binaries[counted->count++] = (struct parcast_counted_binary){
      info->dlpi_addr, counters.begin, counters.bytes, module, count, module->displacement};
  return 0;
}

void parcast_find_counted(struct parcast_counted* counted) {
  PARCAST_UNCANCELLED;
  counted->count = counted->left_out = 0;
  dl_iterate_phdr(look_at, counted);
}

static int note_loaded(struct dl_phdr_info* info, size_t size, void* data) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds)
    *(uint64_t*)data = info->dlpi_adds;
  return 1;
}

uint64_t parcast_libraries_loaded(void) {
  uint64_t loaded = 0;
  dl_iterate_phdr(note_loaded, &loaded);
  return loaded;
}
