// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/extrap/simulate.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/memory_contention.h"
#include "cli/opening_command.h"
#include "cli/output.h"
#include "cli/predicted_output.h"
#include "cli/replay_attempts.h"
#include "cli/schedules.h"
#include "cli/simulation_sweep.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "machine/network.h"
#include "machine/tools.h"
#include "predict/question.h"
#include "predict/simulate/schedule.h"
#include "predict/simulate/simulate.h"
#include "report/simulation_parts.h"
#include "report/simulation_text.h"
#include "report/words.h"
#include "trace/region_ratio.h"

namespace parcast::cli {
namespace {

/// Returns the machine that -m names, or an ideal one, with the changes of --set.
Result<machine::Machine> machine_of(const Invocation& invocation) {
  machine::Machine machine = machine::ideal_machine();
  if (const auto named = invocation.value("--machine")) {
    PARCAST_ASSIGN(machine, load_machine(*named));
  }
  for (const std::string& assignment : invocation.values("--set"))
    PARCAST_TRY(machine::set_parameter(machine, assignment));
  // The ideal machine has as many nodes as its network, if the network has a shape.
  if (machine.name == "ideal" && machine.network)
    if (const auto* kind = machine::topology_kind(machine.network->topology); kind && !kind->shape.empty())
      machine.nodes = static_cast<std::int32_t>(
          std::clamp(kind->nodes(*machine.network, machine.nodes), 1.0, double{1} * machine.nodes));
  PARCAST_TRY(machine::check_network(machine));
  return machine;
}

/// Applies --noise: the machine's noise, and the values of --rank-noise.
Result<void> draw_noise(const Invocation& invocation, const machine::Machine& machine,
                        const PlatformChange& change, simulate::Platform& platform) {
  const auto given = invocation.value("--noise");
  if (!given && invocation.has("--rank-noise"))
    return Error{"--rank-noise needs --noise", "", "add --noise SEED"};
  if (!given) return {};
  const auto seed = parse_integer(*given);
  if (!seed || *seed < 0)
    return Error{"--noise " + *given + " is not a seed", "", "give a whole number, e.g. --noise 1"};
  PARCAST_ASSIGN(const double lasting, number_at(invocation, change, "--rank-noise", 0, 0));
  const double each = machine.noise.origin == Origin::unknown ? 0 : machine.noise.value;
  // a point of a sweep may have no noise
  const bool given_here = change.settings.empty() && change.flags.empty();
  if (each <= 0 && lasting <= 0 && given_here)
    return Error{machine.name + " has no noise to draw", "",
                 "give it some with --set noise=0.05 (5 %), or --rank-noise 0.05"};
  platform.noise = simulate::Noise{static_cast<std::uint64_t>(*seed) + change.repeat, each, lasting};
  platform.assumptions.push_back("noise of " + report::size_percent(each) +
                                 " in every piece of computing and of " + report::size_percent(lasting) +
                                 " between ranks is drawn on top of what the times hold already");
  return {};
}

/// Returns the changes of the machine: --set NAME=VALUE and --vary NAME=LIST, without names of the run.
std::vector<std::string> changes_of(const Invocation& invocation, const std::set<std::string>& of_runs) {
  std::vector<std::string> out;
  for (const char* flag : {"--set", "--vary"})
    for (const std::string& assignment : invocation.values(flag))
      if (!of_runs.contains(assignment.substr(0, assignment.find('='))))
        out.push_back(std::string(flag) + " " + assignment);
  return out;
}

/// Returns whether "--set NAME=VALUE" names a parameter of ExtraP.
bool names_extrap(std::string_view change) {
  const std::string_view assignment = change.substr(change.find(' ') + 1);
  return machine::extrap_key(machine::assigned_name(assignment)).has_value();
}

/// Returns whether ExtraP's model applies, rather than that of links: by --model, by the names of changed
/// parameters, or by the parameters of the machine.
Result<bool> means_extrap(const Invocation& invocation, const machine::Machine& machine,
                          const std::set<std::string>& of_runs = {}) {
  const std::vector<std::string> changed = changes_of(invocation, of_runs);
  const auto by_extrap = std::find_if(changed.begin(), changed.end(), names_extrap),
             by_links = std::find_if_not(changed.begin(), changed.end(), names_extrap);
  if (by_extrap != changed.end() && by_links != changed.end())
    return Error{
        *by_extrap + " is of ExtraP's model, " + *by_links + " of the model of links: a run has one of them",
        "", "docs/models/extrap.md and docs/models/message_passing.md list their parameters"};
  const auto model = invocation.value("--model");
  if (model && *model != "links" && *model != "extrap")
    return Error{"--model " + *model + " is not known", "",
                 "known: links (LogGPS, of the machine's links), extrap (ExtraP's)"};
  if (model && *model == "links" && by_extrap != changed.end())
    return Error{*by_extrap + " is of ExtraP's model, and --model links was asked for", "",
                 "leave out one of the two"};
  if (model && *model == "extrap" && by_links != changed.end())
    return Error{*by_links + " is of the model of links, and --model extrap was asked for", "",
                 "leave out one of the two"};
  if (by_extrap != changed.end()) return true;
  if (model && *model == "extrap" && !machine.extrap)
    return Error{machine.name + " has no section [extrap]", "",
                 "set its parameters by --set, for example --set CommStartupTime=10"};
  if (model) return *model == "extrap";
  if (by_links != changed.end() || !machine.extrap) return false;
  if (!machine.links.empty())
    return Error{machine.name + " is described by links and by ExtraP's model", "",
                 "choose by --model links or --model extrap"};
  return true;
}

std::string with_changes(const Invocation& invocation, std::string name) {
  const std::vector<std::string> changed = invocation.values("--set");
  for (const std::string& assignment : changed)
    name += (&assignment == changed.data() ? " with " : ", ") + assignment;
  return name;
}

/// Returns the platform of ExtraP's model: one rank per node, policies by ProcessMsgType. Flags of the other
/// model are errors.
Result<simulate::extrap::Platform> extrap_platform_of(const Invocation& invocation, machine::Machine machine,
                                                      const trace::Trace& trace,
                                                      const PlatformChange& change = {}) {
  struct Instead {
    const char *flag, *use;
  };
  for (const Instead& each :
       {Instead{"--ranks-per-node", "every rank has a node of its own"},
        Instead{"--compute-ratio", "use --set MipsRatio=R"}, Instead{"--memory-bound", "use --model links"},
        Instead{"--recorded-on", "use --set MipsRatio=R"},
        Instead{"--attention", "use --set ProcessMsgType=NAME"},
        Instead{"--collectives", "collectives go by their messages"}, Instead{"--noise", "leave it out"},
        Instead{"--repeats", "every run is the same"}, Instead{"--pairs", "use --model links"},
        Instead{"--critical-path", "use --model links"}, Instead{"--to", "use --model links"}})
    if (invocation.has(each.flag))
      return Error{std::string(each.flag) + " does not apply to ExtraP's model", "", each.use};
  if (!machine.extrap) machine.extrap.emplace();
  for (const std::string& setting : change.settings) PARCAST_TRY(machine::set_parameter(machine, setting));
  PARCAST_ASSIGN(simulate::extrap::Platform platform,
                 simulate::extrap::platform_of(with_changes(invocation, machine.name), *machine.extrap));
  platform.collectives = machine.collectives;
  platform.assumptions.emplace_back("every rank has a node of its own");
  const auto synchronous = [](const trace::Operation& each) { return each.mode == trace::Mode::synchronous; };
  if (std::any_of(trace.operations.begin(), trace.operations.end(), synchronous))
    platform.assumptions.emplace_back("synchronous sends do not wait for their receivers in ExtraP's model");
  if (trace::has_locks(trace))
    platform.assumptions.emplace_back(
        "ExtraP's model has no locks: nobody waits for one, and they take no time");
  return platform;
}

/// Sets the ratio of computing times to recorded ones: as given, or from the core speeds of the two machines.
Result<void> take_compute_ratio(const Invocation& invocation, const machine::Machine& machine,
                                const LoadedTrace& loaded, const PlatformChange& change,
                                simulate::Platform& platform) {
  const bool given = invocation.has("--compute-ratio") || change.flags.contains("--compute-ratio");
  PARCAST_ASSIGN(double ratio, number_at(invocation, change, "--compute-ratio", 1, 0));
  if (given && invocation.has("--recorded-on"))
    return Error{"--recorded-on and --compute-ratio both scale computing", "", "leave out one of the two"};
  if (!given) {
    PARCAST_ASSIGN(const RecordedComputing computing,
                   recorded_computing(invocation, loaded, machine, "--recorded-on or --compute-ratio"));
    ratio = computing.ratio;
    if (!computing.assumption.empty()) platform.assumptions.push_back(computing.assumption);
  }
  if (ratio > 1e6)
    return Error{
        "computing that takes " + format_significant(ratio, 3) + " times as long as recorded is out of range",
        "", "at most 1e6 times"};
  platform.compute_ratio = static_cast<simulate::Rate>(ratio * static_cast<double>(simulate::kOne) + 0.5);
  return {};
}

/// Parses REGION=R of each --region-ratio; a region's name may contain =.
Result<std::vector<trace::RegionRatio>> region_ratios(const Invocation& invocation) {
  std::vector<trace::RegionRatio> out;
  for (const std::string& text : invocation.values("--region-ratio")) {
    const auto at = text.rfind('=');
    const auto ratio = at == std::string::npos ? std::nullopt : parse_double(text.substr(at + 1));
    if (!ratio || at == 0)
      return Error{"--region-ratio " + text + " is not REGION=R", "",
                   "for example --region-ratio solve=0.5: half as long"};
    out.push_back({text.substr(0, at), *ratio});
  }
  return out;
}

/// Returns the platform with the machine's links.
Result<simulate::Platform> platform_of(const Invocation& invocation, machine::Machine machine,
                                       const LoadedTrace& loaded, const PlatformChange& change = {}) {
  const trace::Trace& trace = loaded.trace;
  for (const std::string& setting : change.settings) PARCAST_TRY(machine::set_parameter(machine, setting));
  PARCAST_ASSIGN(const double per_node, number_at(invocation, change, "--ranks-per-node", 0, 1));
  PARCAST_ASSIGN(
      simulate::Platform platform,
      simulate::platform_of(machine, trace.ranks, static_cast<std::int32_t>(std::min(per_node, 2e9))));
  platform.name = with_changes(invocation, platform.name);
  PARCAST_TRY(take_compute_ratio(invocation, machine, loaded, change, platform));
  const auto attention = invocation.value("--attention");
  if (attention && *attention != "calls" && *attention != "always")
    return Error{"--attention " + *attention + " is not known", "",
                 "known: calls (a rank moves messages on only inside MPI), always"};
  const std::string collectives = invocation.value("--collectives").value_or("measured");
  if (collectives != "measured" && collectives != "messages")
    return Error{
        "--collectives " + collectives + " is not known", "",
        "known: measured (where the machine has a table for them), messages (as their algorithms send them)"};
  if (collectives == "measured") PARCAST_TRY(simulate::take_measured_collectives(machine, trace, platform));
  PARCAST_TRY(draw_noise(invocation, machine, change, platform));
  if (attention)
    platform.attention = *attention == "calls" ? simulate::Attention::calls : simulate::Attention::always;
  else
    simulate::take_measured_attention(machine, platform);
  PARCAST_TRY(share_memory(invocation, machine, loaded, change, collectives == "measured", platform));
  return platform;
}

/// Returns the function that simulates a point of --vary. Platforms are made one at a time.
SimulateAt simulating_links(const Invocation& invocation, const machine::Machine& machine,
                            const LoadedTrace& loaded, const Graph& graph, SpareTrace& spare,
                            std::mutex& making) {
  return [&](const PlatformChange& change, bool& made) -> Result<simulate::Summary> {
    const auto make = [&] {
      const std::lock_guard lock(making);
      return platform_of(invocation, machine, loaded, change);
    };
    PARCAST_ASSIGN(const simulate::Platform platform, make());
    made = true;
    PARCAST_ASSIGN(simulate::Outcome outcome,
                   graph ? simulate::simulate_schedule(*graph, loaded.trace, platform)
                         : simulate::simulate(loaded.trace, platform, simulate::Trust::checked));
    if (!outcome.waiting.empty()) {
      PARCAST_ASSIGN(const trace::Trace* other, spare.get());
      if (other) {
        PARCAST_ASSIGN(outcome, simulate::simulate(*other, platform, simulate::Trust::checked));
      }
    }
    return simulate::summary_of(outcome, platform);
  };
}

SimulateAt simulating_extrap(const Invocation& invocation, const machine::Machine& machine,
                             const LoadedTrace& loaded) {
  return [&](const PlatformChange& change, bool& made) -> Result<simulate::Summary> {
    PARCAST_ASSIGN(const simulate::extrap::Platform platform,
                   extrap_platform_of(invocation, machine, loaded.trace, change));
    made = true;
    PARCAST_ASSIGN(const simulate::Outcome outcome,
                   simulate::extrap::simulate(loaded.trace, platform, simulate::Trust::checked));
    return simulate::summary_of(outcome, loaded.trace.ranks, platform.assumptions);
  };
}

/// Returns whether no report is asked for that runs with one-sided accesses do not have.
bool are_divisible(const Invocation& invocation) {
  return !invocation.has("--pairs") && !invocation.has("--critical-path") && !invocation.has("--to");
}

/// The observers for the requested reports.
class Watchers {
 public:
  Watchers(const Invocation& invocation, const trace::Trace& trace, const simulate::Platform& platform,
           PredictedOutput* output, Progress& progress) {
    if (output) add(output->observer());
    // Without a network, the simulator skips iterations unless it is observed. With a network, observing
    // costs nothing.
    if (output || (platform.network && progress.is_active()))
      add(steps.emplace(trace, [&progress](double part) { progress.show(part, "simulating"); }));
    const bool has_accesses = trace::has_accesses(trace) && !trace::has_locks(trace);
    if (invocation.has("--regions") || (has_accesses && are_divisible(invocation)))
      add(profile.emplace(trace));
    if (invocation.has("--pairs")) add(pairs.emplace(trace.ranks));
    if (invocation.has("--critical-path")) add(finder.emplace(trace, platform));
  }
  void add(simulate::Observer& observer) { observers.push_back(&observer); }

  std::optional<ProgressOfRun> steps;
  std::optional<simulate::Profile> profile;
  std::optional<simulate::Pairs> pairs;
  std::optional<simulate::PathFinder> finder;
  std::vector<simulate::Observer*> observers;
};

std::string parts_text(const report::Simulated& simulated, const report::Style& look, bool all,
                       bool regions) {
  std::string text;
  if (regions && simulated.profile && simulated.outcome.waiting.empty())
    text += "\n" + report::regions_text(simulated, *simulated.profile, look, all);
  if (simulated.pairs) text += "\n" + report::pairs_text(*simulated.pairs, look, all);
  if (simulated.path) text += "\n" + report::path_text(simulated, *simulated.path, look, all);
  return text;
}

void print_answer(const Invocation& invocation, const report::Simulated& simulated,
                  const report::Style& look) {
  const bool all = invocation.has("--all");
  if (invocation.json()) {
    report::Simulated asked = simulated;
    if (!invocation.has("--regions")) asked.profile = nullptr;
    return print_result(report::simulation_to_json(asked, all));
  }
  if (invocation.has("--csv"))
    return print_data(simulated.profile ? report::regions_csv(simulated.trace, *simulated.profile)
                                        : report::pairs_csv(*simulated.pairs));
  const auto to = invocation.value("--to");
  print_result(report::simulation_text(simulated, look, all) +
               parts_text(simulated, look, all, invocation.has("--regions")) +
               (to ? "  the predicted run is in " + *to + "\n" +
                         opening_line(to->ends_with(".otf2") ? "otf2" : "perfetto", *to)
                   : ""));
}

/// Fails if requested outputs do not fit together: a table of rows has one subject.
Result<void> check_flags(const Invocation& invocation) {
  if (asks_for_many(invocation)) {
    for (const char* flag : {"--regions", "--pairs", "--critical-path", "--to"})
      if (invocation.has(flag))
        return Error{std::string(flag) + " works with a single run", "", "leave out --vary and --repeats"};
    return {};
  }
  for (const char* flag : {"--output", "--threads", "--contour"})
    if (invocation.has(flag))
      return Error{std::string(flag) + " is of many runs", "", "add --vary or --repeats"};
  if (!invocation.has("--csv")) return {};
  if (invocation.json()) return Error{"--json and --csv exclude each other", "", "give one of them"};
  if (invocation.has("--regions") == invocation.has("--pairs"))
    return Error{"--csv prints the rows of --regions or of --pairs", "", "add one of these"};
  return {};
}

/// Prints the result and the messages of a run.
using Clock = std::chrono::steady_clock;

// The elapsed time is not part of the answer: the same input gives the same bytes.
void say_how_long(const Invocation& invocation, Clock::time_point began) {
  if (invocation.quiet()) return;
  const double taken = std::chrono::duration<double>(Clock::now() - began).count();
  print_message("parcast: simulated in " + report::duration(taken) + ", loading included\n");
}

int answer(const Invocation& invocation, const LoadedTrace& loaded, const report::Simulated& simulated,
           Clock::time_point began, const report::Style& look) {
  print_answer(invocation, simulated, look);
  say_how_long(invocation, began);
  for (const auto* sentences : {&loaded.warnings, &loaded.trace.assumptions, &simulated.assumptions})
    for (const std::string& sentence : *sentences)
      say_warning(invocation, {sentence, invocation.inputs[0], ""});
  const simulate::Outcome& outcome = simulated.outcome;
  if (outcome.unreceived > 0)
    say_warning(invocation, {"no rank receives " +
                                 report::counted(static_cast<std::int64_t>(outcome.unreceived), "message"),
                             invocation.inputs[0], ""});
  if (invocation.has("--critical-path") && !simulated.path)
    say_warning(invocation, {"a run that hangs has no critical path", invocation.inputs[0], ""});
  if (!outcome.waiting.empty() && !simulated.has_ended) return kWouldHang;
  return loaded.partial ? kPartial : kAnswered;
}

int run_by_extrap(const Invocation& invocation, LoadedTrace& loaded, ReplayAttempts& attempts,
                  const machine::Machine& machine, Clock::time_point began, const report::Style& look) {
  const auto platform = extrap_platform_of(invocation, machine, loaded.trace);
  if (!platform) return say_error(platform.error()), kUsage;
  simulate::Profile profile(loaded.trace);
  const auto outcome =
      simulate::extrap::simulate(loaded.trace, *platform, simulate::Trust::checked, &profile);
  if (!outcome) return say_error(outcome.error()), kFailed;
  const auto again = attempts.try_again(outcome->waiting, platform->name);
  if (!again) return say_error(again.error()), kFailed;
  if (*again) return run_by_extrap(invocation, loaded, attempts, machine, began, look);
  return answer(invocation, loaded,
                {loaded.trace, platform->name, platform->assumptions, *outcome, &profile, nullptr, nullptr,
                 !loaded.recording.empty()},
                began, look);
}

int run_by_links(const Invocation& invocation, LoadedTrace& loaded, ReplayAttempts& attempts,
                 const machine::Machine& machine, Progress& progress, Clock::time_point began,
                 const report::Style& look) {
  const auto platform = platform_of(invocation, machine, loaded);
  if (!platform) return say_error(platform.error()), kUsage;
  const auto graph = graph_to_simulate(invocation, loaded, *platform, progress);
  if (!graph) return say_error(graph.error()), kFailed;
  auto output = PredictedOutput::create(invocation.value("--to"), loaded.trace, *platform);
  if (!output) return say_error(output.error()), kFailed;
  Watchers watchers(invocation, loaded.trace, *platform, output->get(), progress);
  const auto every =
      invocation.has("--every-iteration") ? simulate::Iterations::every : simulate::Iterations::skipped;
  const auto outcome =
      *graph ? simulate::simulate_schedule(**graph, loaded.trace, *platform)
      : watchers.observers.empty()
          ? simulate::simulate(loaded.trace, *platform, simulate::Trust::checked, every)
          : simulate::simulate(loaded.trace, *platform, simulate::Trust::checked, watchers.observers);
  if (!outcome) return say_error(outcome.error()), kFailed;
  const auto again = attempts.try_again(outcome->waiting, platform->name);
  if (!again) return say_error(again.error()), kFailed;
  if (*again) return run_by_links(invocation, loaded, attempts, machine, progress, began, look);
  if (*output) {
    const auto written =
        (*output)->finish([&](double part, const std::string& what) { progress.show(part, what); });
    if (!written) return say_error(written.error()), kFailed;
    for (const std::string& warning : *written)
      say_warning(invocation, {warning, *invocation.value("--to"), ""});
  }
  std::optional<simulate::CriticalPath> path;
  if (watchers.finder && outcome->waiting.empty()) path = watchers.finder->path();
  return answer(invocation, loaded,
                {loaded.trace, platform->name, platform->assumptions, *outcome,
                 watchers.profile ? &*watchers.profile : nullptr, watchers.pairs ? &*watchers.pairs : nullptr,
                 path ? &*path : nullptr, !loaded.recording.empty()},
                began, look);
}

/// How the trace of a run is made.
struct ToLoad {
  double flops = 0;
  std::vector<trace::RegionRatio> ratios;
};

void say_warnings_of(const Invocation& invocation, const LoadedTrace& loaded,
                     const machine::Machine& machine) {
  const auto recorded = recorded_machine(invocation);  // an unreadable one is an error where it is used
  say_warnings(invocation, calibration_warnings(machine, recorded ? recorded->get() : nullptr));
  say_warnings(invocation, predict::library_warnings(loaded.mpi_libraries, machine));
}

/// Simulates one run on the machines of --vary and --repeats.
int sweep_run(const Invocation& invocation, const VariedRun& run, LoadedTrace& loaded,
              const machine::Machine& machine, bool by_extrap, SimulationSweep& sweep, Progress& progress) {
  if (by_extrap) return sweep.add(run, loaded, simulating_extrap(invocation, machine, loaded));
  std::mutex making;
  SpareTrace spare(loaded);
  const auto base = platform_of(invocation, machine, loaded);
  const auto graph = !base ? Result<Graph>(nullptr) : graph_to_simulate(invocation, loaded, *base, progress);
  if (!graph) return say_error(graph.error()), kFailed;
  const int code =
      sweep.add(run, loaded, simulating_links(invocation, machine, loaded, *graph, spare, making));
  if (spare.used()) say_warning(invocation, {kSpareUsed, invocation.inputs[0], ""});
  return spare.used() && code == kAnswered ? kPartial : code;
}

int simulate_many(const Invocation& invocation, RunAsked asked, const ToLoad& how,
                  const machine::Machine& machine, Progress& progress, const report::Style& look) {
  asked.rehearsed = trace::Rehearsed::all;  // once for all points
  const auto runs = varied_runs(invocation, asked, machine);
  if (!runs) return say_error(runs.error()), kUsage;
  std::optional<SimulationSweep> sweep;
  int code = kAnswered;
  for (const VariedRun& run : runs->runs) {
    auto loaded = load_or_generate_trace(invocation.inputs[0], run.asked, how.flops, progress);
    if (!loaded) return say_error(loaded.error()), kFailed;
    if (const auto scaled = trace::scale_regions(loaded->trace, how.ratios); !scaled)
      return say_error(scaled.error()), kUsage;
    say_warnings_of(invocation, *loaded, machine);
    const auto extrap = means_extrap(invocation, machine, runs->names);
    if (!extrap) return say_error(extrap.error()), kUsage;
    if (!sweep) {
      auto created = SimulationSweep::create(invocation, machine, runs->names);
      if (!created) return say_error(created.error()), kUsage;
      sweep.emplace(*std::move(created));
    }
    const int one = sweep_run(invocation, run, *loaded, machine, *extrap, *sweep, progress);
    if (one != kAnswered && one != kPartial) return one;
    code = std::max(code, one);
  }
  progress.clear();
  const int answered = sweep->finish(look);
  return answered == kAnswered ? code : answered;
}

int run_simulate(const Invocation& invocation) {
  const auto began = Clock::now();
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto flops = number_behind(invocation, "--flops", 0, 1);
  if (!flops) return say_error(flops.error()), kUsage;
  if (const auto checked = check_target(invocation.value("--to")); !checked)
    return say_error(checked.error()), kUsage;
  if (const auto checked = check_flags(invocation); !checked) return say_error(checked.error()), kUsage;
  Progress progress(invocation);
  auto asked = run_asked(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  const auto ratios = region_ratios(invocation);
  if (!ratios) return say_error(ratios.error()), kUsage;
  const auto machine = machine_of(invocation);
  if (machine) asked->machine = std::make_shared<machine::Machine>(*machine);
  if (asks_for_many(invocation) && machine)
    return simulate_many(invocation, *asked, {*flops, *ratios}, *machine, progress, *look);
  auto loaded = load_or_generate_trace(invocation.inputs[0], *asked, *flops, progress);
  if (!loaded) return say_error(loaded.error()), kFailed;
  if (const auto scaled = trace::scale_regions(loaded->trace, *ratios); !scaled)
    return say_error(scaled.error()), kUsage;
  if (!machine) return say_error(machine.error()), kUsage;
  say_warnings_of(invocation, *loaded, *machine);
  const auto extrap = means_extrap(invocation, *machine);
  if (!extrap) return say_error(extrap.error()), kUsage;
  ReplayAttempts attempts(*loaded);
  if (*extrap) return run_by_extrap(invocation, *loaded, attempts, *machine, began, *look);
  return run_by_links(invocation, *loaded, attempts, *machine, progress, began, *look);
}

}  // namespace

const Verb& simulate_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "simulate",
        .summary = "replay a trace, a recording or a model's run on a machine, message by message",
        .inputs = "T.trace | R.recording | M.model.json | X.goal | TI-FOLDER",
        .fewest_inputs = 1,
        .most_inputs = 1,
        .flags =
            {{"--machine", 'm', "X",
              "machine: NAME for NAME.machine.toml, or one that parcast machine list names (default: ideal)",
              false, "machine"},
             {"--set", 0, "KEY=VALUE",
              "change a parameter: L, o, g, G, O, S of all links (L=2us, G=0.1ns/B, S=64KiB), one by its "
              "name, each also as a multiple (L*2), or one of ExtraP's (MipsRatio=0.5, CommStartupTime=10 in "
              "microseconds, Topology=Ring)",
              true},
             {"--model", 0, "MODEL",
              "links (LogGPS) or extrap (ExtraP's, docs/models/extrap.md); by default what the names in "
              "--set or the machine mean"},
             {"--ranks-per-node", 0, "N",
              "ranks on a node, block by block (default: as many as it has cores)"},
             {"--compute-ratio", 0, "R", "computing takes R times as long as recorded (default 1)"},
             {"--region-ratio", 0, "REGION=R",
              "computing before calls in a region takes R times as long: a region or part of its path, a "
              "function that calls MPI, or FILE:LINE of a call",
              true},
             recorded_on_flag(),
             {"--memory-bound", 0, "PART",
              "part of the computing time of a rank alone that memory takes; ranks of a node share it "
              "(default "
              "0; docs/models/memory_contention.md)"},
             {"--recorded-ranks-per-node", 0, "N",
              "with --memory-bound: ranks on a node where computing was timed; recordings contain it"},
             {"--attention", 0, "WHEN",
              "when ranks progress messages: calls (only inside MPI) or always; default: as the machine's "
              "measured overlap, else calls"},
             {"--collectives", 0, "HOW",
              "measured (by the machine's table where it has one, default) or messages (by their "
              "algorithms)"},
             {"--noise", 0, "SEED",
              "draw random computing times with the machine's noise (--set noise=0.05: 5 %)"},
             {"--rank-noise", 0, "R",
              "with --noise: relative standard deviation of constant differences between ranks (default 0)"},
             {"--flops", 0, "RATE",
              "floating-point operations a second, for SimGrid's time-independent traces"},
             {"--every-iteration", 0, "",
              "do not skip iterations that have become periodic (the result is the same; --regions and its "
              "like, and noise, skip none)"},
             {"--regions", 0, "",
              "where the time goes: by region and call, compute, messages, idle, calls and bytes (--csv: as "
              "CSV)"},
             {"--pairs", 0, "",
              "who sends to whom: messages and bytes, ranks that behave alike share a row (--csv: as CSV)"},
             {"--critical-path", 0, "",
              "the chain of computing, overheads and transfers that is as long as the run"},
             {"--to", 0, "FILE",
              "write the predicted run: NAME.otf2 (Vampir, parcast import) or NAME.perfetto-trace "
              "(ui.perfetto.dev)"},
             {"--all", 0, "", "show all ranks and rows; with --regions --json the profile of each rank"}},
        .examples =
            {"parcast simulate lmp-1.recording -m cluster --ranks-per-node 16",
             "parcast simulate lmp-1.recording -m cluster --recorded-on here",
             "parcast simulate lmp.model.json -p 64 -s n=4096 -m cluster",
             "parcast simulate halo.goal --set L=2us --set o=500ns --set G=0.1ns/B --json",
             "parcast simulate lmp-1.recording -m cluster --ranks-per-node 32 --memory-bound 0.6",
             "parcast simulate lmp-1.recording -m here --set links.network.latency=1us",
             "parcast simulate lmp-1.recording -m here --regions --critical-path",
             "parcast simulate lmp-1.recording -m here --region-ratio compute=0.5",
             "parcast simulate lmp-1.recording -m cluster --to lmp-1-cluster.perfetto-trace",
             "parcast simulate halo.goal -m here --vary L=1us..64us*2 --vary G=0.1ns/B,1ns/B -o latency.svg",
             "parcast simulate halo.goal --set L=2us --set G=0.1ns/B --set network.topology=torus --set "
             "network.dimensions=8x8 --set network.bandwidth=10GB/s",
             "parcast simulate lmp-1.recording -m extrap-table-1 --set MipsRatio=0.5 --set "
             "ProcessMsgType=Interrupt --set Topology=Ring",
             "parcast simulate lmp-1.recording -m extrap-table-1 --vary CommStartupTime=5,50,500 --vary "
             "MipsRatio=0.25..4*2",
             "parcast simulate lmp.model.json -m extrap-table-1 -s n=4096 --vary p=2,4,8,16 --vary "
             "CommStartupTime=5,50 -o startup.svg"},
        .notes =
            {"Exit code 4: the ranks deadlock; Parcast prints what each waits for.",
             "docs/models/message_passing.md has all costs, docs/models/extrap.md in ExtraP's model, "
             "docs/models/sampled_noise.md what noise is drawn, docs/models/network.md what messages share "
             "on a machine with a [network].",
             "GOAL's operations that are free of each other run side by side (docs/models/schedules.md).",
             "docs/models/structure.md explains how a run that was never made follows from a model."},
        .run = run_simulate};
    v.flags.insert(v.flags.begin() + 1, run_flags().begin(), run_flags().end());
    v.flags.push_back(notes_flag());
    v.flags.insert(v.flags.end(), simulation_sweep_flags().begin(), simulation_sweep_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
