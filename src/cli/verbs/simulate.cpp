// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <variant>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "machine/tools.h"
#include "predict/simulate/extrap/simulate.h"
#include "predict/simulate/simulate.h"
#include "report/simulation_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using AnyPlatform = std::variant<simulate::Platform, simulate::extrap::Platform>;

/// The machine that -m names, or an ideal one, with what --set changes.
Result<machine::Machine> machine_of(const Invocation& invocation) {
  machine::Machine machine = machine::ideal_machine();
  if (const auto named = invocation.value("--machine")) {
    PARCAST_ASSIGN(machine, load_machine(*named));
  }
  for (const std::string& assignment : invocation.values("--set")) PARCAST_TRY(machine::set_parameter(machine, assignment));
  return machine;
}

/// A positive number behind a flag; the default where it is not given.
Result<double> number_of(const Invocation& invocation, const std::string& flag, double otherwise, double least) {
  const auto given = invocation.value(flag);
  if (!given) return otherwise;
  const auto number = parse_double(*given);
  if (!number || !(*number >= least) || *number > 1e18) return Error{flag + " " + *given + " is not a number of at least " + format_significant(least, 3), "", ""};
  return *number;
}

bool names_extrap(const std::string& assignment) { return machine::extrap_key(trim(std::string_view(assignment).substr(0, assignment.find('=')))).has_value(); }

/// Whether ExtraP's model is meant, or that of links: by --model, by the names that are set, or by what the machine has.
Result<bool> means_extrap(const Invocation& invocation, const machine::Machine& machine) {
  const std::vector<std::string> changed = invocation.values("--set");
  const auto by_extrap = std::find_if(changed.begin(), changed.end(), names_extrap), by_links = std::find_if_not(changed.begin(), changed.end(), names_extrap);
  if (by_extrap != changed.end() && by_links != changed.end())
    return Error{"--set " + *by_extrap + " is of ExtraP's model, --set " + *by_links + " of the model of links: a run has one of them", "", "docs/models/extrap.md and docs/models/message_passing.md list their parameters"};
  const auto model = invocation.value("--model");
  if (model && *model != "links" && *model != "extrap") return Error{"--model " + *model + " is not known", "", "known: links (LogGPS, of the machine's links), extrap (ExtraP's)"};
  if (model && *model == "links" && by_extrap != changed.end()) return Error{"--set " + *by_extrap + " is of ExtraP's model, and --model links was asked for", "", "leave out one of the two"};
  if (model && *model == "extrap" && by_links != changed.end()) return Error{"--set " + *by_links + " is of the model of links, and --model extrap was asked for", "", "leave out one of the two"};
  if (model && *model == "extrap" && !machine.extrap) return Error{machine.name + " has no section [extrap]", "", "set its parameters by --set, for example --set CommStartupTime=10"};
  if (model) return *model == "extrap";
  if (by_extrap != changed.end() || by_links != changed.end() || !machine.extrap) return by_extrap != changed.end();
  if (!machine.links.empty()) return Error{machine.name + " is described by links and by ExtraP's model", "", "choose by --model links or --model extrap"};
  return true;
}

std::string with_changes(const Invocation& invocation, std::string name) {
  const std::vector<std::string> changed = invocation.values("--set");
  for (const std::string& assignment : changed) name += (&assignment == changed.data() ? " with " : ", ") + assignment;
  return name;
}

/// One rank a node, and policies by ProcessMsgType: what the flags say of the other model does not apply.
Result<AnyPlatform> extrap_platform_of(const Invocation& invocation, const machine::Machine& machine, const trace::Trace& trace) {
  struct Instead {
    const char *flag, *use;
  };
  for (const Instead& each : {Instead{"--ranks-per-node", "every rank has a node of its own"}, Instead{"--compute-ratio", "use --set MipsRatio=R"}, Instead{"--attention", "use --set ProcessMsgType=NAME"}, Instead{"--collectives", "collectives go by their messages"}})
    if (invocation.has(each.flag)) return Error{std::string(each.flag) + " does not apply to ExtraP's model", "", each.use};
  PARCAST_ASSIGN(simulate::extrap::Platform platform, simulate::extrap::platform_of(with_changes(invocation, machine.name), *machine.extrap));
  platform.assumptions.emplace_back("every rank has a node of its own");
  const auto synchronous = [](const trace::Operation& each) { return each.mode == trace::Mode::synchronous; };
  if (std::any_of(trace.operations.begin(), trace.operations.end(), synchronous)) platform.assumptions.emplace_back("synchronous sends do not wait for their receivers in ExtraP's model");
  return AnyPlatform(std::move(platform));
}

Result<AnyPlatform> platform_of(const Invocation& invocation, const trace::Trace& trace) {
  PARCAST_ASSIGN(const machine::Machine machine, machine_of(invocation));
  PARCAST_ASSIGN(const bool extrap, means_extrap(invocation, machine));
  if (extrap) return extrap_platform_of(invocation, machine, trace);
  PARCAST_ASSIGN(const double per_node, number_of(invocation, "--ranks-per-node", 0, 1));
  PARCAST_ASSIGN(const double ratio, number_of(invocation, "--compute-ratio", 1, 0));
  if (ratio > 1e6) return Error{"--compute-ratio is out of range", "", "it is the time that computing takes there over that recorded, at most 1e6"};
  PARCAST_ASSIGN(simulate::Platform platform, simulate::platform_of(machine, trace.ranks, static_cast<std::int32_t>(std::min(per_node, 2e9))));
  platform.name = with_changes(invocation, platform.name);
  platform.compute_ratio = static_cast<simulate::Rate>(ratio * static_cast<double>(simulate::kOne) + 0.5);
  const std::string attention = invocation.value("--attention").value_or("calls");
  if (attention != "calls" && attention != "always") return Error{"--attention " + attention + " is not known", "", "known: calls (a rank moves messages on only inside MPI), always"};
  const std::string collectives = invocation.value("--collectives").value_or("measured");
  if (collectives != "measured" && collectives != "messages") return Error{"--collectives " + collectives + " is not known", "", "known: measured (where the machine has a table for them), messages (as their algorithms send them)"};
  if (collectives == "measured") PARCAST_TRY(simulate::take_measured_collectives(machine, trace, platform));
  platform.attention = attention == "calls" ? simulate::Attention::calls : simulate::Attention::always;
  return AnyPlatform(std::move(platform));
}

Result<simulate::Outcome> outcome_of(const trace::Trace& trace, const simulate::Platform& platform, simulate::Iterations iterations) {
  return simulate::simulate(trace, platform, simulate::Trust::checked, iterations);
}
Result<simulate::Outcome> outcome_of(const trace::Trace& trace, const simulate::extrap::Platform& platform, simulate::Iterations) {
  return simulate::extrap::simulate(trace, platform, simulate::Trust::checked);
}

int run_simulate(const Invocation& invocation) {
  const auto began = std::chrono::steady_clock::now();
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto flops = number_of(invocation, "--flops", 0, 1);
  if (!flops) return say_error(flops.error()), kUsage;
  Progress progress(invocation);
  const auto loaded = load_trace(invocation.inputs[0], *flops, progress);
  if (!loaded) return say_error(loaded.error()), kFailed;
  const auto platform = platform_of(invocation, loaded->trace);
  if (!platform) return say_error(platform.error()), kUsage;
  const auto iterations = invocation.has("--every-iteration") ? simulate::Iterations::every : simulate::Iterations::skipped;
  const auto outcome = std::visit([&](const auto& on) { return outcome_of(loaded->trace, on, iterations); }, *platform);
  if (!outcome) return say_error(outcome.error()), kFailed;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  const auto& [machine, assumptions] = std::visit([](const auto& on) { return std::pair<const std::string&, const std::vector<std::string>&>(on.name, on.assumptions); }, *platform);
  const report::Simulated simulated{loaded->trace, machine, assumptions, *outcome, taken.count()};
  print_result(invocation.json() ? report::simulation_to_json(simulated) : report::simulation_text(simulated, *look, invocation.has("--all")));
  for (const auto* sentences : {&loaded->warnings, &loaded->trace.assumptions, &assumptions})
    for (const std::string& sentence : *sentences) say_warning(invocation, {sentence, invocation.inputs[0], ""});
  if (outcome->unreceived > 0) say_warning(invocation, {report::counted(static_cast<std::int64_t>(outcome->unreceived), "message") + " nobody receives", invocation.inputs[0], ""});
  if (!outcome->waiting.empty()) return kWouldHang;
  return loaded->partial ? kPartial : kAnswered;
}

}  // namespace

const Verb& simulate_verb() {
  static const Verb verb{.name = "simulate",
                         .summary = "replay a trace or a recording on a machine, message by message",
                         .inputs = "T.trace | R.recording | X.goal | TI-FOLDER",
                         .fewest_inputs = 1,
                         .most_inputs = 1,
                         .flags = {{"--machine", 'm', "X", "machine: NAME for NAME.machine.toml, or ideal (default)"},
                                   {"--set", 0, "KEY=VALUE", "change a parameter: L, o, g, G, O, S of all links (L=2us, G=0.1ns/B, S=64KiB), one by its name, or one of ExtraP's (MipsRatio=0.5, CommStartupTime=10 in microseconds, Topology=Ring)", true},
                                   {"--model", 0, "MODEL", "links (LogGPS) or extrap (ExtraP's, docs/models/extrap.md); by default what the names in --set or the machine mean"},
                                   {"--ranks-per-node", 0, "N", "ranks on a node, block by block (default: as many as it has cores)"},
                                   {"--compute-ratio", 0, "R", "computing takes R times as long as recorded (default 1)"},
                                   {"--attention", 0, "WHEN", "ranks move messages on: calls (only inside MPI, default) or always"},
                                   {"--collectives", 0, "HOW", "measured (by the machine's table where it has one, default) or messages (by their algorithms)"},
                                   {"--flops", 0, "RATE", "floating-point operations a second, for SimGrid's time-independent traces"},
                                   {"--every-iteration", 0, "", "do not skip iterations that have become periodic (the result is the same)"},
                                   {"--all", 0, "", "show all ranks"}},
                         .examples = {"parcast simulate lmp-1.recording -m cluster --ranks-per-node 16", "parcast simulate halo.goal --set L=2us --set o=500ns --set G=0.1ns/B --json",
                                      "parcast simulate lmp-1.recording -m here --set links.network.latency=1us",
                                      "parcast simulate lmp-1.recording -m extrap-table-1 --set MipsRatio=0.5 --set ProcessMsgType=Interrupt --set Topology=Ring"},
                         .notes = {"Exit code 4: ranks would wait for ever; what each waits for is printed.", "docs/models/message_passing.md says what everything costs, docs/models/extrap.md in ExtraP's model."},
                         .run = run_simulate};
  return verb;
}

}  // namespace parcast::cli
