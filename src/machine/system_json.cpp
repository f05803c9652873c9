// SPDX-License-Identifier: Apache-2.0
#include "machine/system_fields.h"
#include "machine/system_file.h"
#include "machine/system_tree.h"
#include "machine/values_json.h"

namespace parcast::machine {
namespace {

Json link_json(const Link& link) {
  Json out = unit_json(link, kLinkFields);
  for (const Link::Correction& correction : link.corrections) {
    Json entry = {{"from_bytes", correction.from_bytes}};
    entry.update(unit_json(correction, kCorrectionFields));
    out["corrections"].push_back(std::move(entry));
  }
  return out;
}

Json processing_json(const Processing& processing) {
  Json out = Json::object();
  for (const auto& field : kProcessingFields)
    if (const Parameter& parameter = processing.*field.member; parameter.origin != Origin::unknown) {
      out[std::string(field.name)] = parameter_json(parameter, field.dimension, field.name);
      out[std::string(field.name)]["unit"] = "operations/s";
    }
  return out;
}

Json memory_json(const Storage& memory) {
  Json out = {{"levels", Json::array()}};
  for (const MemoryLevel& level : memory.levels) {
    Json entry = {{"name", level.name}};
    if (level.shared_by > 0) entry["shared_by"] = level.shared_by;
    entry.update(unit_json(level, kMemoryFields));
    out["levels"].push_back(std::move(entry));
  }
  return out;
}

Json communication_json(const Communication& communication) {
  Json out = Json::object();
  if (communication.kind == Decomposition::none) return out;
  if (communication.topology != Topology::none) out["topology"] = to_string(communication.topology);
  if (!communication.extents.empty()) out["extents"] = communication.extents;
  if (communication.connections.empty()) out["link"] = link_json(communication.link);
  for (const Connection& connection : communication.connections)
    out["connections"].push_back({{"from", connection.from},
                                  {"to", connection.to},
                                  {"name", connection.name},
                                  {"link", link_json(connection.link)}});
  out["forwarding"] = to_string(communication.forwarding);
  if (!communication.gateway.empty()) out["gateway"] = communication.gateway;
  return out;
}

Json component_json(const Unit& unit, Component component) {
  const Decomposition kind = kind_of(unit, component);
  Json out = {{"kind", to_string(kind)}};
  if (component == Component::communication) out.update(communication_json(unit.communication));
  if (kind != Decomposition::simple) return out;
  if (component == Component::processing) out.update(processing_json(unit.processing));
  if (component == Component::memory) out.update(memory_json(unit.memory));
  if (component == Component::input_output) out.update(unit_json(unit.input_output, kInputOutputFields));
  return out;
}

}  // namespace

std::string to_json(const System& system) {
  const SystemTree tree = SystemTree::of(system);
  Json out = {{"schema", "parcast.system/1"},
              {"name", system.name},
              {"derived", system.derived_cores_per_node > 0},
              {"processors", tree.processors[tree.root]},
              {"units", Json::array()}};
  for (std::size_t u = 0; u < system.units.size(); ++u) {
    const Unit& unit = system.units[u];
    Json entry = {{"name", unit.name},
                  {"parent", unit.parent},
                  {"count", unit.count},
                  {"instances", tree.instances[u]}};
    if (!unit.note.empty()) entry["note"] = unit.note;
    entry["processing"] = component_json(unit, Component::processing);
    entry["memory"] = component_json(unit, Component::memory);
    entry["communication"] = component_json(unit, Component::communication);
    entry["input_output"] = component_json(unit, Component::input_output);
    out["units"].push_back(std::move(entry));
  }
  out["assumptions"] = system.assumptions;
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parcast::machine
