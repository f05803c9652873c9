// SPDX-License-Identifier: Apache-2.0
#pragma once
// A verb of the command line is data: name, usage, flags, examples, and the function that runs it. Each verb
// has its own file; verbs.cpp is the table. Help and completion are printed from the same data.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/messages.h"

namespace parcast::cli {

struct Flag {
  std::string name;   // e.g. "--param"
  char letter = 0;    // 's', or 0
  std::string value;  // placeholder of the value, e.g. "K=V"; empty for a switch
  std::string help;
  bool repeatable = false;
  std::string setting = "";  // that gives its value where the user gives none (config/settings.h)
};

/// The parsed words of the user, checked against the verb's flags.
class Invocation {
 public:
  struct Given {
    std::string flag, value;
  };
  Invocation(std::vector<Given> given, std::vector<std::string> words, std::vector<std::string> launch_line)
      : inputs(std::move(words)), launch(std::move(launch_line)), given_(std::move(given)) {}

  /// Returns whether the user gave the flag.
  bool has(std::string_view flag) const;
  /// Returns the last value given, else that of the flag's setting, else nothing.
  std::optional<std::string> value(std::string_view flag) const;
  std::vector<std::string> values(std::string_view flag) const;
  /// Sets the value that a flag has where the user gave none.
  void set_default(const std::string& flag, const std::string& value) { defaults_.push_back({flag, value}); }
  /// Replaces what the user gave for a flag.
  void replace(const std::string& flag, const std::vector<std::string>& values);
  bool json() const { return has("--json"); }
  bool quiet() const { return has("--quiet"); }
  /// Returns whether this warning was not yet printed for this invocation.
  bool is_new(const std::string& warning) const { return said_.insert(warning).second; }

  std::vector<std::string> inputs;  // words that are not flags
  std::vector<std::string> launch;  // after --

 private:
  std::vector<Given> given_, defaults_;
  mutable std::set<std::string> said_;
};

struct Verb {
  std::string name, summary;
  std::string inputs;  // "M.model.json", shown in the usage line
  std::size_t fewest_inputs = 0, most_inputs = 0;
  bool takes_launch_line = false;
  bool launch_after_dashes = false;  // the launch line begins at -- only, and an input may take its place
  std::string without_launch_line;   // a flag that makes the launch line unnecessary
  bool takes_any_words = false;      // all words belong to another program: they become `launch`, unparsed
  std::vector<Flag> flags;
  std::vector<std::string> examples;
  std::vector<std::string> notes;  // lines of the help before the examples
  int (*run)(const Invocation&) = nullptr;
};

/// Returns the table of verbs, in the order of the help text.
const std::vector<Verb>& verbs();
const Verb* find_verb(std::string_view name);

/// Returns the verb's own flags and, unless it takes any words, the flags common to all verbs.
std::vector<Flag> flags_of(const Verb& verb);

/// Checks `words` (without the verb's name) against the verb. The error's hint names the flag that was
/// probably meant.
Result<Invocation> parse_words(const Verb& verb, const std::vector<std::string>& words);

std::string help(const Verb& verb);
std::string help();
/// Breaks longer lines of a help at blanks, and indents the rest to where the line's text begins. Examples
/// stay whole.
std::string folded_help(const std::string& text, std::size_t columns);

}  // namespace parcast::cli
