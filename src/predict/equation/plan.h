// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the equation's answers at many points share: the contributions of segments and calls, and programs
// that evaluate them and all that their intervals need. Only numbers are left to compute at a point.
//
// Points share a plan when they have the same resolved counts (model/resolved.h), the same link and
// placement, the same number of streaming cores, and the same level and recorded machine (PlanKey).

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "predict/corrections.h"
#include "predict/equation/compiled.h"
#include "predict/equation/contributions.h"
#include "predict/equation/layout.h"

namespace parcast::predict {

/// Filling time of pipelines: hops x (the time of one stage + a message's flight), once per interval.
struct Filling {
  program::NodeId loop = program::kNone;     // the loop whose body is the stage
  program::NodeId receive = program::kNone;  // the receive that precedes its send
  program::NodeId interval = program::kNone;
  symbolic::Expression seconds;  // with rank symbols
};

/// The properties of a question on which a plan depends, apart from the model.
struct PlanKey {
  std::string link, link_note;
  std::int32_t streaming_cores = 0, threads = 1;
  std::optional<std::int32_t> ranks_per_node;
  double level = 0;
  const machine::Machine* recorded_machine = nullptr;
  auto operator<=>(const PlanKey&) const = default;
};
PlanKey plan_key(const machine::Machine& machine, const Question& question);

/// Columns of Plan::details.
namespace column {
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);  // no value anywhere

struct Slope {
  std::size_t parameter = 0;  // index into Plan::uncertain
  std::size_t seconds_per_unit = kNone;
};
struct OfContribution {
  std::size_t at_most = kNone, count = kNone, per_count = kNone;
  std::vector<std::size_t> alternatives;  // of the count
  std::vector<Slope> slopes;
};
struct OfSegment {
  std::vector<std::size_t> arguments, cost_alternatives;
};
struct OfDemand {
  std::size_t number = kNone, bytes = kNone, members = kNone, others = kNone;
};
}  // namespace column

/// A sum of contributions between two waiting calls.
struct PhaseOf {
  std::size_t interval = 0;  // index into Plan::intervals
  std::vector<std::size_t> contributions;
};

/// A parameter of the machine with a standard error.
struct Uncertain {
  std::string name;
  double standard_error = 0;
};

struct Plan {
  const program::Model* model = nullptr;
  const machine::Machine* machine = nullptr;
  PlanKey key;
  Layout layout;
  Contributions contributions;
  symbolic::Binding costs;
  std::vector<Filling> fillings;
  // Of a model that is not reconciled: at each point, forecasts correct the seconds of its segments, which
  // have factor_symbol().
  std::optional<Corrections> corrections;

  std::vector<program::NodeId> intervals;  // the calls that close them, ascending
  std::vector<PhaseOf> phases;             // by interval, then by the call that closes them
  std::vector<std::size_t> interval_of;    // by contribution: index into intervals

  std::optional<Compiled> seconds;  // by contribution
  // Expressions that depend on a rank's place: ranks with equal values of all of them take equally long.
  std::optional<Compiled> places;

  // What intervals, warnings and fillings need, on the slowest rank of an interval.
  std::optional<Compiled> details;
  std::vector<column::OfContribution> of_contribution;
  std::vector<column::OfSegment> of_segment;
  std::vector<column::OfDemand> of_demand;
  std::vector<std::size_t> of_filling;
  double value(std::span<const double> details_at_rank, std::size_t column, double otherwise) const;

  std::vector<Uncertain> uncertain;
  std::vector<double> covariance;            // uncertain.size() squared
  std::vector<std::size_t> table_of;         // by contribution: index into the machine's patterns, or kNone
  std::vector<double> misfit_of_table;       // by pattern: largest relative error of a piece
  std::vector<std::size_t> fitted_count_of;  // by contribution: number of its fitted count, or kNone
  std::size_t fitted_counts = 0;
  double quantile = 0;  // normal, at the level
  double run_deviation = 0, processor_spread = 0;
};
/// What a plan's solutions are for: for values alone, nothing is differentiated.
enum class PlanFor { intervals, values };
Result<std::shared_ptr<const Plan>> make_plan(const program::Model& model, const machine::Machine& machine,
                                              const Question& question, PlanFor purpose = PlanFor::intervals);

/// Returns the fillings of the model's pipelines.
std::vector<Filling> fillings(const program::Model& model, const Contributions& contributions,
                              const machine::Machine& machine, const Layout& layout);

/// Returns what a chained receive waits for in addition to its sender: the flight of one message.
MessageCost flight_of_one(const program::Model& model, const machine::Machine& machine,
                          const std::string& link, program::NodeId receive);

}  // namespace parcast::predict
