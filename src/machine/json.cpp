// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_file.h"
#include "machine/network.h"
#include "machine/values_json.h"

namespace parcast::machine {
namespace {

Json pattern_json(const PatternCost& pattern) {
  Json out = {{"name", pattern.name}};
  out.update(unit_json(pattern, kPatternFields));
  out["points"] = Json::array();
  for (const CostPoint& point : pattern.points) {
    out["points"].push_back({{"processes", point.processes},
                             {"bytes", point.bytes},
                             {"seconds", point.seconds},
                             {"standard_error", point.standard_error},
                             {"samples", point.samples}});
    if (point.high > 0)
      out["points"].back().update(
          {{"low_quartile", point.low}, {"high_quartile", point.high}, {"outliers", point.outliers}});
  }
  out["pieces"] = Json::array();
  for (const PatternCost::Piece& piece : pattern.pieces) {
    Json entry = {
        {"from_bytes", piece.from_bytes}, {"growth", piece.growth}, {"relative_error", piece.relative_error}};
    entry.update(unit_json(piece, kPieceFields));
    out["pieces"].push_back(std::move(entry));
  }
  out["corrections"] = Json::array();
  for (const PatternCost::Correction& knot : pattern.corrections)
    out["corrections"].push_back(
        {{"processes", knot.processes}, {"bytes", knot.bytes}, {"seconds", knot.seconds}});
  return out;
}

Json network_json(const Network& network) {
  Json out = {{"topology", network.topology}};
  for (const ShapeField& field : shape_fields()) {
    if (field.count && network.*field.count != 0) out[std::string(field.name)] = network.*field.count;
    if (field.list && !(network.*field.list).empty()) out[std::string(field.name)] = network.*field.list;
  }
  out.update(unit_json(network, kNetworkFields));
  return out;
}

Json memory_sharing_json(const MemorySharing& sharing) {
  Json out = {{"by", sharing.by_socket ? "socket" : "node"}, {"points", Json::array()}};
  for (const MemorySharing::Point& point : sharing.points) {
    Json entry = {{"cores", point.cores}};
    entry.update(unit_json(point, kMemorySharingFields));
    out["points"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::string to_json(const Machine& machine) {
  Json out = {{"schema", "parcast.machine/1"},
              {"name", machine.name},
              {"description", machine.description},
              {"measured_at", machine.measured_at},
              {"launcher", machine.launcher},
              {"nodes", machine.nodes},
              {"cores_per_node", machine.cores_per_node},
              {"sockets_per_node", machine.sockets_per_node},
              {"memory_per_node", machine.memory_per_node}};
  if (machine.threads_per_core != 1) out["threads_per_core"] = machine.threads_per_core;
  if (machine.memories_per_node != 1) out["memories_per_node"] = machine.memories_per_node;
  for (const MeasuredPlacement& each : machine.placements)
    out["placements"].push_back(
        {{"processes", each.processes}, {"nodes", each.nodes}, {"ranks_per_node", each.ranks_per_node}});
  out.update(unit_json(machine, kMachineFields));
  for (const OperationCost& operation : machine.operations) {
    Json entry = {{"name", operation.name}};
    entry.update(unit_json(operation, kOperationFields));
    out["operations"].push_back(std::move(entry));
  }
  for (const ThreadCost& team : machine.openmp) {
    Json entry = {{"threads", team.threads}};
    entry.update(unit_json(team, kThreadFields));
    out["openmp"].push_back(std::move(entry));
  }
  out["memory"] = Json::array();
  for (const MemoryLevel& level : machine.memory) {
    Json entry = {{"name", level.name}};
    if (level.shared_by > 0) entry["shared_by"] = level.shared_by;
    entry.update(unit_json(level, kMemoryFields));
    out["memory"].push_back(std::move(entry));
  }
  out["working_sets"] = Json::array();
  for (const WorkingSetPoint& point : machine.working_sets)
    out["working_sets"].push_back({{"cores", point.cores},
                                   {"bytes", point.bytes},
                                   {"seconds_per_load", point.seconds_per_load},
                                   {"bytes_per_second", point.bytes_per_second}});
  out["links"] = Json::object();
  for (const auto& [name, link] : machine.links) {
    out["links"][name] = unit_json(link, kLinkFields);
    for (const Link::Correction& correction : link.corrections) {
      Json entry = {{"from_bytes", correction.from_bytes}};
      entry.update(unit_json(correction, kCorrectionFields));
      out["links"][name]["corrections"].push_back(std::move(entry));
    }
  }
  if (machine.memory_sharing) out["memory_sharing"] = memory_sharing_json(*machine.memory_sharing);
  if (machine.network) out["network"] = network_json(*machine.network);
  if (machine.extrap)
    for (std::size_t i = 0; i < kExtrapKeys; ++i) {
      const auto key = static_cast<ExtrapKey>(i);
      const ExtrapField& field = extrap_fields()[i];
      const double value = (*machine.extrap)[key];
      out["extrap"][std::string(field.name)] = field.unit == ExtrapUnit::choice
                                                   ? Json(field.choices[static_cast<std::size_t>(value)])
                                                   : Json(value);
    }
  out["patterns"] = Json::array();
  for (const PatternCost& pattern : machine.patterns) out["patterns"].push_back(pattern_json(pattern));
  out["collectives"] = Json::object();
  for (const auto& [pattern, choices] : machine.collectives)
    out["collectives"][std::string(pattern_name(pattern))] = algorithms_text(choices);
  out["covariance"] = Json::array();
  for (const auto& [names, value] : machine.covariance)
    out["covariance"].push_back({names.first, names.second, value});
  out["notes"] = machine.notes;
  if (!machine.environment.empty()) out["environment"] = machine.environment;
  if (!machine.sources.empty()) out["sources"] = machine.sources;
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parcast::machine
