// SPDX-License-Identifier: Apache-2.0
#include "machine/system_fields.h"

namespace parcast::machine {
namespace {

void list(auto& of, const auto& fields, const std::string& prefix, std::vector<NamedParameter>& into) {
  for (const auto& field : fields)
    into.push_back({prefix + std::string(field.name), field.dimension, &(of.*field.member)});
}

}  // namespace

void add_parameters(System& system, std::vector<NamedParameter>& into) {
  for (Unit& unit : system.units) {
    const std::string prefix = "system." + unit.name + ".";
    if (unit.processing.kind == Decomposition::simple)
      list(unit.processing, kProcessingFields, prefix + "processing.", into);
    for (MemoryLevel& level : unit.memory.levels)
      list(level, kMemoryFields, prefix + "memory." + level.name + ".", into);
    Communication& communication = unit.communication;
    const bool one_link =
        communication.kind == Decomposition::simple || communication.topology != Topology::none;
    if (one_link) list(communication.link, kLinkFields, prefix + "communication.", into);
    for (Connection& each : communication.connections)
      list(each.link, kLinkFields,
           prefix + "communication." + (each.name.empty() ? each.from + "-" + each.to : each.name) + ".",
           into);
    if (unit.input_output.kind == Decomposition::simple)
      list(unit.input_output, kInputOutputFields, prefix + "input_output.", into);
  }
}

}  // namespace parcast::machine
