// SPDX-License-Identifier: Apache-2.0
// Reads [system] of a machine file (docs/formats/machine.md, Systems).
#include "machine/system_fields.h"
#include "machine/toml_file.h"

namespace parcast::machine {
namespace {

constexpr std::int64_t kMostCount = std::numeric_limits<std::int32_t>::max();

class SystemReader {
 public:
  explicit SystemReader(TomlReader& reader) : reader_(reader) {}

  Result<System> read(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return reader_.mismatch(node, "system", "tables such as [system.units.node]");
    const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      reader_.known_ = {"units"};
      return key == "units" ? units(inner) : false;
    };
    PARCAST_TRY(reader_.each(*table, "system.", take));
    reader_.source_.remember("system", begin_of(node));
    complete();
    PARCAST_TRY(valid());
    return std::move(system_);
  }

 private:
  /// Returns which components the file gives for the current unit.
  std::array<bool, kComponents.size()>& given() { return given_.back(); }
  static std::size_t number(Component component) { return static_cast<std::size_t>(component); }

  Result<bool> units(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return reader_.mismatch(node, "units", "tables such as [system.units.node]");
    const auto take = [&](const std::string& name, const toml::node& inner) -> Result<bool> {
      const toml::table* entries = inner.as_table();
      if (!entries) return reader_.mismatch(inner, name, "a table [system.units." + name + "]");
      Unit& unit = system_.units.emplace_back();
      given_.emplace_back();
      unit.name = name;
      const std::string prefix = "system.units." + name + ".";
      PARCAST_TRY(reader_.each(*entries, prefix, [&](const std::string& key, const toml::node& entry) {
        return entry_of(unit, prefix, key, entry);
      }));
      return true;
    };
    PARCAST_TRY(reader_.each(*table, "system.units.", take));
    return true;
  }

  Result<bool> entry_of(Unit& unit, const std::string& prefix, const std::string& key,
                        const toml::node& node) {
    if (key == "parent" || key == "note") {
      PARCAST_ASSIGN((key == "parent" ? unit.parent : unit.note), reader_.text(key, node));
      return true;
    }
    if (key == "count") {
      PARCAST_ASSIGN(unit.count, reader_.whole(key, node, 1, kMostCount));
      return true;
    }
    if (key == "processing")
      return component(Component::processing, node, unit.processing.kind,
                       [&] { return numbers(unit.processing, kProcessingFields, prefix + key + ".", node); });
    if (key == "input_output")
      return component(Component::input_output, node, unit.input_output.kind, [&] {
        return numbers(unit.input_output, kInputOutputFields, prefix + key + ".", node);
      });
    if (key == "memory")
      return component(Component::memory, node, unit.memory.kind,
                       [&] { return memory(unit.memory, prefix + key + ".", node); });
    if (key == "communication")
      return component(Component::communication, node, unit.communication.kind,
                       [&] { return communication(unit.communication, prefix + key + ".", node); });
    reader_.known_ = {"parent", "count", "note", "processing", "memory", "communication", "input_output"};
    return false;
  }

  /// Reads "void" or "compound", or the exports of a simple component.
  template <class Take>
  Result<bool> component(Component which, const toml::node& node, Decomposition& kind, Take take) {
    given()[number(which)] = true;
    const auto word = node.value<std::string>();
    if (!word) {
      kind = Decomposition::simple;
      PARCAST_TRY(take());
      return true;
    }
    if (*word == "void") return kind = Decomposition::none, true;
    if (*word == "compound") return kind = Decomposition::compound, true;
    const std::vector<std::string> known{"void", "compound"};
    const std::string guess = did_you_mean(*word, known);
    return reader_.source_.at(
        begin_of(node), "a component is not \"" + *word + "\"",
        guess.empty() ? "write \"compound\", \"void\", or the table of what a simple one exports" : guess);
  }

  // If this is inlined, gcc 12 warns that a write overflows the first member (-Wstringop-overflow).
  template <class Part>
  [[gnu::noinline]] Result<void> numbers(Part& part, const auto& fields, const std::string& prefix,
                                         const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table)
      return reader_.mismatch(node, "a component", "\"compound\", \"void\" or a table of what it exports");
    return reader_.each(*table, prefix, [&](const std::string& key, const toml::node& inner) {
      return reader_.field(part, fields, prefix, key, inner);
    });
  }

  Result<void> level(Storage& memory, const std::string& prefix, const toml::table& table, std::string name) {
    MemoryLevel& out = memory.levels.emplace_back();
    out.name = std::move(name);
    return reader_.each(table, prefix, [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      reader_.known_ = {"name", "shared_by"};
      if (key == "name") {
        PARCAST_ASSIGN(out.name, reader_.text(key, inner));
        return true;
      }
      if (key == "shared_by") {
        PARCAST_ASSIGN(const std::int64_t cores, reader_.whole(key, inner, 1, kMostCount));
        out.shared_by = static_cast<std::int32_t>(cores);
        return true;
      }
      return reader_.field(out, kMemoryFields, prefix, key, inner);
    });
  }

  /// Reads one level as a table, or several as a list of tables with names.
  Result<void> memory(Storage& memory, const std::string& prefix, const toml::node& node) {
    if (const toml::table* table = node.as_table()) return level(memory, prefix, *table, "memory");
    const auto take = [&](const toml::table& table) -> Result<void> {
      PARCAST_ASSIGN(std::string name, reader_.name_of(table, "memory level", "L1"));
      return level(memory, prefix + name + ".", table, name);
    };
    PARCAST_TRY(reader_.tables("memory", node, take));
    return {};
  }

  Result<bool> link_entry(Link& link, const std::string& prefix, const std::string& key,
                          const toml::node& node) {
    reader_.known_.emplace_back("corrections");
    if (key == "corrections") return reader_.corrections(node, prefix, link);
    return reader_.field(link, kLinkFields, prefix, key, node);
  }

  Result<void> communication(Communication& out, const std::string& prefix, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return reader_.mismatch(node, "communication", "\"compound\", \"void\" or a table");
    return reader_.each(*table, prefix, [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      for (const char* joining : {"topology", "extents", "connections", "gateway"})
        if (key == joining) out.kind = Decomposition::compound;
      if (key == "topology") return topology(out, inner);
      if (key == "extents") return extents(out, inner);
      if (key == "connections") return connections(out, prefix + key + ".", inner);
      if (key == "forwarding") return forwarding(out, inner);
      if (key == "gateway") {
        PARCAST_ASSIGN(out.gateway, reader_.text(key, inner));
        return true;
      }
      reader_.known_ = {"topology", "extents", "connections", "forwarding", "gateway"};
      return link_entry(out.link, prefix, key, inner);
    });
  }

  Error unknown_word(const toml::node& node, const std::string& word, const std::string& what,
                     const std::vector<std::string>& known) const {
    const std::string guess = did_you_mean(word, known);
    return reader_.source_.at(begin_of(node), "\"" + word + "\" is not " + what,
                              guess.empty() ? "known are " + join(known, ", ") : guess);
  }

  Result<bool> topology(Communication& out, const toml::node& node) {
    PARCAST_ASSIGN(const std::string name, reader_.text("topology", node));
    std::vector<std::string> known;
    for (const Topology each : kTopologies) known.emplace_back(to_string(each));
    const auto found = topology_from(name);
    if (!found) return unknown_word(node, name, "a topology", known);
    out.topology = *found;
    return true;
  }

  Result<bool> forwarding(Communication& out, const toml::node& node) {
    PARCAST_ASSIGN(const std::string name, reader_.text("forwarding", node));
    const std::vector<std::string> known{"cut_through", "store_and_forward"};
    if (name != known[0] && name != known[1]) return unknown_word(node, name, "a way of forwarding", known);
    out.forwarding = name == known[0] ? Forwarding::cut_through : Forwarding::store_and_forward;
    return true;
  }

  Result<bool> extents(Communication& out, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (!array) return reader_.mismatch(node, "extents", "a list of whole numbers, such as [4, 4]");
    for (const toml::node& entry : *array) {
      PARCAST_ASSIGN(const std::int64_t value, reader_.whole("an extent", entry, 1, kMostCount));
      out.extents.push_back(static_cast<std::int32_t>(value));
    }
    return true;
  }

  Result<bool> connections(Communication& out, const std::string& prefix, const toml::node& node) {
    return reader_.tables("connections", node, [&](const toml::table& table) -> Result<void> {
      Connection& connection = out.connections.emplace_back();
      const std::string at = prefix + std::to_string(out.connections.size() - 1) + ".";
      PARCAST_TRY(
          reader_.each(table, at, [&](const std::string& key, const toml::node& inner) -> Result<bool> {
            for (auto [name, member] :
                 {std::pair{"from", &Connection::from}, std::pair{"to", &Connection::to},
                  std::pair{"name", &Connection::name}}) {
              if (key != name) continue;
              PARCAST_ASSIGN(connection.*member, reader_.text(key, inner));
              return true;
            }
            reader_.known_ = {"from", "to", "name"};
            return link_entry(connection.link, at, key, inner);
          }));
      if (connection.from.empty() || connection.to.empty())
        return reader_.source_.at(begin_of(table), "this connection has no ends",
                                  "write from = \"host\", to = \"service\"");
      return {};
    });
  }

  /// Completes components that the file leaves out, from the leaves up.
  void complete() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t u = 0; u < system_.units.size(); ++u) {
        Unit& unit = system_.units[u];
        const auto take = [&](Component component, Decomposition& kind) {
          if (given_[u][number(component)] || kind == left_out(system_, unit, component)) return;
          kind = Decomposition::compound, changed = true;
        };
        take(Component::processing, unit.processing.kind), take(Component::memory, unit.memory.kind);
        take(Component::communication, unit.communication.kind),
            take(Component::input_output, unit.input_output.kind);
      }
    }
  }

  /// Returns an error at the unit that violates the first rule, with all other violations in the hint.
  Result<void> valid() {
    const std::vector<Violation> found = validate(system_);
    if (found.empty()) return {};
    std::string hint = found.front().hint;
    for (std::size_t i = 1; i < found.size(); ++i) hint += "\n" + said(found[i]) + ": " + found[i].hint;
    return reader_.source_.locate({said(found.front()), "system.units." + found.front().unit, hint});
  }

  static std::string said(const Violation& violation) {
    return (violation.unit.empty() ? "the system " : "the unit " + violation.unit + " ") + violation.what +
           " (" + violation.rule + ")";
  }

  TomlReader& reader_;
  System system_;
  std::vector<std::array<bool, kComponents.size()>> given_;
};

}  // namespace

Decomposition left_out(const System& system, const Unit& unit, Component component) {
  for (const Unit& part : system.units)
    if (part.parent == unit.name && kind_of(part, component) != Decomposition::none)
      return Decomposition::compound;
  return Decomposition::none;
}

Result<System> system_from(TomlReader& reader, const toml::node& node) {
  return SystemReader(reader).read(node);
}

}  // namespace parcast::machine
