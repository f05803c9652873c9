// SPDX-License-Identifier: Apache-2.0
#pragma once
// A cluster of SimGrid's platform files as a machine:
//
//   <platform version="4.1"><zone id="world" routing="Full">
//     <cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" core="8" bw="125MBps" lat="50us" bb_bw="2GBps" bb_lat="1us"/>
//   </zone></platform>
//
// becomes 16 nodes of 8 cores; between nodes the latency is that of the two private links and the backbone, and a byte takes
// what it takes over the slowest of them; a loopback is the link inside a node. What a machine cannot say, such as a link that
// messages share, stands in the machine's notes; what would change every route (another topology, several clusters, hosts and
// routes one by one) is refused.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace parcast::interchange {

/// Whether a file that begins so is a platform.
bool is_simgrid_platform(std::string_view first_bytes);

/// Errors name `where`:line. The machine has passed check().
Result<machine::Machine> simgrid_platform(std::string_view text, const std::string& where);
Result<machine::Machine> read_simgrid_platform(const std::filesystem::path& path);

}  // namespace parcast::interchange
