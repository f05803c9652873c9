// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of an import that reads the archive. It runs in a child process and reports its results in
// messages:
//
//   progress FRACTION WHAT | warning TEXT | damage TEXT | left out KIND COUNT | error WHAT WHERE HINT
//   done PROCESSES LOCATIONS RECORDS EVENTS

#include <cstdint>
#include <filesystem>

#include "base/child.h"

namespace parcast::interchange {

/// Writes the rank files and meta.json into `folder`. `size`: size of the archive in bytes.
void read_archive(const std::filesystem::path& anchor, const std::filesystem::path& folder,
                  std::uint64_t size, const ChildVoice& voice);

}  // namespace parcast::interchange
