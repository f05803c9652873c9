// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a node is built, as hwloc tells it (Broquedis et al. 2010): of this host, or of one that lstopo wrote as XML.
//
//   lstopo --of xml cluster.xml                                       # there
//   parcast machine new --topology cluster.xml -o cluster.machine.toml  # here

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/measurements.h"
#include "machine/machine.h"

namespace parcast::calibrate {

struct Topology {
  std::string processor;  // its name; empty: not told
  std::int32_t sockets = 1, cores = 1, threads_per_core = 1, memories = 1;  // of the whole node
  double memory = 0;      // bytes; 0: not told
  double cache_line = 0;  // bytes; 0: not told
  std::vector<Cache> caches;  // of data, from the core outwards
};

/// An error where Parcast was built without hwloc, and where hwloc finds nothing.
Result<Topology> this_topology();
/// Of a file of `lstopo --of xml`; the error says why it is none.
Result<Topology> topology_from_xml(const std::filesystem::path& file);

/// The machine of one such node. What a topology does not tell (speeds, latencies, costs) stays unknown, and its notes say so; what it tells
/// is assumed, with `source` as the source.
machine::Machine machine_of(const Topology& topology, const std::string& source);

}  // namespace parcast::calibrate
