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

int list(const Invocation& invocation) {
  std::vector<std::string> names;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(".", problem), end; !problem && at != end; at.increment(problem))
    if (at->path().filename().string().ends_with(".machine.toml")) names.push_back(machine::name_of_file(at->path()));
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), {"ideal", machine::extrap_machine().name});
  return print_result(invocation.json() ? report::machine_list_to_json(names) : join(names, "\n") + "\n"), kAnswered;
}

int show(const Invocation& invocation, const report::Style& style) {
  const auto machine = load_machine(invocation.inputs[1]);
  if (!machine) return say_error(machine.error()), kFailed;
  return print_result(invocation.json() ? machine::to_json(*machine) + "\n" : report::machine_text(*machine, style)), kAnswered;
}

report::Checked finding(const std::string& subject, const Error& error) {
  return {subject, false, (error.where.empty() ? "" : error.where + ": ") + error.what, error.hint};
}

/// Reading checks it.
int check(const Invocation& invocation) {
  const std::string& name = invocation.inputs[1];
  const auto machine = load_machine(name);
  if (invocation.json()) {
    print_result(report::checkup_to_json({machine ? report::Checked{name, true, "in order", ""} : finding(name, machine.error())}));
  } else if (!machine) {
    say_error(machine.error());
  } else if (!invocation.quiet()) {
    print_message("parcast: " + name + " is in order\n");
  }
  return machine ? kAnswered : kFailed;
}

int diff(const Invocation& invocation, const report::Style& style) {
  const std::string &left = invocation.inputs[1], &right = invocation.inputs[2];
  const auto a = load_machine(left), b = load_machine(right);
  if (!a || !b) return say_error(a ? b.error() : a.error()), kFailed;
  const auto differences = machine::diff(*a, *b);
  print_result(invocation.json() ? report::machine_diff_to_json(left, right, differences)
                                 : report::machine_diff_text(left, right, differences, style));
  return kAnswered;
}

/// `machine` with the changes asked for, called as the file in which it is to lie.
Result<machine::Machine> changed(machine::Machine machine, const Invocation& invocation, const std::string& output) {
  for (std::size_t i = 2; i < invocation.inputs.size(); ++i) PARCAST_TRY(machine::set_parameter(machine, invocation.inputs[i]));
  PARCAST_TRY(machine::check(machine));
  PARCAST_TRY(machine::check_complete(machine));
  machine.name = machine::name_of_file(output);
  if (invocation.inputs[1] == "ideal") machine.description.clear();  // it said that communication is free
  return machine::machine_from_toml(machine::to_toml(machine), output);
}

int set(const Invocation& invocation, const report::Style& style) {
  const auto output = invocation.value("--output");
  if (!output) return usage("machine set needs a file to write", "add -o NEW.machine.toml");
  const auto before = load_machine(invocation.inputs[1]);
  if (!before) return say_error(before.error()), kFailed;
  const auto after = changed(*before, invocation, *output);
  if (!after) return say_error(after.error()), kUsage;
  if (const auto written = machine::write_machine(*output, *after); !written) return say_error(written.error()), kFailed;
  const auto changes = machine::changes(*before, *after);
  print_result(invocation.json() ? report::machine_diff_to_json(invocation.inputs[1], after->name, changes)
                                 : report::machine_changes_text(changes, style));
  if (!invocation.quiet()) print_message("parcast: machine in " + *output + "\n");
  return kAnswered;
}

int run_machine(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const std::string& action = invocation.inputs[0];
  const std::size_t words = invocation.inputs.size();
  if (action == "list" && words == 1) return list(invocation);
  if (action == "show" && words == 2) return show(invocation, *look);
  if (action == "check" && words == 2) return check(invocation);
  if (action == "diff" && words == 3) return diff(invocation, *look);
  if (action == "set" && words >= 3) return set(invocation, *look);
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
