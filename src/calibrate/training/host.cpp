// SPDX-License-Identifier: Apache-2.0
// Properties of the processor from the operating system: caches, sockets and memory, read from the files of
// Linux.
#include "base/host.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/text.h"
#include "calibrate/topology.h"
#include "calibrate/training/team.h"

namespace parcast::training {
namespace {

const std::string kProcessors = "/sys/devices/system/cpu/cpu";

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

int number_in(const std::string& path, int otherwise) {
  int value = otherwise;
  std::ifstream file(path);
  return file >> value ? value : otherwise;
}

int socket_of(int processor) {
  return number_in(kProcessors + std::to_string(processor) + "/topology/physical_package_id", 0);
}

/// Returns the bytes in a text such as "512K".
double cache_bytes(const std::string& text) {
  double value = 0;
  char unit = ' ';
  std::size_t digits = 0;
  try {
    value = std::stod(text, &digits);
  } catch (const std::exception&) {
    return 0;
  }
  if (digits < text.size()) unit = text[digits];
  return value * (unit == 'K' ? 1024. : unit == 'M' ? 1048576. : 1.);
}

std::vector<calibrate::Cache> caches() {
  std::vector<calibrate::Cache> found;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = kProcessors + "0/cache/index" + std::to_string(index) + "/";
    const std::string type = first_line(folder + "type");
    if (type != "Data" && type != "Unified") continue;
    const double bytes = cache_bytes(first_line(folder + "size"));
    if (bytes > 0) found.push_back({"L" + first_line(folder + "level"), bytes});
  }
  if (found.empty()) {
    for (auto [name, key] : {std::pair{"L1", _SC_LEVEL1_DCACHE_SIZE}, std::pair{"L2", _SC_LEVEL2_CACHE_SIZE},
                             std::pair{"L3", _SC_LEVEL3_CACHE_SIZE}})
      if (const long bytes = sysconf(key); bytes > 0) found.push_back({name, static_cast<double>(bytes)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return found;
}

/// Returns the bytes that the root's control group allows, as in a container; `all` if there is no lower
/// limit.
double allowed_of(double all) {
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (const auto limit = parse_double(first_line(file)); limit && *limit > 0) all = std::min(all, *limit);
  return all;
}

/// Takes from hwloc what it determines better than the files above: cores without their hardware threads, and
/// the sharing of caches.
void ask_topology(Host& host) {
  const auto topology = calibrate::this_topology();
  if (!topology) return;
  host.cores = topology->cores, host.threads_per_core = topology->threads_per_core,
  host.memories = topology->memories;
  if (!topology->caches.empty()) host.caches = topology->caches;
}

}  // namespace

Host this_host() {
  Host host;
  host.processor = processor_name();
  host.cores = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  host.page = static_cast<double>(sysconf(_SC_PAGESIZE));
  host.memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * host.page;
  host.memory_allowed = allowed_of(host.memory);
  if (const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line > 0)
    host.cache_line = static_cast<double>(line);
  host.caches = caches();
  std::set<int> all, mine;
  cpu_set_t allowed;
  const bool bound = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int processors = std::min(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), CPU_SETSIZE);
  for (int processor = 0; processor < processors; ++processor) {
    all.insert(socket_of(processor));
    if (bound && CPU_ISSET(static_cast<std::size_t>(processor), &allowed)) mine.insert(socket_of(processor));
  }
  host.sockets = std::max(1, static_cast<int>(all.size()));
  if (mine.size() == 1) host.socket = *mine.begin();
  ask_topology(host);
  return host;
}

}  // namespace parcast::training
