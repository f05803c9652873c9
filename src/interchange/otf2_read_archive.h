// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of an import that sees the archive: it runs in a child process, and tells what it did in messages.
//
//   progress FRACTION WHAT | warning TEXT | damage TEXT | left out KIND COUNT | error WHAT WHERE HINT
//   done PROCESSES LOCATIONS RECORDS EVENTS

#include <cstdint>
#include <filesystem>

#include "base/child.h"

namespace parcast::interchange {

/// Writes the rank files and meta.json into `folder`. `size`: bytes of the archive.
void read_archive(const std::filesystem::path& anchor, const std::filesystem::path& folder, std::uint64_t size, const ChildVoice& voice);

}  // namespace parcast::interchange
