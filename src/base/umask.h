// SPDX-License-Identifier: Apache-2.0
#pragma once
// The permissions that the user's umask leaves. mkdtemp and mkstemp ignore it, so that what they make gets these afterwards.

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>

namespace parcast {

/// `mode` without the bits of the umask. Not while other threads make files: the umask is read by setting it.
inline mode_t after_umask(mode_t mode) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mode & ~mask;
}

/// Of a folder that mkdtemp made.
inline std::filesystem::perms folder_permissions() { return static_cast<std::filesystem::perms>(after_umask(0777)); }

}  // namespace parcast
