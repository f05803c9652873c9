// SPDX-License-Identifier: Apache-2.0
// Names of the parts of a system, and the system derived from a machine's numbers.
#include "machine/system.h"

#include <algorithm>

#include "machine/cost.h"

namespace parcast::machine {
namespace {

constexpr std::size_t kSameSocket = 0, kSameNode = 1, kBetweenNodes = 3;  // indices into kLinkNames

/// Returns the machine's link for that level; a free link if the machine has none. A link that replaces
/// another is listed as an assumption.
Link link_of(const Machine& machine, std::size_t level, System& system) {
  const LinkChoice choice = nearest_link(machine, level);
  if (!choice.note.empty() && std::find(system.assumptions.begin(), system.assumptions.end(), choice.note) ==
                                  system.assumptions.end())
    system.assumptions.push_back(choice.note);
  const auto at = machine.links.find(choice.link);
  return at == machine.links.end() ? Link{} : at->second;
}

Communication switched(Decomposition kind, Link link) {
  Communication out;
  out.kind = kind;
  out.link = std::move(link);
  if (kind == Decomposition::compound) out.topology = Topology::crossbar;
  return out;
}

/// Adds a cache or memory as a separate unit, under an unused name.
void add_storage(System& system, const std::string& parent, const MemoryLevel& level, std::int64_t count) {
  Unit unit;
  unit.name = level.name;
  for (const char* ending : {"-cache", "-level"})
    if (std::any_of(system.units.begin(), system.units.end(),
                    [&](const Unit& other) { return other.name == unit.name; }))
      unit.name += ending;
  unit.parent = parent;
  unit.count = std::max<std::int64_t>(count, 1);
  unit.memory = {Decomposition::simple, {level}};
  system.units.push_back(std::move(unit));
}

bool has_numbers(const MemoryLevel& level) {
  return level.capacity.origin != Origin::unknown || level.bandwidth.origin != Origin::unknown;
}

/// Returns the memory that all cores of a node use: measured, or with only its size known.
std::optional<MemoryLevel> main_memory(const Machine& machine) {
  MemoryLevel out;
  for (const MemoryLevel& level : machine.memory)
    if (level.name == "memory") out = level;
  out.name = "memory";
  if (machine.memory_per_node > 0) out.capacity = {machine.memory_per_node, 0, 0, Origin::assumed};
  return has_numbers(out) ? std::optional(out) : std::nullopt;
}

/// Makes the memory of units compound if one of their own children has memory.
void decompose_memory(System& system) {
  for (auto unit = system.units.rbegin(); unit != system.units.rend(); ++unit)
    if (unit->memory.kind != Decomposition::none)
      for (Unit& above : system.units)
        if (above.name == unit->parent) above.memory.kind = Decomposition::compound;
}

System derived(const Machine& machine) {
  const std::int32_t sockets = std::max(machine.sockets_per_node, 1),
                     cores = std::max(machine.cores_per_node, 1);
  const std::int32_t cores_per_socket = (cores + sockets - 1) / sockets;
  System system;
  system.name = machine.name;
  system.derived_cores_per_node = cores;
  Unit network, node, socket, core;
  network.name = "network", node.name = "node", socket.name = "socket", core.name = "core";
  node.parent = "network", socket.parent = "node", core.parent = "socket";
  node.count = std::max(machine.nodes, 1), socket.count = sockets, core.count = cores_per_socket;
  network.communication = switched(Decomposition::compound, link_of(machine, kBetweenNodes, system));
  node.communication = switched(Decomposition::compound, link_of(machine, kSameNode, system));
  socket.communication = switched(Decomposition::simple, link_of(machine, kSameSocket, system));
  for (Unit* unit : {&network, &node, &socket}) unit->processing.kind = Decomposition::compound;
  core.processing = {Decomposition::simple, machine.core_speed, machine.shared_core_speed};
  for (const MemoryLevel& level : machine.memory)
    if (level.shared_by <= 1 && level.name != "memory" && has_numbers(level))
      core.memory.levels.push_back(level);
  if (!core.memory.levels.empty()) core.memory.kind = Decomposition::simple;
  system.units = {network, node, socket, core};
  for (const MemoryLevel& level : machine.memory)
    if (level.shared_by > 1 && level.name != "memory" && has_numbers(level)) {
      const bool of_socket = level.shared_by <= cores_per_socket;
      add_storage(system, of_socket ? "socket" : "node", level,
                  (of_socket ? cores_per_socket : cores) / level.shared_by);
    }
  if (auto memory = main_memory(machine)) {
    const std::int32_t memories = std::max(machine.memories_per_node, 1);
    if (memory->capacity.origin != Origin::unknown) memory->capacity.value /= memories;
    add_storage(system, "node", *memory, memories);
  }
  decompose_memory(system);
  return system;
}

}  // namespace

std::string_view to_string(Component component) {
  switch (component) {
    case Component::processing:
      return "processing";
    case Component::memory:
      return "memory";
    case Component::communication:
      return "communication";
    case Component::input_output:
      return "input/output";
  }
  return "";
}

std::string_view to_string(Decomposition kind) {
  switch (kind) {
    case Decomposition::none:
      return "void";
    case Decomposition::simple:
      return "simple";
    case Decomposition::compound:
      return "compound";
  }
  return "";
}

std::string_view to_string(Topology topology) {
  switch (topology) {
    case Topology::none:
      return "";
    case Topology::bus:
      return "bus";
    case Topology::crossbar:
      return "crossbar";
    case Topology::ring:
      return "ring";
    case Topology::mesh:
      return "mesh";
    case Topology::torus:
      return "torus";
    case Topology::hypercube:
      return "hypercube";
  }
  return "";
}

std::string_view to_string(Forwarding forwarding) {
  return forwarding == Forwarding::cut_through ? "cut_through" : "store_and_forward";
}

std::optional<Topology> topology_from(std::string_view name) {
  for (const Topology topology : kTopologies)
    if (to_string(topology) == name) return topology;
  return std::nullopt;
}

Decomposition kind_of(const Unit& unit, Component component) {
  switch (component) {
    case Component::processing:
      return unit.processing.kind;
    case Component::memory:
      return unit.memory.kind;
    case Component::communication:
      return unit.communication.kind;
    case Component::input_output:
      return unit.input_output.kind;
  }
  return Decomposition::none;
}

Result<System> system_of(const Machine& machine) {
  if (!machine.system) return derived(machine);
  for (const Violation& violation : validate(*machine.system))
    return Error{
        (violation.unit.empty() ? "the system" : "the unit " + violation.unit) + " " + violation.what,
        machine.name, violation.hint};
  System system = *machine.system;
  system.name = machine.name;
  return system;
}

}  // namespace parcast::machine
