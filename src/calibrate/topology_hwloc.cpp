// SPDX-License-Identifier: Apache-2.0
#include "calibrate/topology_hwloc.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#ifdef PARCAST_HWLOC
#include <hwloc.h>
#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>
#endif
#endif

namespace parcast::calibrate {

#ifndef PARCAST_HWLOC

namespace {
Error without_hwloc() {
  return {"this Parcast was built without hwloc, which reads how nodes are built", "",
          "build it where libhwloc-dev is installed"};
}
}  // namespace

Result<Topology> hwloc_topology_here() {
  return without_hwloc();
}
Result<Topology> hwloc_topology_of(const std::string&) {
  return without_hwloc();
}
std::string hwloc_release() {
  return "";
}

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

int count(const Handle& topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology.get(), type));
}
int weight(hwloc_const_bitmap_t set) {
  return set ? std::max(0, hwloc_bitmap_weight(set)) : 0;
}

std::string text_of(const char* text) {
  return text ? text : "";
}
std::string info_of(hwloc_obj_t object, const char* name) {
  return text_of(hwloc_obj_get_info_by_name(object, name));
}

/// Returns the number of cores below an object, or of hardware threads if the topology has no cores.
int cores_below(const Handle& topology, hwloc_obj_t object) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology.get(), object->cpuset, HWLOC_OBJ_CORE);
  return cores > 0 ? cores
                   : std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology.get(), object->cpuset,
                                                                        HWLOC_OBJ_PU));
}

std::string processor_name(const Handle& topology) {
  for (const hwloc_obj_t object :
       {hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology.get())})
    if (const std::string name = object ? info_of(object, "CPUModel") : ""; !name.empty()) return name;
  return "";
}

/// Returns what distinguishes cores permanently: their type, or their capacity if the kernel provides it.
/// Frequencies do not count.
std::string type_of([[maybe_unused]] const Handle& topology, [[maybe_unused]] hwloc_const_bitmap_t cpuset) {
#if HWLOC_API_VERSION >= 0x00020400
  const int kind = hwloc_cpukinds_get_by_cpuset(topology.get(), cpuset, 0);
  unsigned many = 0;
  hwloc_info_s* infos = nullptr;
  if (kind < 0 || hwloc_cpukinds_get_info(topology.get(), static_cast<unsigned>(kind), nullptr, nullptr,
                                          &many, &infos, 0) != 0)
    return "";
  for (const std::string wanted : {"CoreType", "LinuxCapacity"})
    for (unsigned i = 0; i < many; ++i)
      if (infos[i].name == wanted)
        return wanted == "CoreType" ? infos[i].value : "capacity " + text_of(infos[i].value);
#endif
  return "";
}

/// Returns the data caches above a core, outwards, each larger than the previous one.
std::vector<Cache> caches_above(const Handle& topology, hwloc_obj_t core) {
  std::vector<Cache> out;
  for (hwloc_obj_t at = core; at; at = at->parent) {
    if (!hwloc_obj_type_is_dcache(at->type)) continue;
    const auto bytes = static_cast<double>(at->attr->cache.size);
    if (bytes > (out.empty() ? 0 : out.back().bytes))
      out.push_back({"L" + std::to_string(at->attr->cache.depth), bytes, cores_below(topology, at)});
  }
  return out;
}

/// The number of cores that share a cache does not count, so that a node with some cores switched off has one
/// kind.
auto key_of(const CoreKind& kind) {
  std::vector<double> sizes;
  for (const Cache& cache : kind.caches) sizes.push_back(cache.bytes);
  return std::tuple(kind.name, kind.threads_per_core, sizes);
}

std::vector<CoreKind> core_kinds(const Handle& topology) {
  const hwloc_obj_type_t type = count(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::vector<CoreKind> out;
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(topology.get(), type, core));) {
    CoreKind kind{type_of(topology, core->cpuset), 1, std::max(1, weight(core->cpuset)),
                  caches_above(topology, core)};
    const auto alike =
        std::ranges::find_if(out, [&](const CoreKind& other) { return key_of(other) == key_of(kind); });
    if (alike == out.end())
      out.push_back(std::move(kind));
    else
      ++alike->cores;
  }
  std::ranges::stable_sort(out, std::greater<>(), &CoreKind::cores);
  return out;
}

std::string set_text(hwloc_const_bitmap_t set) {
  char* text = nullptr;
  if (!set || hwloc_bitmap_asprintf(&text, set) < 0) return "";
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  return text;
}

/// NUMA nodes by kind. Nodes without a subtype differ by their position among the nodes of the same cores.
struct Memories {
  std::vector<MemoryKind> kinds;
  int places = 0;  // number of places with cores
};

Memories memories_of(const Handle& topology) {
  std::map<std::string, int> nodes_at;  // by cores
  std::map<std::tuple<std::string, bool, int>, MemoryKind> kinds;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, node));) {
    const bool has_cores = weight(node->cpuset) > 0;
    const int before = nodes_at[set_text(node->cpuset)]++;
    const std::string subtype = text_of(node->subtype), name = subtype == "DRAM" ? "" : subtype;
    MemoryKind& kind = kinds[{name, has_cores, name.empty() && has_cores ? before : 0}];
    kind.name = name, kind.has_cores = has_cores, ++kind.nodes;
    kind.bytes += static_cast<double>(node->attr->numanode.local_memory);
  }
  Memories out;
  for (auto& [key, kind] : kinds) out.kinds.push_back(std::move(kind));
  std::ranges::stable_sort(out.kinds, std::greater<>(), &MemoryKind::bytes);
  out.places = static_cast<int>(
      std::ranges::count_if(nodes_at, [](const auto& at) { return at.first != "0x0" && !at.first.empty(); }));
  return out;
}

Topology read(const Handle& topology) {
  Topology out;
  out.processor = processor_name(topology);
  const int threads = std::max(1, count(topology, HWLOC_OBJ_PU)), cores = count(topology, HWLOC_OBJ_CORE);
  out.cores = cores > 0 ? cores : threads;
  out.sockets = std::max(1, count(topology, HWLOC_OBJ_PACKAGE));
  Memories memories = memories_of(topology);
  out.memories = std::max(1, memories.places), out.memory_kinds = std::move(memories.kinds);
  out.memory = static_cast<double>(hwloc_get_root_obj(topology.get())->total_memory);
  out.core_kinds = core_kinds(topology);
  if (!out.core_kinds.empty())
    out.threads_per_core = out.core_kinds.front().threads_per_core,
    out.caches = out.core_kinds.front().caches;
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE})
    if (const hwloc_obj_t cache = hwloc_get_obj_by_type(topology.get(), type, 0);
        cache && out.cache_line == 0)
      out.cache_line = cache->attr->cache.linesize;
  out.threads = threads;
  out.threads_allowed = weight(hwloc_topology_get_allowed_cpuset(topology.get()));
  out.threads_complete = std::max(threads, weight(hwloc_topology_get_complete_cpuset(topology.get())));
  return out;
}

}  // namespace

Result<Topology> hwloc_topology_here() {
  PARCAST_ASSIGN(const Handle topology, made());
  if (hwloc_topology_load(topology.get()) != 0)
    return Error{"hwloc does not find out how this host is built", "", ""};
  return read(topology);
}

Result<Topology> hwloc_topology_of(const std::string& xml) {
  PARCAST_ASSIGN(const Handle topology, made());
  const Error none{"this is not a topology as hwloc writes it", "", ""};
  // describe the node, not what this process may use
  if (hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0) return none;
  if (xml.empty() ||
      hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(), static_cast<int>(xml.size() + 1)) != 0)
    return none;
  if (hwloc_topology_load(topology.get()) != 0 || count(topology, HWLOC_OBJ_PU) == 0) return none;
  return read(topology);
}

std::string hwloc_release() {
  return std::to_string(HWLOC_API_VERSION >> 16) + "." + std::to_string(HWLOC_API_VERSION >> 8 & 0xFF);
}

#endif

}  // namespace parcast::calibrate
