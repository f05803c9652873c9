// SPDX-License-Identifier: Apache-2.0
#include "store/measured.h"

#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace parcast::store {
namespace {

/// Returns everything that identifies a run; equal runs agree in it. The file that a run was read from does
/// not count.
std::vector<std::string> identity_of(const Entry& e) {
  std::vector<std::string> parts{e.program, e.machine};
  for (const auto& [name, value] : e.parameters) parts.push_back(name + "=" + format_exact(value));
  for (const std::int64_t number : {e.processes, e.nodes, e.ranks_per_node, e.threads})
    parts.push_back(std::to_string(number));
  return parts;
}

}  // namespace

Entry entry_for(Kind kind) {
  Entry entry;
  entry.kind = kind;
  entry.tool_version = PARCAST_VERSION;
  return entry;
}

std::string absolute_path(const std::filesystem::path& path) {
  std::error_code problem;
  const auto whole = std::filesystem::absolute(path, problem);
  return (problem ? path : whole.lexically_normal()).string();
}

std::string measurement_digest(const Entry& entry, int repeat) {
  std::vector<std::string> parts = identity_of(entry);
  parts.push_back(std::to_string(repeat));
  parts.push_back(format_exact(entry.seconds));
  parts.push_back(entry.began);
  return digest(join(parts, "\n"));
}

bool is_measurement_digest(const Entry& entry) {
  constexpr int kEqualRuns = 10'000;
  for (int repeat = 0; repeat < kEqualRuns; ++repeat)
    if (measurement_digest(entry, repeat) == entry.digest) return true;
  return false;
}

Entry entry_of(const Measurement& measurement) {
  Entry entry = entry_for(Kind::measurement);
  entry.program = measurement.program;
  entry.machine = measurement.machine;
  entry.path = measurement.source.empty() ? "" : absolute_path(measurement.source);
  entry.parameters = measurement.point.parameters;
  entry.processes = measurement.point.processes;
  entry.nodes = measurement.nodes;
  entry.ranks_per_node = measurement.ranks_per_node;
  entry.threads = measurement.threads;
  entry.seconds = measurement.seconds;
  entry.began = measurement.measured_at;
  entry.digest = measurement_digest(entry, measurement.repeat);
  return entry;
}

}  // namespace parcast::store
