// SPDX-License-Identifier: Apache-2.0
#pragma once
// The system abstraction graph (Parashar, Hariri, Haupt, Fox 1993, section 2.2): a machine as a tree of
// units. Each unit has four components, for processing, memory, communication with synchronisation, and
// input/output. A compound component is decomposed in the unit's children, a simple one exports numbers, and
// a void one does not apply. Rules, the meaning of the numbers and an example: docs/models/system_graph.md.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace parcast::machine {

enum class Decomposition { none, simple, compound };  // none: the component is void

struct Processing {
  Decomposition kind = Decomposition::none;
  Parameter speed;         // operations of the calibration kernel per second, as Machine::core_speed
  Parameter shared_speed;  // the same while all neighbouring units are active
};

struct Storage {
  Decomposition kind = Decomposition::none;
  std::vector<MemoryLevel> levels;  // from the processor outwards
};

struct InputOutput {
  Decomposition kind = Decomposition::none;
  Parameter bandwidth;  // bytes per second
  Parameter latency;    // seconds per access
  Parameter capacity;   // bytes
};

/// A connection between two children of one unit, usable in both directions.
struct Connection {
  std::string from, to;  // names of units
  std::string name;      // of the connection, as routes show it; may be empty
  Link link;
};

enum class Topology { none, bus, crossbar, ring, mesh, torus, hypercube };
enum class Forwarding { cut_through, store_and_forward };

/// If simple, `link` is the one hop between any two places inside the unit. If messages cannot be in any of
/// its parts, it is the unit's interface: an additional hop of every message to, from or through the unit. If
/// compound, the instances of the children are joined by a topology, each hop of which costs `link`, or by
/// connections.
struct Communication {
  Decomposition kind = Decomposition::none;
  Link link;
  Topology topology = Topology::none;
  std::vector<std::int32_t> extents;  // for mesh and torus; the last varies fastest
  std::vector<Connection> connections;
  Forwarding forwarding = Forwarding::cut_through;
  // "node 0": the instance through which messages from outside enter and leave; empty: each instance is
  // reached directly
  std::string gateway;
};

struct Unit {
  std::string name;
  std::string parent;      // empty: the root
  std::int64_t count = 1;  // instances in each instance of the parent
  Processing processing;
  Storage memory;
  Communication communication;
  InputOutput input_output;
  std::string note;  // sources of its numbers, or assumptions
};

struct System {
  std::string name;         // of the machine
  std::vector<Unit> units;  // children in the order in which their instances are numbered
  /// For a system derived from a machine's numbers (system_of): cores of a node, distributed to its sockets
  /// as evenly as possible. 0: written by hand.
  std::int32_t derived_cores_per_node = 0;
  std::vector<std::string> assumptions;  // for a derived system: links that replace others
};

enum class Component { processing, memory, communication, input_output };
inline constexpr std::array kComponents{Component::processing, Component::memory, Component::communication,
                                        Component::input_output};
std::string_view to_string(Component component);  // "input/output"
std::string_view to_string(Decomposition kind);   // "void", "simple", "compound"
std::string_view to_string(Topology topology);    // "hypercube"; empty for none
std::string_view to_string(Forwarding forwarding);
std::optional<Topology> topology_from(std::string_view name);
inline constexpr std::array kTopologies{Topology::bus,  Topology::crossbar, Topology::ring,
                                        Topology::mesh, Topology::torus,    Topology::hypercube};
Decomposition kind_of(const Unit& unit, Component component);

/// A rule that a system violates: its name in docs/models/system_graph.md, the unit (may be empty), what is
/// wrong, and a hint.
struct Violation {
  std::string rule, unit, what, hint;
};
/// Returns all violations, in the order of the rules. In an invalid tree, rules that need a valid one are not
/// checked. Empty: the system is valid.
std::vector<Violation> validate(const System& system);

/// Adds the numbers of simple components and of hops, by dotted names as in the file:
/// "system.node.communication.latency", or for a connection "system.ipsc.communication.ethernet.latency" (its
/// name, or "service-cube").
void add_parameters(System& system, std::vector<NamedParameter>& into);

/// Returns the machine's own system if it has one. Otherwise derives network, nodes, sockets, cores, caches
/// and memories from the machine's numbers. In a derived system two cores are one hop apart, over the link
/// that nearest_link returns for their level. Returns an error only for a system of its own that violates a
/// rule.
Result<System> system_of(const Machine& machine);

}  // namespace parcast::machine
