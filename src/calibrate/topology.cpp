// SPDX-License-Identifier: Apache-2.0
#include "calibrate/topology.h"

#include <algorithm>
#include <memory>

#include "base/files.h"

#ifdef PARCAST_HWLOC
#include <hwloc.h>
#endif

namespace parcast::calibrate {

#ifndef PARCAST_HWLOC

namespace {
Error without_hwloc() { return {"this Parcast was built without hwloc, which tells how nodes are built", "", "build it where libhwloc-dev is installed"}; }
}  // namespace

Result<Topology> this_topology() { return without_hwloc(); }
Result<Topology> topology_from_xml(const std::filesystem::path&) { return without_hwloc(); }

#else

namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

Result<Handle> made() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return Error{"hwloc cannot be started", "", ""};
  return Handle(topology);
}

int count(const Handle& topology, hwloc_obj_type_t type) { return std::max(0, hwloc_get_nbobjs_by_type(topology.get(), type)); }

/// Cores below an object; where a topology tells none, its hardware threads.
int cores_below(const Handle& topology, hwloc_obj_t object) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology.get(), object->cpuset, HWLOC_OBJ_CORE);
  return cores > 0 ? cores : std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology.get(), object->cpuset, HWLOC_OBJ_PU));
}

std::string processor_name(const Handle& topology) {
  for (const hwloc_obj_t object : {hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology.get())})
    if (const char* name = object ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr) return name;
  return "";
}

Topology read(const Handle& topology) {
  Topology out;
  out.processor = processor_name(topology);
  const int threads = std::max(1, count(topology, HWLOC_OBJ_PU)), cores = count(topology, HWLOC_OBJ_CORE);
  out.cores = cores > 0 ? cores : threads;
  out.threads_per_core = std::max(1, threads / out.cores);
  out.sockets = std::max(1, count(topology, HWLOC_OBJ_PACKAGE));
  out.memories = std::max(1, count(topology, HWLOC_OBJ_NUMANODE));
  out.memory = static_cast<double>(hwloc_get_root_obj(topology.get())->total_memory);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology.get(), type, 0);
    const double above = out.caches.empty() ? 0 : out.caches.back().bytes;
    if (!cache || !(static_cast<double>(cache->attr->cache.size) > above)) continue;
    out.caches.push_back({"L" + std::to_string(cache->attr->cache.depth), static_cast<double>(cache->attr->cache.size), cores_below(topology, cache)});
    if (out.cache_line == 0) out.cache_line = cache->attr->cache.linesize;
  }
  return out;
}

}  // namespace

Result<Topology> this_topology() {
  PARCAST_ASSIGN(const Handle topology, made());
  if (hwloc_topology_load(topology.get()) != 0) return Error{"hwloc does not find out how this host is built", "", ""};
  return read(topology);
}

Result<Topology> topology_from_xml(const std::filesystem::path& file) {
  PARCAST_ASSIGN(const std::string text, read_file(file));
  PARCAST_ASSIGN(const Handle topology, made());
  const Error none{"this is not a topology as hwloc writes it", file.string(), "write one there with lstopo --of xml FILE.xml"};
  if (text.empty() || hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size() + 1)) != 0) return none;
  if (hwloc_topology_load(topology.get()) != 0 || count(topology, HWLOC_OBJ_PU) == 0) return none;
  return read(topology);
}

#endif

machine::Machine machine_of(const Topology& topology, const std::string& source) {
  machine::Machine out;
  out.description = topology.processor;
  out.cores_per_node = topology.cores, out.sockets_per_node = topology.sockets;
  out.threads_per_core = topology.threads_per_core, out.memories_per_node = topology.memories;
  out.memory_per_node = topology.memory;
  if (topology.cache_line > 0) out.cache_line = topology.cache_line;
  out.notes.push_back("its topology tells how a node is built, and nothing of times: speeds, latencies, bandwidths and the costs of messages are unknown, and one node of this kind, pages of 4 KiB"
                      + std::string(topology.cache_line > 0 ? "" : " and cache lines of 64 B") + " are assumed (parcast calibrate there, or parcast machine set)");
  for (const char* name : {"cores_per_node", "sockets_per_node", "memory_per_node"}) out.sources[name] = source;
  for (const Cache& cache : topology.caches) {
    machine::MemoryLevel level;
    level.name = cache.name, level.shared_by = cache.shared_by;
    level.capacity = {cache.bytes, 0, 0, Origin::assumed};
    out.memory.push_back(level);
    out.sources["memory." + cache.name + ".capacity"] = source;
  }
  machine::MemoryLevel rest;
  rest.name = "memory";
  out.memory.push_back(rest);
  return out;
}

}  // namespace parcast::calibrate
