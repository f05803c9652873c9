// SPDX-License-Identifier: Apache-2.0
#include "collections/recording.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "parcast/collections/error.h"
#include "recording/format.h"

namespace parcast::collections {
namespace {

/// Returns the build id among the notes of a module (elf(5)).
std::string build_id_in(const char* note, std::size_t length) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (length >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof header);
    const char* const name = note + sizeof header;
    const std::size_t whole = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
    if (whole > length) break;
    if (header.n_type == NT_GNU_BUILD_ID &&
        std::string_view(name, header.n_namesz) == std::string_view("GNU", 4))
      return {name + padded(header.n_namesz), header.n_descsz};
    note += whole;
    length -= whole;
  }
  return {};
}

struct Wanted {
  std::uintptr_t address;  // 0: the executable, which comes first
  std::optional<Recording::Module> found;
};

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  Wanted& wanted = *static_cast<Wanted*>(data);
  const std::span parts(info->dlpi_phdr, info->dlpi_phnum);
  const auto holds = [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && wanted.address - (info->dlpi_addr + part.p_vaddr) < part.p_memsz;
  };
  bool is_it = wanted.address == 0;
  for (const ElfW(Phdr) & part : parts) is_it = is_it || holds(part);
  if (!is_it) return 0;
  Recording::Module module{info->dlpi_addr, info->dlpi_name, {}};
  for (const ElfW(Phdr) & part : parts)
    if (part.p_type == PT_NOTE && module.build_id.empty())
      module.build_id =
          build_id_in(reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr), part.p_memsz);
  if (module.path.empty()) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    module.path.assign(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  wanted.found = std::move(module);
  return 1;
}

}  // namespace

/// The recorder library of `parcast record` sees no folder any more and stays off: it would record the
/// process.
std::optional<std::string> take_recording_folder() {
  const char* wanted = std::getenv("PARCAST_OUT");
  if (!wanted || !*wanted) return std::nullopt;
  std::string folder = wanted;
  unsetenv("PARCAST_OUT");
  if (folder[0] == '/') return folder;
  char here[4096];
  return getcwd(here, sizeof here) ? std::optional(std::string(here) + "/" + folder) : std::nullopt;
}

/// Marks the folder as that of this run (format.h).
std::string begin_recording(const std::string& folder) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string world = "collections" + std::to_string(getpid()) + "at" + std::to_string(now.tv_sec) +
                            std::to_string(now.tv_nsec);
  mkdir(folder.c_str(), 0777);
  if (symlink(world.c_str(), (folder + "/" PARCAST_WORLD_LINK).c_str()) == 0) return folder;
  const std::string other = folder + "/" PARCAST_WORLD_PREFIX + world;
  if (mkdir(other.c_str(), 0777) != 0)
    throw Error("the recording cannot be begun in " + folder + ": " + std::strerror(errno));
  return other;
}

Recording::Recording(std::string folder, int size, std::string runtime)
    : folder_(std::move(folder)), runtime_(std::move(runtime)), size_(size) {
  Stopwatch::prepare();
  module_of(nullptr);
}

std::uint32_t Recording::module_of(const void* address) {
  Wanted wanted{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(look_at, &wanted);
  if (!wanted.found) return PARCAST_NO_ID;
  for (std::uint32_t i = 0; i < modules_.size(); ++i)
    if (modules_[i].base == wanted.found->base) return i;
  modules_.push_back(*std::move(wanted.found));
  return static_cast<std::uint32_t>(modules_.size() - 1);
}

/// Number 0 is the unknown place.
std::uint32_t Recording::site(const void* return_address) {
  const std::lock_guard hold(lock_);
  const auto [at, is_new] = site_numbers_.emplace(return_address, sites_.size());
  if (!is_new) return at->second;
  const std::uint32_t module = module_of(static_cast<const char*>(return_address) - 1);
  const std::uintptr_t base = module == PARCAST_NO_ID ? 0 : modules_[module].base;
  sites_.push_back({module, reinterpret_cast<std::uintptr_t>(return_address) - base});
  return at->second;
}

std::uint32_t Recording::number_of(const Region& region) {
  const std::string key =
      std::to_string(region.parent) + "/" + region.name + "/" +
      (region.name.empty() ? std::to_string(region.module) + "+" + std::to_string(region.offset) : "");
  const auto [at, is_new] = region_numbers_.emplace(key, regions_.size());
  if (is_new) regions_.push_back(region);
  return at->second;
}

std::uint32_t Recording::region(std::uint32_t parent, const std::string& name) {
  const std::lock_guard hold(lock_);
  return number_of({parent, name.empty() ? "?" : name, 0, 0});
}

std::uint32_t Recording::function(std::uint32_t parent, const void* address) {
  const std::lock_guard hold(lock_);
  const std::uint32_t module = module_of(address);
  if (module == PARCAST_NO_ID) return number_of({parent, "?", 0, 0});
  return number_of({parent, "", module, reinterpret_cast<std::uintptr_t>(address) - modules_[module].base});
}

Recording::Module Recording::module(std::uint32_t number) {
  const std::lock_guard hold(lock_);
  return modules_[number];
}

Recording::Site Recording::site_of(std::uint32_t number) {
  const std::lock_guard hold(lock_);
  return sites_[number];
}

Recording::Region Recording::region_of(std::uint32_t number) {
  const std::lock_guard hold(lock_);
  return regions_[number];
}

}  // namespace parcast::collections
