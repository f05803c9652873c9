// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/shell.h"
#include "base/text.h"
#include "calibrate/topology.h"
#include "cli/inputs.h"
#include "cli/machine_catalogue.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "machine/curves.h"
#include "machine/described.h"
#include "machine/machine_file.h"
#include "machine/measured.h"
#include "machine/system_file.h"
#include "machine/tools.h"
#include "report/json.h"
#include "report/machine_csv.h"
#include "report/machine_summary.h"
#include "report/machine_text.h"
#include "report/pattern_text.h"
#include "report/system_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

int usage(const std::string& what, const std::string& hint) {
  return say_error({what, "", hint}), kUsage;
}

int list(const Invocation& invocation, const report::Style& style) {
  std::vector<report::ListedMachine> machines;
  for (const machine::Machine& machine : built_in_machines())
    machines.push_back(report::listed(machine, "built in"));
  const auto add = [&](const std::string& name, const std::string& from,
                       const Result<machine::Machine>& machine) {
    machines.push_back(machine ? report::listed(*machine, from)
                               : report::ListedMachine{name, from, "", "", machine.error().what});
    machines.back().name = name;
  };
  const std::vector<std::string> here = machines_here();
  for (const std::string& name : here) add(name, "here", load_machine(name));
  for (const std::string& name : published_machines())
    if (std::find(here.begin(), here.end(), name) == here.end()) {
      const auto machine = load_machine(name);
      add(name, machine && machine->system ? "shipped" : "published", machine);
    }
  return print_result(invocation.json() ? report::machine_list_to_json(machines)
                                        : report::machine_list_text(machines, style)),
         kAnswered;
}

/// Returns the tables that --pattern names, or all of them.
Result<std::vector<machine::PatternCurve>> curves_asked(const Invocation& invocation,
                                                        const machine::Machine& machine) {
  if (machine.patterns.empty())
    return Error{machine.name + " has no measured patterns", "",
                 "parcast calibrate measures those of the machine it runs on; machine show without "
                 "--pattern, --processes and --plot shows the rest"};
  std::vector<machine::PatternCurve> out;
  std::vector<std::string> known, wanted = invocation.values("--pattern");
  for (const auto& table : machine.patterns) known.push_back(table.name);
  if (wanted.empty() && invocation.has("--plot") && !invocation.has("--all"))
    for (const machine::PatternCost* each : report::usual_patterns(machine)) wanted.push_back(each->name);
  if (wanted.empty()) wanted = known;
  for (const std::string& name : wanted) {
    const auto table = std::find_if(machine.patterns.begin(), machine.patterns.end(),
                                    [&](const auto& each) { return each.name == name; });
    if (table == machine.patterns.end()) {
      const std::string near = did_you_mean(name, known);
      return Error{machine.name + " has no pattern " + name, "",
                   near.empty() ? "it has " + join(known, ", ") : near};
    }
    out.emplace_back(machine, *table);
  }
  return out;
}

Result<std::vector<std::int32_t>> processes_asked(const Invocation& invocation) {
  std::vector<std::int32_t> out;
  const auto list = invocation.value("--processes");
  for (const std::string& word : list ? split(*list, ',') : std::vector<std::string>()) {
    const auto count = parse_integer(trim(word));
    if (!count || *count < 2 || *count > 1'000'000'000)
      return Error{"--processes " + *list + " is not a list of whole numbers from 2", "",
                   "for example --processes 64,1024"};
    out.push_back(static_cast<std::int32_t>(*count));
  }
  return out;
}

/// Prints the training set: formulas, points, and their plot.
int show_patterns(const Invocation& invocation, const machine::Machine& machine, const report::Style& style) {
  const auto asked = processes_asked(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  const auto curves = curves_asked(invocation, machine);
  if (!curves) return say_error(curves.error()), kFailed;
  const auto file = invocation.value("--plot");
  if (file && !file->ends_with(".svg"))
    return usage("--plot " + *file + " is not the name of a picture", "end it in .svg");
  if (file) {
    const auto written = write_file(*file, report::patterns_svg(machine.name, *curves, *asked));
    if (!written) return say_error(written.error()), kFailed;
    if (!invocation.quiet())
      print_message("parcast: " + report::counted(static_cast<std::int64_t>(curves->size()), "pattern") +
                    " in " + *file +
                    (curves->size() < machine.patterns.size() && !invocation.has("--pattern")
                         ? ", all " + std::to_string(machine.patterns.size()) + " with --all"
                         : "") +
                    "\n");
    if (!invocation.json() && !invocation.has("--pattern")) return kAnswered;
  }
  std::vector<report::PatternView> views;
  for (const machine::PatternCurve& curve : *curves) views.push_back(report::pattern_view(curve, *asked));
  std::string out;
  for (const report::PatternView& view : views)
    out += (out.empty() ? "" : "\n") + report::pattern_text(machine.name, view, style);
  return print_result(invocation.json() ? report::patterns_to_json(machine.name, views) : out), kAnswered;
}

int show_points(const machine::Machine& machine) {
  return print_data(report::machine_points_csv(machine)), kAnswered;
}

/// Prints the system abstraction graph: a tree, JSON, or a graph for Graphviz.
int show_system(const Invocation& invocation, const machine::Machine& machine, const report::Style& style) {
  const auto form = invocation.value("--as");
  if (form && *form != "dot")
    return usage("--as " + *form + " is no form of a system",
                 "dot, for Graphviz, is the one there is; without it comes a tree, with --json JSON");
  if (form && invocation.json()) return usage("--json and --as exclude each other", "leave one of them out");
  const auto system = machine::system_of(machine);
  if (!system) return say_error(system.error()), kFailed;
  return print_result(invocation.json() ? machine::to_json(*system) + "\n"
                      : form            ? report::system_dot(*system)
                                        : report::system_text(*system, style)),
         kAnswered;
}

int show(const Invocation& invocation, const report::Style& style) {
  const auto machine = load_machine(invocation.inputs[1]);
  if (!machine) return say_error(machine.error()), kFailed;
  say_warnings(invocation, calibration_warnings(*machine));
  if (invocation.has("--csv"))
    return invocation.json() ? usage("--json and --csv exclude each other", "leave one of them out")
                             : show_points(*machine);
  if (invocation.has("--system")) return show_system(invocation, *machine, style);
  if (invocation.has("--as")) return usage("--as is of show X --system", "add --system");
  for (const char* flag : {"--pattern", "--processes", "--plot"})
    if (invocation.has(flag)) return show_patterns(invocation, *machine, style);
  return print_result(invocation.json() ? machine::to_json(*machine) + "\n"
                      : invocation.has("--all")
                          ? report::machine_text(*machine, style)
                          : report::machine_summary(*machine, show_command(invocation.inputs[1]), style)),
         kAnswered;
}

report::Checked finding(const std::string& subject, const Error& error) {
  return {subject, false, (error.where.empty() ? "" : error.where + ": ") + error.what, error.hint};
}

/// Loads a machine. Reading checks it, including a system given in the file; the system that is derived from
/// its numbers must obey the rules of systems as well.
Result<machine::Machine> checked(const std::string& name) {
  auto machine = load_machine(name);
  if (!machine) return machine;
  const auto system = machine::system_of(*machine);
  if (!system) return system.error();
  for (const machine::Violation& violation : machine::validate(*system))
    return Error{"the unit " + violation.unit + " " + violation.what + " (" + violation.rule + ")", name,
                 violation.hint};
  return machine;
}

int check(const Invocation& invocation) {
  const std::string& name = invocation.inputs[1];
  const auto machine = checked(name);
  if (invocation.json()) {
    print_result(report::checkup_to_json(
        {machine ? report::Checked{name, true, "in order", ""} : finding(name, machine.error())}));
  } else if (!machine) {
    say_error(machine.error());
  } else if (!invocation.quiet()) {
    print_message("parcast: " + name + " is in order\n");
  }
  return machine ? kAnswered : kFailed;
}

/// Returns e.g. "here" of "runs/here.machine.toml".
std::string short_name(const std::string& input) {
  std::string name = std::filesystem::path(input).filename().string();
  if (const auto at = name.rfind(".machine.toml"); at != std::string::npos && at > 0) name.erase(at);
  return name;
}

int diff(const Invocation& invocation, const report::Style& style) {
  const std::string &left = invocation.inputs[1], &right = invocation.inputs[2];
  const auto a = load_machine(left), b = load_machine(right);
  if (!a || !b) return say_error(a ? b.error() : a.error()), kFailed;
  const machine::Comparison comparison = machine::compare(*a, *b);
  const bool differ = short_name(left) != short_name(right);
  print_result(invocation.json()
                   ? report::machine_diff_to_json(left, right, comparison)
                   : report::machine_diff_text(
                         differ ? short_name(left) : left, differ ? short_name(right) : right, comparison,
                         style, {machine::unresolved_parameters(*a), machine::unresolved_parameters(*b)}));
  return kAnswered;
}

/// Returns `machine` with the requested changes, named after its future file.
Result<machine::Machine> changed(machine::Machine machine, const Invocation& invocation,
                                 const std::string& output) {
  for (std::size_t i = 2; i < invocation.inputs.size(); ++i)
    PARCAST_TRY(machine::set_parameter(machine, invocation.inputs[i]));
  PARCAST_TRY(machine::check(machine));
  PARCAST_TRY(machine::check_complete(machine));
  machine.name = machine::name_of_file(output);
  if (invocation.inputs[1] == "ideal") machine.description.clear();  // it claims that communication is free
  return machine::machine_from_toml(machine::to_toml(machine), output);
}

int set(const Invocation& invocation, const report::Style& style) {
  const auto output = invocation.value("--output");
  if (!output) return usage("machine set needs a file to write", "add -o NEW.machine.toml");
  const auto before = load_machine(invocation.inputs[1]);
  if (!before) return say_error(before.error()), kFailed;
  const auto after = changed(*before, invocation, *output);
  if (!after) return say_error(after.error()), kUsage;
  if (const auto written = machine::write_machine(*output, *after); !written)
    return say_error(written.error()), kFailed;
  const auto changes = machine::changes(*before, *after);
  print_result(invocation.json()
                   ? report::machine_diff_to_json(invocation.inputs[1], after->name, {changes, {}})
                   : report::machine_changes_text(changes, style));
  const auto of = [&](std::string_view beginning) {
    return std::ranges::any_of(
        changes, [&](const machine::Difference& each) { return each.name.starts_with(beginning); });
  };
  if (after->system && of("links.") && !of("system."))
    say_warning(invocation,
                {"parcast interpret goes by the system of this machine, whose numbers are as they were", "",
                 "set those of its units too (parcast machine show " + shell_quoted(after->name) +
                     " --system), for example system.node.communication.latency, or L, o, G of all"});
  if (!invocation.quiet()) print_message("parcast: machine in " + *output + "\n");
  return kAnswered;
}

/// Returns the machine that the words of `new` describe, with the core of another machine by core=X.
Result<machine::Machine> described(const Invocation& invocation) {
  std::vector<std::string> words;
  std::string core;
  for (std::size_t i = 1; i < invocation.inputs.size(); ++i) {
    const std::string& word = invocation.inputs[i];
    if (word.starts_with("core="))
      core = word.substr(5);
    else
      words.push_back(word);
  }
  PARCAST_ASSIGN(machine::Machine out, machine::described_machine(words));
  if (!core.empty()) {
    PARCAST_ASSIGN(const machine::Machine from, load_machine(core));
    machine::take_core(from, out);
  }
  return out;
}

Result<machine::Machine> of_topology(const Invocation& invocation, const calibrate::Topology& topology,
                                     const std::string& file) {
  machine::Machine out =
      calibrate::machine_of(topology, "the topology in " + std::filesystem::path(file).filename().string());
  for (std::size_t i = 1; i < invocation.inputs.size(); ++i)
    PARCAST_TRY(machine::set_parameter(out, invocation.inputs[i]));
  out.notes.insert(out.notes.begin(), calibrate::unknown_text(out, topology));
  return out;
}

/// Makes the description of a machine that is not this host: from a few numbers, or from its topology.
int make(const Invocation& invocation, const report::Style& style) {
  const auto file = invocation.value("--topology"), output = invocation.value("--output");
  if (!output) return usage("machine new needs a file to write", "add -o NEW.machine.toml");
  std::optional<calibrate::Topology> topology;
  if (file) {
    auto read = calibrate::topology_from_xml(*file);
    if (!read) return say_error(read.error()), kFailed;
    topology = *std::move(read);
  }
  auto made = topology ? of_topology(invocation, *topology, *file) : described(invocation);
  if (!made) return say_error(made.error()), kUsage;
  machine::Machine machine = *std::move(made);
  machine.name = machine::name_of_file(*output);
  if (const auto complete = machine::check_complete(machine); !complete)
    return say_error(complete.error()), kUsage;
  if (const auto written = machine::write_machine(*output, machine); !written)
    return say_error(written.error()), kFailed;
  print_result(invocation.json() ? machine::to_json(machine) + "\n"
                                 : report::machine_summary(machine, show_command(*output), style));
  if (!invocation.quiet()) print_message("parcast: machine in " + *output + "\n");
  return kAnswered;
}

int run_machine(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const std::string& action = invocation.inputs[0];
  const std::size_t words = invocation.inputs.size();
  if (action == "list" && words == 1) return list(invocation, *look);
  if (action == "show" && words == 2) return show(invocation, *look);
  if (action == "check" && words == 2) return check(invocation);
  if (action == "diff" && words == 3) return diff(invocation, *look);
  if (action == "new") return make(invocation, *look);
  if (action == "set" && words >= 3) return set(invocation, *look);
  return usage("machine " + join(invocation.inputs, " ") + " is not understood", "see parcast machine -h");
}

}  // namespace

const Verb& machine_verb() {
  static const Verb verb{
      .name = "machine",
      .summary = "list, show, check, compare, change and describe machines",
      .inputs =
          "list | show X | check X | diff X Y | set X KEY=VALUE|KEY*FACTOR... -o Y.machine.toml | new "
          "KEY=VALUE... -o Y.machine.toml",
      .fewest_inputs = 1,
      .most_inputs = 1000,
      .flags = {{"--output", 'o', "Y.machine.toml", "of set and new: the file to write"},
                {"--topology", 0, "T.xml",
                 "of new: the topology of a node, written there by lstopo --of xml"},
                {"--all", 0, "", "of show: print every parameter, pattern and note"},
                notes_flag(),
                {"--system", 0, "",
                 "of show: the system as a tree of units with their numbers (docs/models/system_graph.md)"},
                {"--as", 0, "dot", "of show --system: a graph for Graphviz"},
                {"--csv", 0, "", "of show: every measured point, a row each"},
                {"--pattern", 0, "NAME",
                 "of show: the formula of a pattern and every measured point of it, with the formula's value "
                 "and the cost of its messages alone",
                 true},
                {"--processes", 'p', "P,...", "of show: extend the formulas to these process counts"},
                {"--plot", 0, "FILE.svg",
                 "of show: draw the measured costs of six patterns, of those named, or with --all of all, "
                 "with the fits"}},
      .examples = {"parcast machine list", "parcast machine show here", "parcast machine show here --all",
                   "parcast machine show here --plot here.svg",
                   "parcast machine show here --pattern allreduce --processes 64",
                   "parcast machine show here --csv", "parcast machine show ipsc860-host --system",
                   "parcast machine diff here cluster",
                   "parcast machine new nodes=4 cores=16 latency=1.5us bandwidth=100Gb/s core=here -o "
                   "cluster.machine.toml",
                   "parcast machine new --topology node.xml nodes=16 -o cluster.machine.toml",
                   "parcast machine set here links.core.latency=2us -o slower.machine.toml",
                   "parcast machine set sp-2 'L*2' 'G/4' -o faster.machine.toml"},
      .notes =
          {"new takes nodes, cores and sockets (of a node), latency, bandwidth (100Gb/s are bits, 12.5GB/s "
           "bytes) and other parameters; core=X takes the processor of machine X.",
           "set takes KEY=VALUE, or KEY*FACTOR and KEY/FACTOR of what is known. KEY is a parameter's whole "
           "name, links.network.latency; or, for all links and hops of a system, the name without the link "
           "(eager_limit=4096B) or LogGPS's letter (L, o, os, or, g, G, O, S)."},
      .run = run_machine};
  return verb;
}

}  // namespace parcast::cli
