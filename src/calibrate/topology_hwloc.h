// SPDX-License-Identifier: Apache-2.0
#pragma once
// hwloc's half of topologies. Both read what hwloc finds; text of XML must be trusted not to crash hwloc, or be read in a child process.

#include <string>

#include "calibrate/topology.h"

namespace parcast::calibrate {

Result<Topology> hwloc_topology_here();
/// Nothing found: an error without a place.
Result<Topology> hwloc_topology_of(const std::string& xml);
/// "2.9"; empty: Parcast was built without hwloc.
std::string hwloc_release();

}  // namespace parcast::calibrate
