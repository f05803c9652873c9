// SPDX-License-Identifier: Apache-2.0
#pragma once
// Permissions under the user's umask. mkdtemp and mkstemp ignore the umask, so callers set these permissions
// afterwards.

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>

namespace parcast {

/// Returns `mode` without the bits of the umask. Do not call while other threads create files: the umask can
/// only be read by setting it.
inline mode_t after_umask(mode_t mode) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mode & ~mask;
}

/// Returns the permissions for a folder that mkdtemp created.
inline std::filesystem::perms folder_permissions() {
  return static_cast<std::filesystem::perms>(after_umask(0777));
}

}  // namespace parcast
