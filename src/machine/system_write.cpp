// SPDX-License-Identifier: Apache-2.0
// Writes [system] of a machine file (docs/formats/machine.md, Systems).
#include "machine/system_fields.h"
#include "machine/toml_text.h"

namespace parcast::machine {
namespace {

void write_link(std::string& out, const Link& link, const std::string& header) {
  write_fields(out, link, kLinkFields);
  for (const Link::Correction& correction : link.corrections) {
    out += "[[" + header +
           ".corrections]]\nfrom_bytes = " + value_text(correction.from_bytes, Dimension::data) + "\n";
    write_fields(out, correction, kCorrectionFields);
  }
}

void write_memory(std::string& out, const Storage& memory, const std::string& header) {
  const bool alone = memory.levels.size() == 1 && memory.levels.front().name == "memory";
  for (const MemoryLevel& level : memory.levels) {
    out += alone ? "[" + header + "]\n" : "[[" + header + "]]\nname = " + in_quotes(level.name) + "\n";
    if (level.shared_by > 0) out += "shared_by = " + std::to_string(level.shared_by) + "\n";
    write_fields(out, level, kMemoryFields);
  }
}

void write_communication(std::string& out, const Communication& communication, const std::string& header) {
  out += "[" + header + "]\n";
  write_text(out, "topology", std::string(to_string(communication.topology)));
  if (!communication.extents.empty()) {
    std::vector<std::string> numbers;
    for (const std::int32_t extent : communication.extents) numbers.push_back(std::to_string(extent));
    out += "extents = [" + join(numbers, ", ") + "]\n";
  }
  write_text(out, "gateway", communication.gateway);
  if (communication.forwarding != Forwarding::cut_through)
    write_text(out, "forwarding", std::string(to_string(communication.forwarding)));
  write_link(out, communication.link, header);
  for (const Connection& connection : communication.connections) {
    out += "[[" + header + ".connections]]\n";
    write_text(out, "from", connection.from), write_text(out, "to", connection.to),
        write_text(out, "name", connection.name);
    write_link(out, connection.link, header + ".connections");
  }
}

/// Writes the kind of a component if a file without it would be read as another kind.
void write_word(std::string& out, const System& system, const Unit& unit, Component component,
                std::string_view key) {
  const Decomposition kind = kind_of(unit, component);
  if (kind != Decomposition::simple && kind != left_out(system, unit, component))
    write_text(out, key, std::string(to_string(kind)));
}

bool joins(const Communication& communication) {
  return communication.topology != Topology::none || !communication.extents.empty() ||
         !communication.connections.empty() || !communication.gateway.empty();
}

void write_unit(std::string& out, const System& system, const Unit& unit) {
  const std::string header = "system.units." + unit.name;
  out += "\n[" + header + "]\n";
  write_text(out, "parent", unit.parent);
  if (unit.count != 1) out += "count = " + std::to_string(unit.count) + "\n";
  write_text(out, "note", unit.note);
  write_word(out, system, unit, Component::processing, "processing");
  write_word(out, system, unit, Component::memory, "memory");
  if (!joins(unit.communication)) write_word(out, system, unit, Component::communication, "communication");
  write_word(out, system, unit, Component::input_output, "input_output");
  if (unit.processing.kind == Decomposition::simple) {
    out += "[" + header + ".processing]\n";
    write_fields(out, unit.processing, kProcessingFields);
  }
  if (unit.memory.kind == Decomposition::simple) write_memory(out, unit.memory, header + ".memory");
  if (unit.communication.kind == Decomposition::simple || joins(unit.communication))
    write_communication(out, unit.communication, header + ".communication");
  if (unit.input_output.kind == Decomposition::simple) {
    out += "[" + header + ".input_output]\n";
    write_fields(out, unit.input_output, kInputOutputFields);
  }
}

}  // namespace

void write_system(std::string& out, const System& system) {
  out += "\n[system]\n";
  for (const Unit& unit : system.units) write_unit(out, system, unit);
}

}  // namespace parcast::machine
