// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_definitions.h"

#include <algorithm>
#include <numeric>

#include "interchange/mpi_calls.h"
#include "interchange/otf2_names.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Pattern;

constexpr std::size_t kLongestText = 64 * 1024;  // bytes; a definition must fit into a chunk of the archive

OTF2_RegionRole collective_role(Pattern pattern) {
  switch (pattern) {
    case Pattern::barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case Pattern::broadcast:
    case Pattern::scatter:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case Pattern::reduce:
    case Pattern::gather:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case Pattern::scan:
    case Pattern::neighbourhood:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
}

OTF2_RegionRole role_of(const recording::Call& call) {
  switch (call.kind) {
    case CallClass::send:
    case CallClass::receive:
    case CallClass::send_receive:
    case CallClass::start_send:
    case CallClass::start_receive:
    case CallClass::wait:
    case CallClass::test:
    case CallClass::probe:
    case CallClass::poll:
      return OTF2_REGION_ROLE_POINT2POINT;
    case CallClass::collective:
    case CallClass::start_collective:
      return collective_role(call.pattern);
    case CallClass::one_sided:
    case CallClass::epoch:
      return OTF2_REGION_ROLE_RMA;
    case CallClass::input_output:
      return OTF2_REGION_ROLE_FILE_IO;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
}

void write_paradigms(OTF2_GlobalDefWriter* writer, Otf2Definitions& names, Outcome& outcome) {
  outcome(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, names.string("MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
  outcome(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_USER, names.string("user"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
}

void write_attributes(OTF2_GlobalDefWriter* writer, Otf2Definitions& names, Outcome& outcome) {
  for (OTF2_AttributeRef i = 0; i < kAttributes.size(); ++i)
    outcome(OTF2_GlobalDefWriter_WriteAttribute(writer, i, names.string(kAttributes[i].name),
                                                names.string(kAttributes[i].description),
                                                kAttributes[i].type));
}

void write_group(OTF2_GlobalDefWriter* writer, OTF2_GroupRef number, OTF2_StringRef name, OTF2_GroupType type,
                 const std::vector<std::uint64_t>& members, Outcome& outcome) {
  outcome(OTF2_GlobalDefWriter_WriteGroup(writer, number, name, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                          static_cast<std::uint32_t>(members.size()), members.data()));
}

std::vector<std::uint64_t> widened(const trace::WorldRanks& ranks) {
  return {ranks.begin(), ranks.end()};
}

}  // namespace

Otf2Definitions::Otf2Definitions(const recording::Recording& recording,
                                 const trace::CommunicatorTable& communicators)
    : locations(recording.ranks.size()), recording_(recording), communicators_(communicators) {
  string("");
}

OTF2_StringRef Otf2Definitions::string(std::string_view text) {
  text = text.substr(0, kLongestText);
  const auto at = strings_.find(text);
  if (at != strings_.end()) return at->second;
  const auto number = static_cast<OTF2_StringRef>(strings_.size());
  const auto made = strings_.emplace(text, number).first;
  if (writer_) (*outcome_)(OTF2_GlobalDefWriter_WriteString(writer_, number, made->first.c_str()));
  return number;
}

OTF2_RegionRef Otf2Definitions::region_of_call(std::uint16_t call) {
  const recording::Call& about = recording_.calls[call];
  const auto [at, is_new] = calls_.emplace(about.name, static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.emplace_back(about.name, &about);
  return at->second;
}

OTF2_RegionRef Otf2Definitions::region_of_user(const std::string& name) {
  const auto [at, is_new] = users_.emplace(name, static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.emplace_back(name, nullptr);
  return at->second;
}

OTF2_RegionRef Otf2Definitions::region_of_phase(const std::string& name) {
  const auto [at, is_new] = phases_.emplace(name, static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.emplace_back(name, nullptr);
  return at->second;
}

OTF2_SourceCodeLocationRef Otf2Definitions::source(const std::string& file, int line) {
  const auto [at, is_new] =
      sources_.emplace(std::pair(file, line), static_cast<OTF2_SourceCodeLocationRef>(places_.size()));
  if (is_new) places_.emplace_back(file, line);
  return at->second;
}

OTF2_RmaWinRef Otf2Definitions::window(OTF2_CommRef communicator) {
  return windows_.emplace(communicator, static_cast<OTF2_RmaWinRef>(windows_.size())).first->second;
}

void Otf2Definitions::add(std::vector<Property>& list, std::uint32_t owner, std::string_view name,
                          std::string_view value) {
  list.push_back({owner, string(name), OTF2_TYPE_STRING, {.stringRef = string(value)}});
}

void Otf2Definitions::add(std::vector<Property>& list, std::uint32_t owner, std::string_view name,
                          double value) {
  list.push_back({owner, string(name), OTF2_TYPE_DOUBLE, {.float64 = value}});
}

void Otf2Definitions::add(std::vector<Property>& list, std::uint32_t owner, std::string_view name,
                          std::uint64_t value) {
  list.push_back({owner, string(name), OTF2_TYPE_UINT64, {.uint64 = value}});
}

void Otf2Definitions::describe_run() {
  add(run_, 0, kProgram, recording_.program);
  add(run_, 0, kMpiLibrary, recording_.mpi_library);
  add(run_, 0, kMachineSummary, recording_.machine_summary);
  add(run_, 0, kExecutableDigest, recording_.executable_digest);
  add(run_, 0, kStarted, recording_.started);
  add(run_, 0, kCoresPerHost, static_cast<std::uint64_t>(std::max(recording_.cores_per_host, 0)));
  if (recording_.virtual_machine) add(run_, 0, kVirtualMachine, std::uint64_t{1});
  for (std::size_t i = 0; i < recording_.outside.size(); ++i)
    add(run_, 0, std::string(kOutsideOfRun) + std::to_string(i), recording_.outside[i]);
  if (recording_.accelerator_seconds > 0) add(run_, 0, kAcceleratorSeconds, recording_.accelerator_seconds);
  add(run_, 0, kExitCode, static_cast<double>(recording_.exit_code));
  add(run_, 0, kLaunchSeconds, recording_.launch_seconds);
  for (const auto& [name, value] : recording_.parameters) add(run_, 0, std::string(kParameter) + name, value);
  for (std::size_t i = 0; i < recording_.command.size(); ++i)
    add(run_, 0, std::string(kWord) + std::to_string(i), recording_.command[i]);
}

void Otf2Definitions::describe_process(const recording::RankRecording& rank, const TimeLine& line) {
  const auto owner = static_cast<std::uint32_t>(rank.rank);
  const std::uint64_t zero = line.zero[static_cast<std::size_t>(rank.rank)];
  add(processes_, owner, kZero, zero);
  if (rank.finalised) add(processes_, owner, kFinalised, zero + static_cast<std::uint64_t>(rank.wall));
  if (rank.overhead_per_event > 0) add(processes_, owner, kOverhead, rank.overhead_per_event);
  if (rank.processor_share < 1) add(processes_, owner, kShare, rank.processor_share);
  if (rank.cores > 0) add(processes_, owner, kCores, static_cast<std::uint64_t>(rank.cores));
  if (rank.peak_memory > 0) add(processes_, owner, kPeakMemory, rank.peak_memory);
  if (!rank.mpi_library.empty()) add(processes_, owner, kLibrary, rank.mpi_library);
  for (const auto& call : rank.unfollowed)
    add(processes_, owner, std::string(kUnfollowed) + call.name, call.count);
  for (const auto& [name, value] : rank.parameters)
    add(processes_, owner, std::string(kOwnParameter) + name, value);
  for (std::size_t i = 0; i < rank.command.size(); ++i)
    add(processes_, owner, std::string(kArgument) + std::to_string(i), rank.command[i]);
}

void Otf2Definitions::write_regions(OTF2_GlobalDefWriter* writer, Outcome& outcome) {
  std::set<OTF2_RegionRef> phases;
  for (const auto& [name, number] : phases_) phases.insert(number);
  for (OTF2_RegionRef i = 0; i < regions_.size(); ++i) {
    const auto& [text, call] = regions_[i];
    const bool mpi = call && text.starts_with("MPI_");
    OTF2_RegionRole role = OTF2_REGION_ROLE_CODE;
    if (call) role = mpi ? role_of(*call) : OTF2_RegionRole{OTF2_REGION_ROLE_ARTIFICIAL};
    const OTF2_Paradigm paradigm = !call ? OTF2_PARADIGM_USER
                                   : mpi ? OTF2_PARADIGM_MPI
                                         : OTF2_PARADIGM_MEASUREMENT_SYSTEM;
    outcome(OTF2_GlobalDefWriter_WriteRegion(
        writer, i, string(text), string(text), string(""), role, paradigm,
        phases.contains(i) ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE, string(mpi ? "MPI" : ""), 0, 0));
  }
}

void Otf2Definitions::write_system(OTF2_GlobalDefWriter* writer, Outcome& outcome) {
  std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
  outcome(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string("machine"), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (const auto& rank : recording_.ranks) {
    const auto [at, is_new] = hosts.emplace(rank.host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
    if (!is_new) continue;
    outcome(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, at->second, string(rank.host), string("node"), 0));
    outcome(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, at->second,
                                                           OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
  }
  for (const Property& each : run_)
    outcome(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(writer, each.owner, each.name, each.type,
                                                             each.value));
  for (const auto& rank : recording_.ranks) {
    const auto group = static_cast<OTF2_LocationGroupRef>(rank.rank);
    outcome(OTF2_GlobalDefWriter_WriteLocationGroup(
        writer, group, string("MPI Rank " + std::to_string(rank.rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
        hosts[rank.host], OTF2_UNDEFINED_LOCATION_GROUP));
    for (const LocationEvents& location : locations[group])
      outcome(OTF2_GlobalDefWriter_WriteLocation(
          writer, location_of(rank.rank, location.thread),
          string(location.thread == kPhaseLine ? "phases"
                 : location.thread             ? "thread " + std::to_string(location.thread)
                                               : "Master thread"),
          OTF2_LOCATION_TYPE_CPU_THREAD, location.records, group));
  }
  for (const Property& each : processes_)
    outcome(OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, each.owner, each.name, each.type,
                                                            each.value));
}

void Otf2Definitions::write_communicators(OTF2_GlobalDefWriter* writer, Outcome& outcome) {
  std::vector<std::uint64_t> masters(recording_.ranks.size());
  std::iota(masters.begin(), masters.end(), std::uint64_t{0});
  write_group(writer, 0, string("MPI locations"), OTF2_GROUP_TYPE_COMM_LOCATIONS, masters, outcome);
  std::map<trace::WorldRanks, OTF2_GroupRef> groups;
  const auto group_of = [&](const trace::WorldRanks& members) {
    const auto [at, is_new] = groups.emplace(members, static_cast<OTF2_GroupRef>(groups.size() + 1));
    if (is_new)
      write_group(writer, at->second, string(""), OTF2_GROUP_TYPE_COMM_GROUP, widened(members), outcome);
    return at->second;
  };
  OTF2_CommRef number = 0;
  for (const trace::SharedCommunicator& each : communicators_.all()) {
    const OTF2_StringRef name = string(number ? "" : "MPI_COMM_WORLD");
    const OTF2_GroupRef group = group_of(each.members);
    outcome(each.inter
                ? OTF2_GlobalDefWriter_WriteInterComm(writer, number, name, group, group_of(each.other),
                                                      OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE)
                : OTF2_GlobalDefWriter_WriteComm(writer, number, name, group, OTF2_UNDEFINED_COMM,
                                                 OTF2_COMM_FLAG_NONE));
    ++number;
  }
  for (const auto& [communicator, window] : windows_)
    outcome(OTF2_GlobalDefWriter_WriteRmaWin(writer, window, string("windows"), communicator,
                                             OTF2_RMA_WIN_FLAG_NONE));
  write_topologies(writer, outcome);
}

void Otf2Definitions::write_topologies(OTF2_GlobalDefWriter* writer, Outcome& outcome) {
  std::map<OTF2_CommRef, OTF2_CartTopologyRef> topologies;
  OTF2_CartDimensionRef next = 0;
  for (OTF2_CommRef number = 0; number < communicators_.all().size(); ++number) {
    const trace::SharedCommunicator& each = communicators_.all()[number];
    if (each.dimensions.empty()) continue;
    std::vector<OTF2_CartDimensionRef> dimensions;
    for (std::size_t d = 0; d < each.dimensions.size(); ++d) {
      dimensions.push_back(next);
      outcome(OTF2_GlobalDefWriter_WriteCartDimension(
          writer, next++, string(std::to_string(d)), static_cast<std::uint32_t>(each.dimensions[d]),
          static_cast<OTF2_CartPeriodicity>(each.periodic[d] ? OTF2_CART_PERIODIC_TRUE
                                                             : OTF2_CART_PERIODIC_FALSE)));
    }
    const auto topology = static_cast<OTF2_CartTopologyRef>(topologies.size());
    topologies.emplace(number, topology);
    outcome(OTF2_GlobalDefWriter_WriteCartTopology(writer, topology, string(""), number,
                                                   static_cast<std::uint8_t>(dimensions.size()),
                                                   dimensions.data()));
  }
  write_coordinates(writer, topologies, outcome);
}

void Otf2Definitions::write_coordinates(OTF2_GlobalDefWriter* writer,
                                        const std::map<OTF2_CommRef, OTF2_CartTopologyRef>& topologies,
                                        Outcome& outcome) {
  for (const auto& rank : recording_.ranks)
    for (std::uint32_t i = 0; i < rank.communicators.size(); ++i) {
      const auto number = communicators_.number(rank.rank, i);
      const auto topology = number ? topologies.find(*number) : topologies.end();
      const auto place = number ? communicators_.place(*number, rank.rank, rank.rank) : std::nullopt;
      if (topology == topologies.end() || !place) continue;
      const std::vector<std::uint32_t> at(rank.communicators[i].coordinates.begin(),
                                          rank.communicators[i].coordinates.end());
      outcome(OTF2_GlobalDefWriter_WriteCartCoordinate(writer, topology->second, *place,
                                                       static_cast<std::uint8_t>(at.size()), at.data()));
    }
}

void Otf2Definitions::write(OTF2_GlobalDefWriter* writer, const TimeLine& line, Outcome& outcome) {
  describe_run();
  for (const auto& rank : recording_.ranks) describe_process(rank, line);
  std::vector<const std::string*> texts(strings_.size());
  for (const auto& [text, number] : strings_) texts[number] = &text;
  for (OTF2_StringRef i = 0; i < texts.size(); ++i)
    outcome(OTF2_GlobalDefWriter_WriteString(writer, i, texts[i]->c_str()));
  writer_ = writer;
  outcome_ = &outcome;
  outcome(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1'000'000'000, first, last - first,
                                                    line.day ? line.day + first : OTF2_UNDEFINED_TIMESTAMP));
  write_paradigms(writer, *this, outcome);
  write_attributes(writer, *this, outcome);
  write_regions(writer, outcome);
  for (OTF2_SourceCodeLocationRef i = 0; i < places_.size(); ++i)
    outcome(OTF2_GlobalDefWriter_WriteSourceCodeLocation(
        writer, i, string(places_[i].first), static_cast<std::uint32_t>(std::max(places_[i].second, 0))));
  write_system(writer, outcome);
  write_communicators(writer, outcome);
  writer_ = nullptr;
}

}  // namespace parcast::interchange
