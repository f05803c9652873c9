// SPDX-License-Identifier: Apache-2.0
#pragma once
// The structure of a node as hwloc describes it (Broquedis et al. 2010): of this host, or of one that lstopo
// wrote as XML.
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

/// Cores of one kind: with the same number of hardware threads, the same cache sizes and the same type.
struct CoreKind {
  std::string name;  // "IntelAtom"; empty: unknown
  std::int32_t cores = 0, threads_per_core = 1;
  std::vector<Cache> caches;  // data caches, from the core outwards
  bool operator==(const CoreKind&) const = default;
};

/// NUMA nodes of one kind, for example high-bandwidth memory or DRAM.
struct MemoryKind {
  std::string name;  // "HBM"; empty: ordinary memory
  bool has_cores = true;
  std::int32_t nodes = 0;
  double bytes = 0;  // sum over all nodes
  bool operator==(const MemoryKind&) const = default;
};

struct Topology {
  std::string processor;  // name of the processor; empty: unknown
  // of the node; threads_per_core is that of the kind with the most cores
  std::int32_t sockets = 1, cores = 1, threads_per_core = 1;
  std::int32_t memories = 1;         // number of places at which cores have NUMA nodes
  double memory = 0;                 // bytes of all kinds; 0: unknown
  double cache_line = 0;             // bytes; 0: unknown
  std::vector<Cache> caches;         // data caches, from the core outwards, of the kind with the most cores
  std::vector<CoreKind> core_kinds;  // the one with the most cores first
  std::vector<MemoryKind> memory_kinds;  // the one with the most bytes first
  std::int32_t threads = 1;              // hardware threads in the description
  std::int32_t threads_allowed = 1;      // hardware threads that the process that wrote it may use
  std::int32_t threads_complete = 1;  // hardware threads of the node, including those offline or not allowed
};

/// Returns the topology of this host. Fails if Parcast was built without hwloc, or if hwloc finds nothing.
Result<Topology> this_topology();
/// Reads a file of `lstopo --of xml`. hwloc reads it in a child process with limits. The error gives the
/// reason for a failure.
Result<Topology> topology_from_xml(const std::filesystem::path& file);
/// Returns whether a text begins like hwloc's XML.
bool is_topology_xml(std::string_view text);

/// Returns, in sentences, what the numbers of one node cannot express: several kinds of cores or memory,
/// hardware threads that were not allowed.
std::vector<std::string> peculiarities(const Topology& topology);

/// Returns a note about what a machine made from a topology still lacks (speeds, latencies, costs) and
/// assumes.
std::string unknown_text(const machine::Machine& machine, const Topology& topology);

/// Returns a machine with one such node. The notes list its peculiarities. What a topology lacks stays
/// unknown (unknown_text()). What the topology contains is assumed, with `source` as the source.
machine::Machine machine_of(const Topology& topology, const std::string& source);

}  // namespace parcast::calibrate
