// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "machine/network.h"
#include "machine/tools.h"
#include "predict/simulate/simulate.h"
#include "report/simulation_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

/// The machine that -m names, or an ideal one, with what --set changes.
Result<machine::Machine> machine_of(const Invocation& invocation) {
  machine::Machine machine = machine::ideal_machine();
  if (const auto named = invocation.value("--machine")) {
    PARCAST_ASSIGN(machine, load_machine(*named));
  }
  for (const std::string& assignment : invocation.values("--set")) PARCAST_TRY(machine::set_parameter(machine, assignment));
  // The ideal machine has as many nodes as its network, if that has a shape.
  if (machine.name == "ideal" && machine.network)
    if (const auto* kind = machine::topology_kind(machine.network->topology); kind && !kind->shape.empty())
      machine.nodes = static_cast<std::int32_t>(std::clamp(kind->nodes(*machine.network, machine.nodes), 1.0, double{1} * machine.nodes));
  PARCAST_TRY(machine::check_network(machine));
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

Result<simulate::Platform> platform_of(const Invocation& invocation, const trace::Trace& trace) {
  PARCAST_ASSIGN(const machine::Machine machine, machine_of(invocation));
  PARCAST_ASSIGN(const double per_node, number_of(invocation, "--ranks-per-node", 0, 1));
  PARCAST_ASSIGN(const double ratio, number_of(invocation, "--compute-ratio", 1, 0));
  if (ratio > 1e6) return Error{"--compute-ratio is out of range", "", "it is the time that computing takes there over that recorded, at most 1e6"};
  PARCAST_ASSIGN(simulate::Platform platform, simulate::platform_of(machine, trace.ranks, static_cast<std::int32_t>(std::min(per_node, 2e9))));
  const std::vector<std::string> changed = invocation.values("--set");
  for (const std::string& assignment : changed) platform.name += (&assignment == changed.data() ? " with " : ", ") + assignment;
  platform.compute_ratio = static_cast<simulate::Rate>(ratio * static_cast<double>(simulate::kOne) + 0.5);
  const std::string attention = invocation.value("--attention").value_or("calls");
  if (attention != "calls" && attention != "always") return Error{"--attention " + attention + " is not known", "", "known: calls (a rank moves messages on only inside MPI), always"};
  const std::string collectives = invocation.value("--collectives").value_or("measured");
  if (collectives != "measured" && collectives != "messages") return Error{"--collectives " + collectives + " is not known", "", "known: measured (where the machine has a table for them), messages (as their algorithms send them)"};
  if (collectives == "measured") PARCAST_TRY(simulate::take_measured_collectives(machine, trace, platform));
  platform.attention = attention == "calls" ? simulate::Attention::calls : simulate::Attention::always;
  return platform;
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
  const auto outcome = simulate::simulate(loaded->trace, *platform, simulate::Trust::checked, invocation.has("--every-iteration") ? simulate::Iterations::every : simulate::Iterations::skipped);
  if (!outcome) return say_error(outcome.error()), kFailed;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  const report::Simulated simulated{loaded->trace, *platform, *outcome, taken.count()};
  print_result(invocation.json() ? report::simulation_to_json(simulated) : report::simulation_text(simulated, *look, invocation.has("--all")));
  for (const auto* sentences : {&loaded->warnings, &loaded->trace.assumptions, &platform->assumptions})
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
                                   {"--set", 0, "KEY=VALUE", "change a parameter: L, o, g, G, O, S of all links (L=2us, G=0.1ns/B, S=64KiB), or one by its name", true},
                                   {"--ranks-per-node", 0, "N", "ranks on a node, block by block (default: as many as it has cores)"},
                                   {"--compute-ratio", 0, "R", "computing takes R times as long as recorded (default 1)"},
                                   {"--attention", 0, "WHEN", "ranks move messages on: calls (only inside MPI, default) or always"},
                                   {"--collectives", 0, "HOW", "measured (by the machine's table where it has one, default) or messages (by their algorithms)"},
                                   {"--flops", 0, "RATE", "floating-point operations a second, for SimGrid's time-independent traces"},
                                   {"--every-iteration", 0, "", "do not skip iterations that have become periodic (the result is the same)"},
                                   {"--all", 0, "", "show all ranks"}},
                         .examples = {"parcast simulate lmp-1.recording -m cluster --ranks-per-node 16", "parcast simulate halo.goal --set L=2us --set o=500ns --set G=0.1ns/B --json",
                                      "parcast simulate lmp-1.recording -m here --set links.network.latency=1us",
                                      "parcast simulate halo.goal --set L=2us --set G=0.1ns/B --set network.topology=torus --set network.dimensions=8x8 --set network.bandwidth=10GB/s"},
                         .notes = {"Exit code 4: ranks would wait for ever; what each waits for is printed.", "docs/models/message_passing.md says what everything costs, network.md what messages share on a machine with a [network]."},
                         .run = run_simulate};
  return verb;
}

}  // namespace parcast::cli
