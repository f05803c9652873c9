// SPDX-License-Identifier: Apache-2.0
// docs/formats/study.md.
#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/plain_number.h"
#include "base/shell.h"
#include "base/text.h"
#include "machine/toml_file.h"
#include "machine/toml_text.h"
#include "study/description.h"
#include "study/runner.h"

namespace parcast::study {
namespace {

using machine::in_quotes;
using machine::TomlReader;

constexpr const char* kSchema = "parcast.experiment/1";

/// Groups of ExtraP's parameters, which only order the keys below [set].
constexpr std::array<std::string_view, 6> kGroups{"general",           "processor",    "remote_access",
                                                  "network_interface", "interconnect", "barrier"};

class Reader : private TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<Description> read(const toml::table& root) {
    PARCAST_TRY(
        each(root, "", [&](const std::string& key, const toml::node& node) { return top(key, node); }));
    if (out_.launch.empty())
      return Error{"there is no launch line", source_.at({}, "").where,
                   "add for example launch = \"mpirun -n {p} ./app {N}\""};
    return std::move(out_);
  }

  Error syntax(const toml::parse_error& error) const {
    return source_.at(error.source().begin, "this is not TOML: " + std::string(error.description()));
  }

 private:
  Result<bool> top(const std::string& key, const toml::node& node) {
    known_ = {"schema",  "folder",      "launch",      "build",  "templates", "recordings", "oversubscribe",
              "machine", "calibration", "recorded_on", "engine", "level",     "precision",  "budget",
              "vary",    "ask",         "check",       "set",    "graph",     "runner",     "job"};
    for (const auto& [name, member] :
         {std::pair{"folder", &Description::folder}, std::pair{"build", &Description::build},
          std::pair{"machine", &Description::machine}, std::pair{"recorded_on", &Description::recorded_on},
          std::pair{"engine", &Description::engine}, std::pair{"job", &Description::job}}) {
      if (key != name) continue;
      PARCAST_ASSIGN(out_.*member, text(key, node));
      return true;
    }
    for (const auto& [name, member] : {std::pair{"templates", &Description::templates},
                                       std::pair{"recordings", &Description::recordings}}) {
      if (key != name) continue;
      PARCAST_ASSIGN(out_.*member, texts(key, node));
      return true;
    }
    for (const auto& [name, member] :
         {std::pair{"vary", &Description::vary}, std::pair{"graph", &Description::graph}}) {
      if (key != name) continue;
      PARCAST_ASSIGN(out_.*member, axes(key, node, ""));
      return true;
    }
    if (key == "calibration" || key == "budget") {
      PARCAST_ASSIGN((key == "budget" ? out_.budget : out_.calibration), measure(key, node, Dimension::time));
      return true;
    }
    return rest(key, node);
  }

  Result<bool> rest(const std::string& key, const toml::node& node) {
    if (key == "schema") return schema(node);
    if (key == "runner") return runner(node);
    if (key == "launch") return launch(node);
    if (key == "oversubscribe") {
      if (!node.is_boolean()) return mismatch(node, key, "true or false");
      out_.oversubscribe = *node.value<bool>();
    } else if (key == "level") {
      PARCAST_ASSIGN(out_.level, number(key, node));
    } else if (key == "precision") {
      return precision(node);
    } else if (key == "ask") {
      PARCAST_ASSIGN(out_.ask, values(key, node));
    } else if (key == "check") {
      return checks(node);
    } else if (key == "set") {
      PARCAST_ASSIGN(out_.set, axes(key, node, ""));
    } else {
      return false;
    }
    return true;
  }

  Result<bool> schema(const toml::node& node) {
    PARCAST_ASSIGN(const std::string name, text("schema", node));
    if (name != kSchema)
      return source_.at(machine::begin_of(node),
                        "the schema is \"" + name + "\", and this version reads " + kSchema, "");
    return true;
  }

  Result<bool> runner(const toml::node& node) {
    PARCAST_ASSIGN(out_.runner, text("runner", node));
    if (const auto known = check_runner(out_.runner); !known)
      return source_.at(machine::begin_of(node), known.error().what, known.error().hint);
    return true;
  }

  /// A list of words, or a line that is split as a shell does.
  Result<bool> launch(const toml::node& node) {
    if (!node.is_string()) {
      PARCAST_ASSIGN(out_.launch, texts("launch", node));
      return true;
    }
    const auto words = shell_words(*node.value<std::string>());
    if (!words)
      return source_.at(machine::begin_of(node), "the launch line has a quote that is not closed", "");
    out_.launch = *words;
    return true;
  }

  Result<std::vector<std::string>> texts(const std::string& key, const toml::node& node) const {
    if (const auto one = node.value<std::string>()) return std::vector<std::string>{*one};
    const toml::array* list = node.as_array();
    if (!list) return mismatch(node, key, "a text in quotes, or a list of them");
    std::vector<std::string> out;
    for (const toml::node& entry : *list) {
      PARCAST_ASSIGN(std::string word, text("an entry of " + key, entry));
      out.push_back(std::move(word));
    }
    return out;
  }

  Result<bool> precision(const toml::node& node) {
    const auto text = node.value<std::string>();
    const auto per_cent = text && text->ends_with("%")
                              ? parse_double(trim(std::string_view(*text).substr(0, text->size() - 1)))
                              : std::nullopt;
    if (!per_cent) return mismatch(node, "precision", "a share of the answer, for example \"10%\"");
    out_.precision = *per_cent;
    return true;
  }

  /// Numbers by name, which may be quoted.
  Result<Values> values(const std::string& key, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, key, "a table, for example " + key + " = {p = 64, N = 4096}");
    Values out;
    PARCAST_TRY(
        each(*table, key + ".", [&](const std::string& name, const toml::node& inner) -> Result<bool> {
          PARCAST_ASSIGN(out[name], number(name, inner));
          return true;
        }));
    return out;
  }

  Result<bool> checks(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (!list) {
      PARCAST_ASSIGN(Values one, values("check", node));
      out_.checks.push_back(std::move(one));
      return true;
    }
    for (const toml::node& entry : *list) {
      PARCAST_ASSIGN(Values one, values("check", entry));
      out_.checks.push_back(std::move(one));
    }
    return true;
  }

  /// Lists of values by name. Keys with dots are tables of tables: their names are joined again.
  Result<std::vector<Axis>> axes(const std::string& key, const toml::node& node, const std::string& prefix) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, key, "a table, for example [" + key + "]");
    std::vector<Axis> out;
    PARCAST_TRY(
        each(*table, key + ".", [&](const std::string& name, const toml::node& inner) -> Result<bool> {
          if (inner.is_table()) {
            const bool is_group = prefix.empty() && std::ranges::find(kGroups, name) != kGroups.end();
            PARCAST_ASSIGN(const auto nested,
                           axes(key + "." + name, inner, is_group ? "" : prefix + name + "."));
            out.insert(out.end(), nested.begin(), nested.end());
            return true;
          }
          PARCAST_ASSIGN(std::string list, list_text(name, inner));
          out.push_back({prefix + name, std::move(list)});
          return true;
        }));
    return out;
  }

  Result<std::string> list_text(const std::string& name, const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (!list) return value_text(name, node);
    std::vector<std::string> words;
    for (const toml::node& entry : *list) {
      PARCAST_ASSIGN(std::string word, value_text("an entry of " + name, entry));
      words.push_back(std::move(word));
    }
    return join(words, ",");
  }

  Result<std::string> value_text(const std::string& name, const toml::node& node) const {
    if (const auto text = node.value<std::string>()) return *text;
    if (node.is_number()) return format_plain(*node.value<double>());
    return mismatch(node, name, "a number, a text, or a list of them");
  }

  Description out_;
};

void write_list(std::string& out, std::string_view key, const std::vector<std::string>& words) {
  if (words.empty()) return;
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(in_quotes(word));
  out += std::string(key) + " = [" + join(quoted, ", ") + "]\n";
}

void write_axes(std::string& out, std::string_view key, const std::vector<Axis>& axes) {
  if (axes.empty()) return;
  out += "\n[" + std::string(key) + "]\n";
  for (const Axis& axis : axes) out += in_quotes(axis.name) + " = " + in_quotes(axis.values) + "\n";
}

void write_values(std::string& out, const Values& values) {
  for (const auto& [name, value] : values) out += in_quotes(name) + " = " + format_plain(value) + "\n";
}

}  // namespace

std::string to_toml(const Description& description) {
  std::string out = "schema = " + in_quotes(kSchema) + "\n";
  const auto write_seconds = [&](std::string_view key, const std::optional<double>& seconds) {
    if (seconds) out += std::string(key) + " = \"" + format_exact(*seconds) + "s\"\n";
  };
  machine::write_text(out, "folder", description.folder);
  write_list(out, "launch", description.launch);
  machine::write_text(out, "build", description.build);
  write_list(out, "templates", description.templates);
  write_list(out, "recordings", description.recordings);
  if (description.oversubscribe) out += "oversubscribe = true\n";
  if (description.runner != "local") machine::write_text(out, "runner", description.runner);
  machine::write_text(out, "job", description.job);
  machine::write_text(out, "machine", description.machine);
  write_seconds("calibration", description.calibration);
  machine::write_text(out, "recorded_on", description.recorded_on);
  machine::write_text(out, "engine", description.engine);
  out += "level = " + machine::row_text(description.level) + "\n";
  if (description.precision) out += "precision = \"" + format_exact(*description.precision) + "%\"\n";
  write_seconds("budget", description.budget);
  write_axes(out, "vary", description.vary);
  if (!description.ask.empty()) out += "\n[ask]\n", write_values(out, description.ask);
  for (const Values& check : description.checks) out += "\n[[check]]\n", write_values(out, check);
  write_axes(out, "set", description.set);
  write_axes(out, "graph", description.graph);
  return out;
}

Result<Description> description_from_toml(std::string_view text, const std::string& where) {
  Reader reader(text, where);
  try {
    const toml::table root = toml::parse(text, std::string_view(where));
    return reader.read(root);
  } catch (const toml::parse_error& error) {
    return reader.syntax(error);
  } catch (const machine::toml_library::BrokenSyntax&) {
    return Error{"this is not TOML", where, "docs/formats/study.md shows a description"};
  }
}

Result<Description> read_description(const std::filesystem::path& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return description_from_toml(text, path.string());
}

}  // namespace parcast::study
