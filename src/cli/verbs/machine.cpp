// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "machine/machine_file.h"
#include "machine/tools.h"
#include "report/json.h"
#include "report/machine_text.h"

namespace parcast::cli {
namespace {

int usage(const std::string& what, const std::string& hint) { return say_error({what, "", hint}), kUsage; }

int list() {
  std::string text = "ideal\n";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("."))
    if (const std::string file = entry.path().filename(); file.ends_with(".machine.toml"))
      names.push_back(file.substr(0, file.size() - std::string(".machine.toml").size()));
  std::sort(names.begin(), names.end());
  for (const auto& name : names) text += name + "\n";
  return print_result(text), kAnswered;
}

int show(const Invocation& invocation, const report::Style& style) {
  const auto machine = load_machine(invocation.inputs[1]);
  if (!machine) return say_error(machine.error()), kFailed;
  return print_result(invocation.json() ? machine::to_json(*machine) + "\n" : report::machine_text(*machine, style)), kAnswered;
}

int check(const Invocation& invocation) {
  const auto machine = load_machine(invocation.inputs[1]);
  if (!machine) return say_error(machine.error()), kFailed;
  if (const auto valid = machine::check(*machine); !valid) return say_error(valid.error()), kFailed;
  if (!invocation.quiet()) print_message("parcast: " + invocation.inputs[1] + " is in order\n");
  return kAnswered;
}

int diff(const Invocation& invocation, const report::Style& style) {
  const auto a = load_machine(invocation.inputs[1]), b = load_machine(invocation.inputs[2]);
  if (!a || !b) return say_error(a ? b.error() : a.error()), kFailed;
  const auto differences = machine::diff(*a, *b);
  return print_result(invocation.json() ? report::machine_diff_to_json(differences) : report::machine_diff_text(differences, style)), kAnswered;
}

int set(const Invocation& invocation) {
  const auto output = invocation.value("--output");
  if (!output) return usage("machine set needs a file to write", "add -o NEW.machine.toml");
  auto machine = load_machine(invocation.inputs[1]);
  if (!machine) return say_error(machine.error()), kFailed;
  for (std::size_t i = 2; i < invocation.inputs.size(); ++i)
    if (const auto done = machine::set_parameter(*machine, invocation.inputs[i]); !done) return say_error(done.error()), kUsage;
  if (const auto valid = machine::check(*machine); !valid) return say_error(valid.error()), kFailed;
  if (const auto written = machine::write_machine(*output, *machine); !written) return say_error(written.error()), kFailed;
  return kAnswered;
}

int run_machine(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const std::string& action = invocation.inputs[0];
  const std::size_t words = invocation.inputs.size();
  if (action == "list" && words == 1) return list();
  if (action == "show" && words == 2) return show(invocation, *look);
  if (action == "check" && words == 2) return check(invocation);
  if (action == "diff" && words == 3) return diff(invocation, *look);
  if (action == "set" && words >= 3) return set(invocation);
  return usage("machine " + join(invocation.inputs, " ") + " is not understood", "see parcast machine -h");
}

}  // namespace

const Verb& machine_verb() {
  static const Verb verb{.name = "machine",
                         .summary = "list, show, check, compare and change machines",
                         .inputs = "list | show X | check X | diff X Y | set X key=value... -o Y.machine.toml",
                         .fewest_inputs = 1,
                         .most_inputs = 1000,
                         .flags = {{"--output", 'o', "Y.machine.toml", "of set: the file to write"}},
                         .examples = {"parcast machine show here", "parcast machine diff here cluster",
                                      "parcast machine set here links.core.latency=2us -o slower.machine.toml"},
                         .run = run_machine};
  return verb;
}

}  // namespace parcast::cli
