// SPDX-License-Identifier: Apache-2.0
#include "report/system_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "machine/system_fields.h"
#include "machine/system_tree.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using machine::Component;
using machine::Decomposition;
using machine::Parameter;
using machine::System;
using machine::SystemTree;
using machine::Unit;

constexpr std::size_t kNameColumns = 13;  // length of "communication"

std::string component_value_text(double value, Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return format_seconds(value);
    case Dimension::data:
      return format_bytes(value);
    case Dimension::rate:
      return format_bytes(value) + "/s";
    case Dimension::time_per_byte:
      return value == 0 ? "0 ns/B" : format_seconds(value) + "/B";
    case Dimension::none:
      break;
  }
  const bool slow = value < 1e9;
  return format_significant(value / (slow ? 1e6 : 1e9), 3) + (slow ? " M operations/s" : " G operations/s");
}

/// Returns e.g. "gap per byte 333 ns/B ± 9.6% measured"; an assumed value has no such word.
std::string parameter_text(std::string_view name, const Parameter& parameter, Dimension dimension) {
  std::string label(name);
  std::replace(label.begin(), label.end(), '_', ' ');
  std::string out = label + " " + component_value_text(parameter.value, dimension);
  if (parameter.standard_error > 0 && parameter.value != 0)
    out += " ± " + format_significant(100 * parameter.standard_error / std::fabs(parameter.value), 2) + "%";
  return parameter.origin == Origin::assumed ? out : out + " " + std::string(to_string(parameter.origin));
}

template <class Part>
std::string numbers_text(const Part& part, const auto& fields, const char* nothing) {
  std::vector<std::string> out;
  for (const machine::Field<Part>& field : fields)
    if (const Parameter& parameter = part.*field.member;
        parameter.origin != Origin::unknown && field.kind != machine::Field<Part>::Kind::correction)
      out.push_back(parameter_text(field.name, parameter, field.dimension));
  return out.empty() ? nothing : join(out, ", ");
}

std::string link_text(const machine::Link& link) {
  return numbers_text(link, machine::kLinkFields, "free");
}

std::string joined_text(const machine::Communication& communication) {
  std::vector<std::string> out;
  if (communication.topology != machine::Topology::none) {
    std::vector<std::string> extents;
    for (const std::int32_t extent : communication.extents) extents.push_back(std::to_string(extent));
    out.push_back(std::string(to_string(communication.topology)) +
                  (extents.empty() ? "" : " " + join(extents, " x ")));
  }
  if (!communication.connections.empty()) out.push_back("connections");
  if (communication.forwarding == machine::Forwarding::store_and_forward) out.push_back("store and forward");
  if (!communication.gateway.empty()) out.push_back("from outside by " + communication.gateway);
  if (communication.topology != machine::Topology::none)
    out.push_back("a hop: " + link_text(communication.link));
  return out.empty() ? "compound" : "compound: " + join(out, ", ");
}

/// Returns the exports of a component, a line each.
std::vector<std::string> lines_of(const Unit& unit, Component component) {
  const Decomposition kind = kind_of(unit, component);
  if (kind == Decomposition::none) return {};
  if (component == Component::communication && kind == Decomposition::compound) {
    std::vector<std::string> out{joined_text(unit.communication)};
    for (const machine::Connection& connection : unit.communication.connections)
      out.push_back(connection.from + " - " + connection.to +
                    (connection.name.empty() ? "" : " (" + connection.name + ")") + ": " +
                    link_text(connection.link));
    return out;
  }
  if (kind == Decomposition::compound) return {"compound"};
  if (component == Component::processing)
    return {numbers_text(unit.processing, machine::kProcessingFields, "as fast as in the recordings")};
  if (component == Component::communication) return {link_text(unit.communication.link)};
  if (component == Component::input_output)
    return {numbers_text(unit.input_output, machine::kInputOutputFields, "free")};
  std::vector<std::string> out;
  for (const machine::MemoryLevel& level : unit.memory.levels)
    out.push_back(level.name + ": " + numbers_text(level, machine::kMemoryFields, "unknown"));
  return out;
}

void tell(const System& system, const SystemTree& tree, std::size_t u, std::size_t depth, const Style& style,
          std::string& out) {
  const Unit& unit = system.units[u];
  const std::string indent(2 * depth + 2, ' ');
  out += indent + bold(style, unit.name) + (unit.count > 1 ? " x " + format_integer(unit.count) : "");
  if (tree.instances[u] != unit.count)
    out += dim(style, ", " + format_integer(tree.instances[u]) + " in all");
  out += "\n";
  const auto line = [&](std::string_view name, const std::string& text) {
    const std::string lead = indent + "  " + padded(name, kNameColumns) + "  ";
    out += wrapped(style, lead + visible(text), static_cast<int>(lead.size())) + "\n";
  };
  for (const Component component : machine::kComponents) {
    std::string_view name = to_string(component);
    for (const std::string& text : lines_of(unit, component)) line(name, text), name = "";
  }
  if (!unit.note.empty()) line("", "(" + unit.note + ")");
  for (const std::size_t child : tree.children[u]) tell(system, tree, child, depth + 1, style, out);
}

std::string in_dot(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Lines of a box end in \l: left-aligned.
std::string box(const Unit& unit) {
  std::string text = visible(unit.name) + "\n";
  for (const Component component : machine::kComponents) {
    const Decomposition kind = kind_of(unit, component);
    text += std::string(to_string(component)) + ": " +
            (kind == Decomposition::simple ? join(lines_of(unit, component), "; ")
                                           : std::string(to_string(kind))) +
            "\n";
  }
  std::string out;
  for (const std::string& line : split(text.substr(0, text.size() - 1), '\n')) {
    const std::string quoted = in_dot(visible(line));
    out += quoted.substr(1, quoted.size() - 2) + "\\l";
  }
  return "\"" + out + "\"";
}

}  // namespace

std::string system_text(const System& system, const Style& style) {
  const SystemTree tree = SystemTree::of(system);
  const std::string from =
      system.derived_cores_per_node > 0 ? "from the machine's numbers" : "as the machine's file has it";
  std::string out = bold(style, visible(system.name)) + "  " +
                    counted(tree.processors[tree.root], "processor") + ", " + from + "\n\n";
  tell(system, tree, tree.root, 0, style, out);
  for (const std::string& assumption : system.assumptions)
    out += "\n" + wrapped(style, "  " + visible(assumption), 2) + "\n";
  return out;
}

std::string system_dot(const System& system) {
  const SystemTree tree = SystemTree::of(system);
  std::string out = "digraph " + in_dot(visible(system.name)) + " {\n  node [shape=box];\n";
  for (const Unit& unit : system.units) out += "  " + in_dot(unit.name) + " [label=" + box(unit) + "];\n";
  for (const Unit& unit : system.units) {
    if (!unit.parent.empty())
      out += "  " + in_dot(unit.parent) + " -> " + in_dot(unit.name) +
             (unit.count > 1 ? " [label=\"x " + std::to_string(unit.count) + "\"]" : "") + ";\n";
    const machine::Communication& communication = unit.communication;
    for (const machine::Connection& connection : communication.connections) {
      const std::string label =
          (connection.name.empty() ? "" : connection.name + ": ") + link_text(connection.link);
      out += "  " + in_dot(connection.from) + " -> " + in_dot(connection.to) +
             " [dir=none, style=dashed, constraint=false, label=" + in_dot(visible(label)) + "];\n";
    }
    if (communication.topology == machine::Topology::none) continue;
    for (const std::size_t child : tree.children[machine::unit_named(system, unit.name)])
      if (tree.first_position[child] >= 0)
        out += "  " + in_dot(system.units[child].name) + " -> " + in_dot(system.units[child].name) +
               " [dir=none, style=dashed, label=" +
               in_dot(std::string(to_string(communication.topology)) + ": " + link_text(communication.link)) +
               "];\n";
  }
  return out + "}\n";
}

}  // namespace parcast::report
