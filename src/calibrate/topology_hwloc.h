// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of topologies that uses hwloc. The XML text must be trusted not to crash hwloc, or a child process
// must read it.

#include <string>

#include "calibrate/topology.h"

namespace parcast::calibrate {

Result<Topology> hwloc_topology_here();
/// If nothing is found the error has no place.
Result<Topology> hwloc_topology_of(const std::string& xml);
/// Returns the version of hwloc, such as "2.9"; empty if Parcast was built without hwloc.
std::string hwloc_release();

}  // namespace parcast::calibrate
