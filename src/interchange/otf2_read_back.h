// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads an archive that was just written. The library reports success even if the file system is full, so
// only reading shows that the archive is complete.

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace parcast::interchange {

/// Returns why the archive lacks its definitions or this number of records per location; empty if it is
/// complete. Calls `each_so_many` from time to time.
std::string missing_in(const std::filesystem::path& anchor,
                       const std::map<OTF2_LocationRef, std::uint64_t>& records,
                       const std::function<void()>& each_so_many);

}  // namespace parcast::interchange
