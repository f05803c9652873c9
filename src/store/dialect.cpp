// SPDX-License-Identifier: Apache-2.0
#include "store/dialect.h"

#include <dlfcn.h>

#include <filesystem>

#include "store/postgresql_module.h"

namespace parcast::store {
namespace {

constexpr const char* kModule = "libparcast-postgresql.so";

/// Loads the dialect from the module, which is in the folder of libraries next to the program, installed or
/// built. The module stays loaded, because its sessions and exceptions may outlive the dialect.
Result<std::unique_ptr<Dialect>> dialect_of_module(const Place& place) {
  std::error_code problem;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", problem).parent_path();
  for (const std::filesystem::path& folder :
       {own / ".." / PARCAST_LIBDIR, own / ".." / "lib", own / ".." / ".." / "lib"}) {
    const std::filesystem::path file = folder / kModule;
    if (!std::filesystem::exists(file, problem)) continue;
    void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module)
      return Error{
          "the part of Parcast that speaks to PostgreSQL cannot be loaded: " + std::string(::dlerror()),
          place.shown,
          "install PostgreSQL's client library (libpq5) and SOCI's back end for it, or keep the store in a "
          "file with --store PATH"};
    const auto* const version = static_cast<const char*>(::dlsym(module, "parcast_postgresql_version"));
    const auto make = reinterpret_cast<decltype(&parcast_postgresql_dialect)>(
        ::dlsym(module, "parcast_postgresql_dialect"));
    if (!version || !make || std::string(version) != PARCAST_VERSION)
      return Error{"the part of Parcast that speaks to PostgreSQL is of another version: " +
                       file.lexically_normal().string(),
                   place.shown, "install Parcast completely, or keep the store in a file with --store PATH"};
    return std::unique_ptr<Dialect>(make(&place));
  }
  return Error{"this build of Parcast cannot speak to PostgreSQL", place.shown,
               "install libpq-dev and build again, or keep the store in a file with --store PATH"};
}

}  // namespace

Result<std::unique_ptr<Dialect>> dialect_of(const Place& place) {
  if (place.backend == Backend::sqlite) return sqlite_dialect(place);
  return dialect_of_module(place);
}

}  // namespace parcast::store
