// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "calibrate/topology.h"
#include "cli/default_name.h"
#include "cli/first_bytes.h"
#include "cli/inputs.h"
#include "cli/interchange_answer.h"
#include "cli/measurement_files.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "interchange/simgrid_platform.h"
#include "machine/machine_file.h"
#include "report/trace_text.h"
#include "report/words.h"
#include "trace/trace_file.h"

namespace parcast::cli {
namespace {

constexpr std::string_view kRecordingEnding = ".recording";

/// Returns NAME.recording in this folder, for NAME.otf2 or NAME/traces.otf2, unless -o names the target.
std::string import_target(const Invocation& invocation, const std::string& from) {
  if (const auto to = invocation.value("--output"))
    return to->ends_with(kRecordingEnding) ? *to : *to + std::string(kRecordingEnding);
  std::error_code problem;
  std::filesystem::path name = std::filesystem::absolute(from, problem).lexically_normal();
  if (name.filename().empty() || std::filesystem::is_regular_file(name, problem)) name = name.parent_path();
  return default_name(name.stem().string(), kRecordingEnding);
}

/// Imports GOAL and SimGrid's traces as NAME.trace.
int import_trace(const Invocation& invocation, const std::string& from) {
  const auto flops =
      invocation.value("--flops") ? parse_double(*invocation.value("--flops")) : std::optional<double>(0);
  if (!flops || !(*flops >= 0))
    return say_error({"--flops " + *invocation.value("--flops") + " is not a rate", "",
                      "operations a second, e.g. 1e9"}),
           kUsage;
  const std::string to =
      invocation.value("--output")
          .value_or(default_name(std::filesystem::path(from).lexically_normal().stem().string(), ".trace"));
  std::error_code problem;
  if (std::filesystem::exists(to, problem))
    return say_error({to + " exists already", "", "name another file with -o, or move it away"}), kFailed;
  Progress progress(invocation);
  const auto loaded = load_trace(from, *flops, progress);
  if (!loaded) return say_error(loaded.error()), kFailed;
  if (const auto written = trace::write_trace(loaded->trace, to); !written)
    return say_error(written.error()), kFailed;
  print_result(invocation.json() ? trace_import_to_json(loaded->trace, to, loaded->warnings)
                                 : to + ": " + report::trace_text(loaded->trace, report::Style{}));
  for (const std::string& what : loaded->warnings) say_warning(invocation, {what, from, ""});
  return kAnswered;
}

/// Imports a description of hardware as NAME.machine.toml.
int import_machine(const Invocation& invocation, const std::string& from, const std::string& kind,
                   Result<machine::Machine> (*read)(const std::string& from)) {
  constexpr std::string_view kMachine = ".machine.toml";
  if (invocation.value("--flops"))
    return say_error({"--flops is for SimGrid's traces, and " + from + " is " + kind, "", ""}), kUsage;
  std::string to = invocation.value("--output")
                       .value_or(file_stem(std::filesystem::path(from).lexically_normal().stem().string()));
  if (!to.ends_with(kMachine)) to += kMachine;
  std::error_code problem;
  if (std::filesystem::exists(to, problem))
    return say_error({to + " exists already", "", "name another file with -o, or move it away"}), kFailed;
  auto machine = read(from);
  if (!machine) return say_error(machine.error()), kFailed;
  machine->name = machine::name_of_file(to);
  if (const auto written = machine::write_machine(to, *machine); !written)
    return say_error(written.error()), kFailed;
  print_result(invocation.json() ? machine_import_to_json(*machine, to)
                                 : to + ": " + report::counted(machine->nodes, "node") + " of " +
                                       report::counted(machine->cores_per_node, "core") + "\n");
  for (const std::string& note : machine->notes) say_warning(invocation, {note, from, ""});
  return kAnswered;
}

Result<machine::Machine> read_topology(const std::string& from) {
  PARCAST_ASSIGN(const calibrate::Topology topology, calibrate::topology_from_xml(from));
  machine::Machine machine =
      calibrate::machine_of(topology, "the topology in " + std::filesystem::path(from).filename().string());
  machine.notes.insert(machine.notes.begin(), calibrate::unknown_text(machine, topology));
  return machine;
}
Result<machine::Machine> read_platform(const std::string& from) {
  return interchange::read_simgrid_platform(from);
}

/// Converts a table of measured values to another form: by the name after -o, else CSV, or JSON if the input
/// is CSV.
int import_measurements(const Invocation& invocation, const std::string& from) {
  const std::filesystem::path name = std::filesystem::path(from).lexically_normal();
  const std::string to =
      invocation.value("--output")
          .value_or(default_name(name.stem().string(), name.extension() == ".csv" ? ".json" : ".csv"));
  const auto form = interchange::form_of_name(to);
  if (!form)
    return say_error({"the name " + to + " has no ending of a known table format", "",
                      "let it end in .csv, or .json, .jsonl or .txt of Extra-P"}),
           kUsage;
  return convert_measurements(invocation, "import", to, *form);
}

constexpr std::string_view kAnchor =
    "\x03"
    "BOTF2";  // first bytes of traces.otf2

/// Returns the error for an input that is neither a folder nor an anchor file of OTF2; it names the kind if
/// that is known.
Error not_taken(const std::string& from) {
  const std::string kind = kind_of(from);
  const std::string is = kind == "a model" || kind == "a machine" || kind == "a written program"
                             ? " is " + kind + " already"
                             : " is " + kind + ", in a format that parcast import does not read";
  return {from + is, "",
          "parcast import reads OTF2 (its folder, or traces.otf2), GOAL, SimGrid's time-independent traces "
          "and clusters, "
          "topologies of lstopo (XML), and measured values (CSV, and Extra-P's text, JSON and JSON lines)"};
}

int run_import(const Invocation& invocation) {
  const std::string& from = invocation.inputs[0];
  const std::string first = first_bytes(from, 4096);
  if (interchange::is_simgrid_platform(first))
    return import_machine(invocation, from, "a platform", read_platform);
  if (calibrate::is_topology_xml(first)) return import_machine(invocation, from, "a topology", read_topology);
  if (holds_measurements(from) || first.starts_with("PK\x03\x04"))
    return import_measurements(invocation, from);
  const TraceForm form = trace_form_of(from);
  if (form == TraceForm::goal || form == TraceForm::time_independent) return import_trace(invocation, from);
  if (form == TraceForm::trace)
    return say_error({from + " is a trace already", "", "parcast simulate takes it as it is"}), kFailed;
  if (invocation.value("--flops"))
    return say_error({"--flops is for SimGrid's traces, and " + from + " is none", "", ""}), kUsage;
  if (kind_of(from) == "a recording")
    return say_error({from + " is a recording already", "",
                      "parcast import takes an archive of OTF2: its folder, or traces.otf2"}),
           kFailed;
  if (std::error_code problem; std::filesystem::is_regular_file(from, problem) && !from.ends_with(".otf2") &&
                               !first.starts_with(kAnchor))
    return say_error(not_taken(from)), kFailed;
  const std::string to = import_target(invocation, from);
  Progress progress(invocation);
  const auto done = interchange::import_otf2(
      from, to, [&](double part, const std::string& what) { progress.show(part, what); });
  if (!done) return say_error(done.error()), kFailed;
  print_result(invocation.json() ? import_to_json(*done, to) : import_text(*done, to));
  for (const std::string& what : done->damage) say_warning(invocation, {what, from, "the rest was taken"});
  for (const std::string& what : done->warnings) say_warning(invocation, {what, from, ""});
  return done->damage.empty() ? kAnswered : kPartial;
}

}  // namespace

const Verb& import_verb() {
  static const Verb verb = [] {
    Verb made{
        .name = "import",
        .summary =
            "take in other tools' traces (OTF2, GOAL, SimGrid's), clusters and topologies, or measured "
            "values (CSV, Extra-P's)",
        .inputs =
            "NAME.otf2 | traces.otf2 | NAME.goal | TI-FOLDER | CLUSTER.xml | TOPOLOGY.xml | VALUES.csv | "
            ".json | .jsonl | .txt",
        .fewest_inputs = 1,
        .most_inputs = 1,
        .flags = {{"--output", 'o', "FILE",
                   "where to write it (default: named after the input, here): a recording of OTF2, "
                   "NAME.machine.toml of a cluster or topology, a table by its ending, else NAME.trace"},
                  {"--flops", 0, "RATE",
                   "floating-point operations a second, for SimGrid's time-independent traces"}},
        .examples = {"parcast import scorep-20261120_1000_17/traces.otf2 -o lmp-1.recording",
                     "parcast import lmp-1.otf2 --json", "parcast import halo.goal -o halo.trace",
                     "parcast import cluster.xml -o acme.machine.toml",
                     "parcast import node.xml -o node.machine.toml",
                     "parcast import runs.csv --parameters processes,nx -o runs.json"},
        .notes = {"What a file holds decides what it is taken for, not its name.",
                  "The archive is read in a process of its own: one that crashes the library that reads it "
                  "ends with a sentence.",
                  "Exit code 3: parts of the archive are damaged, and the recording holds the rest."},
        .run = run_import};
    made.flags.insert(made.flags.end(), measurement_flags().begin(), measurement_flags().end());
    return made;
  }();
  return verb;
}

}  // namespace parcast::cli
