// SPDX-License-Identifier: Apache-2.0
#include "calibrate/topology.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "calibrate/topology_hwloc.h"

namespace parcast::calibrate {
namespace {

constexpr std::string_view kTopology = "<topology";
// largest index of hardware threads and NUMA nodes: hwloc keeps bit sets of this size
constexpr long long kMostIndex = 1'000'000;
// memory for hwloc: fixed part, and bytes per byte of text
constexpr std::uint64_t kAlways = std::uint64_t{48} << 20, kPerByte = 12;

std::string number(double value) {
  return format_exact(value);
}

void say_caches(const ChildVoice& voice, const std::vector<Cache>& caches) {
  for (const Cache& cache : caches)
    voice.say({"cache", cache.name, number(cache.bytes), number(cache.shared_by)});
}

/// Sends the topology from the child; Hearing receives it.
void say(const ChildVoice& voice, const Topology& topology) {
  for (const CoreKind& kind : topology.core_kinds) {
    voice.say({"cores", kind.name, number(kind.cores), number(kind.threads_per_core)});
    say_caches(voice, kind.caches);
  }
  for (const MemoryKind& kind : topology.memory_kinds)
    voice.say({"memory", kind.name, number(kind.has_cores), number(kind.nodes), number(kind.bytes)});
  voice.say({"node", topology.processor, number(topology.sockets), number(topology.cores),
             number(topology.threads_per_core), number(topology.memories), number(topology.memory),
             number(topology.cache_line), number(topology.threads), number(topology.threads_allowed),
             number(topology.threads_complete)});
  say_caches(voice, topology.caches);
}

/// Receives the messages of the child; incomplete if the child ended early.
struct Hearing {
  Topology topology;
  std::optional<Error> refused;
  bool whole = false;

  void operator()(const std::vector<std::string>& words) {
    const auto value = [&](std::size_t i) {
      return i < words.size() ? parse_double(words[i]).value_or(0) : 0;
    };
    const auto whole_number = [&](std::size_t i) { return static_cast<std::int32_t>(value(i)); };
    if (words[0] == "error" && words.size() == 2) refused = Error{words[1], "", ""};
    if (words[0] == "cores" && words.size() == 4)
      topology.core_kinds.push_back({words[1], whole_number(2), whole_number(3), {}});
    if (words[0] == "memory" && words.size() == 5)
      topology.memory_kinds.push_back({words[1], value(2) != 0, whole_number(3), value(4)});
    if (words[0] == "cache" && words.size() == 4)
      (whole ? topology.caches : topology.core_kinds.back().caches)
          .push_back({words[1], value(2), whole_number(3)});
    if (words[0] != "node" || words.size() != 11) return;
    whole = true;
    topology.processor = words[1], topology.sockets = whole_number(2), topology.cores = whole_number(3),
    topology.threads_per_core = whole_number(4);
    topology.memories = whole_number(5), topology.memory = value(6), topology.cache_line = value(7);
    topology.threads = whole_number(8), topology.threads_allowed = whole_number(9),
    topology.threads_complete = whole_number(10);
  }
};

/// Returns the value of an attribute of a tag; empty if the tag lacks it.
std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string begin = " " + std::string(name) + "=\"";
  const std::size_t at = tag.find(begin);
  if (at == std::string_view::npos) return "";
  tag.remove_prefix(at + begin.size());
  return tag.substr(0, tag.find('"'));
}

std::string place_in(std::string_view text, std::size_t at, const std::string& where) {
  return where + ":" +
         std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Checks the indices: for a hardware thread or NUMA node with a large index, hwloc allocates an eighth of
/// the index in bytes per set.
Result<void> check_indices(std::string_view text, const std::string& where) {
  for (std::size_t at = 0; (at = text.find("<object ", at)) != std::string_view::npos; ++at) {
    const std::string_view tag = text.substr(at, text.find('>', at) - at), type = attribute(tag, "type"),
                           index = attribute(tag, "os_index");
    if ((type != "PU" && type != "NUMANode") || index.empty()) continue;
    const auto value = parse_integer(index);
    if (!value || *value < 0 || *value > kMostIndex)
      return Error{"the os_index " + std::string(index) + " of a " + std::string(type) +
                       " is not a number from 0 to " + format_integer(kMostIndex),
                   place_in(text, at, where), "write the topology there again: lstopo --of xml FILE.xml"};
  }
  return {};
}

/// Returns the major version of the format; 0 if it is missing, as in versions before 2.0.
int version_of(std::string_view text) {
  const std::size_t at = text.find(kTopology);
  if (at == std::string_view::npos) return 0;
  const std::string_view version = attribute(text.substr(at, text.find('>', at) - at), "version");
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

/// Adds a hint for a file that hwloc could not read.
Error not_read(Error error, std::string_view text, const std::string& where) {
  error.where = where;
  error.hint = "write one there with lstopo --of xml FILE.xml";
  if (version_of(text) < 3) return error;
  const std::string release = hwloc_release();
  return {"this topology was written by hwloc " + std::to_string(version_of(text)) +
              ", and Parcast was built with hwloc " + release,
          where, "write it there as hwloc 2 does: lstopo --export-xml-flags v2 --of xml FILE.xml"};
}

std::string plural(std::int32_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string text_of(const CoreKind& kind) {
  std::string out = plural(kind.cores, "core") + (kind.name.empty() ? "" : " (" + kind.name + ")") +
                    " with " + plural(kind.threads_per_core, "hardware thread");
  for (const Cache& cache : kind.caches)
    out += ", " + cache.name + " of " + format_bytes(cache.bytes) +
           (cache.shared_by > 1 ? " for " + std::to_string(cache.shared_by) : "");
  return out;
}

std::string text_of(const MemoryKind& kind) {
  return format_bytes(kind.bytes) + (kind.name.empty() ? "" : " of " + kind.name) + " in " +
         plural(kind.nodes, "NUMA node") + (kind.has_cores ? "" : " without cores");
}

}  // namespace

Result<Topology> this_topology() {
  return hwloc_topology_here();
}

bool is_topology_xml(std::string_view text) {
  return text.substr(0, 4096).find(kTopology) != std::string_view::npos && trim(text).starts_with('<');
}

Result<Topology> topology_from_xml(const std::filesystem::path& file) {
  PARCAST_ASSIGN(const std::string text, read_file(file));
  PARCAST_TRY(check_indices(text, file.string()));
  Hearing hearing;
  const auto ended = run_in_child(
      "hwloc, reading the topology,",
      {.memory = kAlways + kPerByte * text.size(), .patience = std::chrono::seconds(60)},
      [&](const ChildVoice& voice) {
        const auto read = hwloc_topology_of(text);
        if (read)
          say(voice, *read);
        else
          voice.say({"error", read.error().what});
      },
      [&](const std::vector<std::string>& words) { hearing(words); });
  if (!ended) return not_read(ended.error(), text, file.string());
  if (hearing.refused) return not_read(*hearing.refused, text, file.string());
  if (!hearing.whole) return not_read({"hwloc read no topology", "", ""}, text, file.string());
  return std::move(hearing.topology);
}

std::vector<std::string> peculiarities(const Topology& topology) {
  std::vector<std::string> out;
  const auto list = [](const auto& kinds) {
    std::vector<std::string> parts;
    for (const auto& kind : kinds) parts.push_back(text_of(kind));
    return join(parts, "; ");
  };
  if (topology.core_kinds.size() > 1)
    out.push_back("its cores are of " + std::to_string(topology.core_kinds.size()) +
                  " kinds: " + list(topology.core_kinds) +
                  ". A machine has cores of one kind: its caches and hardware threads are those of the "
                  "first, and predictions hold for runs on these alone");
  if (topology.memory_kinds.size() > 1)
    out.push_back("its memory is of " + std::to_string(topology.memory_kinds.size()) +
                  " kinds: " + list(topology.memory_kinds) + ". memory_per_node is all of it together");
  if (topology.threads < topology.threads_complete)
    out.push_back(plural(topology.threads_complete - topology.threads, "hardware thread") + " of " +
                  std::to_string(topology.threads_complete) +
                  " are left out: they were offline, or a cgroup or cpuset did not allow them. lstopo "
                  "--disallowed writes those that were not allowed");
  if (topology.threads_allowed < topology.threads)
    out.push_back("a cgroup or cpuset allowed " + std::to_string(topology.threads_allowed) + " of its " +
                  plural(topology.threads, "hardware thread") + ": a run under the same limits has no more");
  return out;
}

std::string unknown_text(const machine::Machine& machine, const Topology& topology) {
  std::vector<std::string> unknown, assumed;
  if (!(machine.core_speed.value > 0)) unknown.emplace_back("the speed of its cores");
  if (std::ranges::none_of(machine.memory,
                           [](const machine::MemoryLevel& level) { return level.bandwidth.value > 0; }))
    unknown.emplace_back("bandwidths of its memory");
  if (machine.links.empty()) unknown.emplace_back("latencies and bandwidths of messages");
  if (machine.patterns.empty()) unknown.emplace_back("measured costs of collectives");
  if (machine.nodes == 1) assumed.emplace_back("one node of this kind");
  assumed.emplace_back("pages of 4 KiB");
  if (!(topology.cache_line > 0)) assumed.emplace_back("cache lines of 64 B");
  return "a topology has no times: unknown are " + join(unknown, ", ") + "; assumed are " +
         join(assumed, ", ") + " (parcast calibrate measures them there, parcast machine set changes them)";
}

machine::Machine machine_of(const Topology& topology, const std::string& source) {
  machine::Machine out;
  out.description = topology.processor;
  out.cores_per_node = topology.cores, out.sockets_per_node = topology.sockets;
  out.threads_per_core = topology.threads_per_core, out.memories_per_node = topology.memories;
  out.memory_per_node = topology.memory;
  if (topology.cache_line > 0) out.cache_line = topology.cache_line;
  for (std::string& note : peculiarities(topology)) out.notes.push_back(std::move(note));
  for (const char* name : {"cores_per_node", "sockets_per_node", "memory_per_node"})
    out.sources[name] = source;
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
