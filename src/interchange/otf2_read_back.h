// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads an archive that was just written. The library reports success where a file system is full: what it wrote is seen to
// be whole only by reading it.

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace parcast::interchange {

/// Why the archive does not hold that many records of each location, or its definitions; empty when it does. Calls
/// `each_so_many` now and then.
std::string missing_in(const std::filesystem::path& anchor, const std::map<OTF2_LocationRef, std::uint64_t>& records,
                       const std::function<void()>& each_so_many);

}  // namespace parcast::interchange
