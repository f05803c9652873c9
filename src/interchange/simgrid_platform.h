// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads a cluster of SimGrid's platform files as a machine:
//
//   <platform version="4.1"><zone id="world" routing="Full">
//     <cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" core="8"
//              bw="125MBps" lat="50us" bb_bw="2GBps" bb_lat="1us"/>
//   </zone></platform>
//
// becomes 16 nodes of 8 cores. The latency between nodes is the sum over the two private links and the
// backbone. The time per byte is that of the slowest of these links. A loopback becomes the link inside a
// node. What a machine cannot express, such as a link that messages share, is listed in the machine's notes.
// Content that would change every route is refused: another topology, several clusters, individual hosts and
// routes.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace parcast::interchange {

/// Returns whether a file with these first bytes is a platform.
bool is_simgrid_platform(std::string_view first_bytes);

/// Errors name `where`:line. The machine has passed check().
Result<machine::Machine> simgrid_platform(std::string_view text, const std::string& where);
Result<machine::Machine> read_simgrid_platform(const std::filesystem::path& path);

}  // namespace parcast::interchange
