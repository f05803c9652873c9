// SPDX-License-Identifier: Apache-2.0
#include "machine/described.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "machine/tools.h"

namespace parcast::machine {
namespace {

constexpr double kMostDescribed = 1e9;

Result<std::int32_t> count_from(const std::string& name, const std::string& text) {
  const auto value = parse_double(text);
  if (!value || !(*value >= 1) || !(*value <= kMostDescribed) || *value != std::floor(*value))
    return Error{name + "=" + text + " is not a whole number of at least 1", "",
                 "write for example " + name + "=16"};
  return static_cast<std::int32_t>(*value);
}

/// Adds the word that was meant, of those that only a description of a cluster has.
Error in_this_language(Error error, const std::string& name) {
  static const std::vector<std::string> words{"nodes", "cores", "sockets", "latency", "bandwidth", "core"};
  if (std::ranges::find(words, name) != words.end()) return error;
  if (const std::string guess = did_you_mean(name, words); !guess.empty()) error.hint = guess;
  return error;
}

Error not_a_bandwidth(std::string_view text) {
  return {"bandwidth=" + std::string(text) + " is not a bandwidth", "",
          "write bits or bytes per second, for example 100Gb/s or 12.5GB/s"};
}

}  // namespace

Result<double> parse_bandwidth(std::string_view text) {
  const std::size_t unit = text.find_first_not_of("0123456789.");
  const auto number = unit == text.npos ? std::nullopt : parse_double(text.substr(0, unit));
  if (!number || !(*number > 0)) return not_a_bandwidth(text);
  std::string_view rest = text.substr(unit);
  static const std::map<char, double> prefixes{{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  double factor = 1;
  if (const auto prefix = prefixes.find(rest.front()); prefix != prefixes.end()) {
    factor = prefix->second;
    rest.remove_prefix(1);
  }
  if (rest == "b/s" || rest == "bit/s") return *number * factor / 8;
  if (rest == "B/s") return *number * factor;
  return not_a_bandwidth(text);
}

Result<Machine> described_machine(std::span<const std::string> words) {
  Machine out;
  bool has_latency = false, has_bandwidth = false;
  for (const std::string& word : words) {
    const std::string name = assigned_name(word);
    const std::string value = word.size() > name.size() ? word.substr(name.size() + 1) : "";
    const std::map<std::string, std::int32_t*> counts{
        {"nodes", &out.nodes}, {"cores", &out.cores_per_node}, {"sockets", &out.sockets_per_node}};
    if (const auto count = counts.find(name); count != counts.end()) {
      PARCAST_ASSIGN(*count->second, count_from(name, value));
    } else if (name == "bandwidth") {
      PARCAST_ASSIGN(const double bandwidth, parse_bandwidth(value));
      PARCAST_TRY(set_parameter(out, "links.network.gap_per_byte=" + format_exact(1e9 / bandwidth) + "ns/B"));
      has_bandwidth = true;
    } else {
      if (auto set = set_parameter(out, name == "latency" ? "links.network." + word : word); !set)
        return in_this_language(set.error(), name);
      has_latency = has_latency || name == "latency";
    }
  }
  if (!has_latency || !has_bandwidth)
    return Error{"a machine needs latency and bandwidth of its network", "",
                 "for example nodes=4 cores=16 latency=1.5us bandwidth=100Gb/s"};
  if (out.cores_per_node % out.sockets_per_node != 0)
    return Error{std::to_string(out.cores_per_node) + " cores do not divide among " +
                     std::to_string(out.sockets_per_node) + " sockets",
                 "", "give the cores of a node, all sockets together"};
  out.notes.push_back(
      "latency and bandwidth are as given; messages are assumed to take no time of processors, and inside a "
      "node as long as between nodes");
  return out;
}

void take_core(const Machine& from, Machine& machine) {
  machine.description = from.description;
  machine.threads_per_core = from.threads_per_core;
  machine.cache_line = from.cache_line, machine.page = from.page;
  machine.core_speed = from.core_speed, machine.shared_core_speed = from.shared_core_speed;
  machine.noise = from.noise, machine.drift = from.drift;
  machine.page_fault = from.page_fault;
  machine.first_touch = from.first_touch, machine.first_read = from.first_read;
  machine.operations = from.operations, machine.openmp = from.openmp;
  machine.memory = from.memory, machine.working_sets = from.working_sets;
  machine.memory_sharing = from.memory_sharing;
}

}  // namespace parcast::machine
