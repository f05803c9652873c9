// SPDX-License-Identifier: Apache-2.0
#include "predict/by_extrap.h"

#include <algorithm>

#include "machine/extrap.h"
#include "predict/computing_scale.h"
#include "predict/hang.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "predict/simulate/extrap/simulate.h"
#include "predict/simulate/variants.h"
#include "predict/simulated_seconds.h"
#include "predict/variation.h"
#include "structure/generate.h"

namespace parcast::predict {
namespace {

using machine::ExtrapKey;
using program::Model;
using simulate::Outcome;

/// Simulates a trace on ExtraP's machine with other computing times.
class ExtrapRuns {
 public:
  ExtrapRuns(const trace::Trace& trace, const machine::Machine& machine, double computing)
      : trace_(trace), machine_(machine), computing_(computing) {}

  Result<simulate::extrap::Platform> platform(double computing = 1) const {
    machine::Extrap parameters = *machine_.extrap;
    parameters[ExtrapKey::mips_ratio] *= computing_ * computing;
    PARCAST_ASSIGN(simulate::extrap::Platform out, simulate::extrap::platform_of(machine_.name, parameters));
    out.collectives = machine_.collectives;
    return out;
  }
  Result<Outcome> run(double computing = 1) const {
    PARCAST_ASSIGN(const simulate::extrap::Platform with, platform(computing));
    return simulate::extrap::simulate(trace_, with, simulate::Trust::checked);
  }

 private:
  const trace::Trace& trace_;
  const machine::Machine& machine_;
  double computing_;
};

Walk walk_of(const ExtrapRuns& runs, double seconds) {
  return [&runs, seconds](std::span<const Variation> variations,
                          const Progress& progress) -> Result<std::vector<std::vector<double>>> {
    std::vector<std::vector<double>> out;
    for (const Variation& variation : variations) {
      if (progress) progress(static_cast<double>(out.size()) / static_cast<double>(variations.size()));
      if (variation.computing == 1) {  // links and tables have no effect
        out.push_back({seconds});
        continue;
      }
      PARCAST_ASSIGN(const Outcome outcome, runs.run(variation.computing));
      if (!outcome.waiting.empty())
        return Error{"with " + variation.what + " the run would never end", "", ""};
      out.push_back({static_cast<double>(outcome.makespan) * kSecond});
    }
    return out;
  };
}

/// Returns the rank that ends last; the lowest of several.
std::int32_t last_rank(const Outcome& outcome) {
  const auto last = std::ranges::max_element(outcome.ranks, {}, &simulate::RankOutcome::end);
  return static_cast<std::int32_t>(last - outcome.ranks.begin());
}

/// Sets the parts of the total and one region: the rank that ends last.
void take_parts(const Outcome& outcome, Origin computing, Prediction& out) {
  const std::int32_t rank = last_rank(outcome);
  const simulate::RankOutcome& of = outcome.ranks[static_cast<std::size_t>(rank)];
  const auto part = [](simulate::Time time, Origin origin) {
    return without_interval(static_cast<double>(time) * kSecond, time > 0 ? origin : Origin::exact);
  };
  RegionTime region;
  region.path = "rank " + std::to_string(rank) + ", which ends last";
  region.parts.compute = part(of.compute, computing);
  region.parts.message_startup = part(of.communication, Origin::exact);
  region.parts.wait = part(outcome.makespan - of.compute - of.communication, Origin::exact);
  for (Estimate* each : {&region.parts.memory, &region.parts.transfer})
    *each = without_interval(0, Origin::exact);
  region.origin = of.compute > 0 ? computing : Origin::exact;
  region.seconds = part(outcome.makespan, region.origin);
  out.parts = region.parts;
  out.regions = {std::move(region)};
}

std::vector<Warning> warnings_of(const Model& model, const machine::Machine& machine,
                                 const Question& question, const trace::Trace& trace) {
  std::vector<Warning> out = question_warnings(model, machine, question);
  for (const std::string& sentence : trace.assumptions) add_unique(out, {{"simulated", sentence, ""}});
  add_unique(out, {{"simulated", "every rank has a node of its own in ExtraP's model", ""}});
  if (trace::has_locks(trace))
    add_unique(out, {{"simulated", "ExtraP's model has no locks: nobody waits for one", ""}});
  add_notices(model, out);
  return out;
}

Result<void> check_machine(const machine::Machine& machine, const Question& question) {
  if (!machine.extrap)
    return Error{machine.name + " has no section [extrap], by which the engine extrap computes", "",
                 "take extrap-table-1, or set its parameters: CommStartupTime=10"};
  if (question.recorded_machine)
    return Error{"--recorded-on does not apply to ExtraP's model", "", "set MipsRatio"};
  return {};
}

class ExtrapEngine final : public Engine {
 public:
  std::string_view name() const override { return "extrap"; }

  Result<Prediction> predict(const Model& as_built, const machine::Machine& machine, const Question& asked,
                             const Progress& progress) const override {
    PARCAST_TRY(check(as_built, asked));
    PARCAST_TRY(check_machine(machine, asked));
    Question question = asked;
    question.ranks_per_node = 1;
    const Model model = model_at(as_built, question.point);
    PARCAST_ASSIGN(trace::Trace trace, program::generate(model, question.point));
    PARCAST_TRY(trace::check(trace));
    PARCAST_ASSIGN(const ComputingScale scale, fit_to_segments(model, question, trace));
    const ExtrapRuns runs(trace, machine, scale.factor);
    PARCAST_ASSIGN(const Outcome outcome, runs.run());
    if (!outcome.waiting.empty()) {
      Prediction out = answer_of(name(), model, machine, question, {});
      out.hang = std::make_shared<const Hang>(Hang{std::make_shared<const trace::Trace>(trace),
                                                   outcome.waiting, outcome.cycle, outcome.by_choice});
      return out;
    }
    PARCAST_ASSIGN(const ComputingKnown computing,
                   computing_of(model, machine, question, last_rank(outcome)));
    const double whole = static_cast<double>(outcome.makespan) * kSecond;
    PARCAST_ASSIGN(const std::vector<Estimate> estimates,
                   vary({model, machine, question, place(machine, question), computing, {}},
                        std::span(&whole, 1), computing.origin(), walk_of(runs, whole), progress));
    Prediction out = answer_of(name(), model, machine, question, estimates.front());
    take_parts(outcome, computing.origin(), out);
    out.coverage = coverage_of(model, computing, out);
    out.warnings = warnings_of(model, machine, question, trace);
    if (auto scaled = scale_warning(scale)) add_unique(out.warnings, {*std::move(scaled)});
    return out;
  }
};

}  // namespace

const Engine& extrap_engine() {
  static const ExtrapEngine engine;
  return engine;
}

}  // namespace parcast::predict
