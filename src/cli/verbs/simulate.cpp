// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/simulation_sweep.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
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
  return machine;
}

/// --noise: the machine's, and what --rank-noise says.
Result<void> draw_noise(const Invocation& invocation, const machine::Machine& machine, const PlatformChange& change, simulate::Platform& platform) {
  const auto given = invocation.value("--noise");
  if (!given && invocation.has("--rank-noise")) return Error{"--rank-noise needs --noise", "", "add --noise SEED"};
  if (!given) return {};
  const auto seed = parse_integer(*given);
  if (!seed || *seed < 0) return Error{"--noise " + *given + " is not a seed", "", "give a whole number, e.g. --noise 1"};
  PARCAST_ASSIGN(const double lasting, number_at(invocation, change, "--rank-noise", 0, 0));
  const double each = machine.noise.origin == Origin::unknown ? 0 : machine.noise.value;
  const bool given_here = change.settings.empty() && change.flags.empty();  // a point of a sweep may have none
  if (each <= 0 && lasting <= 0 && given_here) return Error{machine.name + " has no noise to draw", "", "give it some with --set noise=0.05 (5 %), or --rank-noise 0.05"};
  platform.noise = simulate::Noise{static_cast<std::uint64_t>(*seed) + change.repeat, each, lasting};
  platform.assumptions.push_back("noise of " + report::size_percent(each) + " in every piece of computing and of " + report::size_percent(lasting) + " between ranks is drawn on top of what the times hold already");
  return {};
}

Result<simulate::Platform> platform_of(const Invocation& invocation, machine::Machine machine, const trace::Trace& trace, const PlatformChange& change = {}) {
  for (const std::string& setting : change.settings) PARCAST_TRY(machine::set_parameter(machine, setting));
  PARCAST_ASSIGN(const double per_node, number_at(invocation, change, "--ranks-per-node", 0, 1));
  PARCAST_ASSIGN(const double ratio, number_at(invocation, change, "--compute-ratio", 1, 0));
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
  PARCAST_TRY(draw_noise(invocation, machine, change, platform));
  platform.attention = attention == "calls" ? simulate::Attention::calls : simulate::Attention::always;
  return platform;
}

int run_simulate(const Invocation& invocation) {
  const auto began = std::chrono::steady_clock::now();
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto flops = number_behind(invocation, "--flops", 0, 1);
  if (!flops) return say_error(flops.error()), kUsage;
  Progress progress(invocation);
  const auto loaded = load_trace(invocation.inputs[0], *flops, progress);
  if (!loaded) return say_error(loaded.error()), kFailed;
  const auto machine = machine_of(invocation);
  if (!machine) return say_error(machine.error()), kUsage;
  if (asks_for_many(invocation))
    return sweep_simulation(invocation, *loaded, *machine, [&](const PlatformChange& change) { return platform_of(invocation, *machine, loaded->trace, change); }, *look);
  const auto platform = platform_of(invocation, *machine, loaded->trace);
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
  static const Verb verb = [] {
    Verb v{.name = "simulate",
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
                     {"--noise", 0, "SEED", "draw noise of computing, as much as the machine has (--set noise=0.05: 5 %)"},
                     {"--rank-noise", 0, "R", "with --noise: relative standard deviation of what lasts between ranks (default 0)"},
                     {"--flops", 0, "RATE", "floating-point operations a second, for SimGrid's time-independent traces"},
                     {"--all", 0, "", "show all ranks"}},
           .examples = {"parcast simulate lmp-1.recording -m cluster --ranks-per-node 16", "parcast simulate halo.goal --set L=2us --set o=500ns --set G=0.1ns/B --json",
                        "parcast simulate lmp-1.recording -m here --set links.network.latency=1us", "parcast simulate halo.goal -m here --vary L=1us..64us*2 --vary G=0.1ns/B,1ns/B -o latency.svg"},
           .notes = {"Exit code 4: ranks would wait for ever; what each waits for is printed.", "docs/models/message_passing.md says what everything costs, docs/models/sampled_noise.md what noise is drawn."},
           .run = run_simulate};
    v.flags.insert(v.flags.end(), simulation_sweep_flags().begin(), simulation_sweep_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
