// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a node is built, as hwloc describes it (Broquedis et al. 2010): of this host, or of one that lstopo wrote as XML.
//
//   lstopo --of xml cluster.xml                                       # there
//   parcast machine new --topology cluster.xml -o cluster.machine.toml  # here

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements.h"
#include "machine/machine.h"

namespace parcast::calibrate {

/// Cores that are alike: as many hardware threads each, caches of the same size, of the same type.
struct CoreKind {
  std::string name;  // "IntelAtom"; empty: not known
  std::int32_t cores = 0, threads_per_core = 1;
  std::vector<Cache> caches;  // of data, from the core outwards
  bool operator==(const CoreKind&) const = default;
};

/// NUMA nodes that are alike, such as those of high-bandwidth memory beside those of DRAM.
struct MemoryKind {
  std::string name;  // "HBM"; empty: ordinary memory
  bool has_cores = true;
  std::int32_t nodes = 0;
  double bytes = 0;  // of all nodes together
  bool operator==(const MemoryKind&) const = default;
};

struct Topology {
  std::string processor;  // its name; empty: not known
  std::int32_t sockets = 1, cores = 1, threads_per_core = 1;  // of the whole node; threads of the kind with the most cores
  std::int32_t memories = 1;  // places that cores have NUMA nodes at
  double memory = 0;      // bytes of all kinds; 0: not known
  double cache_line = 0;  // bytes; 0: not known
  std::vector<Cache> caches;  // of data, from the core outwards; of the kind with the most cores
  std::vector<CoreKind> core_kinds;      // the one with the most cores first
  std::vector<MemoryKind> memory_kinds;  // the one with the most bytes first
  std::int32_t threads = 1;          // hardware threads that it describes
  std::int32_t threads_allowed = 1;  // of these, to the process that wrote it
  std::int32_t threads_complete = 1; // of the node, with those that are offline or not allowed
};

/// An error where Parcast was built without hwloc, and where hwloc finds nothing.
Result<Topology> this_topology();
/// Of a file of `lstopo --of xml`. hwloc reads it in a process of its own, under limits. The error says why it is none.
Result<Topology> topology_from_xml(const std::filesystem::path& file);
/// Whether a text begins as hwloc's XML does.
bool is_topology_xml(std::string_view text);

/// What numbers of one node cannot express, in sentences: two kinds of cores or of memory, hardware threads that were not allowed.
std::vector<std::string> peculiarities(const Topology& topology);

/// The machine of one such node. What a topology does not contain (speeds, latencies, costs) stays unknown, and its notes say so, as they
/// say its peculiarities; what it contains is assumed, with `source` as the source.
machine::Machine machine_of(const Topology& topology, const std::string& source);

}  // namespace parcast::calibrate
