// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_archive.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace parcast::interchange {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 61;  // nanoseconds: 73 years

/// Returns the group of MPI's locations. Ranks are its members, in order.
const ArchiveGroup* group_of_locations(const Otf2Archive& archive) {
  for (const auto& [number, group] : archive.groups)
    if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && !group.members.empty()) return &group;
  return nullptr;
}

/// Returns whether this is a location of phases. Only archives of Parcast have them; these are recognised by
/// their attributes.
bool is_phase_line(const Otf2Archive& archive, const ArchiveLocation& location) {
  return !archive.attributes.empty() && location.number >> 32 == kPhaseLine;
}

bool is_stream(const Otf2Archive& archive, const ArchiveLocation& location) {
  const auto process = archive.processes.find(location.process);
  const bool on_accelerator =
      process != archive.processes.end() && process->second.type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
  return location.type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ||
         (on_accelerator && location.type != OTF2_LOCATION_TYPE_METRIC);
}

bool is_thread(const Otf2Archive& archive, const ArchiveLocation& location) {
  return (location.type == OTF2_LOCATION_TYPE_CPU_THREAD || location.type == OTF2_LOCATION_TYPE_UNKNOWN) &&
         !is_stream(archive, location);
}

/// Returns the first threads of processes, in order of process number: for archives without a group of MPI's
/// locations.
std::vector<std::uint64_t> first_threads(const Otf2Archive& archive) {
  std::map<OTF2_LocationGroupRef, OTF2_LocationRef> first;
  for (const ArchiveLocation& each : archive.locations) {
    if (!is_thread(archive, each) || is_phase_line(archive, each)) continue;
    const auto [at, is_new] = first.emplace(each.process, each.number);
    if (!is_new) at->second = std::min(at->second, each.number);
  }
  std::vector<std::uint64_t> out;
  for (const auto& [process, number] : first) out.push_back(number);
  return out;
}

}  // namespace

const std::string& Otf2Archive::string(OTF2_StringRef number) const {
  static const std::string none;
  const auto at = strings.find(number);
  return at == strings.end() ? none : at->second;
}

std::uint64_t Otf2Archive::ticks(OTF2_TimeStamp time) const {
  __extension__ using Wide = unsigned __int128;
  const Wide nanoseconds = Wide{time} * 1'000'000'000 / std::max<std::uint64_t>(resolution, 1);
  return static_cast<std::uint64_t>(std::min<Wide>(nanoseconds, kFar)) + kShift;
}

std::string Otf2Archive::host_of(OTF2_LocationGroupRef process) const {
  const auto at = processes.find(process);
  if (at == processes.end()) return "";
  std::string nearest;
  std::set<OTF2_SystemTreeNodeRef> seen;
  for (auto node = nodes.find(at->second.parent); node != nodes.end() && seen.insert(node->first).second;
       node = nodes.find(node->second.parent)) {
    if (node->second.shares_memory || node->second.kind == "node") return node->second.name;
    if (nearest.empty()) nearest = node->second.name;
  }
  return nearest;
}

bool Otf2Archive::is_of_accelerators(OTF2_Paradigm paradigm) const {
  switch (paradigm) {
    case OTF2_PARADIGM_CUDA:
    case OTF2_PARADIGM_HIP:
    case OTF2_PARADIGM_OPENCL:
    case OTF2_PARADIGM_OPENACC:
    case OTF2_PARADIGM_HMPP:
      return true;
    default:
      return accelerator_paradigms.contains(paradigm);
  }
}

Result<Otf2Ranks> ranks_of(const Otf2Archive& archive, const std::string& where) {
  Otf2Ranks out;
  const ArchiveGroup* group = group_of_locations(archive);
  const std::vector<std::uint64_t> masters = group ? group->members : first_threads(archive);
  if (masters.empty()) return Error{"the archive defines no threads", where, "is it whole?"};
  if (!group && masters.size() > 1)
    out.warnings.push_back(
        "the archive does not give the ranks of processes in MPI: they are numbered in its order");
  std::map<OTF2_LocationRef, OTF2_LocationGroupRef> process_of;
  for (const ArchiveLocation& each : archive.locations) process_of.emplace(each.number, each.process);
  std::map<OTF2_LocationGroupRef, std::int32_t> taken;
  for (const std::uint64_t master : masters) {
    const auto at = process_of.find(master);
    const auto rank = static_cast<std::int32_t>(out.ranks.size());
    if (at == process_of.end())
      return Error{"rank " + std::to_string(rank) + " is a location that the archive does not define", where,
                   "is it whole?"};
    if (!taken.emplace(at->second, rank).second)
      return Error{"two ranks of MPI are one process", where, "archives of MPI over threads cannot be taken"};
    out.ranks.push_back({at->second, {master}});
    out.rank_of.emplace(master, rank);
  }
  std::vector<ArchiveLocation> rest = archive.locations;
  std::sort(rest.begin(), rest.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  std::size_t homeless = 0, lines = 0;
  for (const ArchiveLocation& each : rest) {
    if (out.rank_of.contains(each.number)) continue;
    if (is_phase_line(archive, each)) {
      ++lines;
      continue;
    }
    if (is_stream(archive, each)) {
      ++out.streams;
      out.stream_records += std::min(each.records, UINT64_MAX - out.stream_records);
      continue;
    }
    const auto home = taken.find(each.process);
    if (home == taken.end() || !is_thread(archive, each)) {
      ++homeless;
      continue;
    }
    auto& threads = out.ranks[static_cast<std::size_t>(home->second)].threads;
    if (threads.size() > UINT16_MAX) return Error{"a process has more than 65536 threads", where, ""};
    threads.push_back(each.number);
    out.rank_of.emplace(each.number, home->second);
  }
  if (lines)
    out.warnings.push_back("phases of " + std::to_string(lines) +
                           (lines == 1 ? " process are" : " processes are") +
                           " left out: a recording has them from the program alone");
  if (homeless)
    out.warnings.push_back(std::to_string(homeless) +
                           " locations are no threads of a process of MPI and are left out");
  return out;
}

std::optional<std::uint64_t> number(const Properties& properties, std::string_view name) {
  const auto at = properties.find(std::string(name));
  if (at == properties.end() || at->second.type != OTF2_TYPE_UINT64) return std::nullopt;
  return at->second.value.uint64;
}

std::optional<double> real(const Properties& properties, std::string_view name) {
  const auto at = properties.find(std::string(name));
  if (at == properties.end() || at->second.type != OTF2_TYPE_DOUBLE ||
      !std::isfinite(at->second.value.float64))
    return std::nullopt;
  return at->second.value.float64;
}

std::string text(const Properties& properties, std::string_view name) {
  const auto at = properties.find(std::string(name));
  return at == properties.end() || at->second.type != OTF2_TYPE_STRING ? "" : at->second.text;
}

}  // namespace parcast::interchange
