// SPDX-License-Identifier: Apache-2.0
// Checks the rules of docs/models/system_graph.md, each in a function with its name there.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/number_range.h"
#include "machine/fields.h"
#include "machine/system_tree.h"
#include "machine/topology.h"

namespace parcast::machine {
namespace {

constexpr std::size_t kNone = SystemTree::kNone;
constexpr std::int64_t kMostInRing = 2147483647;

bool is_word(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
             std::string_view::npos;
}

class Checker {
 public:
  explicit Checker(const System& system) : system_(system) {
    for (const Unit& unit : system.units) names_.push_back(unit.name);
  }

  std::vector<Violation> all() {
    one_root(), unique_names(), parents(), circles(), counts();
    if (!found_.empty()) return std::move(found_);
    tree_ = SystemTree::of(system_);
    sizes();
    for (std::size_t u = 0; u < system_.units.size(); ++u) components(u);
    for (std::size_t u = 0; u < system_.units.size(); ++u) numbers(u);
    for (std::size_t u = 0; u < system_.units.size(); ++u) joins(u);
    if (found_.empty()) routes();
    return std::move(found_);
  }

 private:
  void say(std::string rule, std::string unit, std::string what, std::string hint) {
    found_.push_back({std::move(rule), std::move(unit), std::move(what), std::move(hint)});
  }

  void one_root() {
    std::vector<std::string> roots;
    for (const Unit& unit : system_.units)
      if (unit.parent.empty()) roots.push_back(unit.name);
    if (system_.units.empty())
      return say("one-root", "", "has no units", "give it one, of which the others are parts");
    if (roots.empty())
      say("one-root", "", "has no root: every unit has a parent",
          "leave out the parent of the unit that all others are parts of");
    if (roots.size() > 1)
      say("one-root", roots[1], "has no parent, and " + roots[0] + " has none either",
          "there is one root: give the parent of each of " + join(roots, ", "));
  }

  void unique_names() {
    std::set<std::string> seen;
    for (const Unit& unit : system_.units) {
      if (!is_word(unit.name))
        say("unique-names", unit.name, "does not have a name of one word", "use letters, digits, - and _");
      if (!seen.insert(unit.name).second)
        say("unique-names", unit.name, "is there twice",
            "give each unit a name of its own, and give its number of instances with count");
    }
  }

  void parents() {
    for (const Unit& unit : system_.units) {
      if (unit.parent.empty() || unit_named(system_, unit.parent) != kNone) continue;
      const std::string guess = did_you_mean(unit.parent, names_);
      say("known-parents", unit.name, "is a part of " + unit.parent + ", which is not a unit",
          guess.empty() ? "units are " + join(names_, ", ") : guess);
    }
  }

  void circles() {
    std::vector<std::size_t> parent;
    for (const Unit& unit : system_.units) parent.push_back(unit_named(system_, unit.parent));
    for (std::size_t u = 0; u < parent.size(); ++u) {
      const Unit& unit = system_.units[u];
      std::size_t at = parent[u];
      for (std::size_t steps = 0; at != kNone && at != u && steps <= parent.size(); ++steps) at = parent[at];
      if (at == u)
        return say("no-circle", unit.name, "is a part of itself, by way of " + unit.parent,
                   "let its parents lead to the root");
    }
  }

  void counts() {
    for (const Unit& unit : system_.units) {
      if (unit.count < 1)
        say("counts", unit.name, "has count " + std::to_string(unit.count),
            "at least one instance: leave the unit out if there is none");
      if (unit.parent.empty() && unit.count > 1)
        say("counts", unit.name, "is the root, and is there " + std::to_string(unit.count) + " times",
            "there is one system: put a unit above");
    }
  }

  void sizes() {
    for (std::size_t u = 0; u < system_.units.size(); ++u)
      if (tree_.instances[u] > kMostInstances || tree_.processors[u] > kMostInstances)
        return say("counts", system_.units[u].name,
                   "has more instances, or more processors, than can be numbered (2^40)", "lower the counts");
  }

  /// Checks the paper's rules about one unit's components.
  void components(std::size_t u) {
    const Unit& unit = system_.units[u];
    bool any = false, compound = false;
    for (const Component component : kComponents) {
      const Decomposition kind = kind_of(unit, component);
      any |= kind != Decomposition::none, compound |= kind == Decomposition::compound;
      const auto& children = tree_.children[u];
      const auto part = std::find_if(children.begin(), children.end(), [&](std::size_t child) {
        return kind_of(system_.units[child], component) != Decomposition::none;
      });
      const std::string word(to_string(component));
      if (children.empty() && kind == Decomposition::compound) {
        say("simple-leaves", unit.name, "is a leaf, and its " + word + " is compound",
            "give it numbers, or units of which it consists");
      } else if (kind == Decomposition::compound && part == children.end()) {
        say("compound-is-decomposed", unit.name,
            "has compound " + word + ", which is void in all of its parts",
            "give " + word + " to one of them, or make it simple or void here");
      } else if (kind == Decomposition::simple && part != children.end()) {
        say("simple-is-lowest", unit.name,
            "has simple " + word + ", but its part " + system_.units[*part].name + " has " + word + " too",
            "make it compound in " + unit.name + ", or void in " + system_.units[*part].name);
      }
    }
    if (!any)
      say("not-all-void", unit.name, "has only void components",
          "give it processing, memory, communication or input/output, or leave it out");
    if (!tree_.children[u].empty() && any && !compound)
      say("children-of-compound", unit.name,
          "has parts (" + system_.units[tree_.children[u].front()].name +
              "), but none of its components is compound",
          "make compound what these decompose");
  }

  void number(const Unit& unit, const std::string& name, const Parameter& parameter) {
    if (!is_in_range(parameter.value) || parameter.value < 0)
      say("numbers", unit.name, "has " + name + " " + format_exact(parameter.value),
          "it must be 0, or a number from 1e-30 to 1e30");
    if (!(parameter.standard_error <= kLargestNumber) || parameter.standard_error < 0)
      say("numbers", unit.name,
          "has a standard error of " + name + " of " + format_exact(parameter.standard_error),
          "it must be a finite number, 0 or more");
  }

  /// Signed parameters need only be finite.
  template <class Part>
  void numbers_of(const Unit& unit, const Part& part, const auto& fields, const std::string& prefix) {
    for (const Field<Part>& field : fields) {
      const Parameter& parameter = part.*field.member;
      if (field.kind != Field<Part>::Kind::correction || !is_in_range(parameter.value))
        number(unit, prefix + std::string(field.name), parameter);
    }
  }

  void link(const Unit& unit, const Link& link, const std::string& prefix) {
    numbers_of(unit, link, kLinkFields, prefix);
    for (const Link::Correction& correction : link.corrections)
      numbers_of(unit, correction, kCorrectionFields, prefix + "corrections.");
  }

  /// A simple component exports what it needs. Values that a derived system leaves unknown are free, or as in
  /// the recordings.
  void numbers(std::size_t u) {
    const Unit& unit = system_.units[u];
    const bool by_hand = system_.derived_cores_per_node == 0;
    if (unit.processing.kind == Decomposition::simple) {
      number(unit, "speed", unit.processing.speed),
          number(unit, "shared_speed", unit.processing.shared_speed);
      if (by_hand ? !(unit.processing.speed.value > 0)
                  : known(unit.processing.speed) && !(unit.processing.speed.value > 0))
        say("numbers", unit.name, "has simple processing without a speed above 0",
            "give its processing a speed, in operations per second");
    }
    if (unit.memory.kind == Decomposition::simple) {
      if (unit.memory.levels.empty())
        say("numbers", unit.name, "has simple memory without a level",
            "give its memory a capacity or a bandwidth");
      for (const MemoryLevel& level : unit.memory.levels) {
        numbers_of(unit, level, kMemoryFields, level.name + ".");
        if (!(level.capacity.value > 0) && !(level.bandwidth.value > 0))
          say("numbers", unit.name, "has memory " + level.name + " with neither a capacity nor a bandwidth",
              "give it one of them, above 0");
      }
    }
    if (unit.input_output.kind == Decomposition::simple) {
      number(unit, "bandwidth", unit.input_output.bandwidth),
          number(unit, "latency", unit.input_output.latency),
          number(unit, "capacity", unit.input_output.capacity);
      if (!(unit.input_output.bandwidth.value > 0))
        say("numbers", unit.name, "has simple input/output without a bandwidth above 0",
            "give its input_output a bandwidth");
    }
    communication_numbers(unit, by_hand);
  }

  static bool has_cost(const Link& link) {
    return std::any_of(kLinkFields.begin(), kLinkFields.end(), [&](const auto& field) {
      return field.kind == Field<Link>::Kind::cost && known(link.*field.member);
    });
  }

  void communication_numbers(const Unit& unit, bool by_hand) {
    const Communication& communication = unit.communication;
    if (communication.kind == Decomposition::none) return;
    link(unit, communication.link, "");
    const bool needs =
        communication.kind == Decomposition::simple || communication.topology != Topology::none;
    if (by_hand && needs && !has_cost(communication.link))
      say("numbers", unit.name,
          std::string("does not give what ") +
              (communication.kind == Decomposition::simple
                   ? "its communication costs"
                   : "a hop of its " + std::string(to_string(communication.topology)) + " costs"),
          "give a latency and a gap_per_byte");
    for (const Connection& connection : communication.connections) {
      link(unit, connection.link, connection.from + " - " + connection.to + ": ");
      if (!has_cost(connection.link))
        say("numbers", unit.name,
            "does not give what the connection of " + connection.from + " and " + connection.to + " costs",
            "give it a latency and a gap_per_byte");
    }
  }

  std::vector<std::string> parts_of(std::size_t u) const {
    std::vector<std::string> out;
    for (const std::size_t child : tree_.children[u])
      if (tree_.first_position[child] >= 0) out.push_back(system_.units[child].name);
    return out;
  }

  /// Checks how instances of children are joined.
  void joins(std::size_t u) {
    const Unit& unit = system_.units[u];
    const Communication& communication = unit.communication;
    if (communication.kind != Decomposition::compound) {
      if (communication.topology != Topology::none || !communication.connections.empty() ||
          !communication.gateway.empty())
        say("topology-fits", unit.name,
            "joins parts, but its communication is " + std::string(to_string(communication.kind)),
            "make it compound, or leave topology, connections and gateway out");
      return;
    }
    if (communication.topology != Topology::none && !communication.connections.empty())
      say("topology-fits", unit.name, "has a topology and connections",
          "one of them joins its parts: put a unit between if there are both");
    connections(u);
    shape(u);
    if (!communication.gateway.empty() && !instance_named(system_, tree_, u, communication.gateway))
      say("gateway", unit.name,
          "has the gateway \"" + communication.gateway + "\", which is no instance of its parts",
          gateway_hint(u));
  }

  std::string gateway_hint(std::size_t u) const {
    const std::vector<std::string> parts = parts_of(u);
    if (parts.empty()) return "messages can be in none of its parts";
    const std::int64_t last = system_.units[unit_named(system_, parts.front())].count - 1;
    return last == 0 ? "write for example gateway = \"" + parts.front() + "\""
                     : "write " + parts.front() + " and a number from 0 to " + std::to_string(last);
  }

  void connections(std::size_t u) {
    const Unit& unit = system_.units[u];
    const std::vector<std::string> parts = parts_of(u);
    for (const Connection& connection : unit.communication.connections) {
      if (connection.from == connection.to)
        say("connections", unit.name, "connects " + connection.from + " with itself",
            "two parts of " + unit.name + " are connected");
      for (const std::string& end : {connection.from, connection.to}) {
        if (std::find(parts.begin(), parts.end(), end) != parts.end()) continue;
        const std::string guess = did_you_mean(end, parts);
        say("connections", unit.name,
            "connects " + end + ", which is not a part of it at which messages can be",
            guess.empty() ? "its parts with processing or communication are " + join(parts, ", ") : guess);
      }
    }
  }

  void shape(std::size_t u) {
    const Unit& unit = system_.units[u];
    const Communication& communication = unit.communication;
    const std::string topology(to_string(communication.topology)), count = std::to_string(tree_.joined[u]);
    const bool shaped = communication.topology == Topology::mesh || communication.topology == Topology::torus;
    if (!shaped && !communication.extents.empty())
      return say("topology-fits", unit.name, "has extents, but its parts are not joined as a mesh or torus",
                 "leave extents out");
    if (communication.topology == Topology::hypercube &&
        !std::has_single_bit(static_cast<std::uint64_t>(tree_.joined[u])))
      say("topology-fits", unit.name, "joins " + count + " instances as a hypercube",
          "a hypercube has a power of two: 8, 16, 32");
    if (communication.topology == Topology::ring && tree_.joined[u] > kMostInRing)
      say("topology-fits", unit.name, "joins " + count + " instances as a ring",
          "a ring has at most 2^31 - 1");
    if (!shaped) return;
    double product = 1;
    for (const std::int32_t extent : communication.extents) product *= extent < 1 ? 0 : extent;
    if (communication.extents.empty() || product != static_cast<double>(tree_.joined[u]))
      say("topology-fits", unit.name,
          "joins " + count + " instances as a " + topology +
              (communication.extents.empty() ? " without extents" : " for " + format_exact(product)),
          "give extents whose product is " + count);
  }

  /// Checks that routes exist between all processors. Inside a unit, its parts must reach each other and its
  /// gateway.
  void routes() {
    if (tree_.processors[tree_.root] == 0)
      return say("routes", "", "has no processor", "give a unit simple processing, with a speed");
    for (std::size_t u = 0; u < system_.units.size(); ++u) {
      const Communication& communication = system_.units[u].communication;
      std::vector<std::size_t> ends;
      bool several = false;
      for (const std::size_t child : tree_.children[u]) {
        if (tree_.processors[child] == 0) continue;
        ends.push_back(child);
        several |= ends.size() > 1 || system_.units[child].count > 1;
      }
      if (const auto gateway = instance_named(system_, tree_, u, communication.gateway);
          gateway && !communication.gateway.empty() && !ends.empty() && tree_.processors[gateway->unit] == 0)
        ends.push_back(gateway->unit), several = true;
      if (!several || communication.topology != Topology::none || communication.kind == Decomposition::simple)
        continue;
      if (!reach(u, ends)) return;
    }
  }

  bool reach(std::size_t u, const std::vector<std::size_t>& ends) {
    const Unit& unit = system_.units[u];
    const std::string hint = unit.communication.connections.empty()
                                 ? "give its communication a topology, or connections"
                                 : "add a connection";
    for (const std::size_t from : ends)
      for (const std::size_t to : ends) {
        if (from == to && system_.units[from].count == 1) continue;
        if (!passage(system_, u, from, to).connections.empty()) continue;
        const std::string& name = system_.units[from].name;
        return say("routes", unit.name,
                   from == to ? "has no route between two instances of " + name
                              : "has no route from " + name + " to " + system_.units[to].name,
                   hint),
               false;
      }
    return true;
  }

  const System& system_;
  SystemTree tree_;
  std::vector<std::string> names_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> validate(const System& system) {
  return Checker(system).all();
}

}  // namespace parcast::machine
