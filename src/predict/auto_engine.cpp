// SPDX-License-Identifier: Apache-2.0
#include "predict/auto_engine.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "base/threads.h"
#include "predict/by_interpretation.h"
#include "predict/by_simulation.h"
#include "predict/equation/equation.h"
#include "predict/intervals.h"
#include "predict/order_faults.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "structure/alternatives.h"
#include "structure/generate.h"

namespace parcast::predict {
namespace {

using program::Model;

constexpr double kSame = 1e-9;  // of a written program: both engines compute for the same time at each place
// Tolerance for a recorded program: both engines compute for the same time in total, but not at each place.
// Messages whose size changes are priced at their mean size.
constexpr double kAlike = 0.05;

double tolerance(const Model& model) {
  return model.written_in.empty() ? kAlike : kSame;
}

bool agree(double a, double b, double within) {
  return std::abs(a - b) <= within * std::max(std::abs(a), std::abs(b));
}

/// Returns why the ranks of this model cannot be followed; empty: they can.
std::string obstacle(const Model& model) {
  if (!model.structure) return "the model does not hold the order of operations";
  if (!model.structure->found()) return model.structure->missing.what;
  return "";
}

/// Adds a warning when the compared order depends on a rule that was chosen among several.
void add_doubts(const Model& model, const Question& question, std::vector<Warning>& out) {
  for (const program::Doubt& doubt : program::doubts_at(model, question.point))
    add_unique(out, {{"partners-assumed", program::to_text(doubt), ""}});
}

/// Models without such a call have nothing to wait for.
bool communicates(const Model& model) {
  return std::ranges::any_of(model.nodes, [](const program::Node& node) {
    return node.kind == program::NodeKind::call && node.synchronisation != program::Synchronisation::none;
  });
}

Estimate plus(Estimate estimate, double seconds) {
  estimate.value += seconds, estimate.low += seconds, estimate.high += seconds;
  return estimate;
}

/// Names the part in which the totals differ most: "most of it is waiting: 20.0 us for 912 us". Empty: the
/// parts are equal.
std::string difference_of(const Parts& closed, const Parts& followed) {
  struct Named {
    const char* name;
    double closed, followed;
  };
  const Named all[] = {{"computing", closed.compute.value + closed.memory.value,
                        followed.compute.value + followed.memory.value},
                       {"startup of messages", closed.message_startup.value, followed.message_startup.value},
                       {"transfer", closed.transfer.value, followed.transfer.value},
                       {"waiting", closed.wait.value, followed.wait.value}};
  const Named& most = *std::ranges::max_element(
      all, {}, [](const Named& each) { return std::abs(each.closed - each.followed); });
  if (!(std::abs(most.closed - most.followed) > 0)) return "";
  return "; most of the difference is " + std::string(most.name) + ": " + format_seconds(most.closed) +
         " for " + format_seconds(most.followed);
}

/// Seconds that only the closed form has: data that leave a cache, waits for ranks and iterations that
/// compute longer than others, and calls that take as long as recorded.
struct Disturbances {
  double memory = 0, waits = 0;
  std::vector<const RegionTime*> recorded;  // rows of the closed form

  double of_recorded() const {
    double seconds = 0;
    for (const RegionTime* call : recorded) seconds += call->seconds.value;
    return seconds;
  }
  double total() const { return memory + waits + of_recorded(); }
};

/// `undisturbed`: total of the closed form without them.
Disturbances disturbances_of(const Model& model, const Prediction& closed, double undisturbed) {
  Disturbances out{closed.parts.memory.value, 0, {}};
  for (const RegionTime& region : closed.regions)
    if (region.node != program::kNone && is_as_recorded(model.nodes[static_cast<std::size_t>(region.node)]) &&
        region.seconds.value > 0)
      out.recorded.push_back(&region);
  out.waits = std::max(0.0, closed.seconds.value - undisturbed - out.memory - out.of_recorded());
  return out;
}

/// Total of the run followed rank by rank, with the disturbances of the closed form.
double followed_total(const Model& model, const Prediction& closed, const ClosedFormCheck& checked) {
  if (std::isnan(checked.closed)) return checked.interpreted;
  return checked.interpreted + disturbances_of(model, closed, checked.closed).total();
}

/// Adds the row of a call to the one that the answer has for it.
void add_row(const RegionTime& call, Prediction& out) {
  const auto same = std::ranges::find_if(out.regions, [&](const RegionTime& each) {
    return each.path == call.path && each.where == call.where;
  });
  if (same == out.regions.end()) {
    out.regions.push_back(call);
    out.regions.back().node = program::kNone;
  } else {
    same->origin = weaker(same->origin, call.origin);
    same->seconds = plus(same->seconds, call.seconds.value);
    same->parts.message_startup = plus(same->parts.message_startup, call.seconds.value);
  }
}

/// Adds the disturbances of the closed form. Those of computing are in proportion to the computing if this
/// answer has less than the closed form. A critical path that passes through several ranks may have more than
/// any rank.
void add_disturbances(const Model& model, const Prediction& closed, double undisturbed, Prediction& out) {
  const Disturbances of_closed = disturbances_of(model, closed, undisturbed);
  const double ratio = closed.parts.compute.value > 0
                           ? std::min(1.0, out.parts.compute.value / closed.parts.compute.value)
                           : 0;
  const double memory = of_closed.memory * ratio, waits = of_closed.waits * ratio,
               recorded = of_closed.of_recorded();
  if (!(memory + waits + recorded > 0)) return;
  for (const RegionTime* call : of_closed.recorded) add_row(*call, out);
  if (memory + waits > 0) {
    RegionTime uneven;
    uneven.path = memory > 0 ? "all regions: data beyond a cache, uneven computing"
                             : "all regions: ranks and iterations that compute unevenly";
    uneven.origin = Origin::fitted;
    uneven.parts.memory = plus(uneven.parts.memory, memory),
    uneven.parts.wait = plus(uneven.parts.wait, waits);
    uneven.seconds = plus({}, memory + waits);
    for (Estimate* each : {&uneven.seconds, &uneven.parts.memory, &uneven.parts.wait})
      each->unit = "s", each->origin = Origin::fitted;
    out.regions.push_back(std::move(uneven));
  }
  std::ranges::stable_sort(out.regions, [](const RegionTime& a, const RegionTime& b) {
    return a.seconds.value > b.seconds.value;
  });
  out.parts.memory = plus(out.parts.memory, memory), out.parts.wait = plus(out.parts.wait, waits);
  out.parts.message_startup = plus(out.parts.message_startup, recorded);
  if (out.of_program) out.of_program = plus(*out.of_program, memory + waits + recorded);
  set_seconds(plus(out.seconds, memory + waits + recorded), out);
}

/// Widens the interval by what numbers without a formula leave open. Following the ranks varies costs alone.
void hold_open_counts(const Prediction& closed, Prediction& out) {
  constexpr double kOpen = 0.1;  // of the time
  double open = 0;
  for (const Origin origin : {Origin::constant, Origin::measured})
    if (const auto at = closed.coverage.find(origin); at != closed.coverage.end()) open += at->second;
  if (open < kOpen || !(closed.seconds.value > 0)) return;
  Estimate seconds = out.seconds;
  seconds.low = std::min(seconds.low, seconds.value * closed.seconds.low / closed.seconds.value);
  seconds.high = std::max(seconds.high, seconds.value * closed.seconds.high / closed.seconds.value);
  set_seconds(seconds, out);
}

class AutoEngine final : public Engine {
 public:
  std::string_view name() const override { return kDefaultEngine; }

  Result<Prediction> predict(const Model& model, const machine::Machine& machine, const Question& question,
                             const Progress& progress) const override {
    PARCAST_ASSIGN(const ClosedFormCheck checked, check_closed_form(model, machine, question));
    if (checked.hang || (checked.unchecked.empty() && !checked.agrees))
      return interpreted(model, machine, question, checked, progress);
    PARCAST_ASSIGN(Prediction out, equation_engine().predict(model, machine, question, progress));
    if (checked.unchecked.empty()) {
      out.second = SecondTotal{"interpret", followed_total(model, out, checked)};
      add_doubts(model, question, out.warnings);
    } else if (question.point.processes > 1 && communicates(model)) {
      out.warnings.push_back({"waits-unchecked",
                              "waits between ranks are those of the closed form, which was not compared with "
                              "the run followed rank by rank: " +
                                  checked.unchecked,
                              ""});
    }
    return out;
  }

 private:
  /// The interpreter has no interval, for example when the run would deadlock with another value of a machine
  /// parameter.
  static Result<Prediction> fallen_back(const Model& model, const machine::Machine& machine,
                                        const Question& question, const ClosedFormCheck& checked,
                                        const Error& why) {
    PARCAST_ASSIGN(Prediction out, equation_engine().predict(model, machine, question));
    out.second = SecondTotal{"interpret", checked.interpreted};
    out.warnings.push_back(
        {"closed-form-differs",
         "the run followed rank by rank takes " + format_seconds(checked.interpreted) +
             ", and the closed form " + format_seconds(checked.closed) +
             "; the closed form is the answer, since the other has no interval: " + why.what,
         why.hint});
    return out;
  }

  static Result<Prediction> interpreted(const Model& model, const machine::Machine& machine,
                                        const Question& question, const ClosedFormCheck& checked,
                                        const Progress& progress) {
    Result<Prediction> answer = interpret_engine().predict(model, machine, question, progress);
    if (!answer) return fallen_back(model, machine, question, checked, answer.error());
    Prediction out = *std::move(answer);
    if (out.hang) return out;
    if (std::isnan(checked.closed)) {
      out.warnings.push_back(
          {"closed-form-differs",
           "the closed form has no value here; the run followed rank by rank is the answer", ""});
      return out;
    }
    const Result<Prediction> closed = equation_engine().predict(model, machine, question, {});
    if (closed) add_disturbances(model, *closed, checked.closed, out), hold_open_counts(*closed, out);
    out.second = SecondTotal{"equation", closed ? closed->seconds.value : checked.closed};
    out.warnings.push_back({"closed-form-differs",
                            "the closed form gives " + format_seconds(out.second->seconds) +
                                "; the run followed rank by rank is the answer" +
                                (closed ? difference_of(closed->parts, out.parts) : ""),
                            ""});
    return out;
  }
};

/// Makes the interval hold the other total too.
Estimate holding(Estimate estimate, double seconds) {
  estimate.low = std::min(estimate.low, seconds), estimate.high = std::max(estimate.high, seconds);
  return estimate;
}

class CheckedEquation final : public Engine {
 public:
  std::string_view name() const override { return equation_engine().name(); }

  Result<Prediction> predict(const Model& model, const machine::Machine& machine, const Question& question,
                             const Progress& progress) const override {
    PARCAST_ASSIGN(Prediction out, equation_engine().predict(model, machine, question, progress));
    const auto checked = check_closed_form(model, machine, question);
    if (!checked || !checked->unchecked.empty()) return out;
    out.hang = checked->hang;
    if (out.hang) return out;
    const double followed = followed_total(model, out, *checked), closed = out.seconds.value;
    out.second = SecondTotal{"interpret", followed};
    if (checked->agrees || std::isnan(checked->closed)) return out;
    set_seconds(holding(out.seconds, followed), out);
    out.warnings.push_back({"closed-form-misses-waits",
                            "followed rank by rank the run takes " + format_seconds(followed) +
                                ", and the closed form gives " + format_seconds(closed) +
                                ": ranks wait for each other in turn",
                            "leave out --engine equation"});
    return out;
  }
};

/// Marks what rests on copies of another process count as assumed: messages, and waits for them.
void mark_copies(const Model& model, const Question& question, Prediction& out) {
  if (!model.structure || model.structure->copied == 0 || model.structure->copied == question.point.processes)
    return;
  for (RegionTime& region : out.regions)
    if (region.parts.message_startup.value + region.parts.transfer.value + region.parts.wait.value > 0)
      region.origin = region.seconds.origin = weaker(region.origin, Origin::assumed);
}

/// Fails where the order of operations is no run; adds a warning where the model counts other messages.
Result<void> check_order(const Model& as_built, const Question& question, std::vector<Warning>& warnings) {
  const Model model = model_at(as_built, question.point);
  PARCAST_ASSIGN(const trace::Trace trace, program::generate(model, question.point));
  if (const std::string fault = unmatched_messages(trace); !fault.empty())
    return Error{fault, "",
                 "--engine equation needs no order; a recording nearer to this point would show it"};
  std::string copies = model.structure ? program::copies_text(*model.structure, question.point) : "";
  if (question.point.processes > 1 && !copies.empty()) {
    std::erase_if(warnings, [&](const Warning& warning) { return warning.text == copies; });
    add_unique(warnings, {{"order-copied", std::move(copies), "--engine equation needs no order"}});
  }
  if (std::string other = other_message_count(model, question.point, trace); !other.empty())
    add_unique(warnings, {{"order-uncertain", std::move(other), "record a run nearer to this point"}});
  return {};
}

/// Fails if copies of a recorded run wait for ever because messages come in an order unlike the recorded one.
/// The recorded run ended, so it is the copied order that does not hold here.
Result<void> check_copies_end(const Model& model, const Prediction& out) {
  if (!model.structure || model.structure->copied == 0 || !out.hang || !out.hang->by_choice) return {};
  return Error{"the order that was recorded at p = " + std::to_string(model.structure->copied) +
                   " does not end at p = " + std::to_string(out.question.point.processes) + ": " +
                   format_integer(static_cast<long long>(out.hang->waiting.size())) + " of " +
                   format_integer(out.question.point.processes) + " ranks, such as rank " +
                   std::to_string(out.hang->waiting.front().rank) +
                   ", wait for ever, since receives from any source take messages in another order",
               "", "--engine equation needs no order; a recording nearer to this point would show it"};
}

/// An engine that follows ranks, with the disturbances that only the closed form has. A written program has
/// none.
class FollowedEngine final : public Engine {
 public:
  explicit FollowedEngine(const Engine& follower) : follower_(follower) {}
  std::string_view name() const override { return follower_.name(); }

  Result<Prediction> predict(const Model& model, const machine::Machine& machine, const Question& question,
                             const Progress& progress) const override {
    PARCAST_ASSIGN(Prediction out, follower_.predict(model, machine, question, progress));
    if (!model.written_in.empty()) return out;
    PARCAST_TRY(check_copies_end(model, out));
    PARCAST_TRY(check_order(model, question, out.warnings));
    if (out.hang) return out;
    mark_copies(model, question, out);
    const Result<Prediction> closed = equation_engine().predict(model, machine, question, {});
    const auto undisturbed = undisturbed_seconds(model_at(model, question.point), machine, question);
    if (closed && undisturbed)
      add_disturbances(model, *closed, *undisturbed, out);
    else
      out.warnings.push_back(
          {"disturbances-unknown",
           "data beyond a cache and uneven computing are left out: the closed form, which has "
           "them, has no value here",
           ""});
    if (closed) hold_open_counts(*closed, out);
    return out;
  }

 private:
  const Engine& follower_;
};

}  // namespace

std::string left_out_by_following(const Model& model, const machine::Machine& machine,
                                  const Question& question) {
  constexpr double kLeast = 0.01;
  if (!model.written_in.empty()) return "";
  const auto closed = equation_engine().predict(model, machine, question, {});
  const auto undisturbed = undisturbed_seconds(model_at(model, question.point), machine, question);
  if (!closed || !undisturbed) return "";
  const double more = closed->seconds.value - *undisturbed;
  if (!(more > kLeast * closed->seconds.value)) return "";
  const bool has_recorded = std::ranges::any_of(model.nodes, [](const program::Node& node) {
    return is_as_recorded(node) && node.measured_seconds > 0;
  });
  return "each rank and iteration computes for the mean time, with data in the caches of the recorded runs" +
         std::string(has_recorded ? "; communicators are made, and files read and written, in no time" : "") +
         ": parcast predict adds about " + format_seconds(more);
}

namespace {

// Ratio of both totals at a recorded point from which more calls are followed at the requested one.
constexpr double kFarApart = 1.5;
constexpr std::uint64_t kCallsOfDoubtful = 2'000'000;  // are followed in some seconds

/// Returns a question for the recorded point of the most processes; of several, of the shortest run.
std::optional<Question> recorded_question(const Model& model, const Question& question) {
  const program::Source* best = nullptr;
  for (const program::Source& source : model.sources)
    if (source.processes > 1 && !source.damaged &&
        (!best || std::pair(-source.processes, source.seconds) < std::pair(-best->processes, best->seconds)))
      best = &source;
  if (!best) return std::nullopt;
  Question out = question;
  out.point = {best->parameters, best->processes};
  return out;
}

/// Returns whether both totals are far apart at a recorded point, where few calls have to be followed.
bool is_far_where_recorded(const Model& as_built, const machine::Machine& machine, const Question& question) {
  const auto recorded = recorded_question(as_built, question);
  if (!recorded || !check(as_built, *recorded)) return false;
  const Model model = model_at(as_built, recorded->point);
  const auto run = interpret_shortly(model, machine, *recorded);
  const auto closed = undisturbed_seconds(model, machine, *recorded);
  if (!run || hang_of(*run) || !closed) return false;
  const double followed = static_cast<double>(run->result.makespan) * 1e-12;
  return std::max(*closed, followed) > kFarApart * std::min(*closed, followed);
}

}  // namespace

Result<ClosedFormCheck> check_closed_form(const Model& as_built, const machine::Machine& machine,
                                          const Question& question) {
  PARCAST_TRY(check(as_built, question));
  ClosedFormCheck out;
  out.unchecked = obstacle(as_built);
  if (!out.unchecked.empty()) return out;
  const Model model = model_at(as_built, question.point);
  Result<Interpreted> run = interpret_shortly(model, machine, question);
  if (!run && run.error().what == interpret::kTooManyCalls &&
      is_far_where_recorded(as_built, machine, question))
    run = interpret_shortly(model, machine, question, kCallsOfDoubtful);
  if (!run) {
    out.unchecked = run.error().what;
    return out;
  }
  if (model.written_in.empty()) {
    out.unchecked = unmatched_messages(run->program.trace);
    if (out.unchecked.empty()) out.unchecked = other_message_count(model, question.point, run->program.trace);
  }
  if (!out.unchecked.empty()) return out;
  out.hang = hang_of(*run);
  if (out.hang) return out;
  out.interpreted = static_cast<double>(run->result.makespan) * 1e-12;
  const auto closed = undisturbed_seconds(model, machine, question);
  if (!closed) {  // e.g. a formula without a value at this point
    out.closed = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  out.closed = *closed;
  out.agrees = agree(out.closed, out.interpreted, tolerance(model));
  return out;
}

namespace {

/// A point at which the equation and the interpreted run are compared.
struct PointComparison {
  std::int32_t processes = 1;
  bool differs = false;
  std::string unchecked;
};

/// Compares kMostChecked points. The comparison ends at the first point that differs; the others are then
/// without meaning.
std::vector<PointComparison> compare_some(const Model& model, const machine::Machine& machine,
                                          std::span<const Question> questions) {
  std::vector<PointComparison> out(kMostChecked);
  std::atomic<bool> any_differs = false;
  for_each_index(kMostChecked, 0, [&](std::size_t i) {
    if (any_differs) return;
    const Question& question = questions[i * (questions.size() - 1) / (kMostChecked - 1)];
    const auto checked = check_closed_form(model, machine, question);
    const bool differs = !checked || checked->hang || (checked->unchecked.empty() && !checked->agrees);
    out[i] = {question.point.processes, differs, checked ? checked->unchecked : ""};
    if (differs) any_differs = true;
  });
  return out;
}

}  // namespace

ManyPointsChoice choose_for_many(const Model& model, const machine::Machine& machine,
                                 std::span<const Question> questions) {
  if (questions.size() <= kMostChecked) return {};
  const std::vector<PointComparison> comparisons = compare_some(model, machine, questions);
  std::size_t compared = 0;
  std::string unchecked;
  for (const PointComparison& each : comparisons) {
    if (each.differs) return {};
    const bool alone = each.processes == 1;
    compared += each.unchecked.empty() || alone;
    if (!each.unchecked.empty() && !alone && unchecked.empty()) unchecked = each.unchecked;
  }
  ManyPointsChoice out{.by_equation = true};
  if (!communicates(model)) return out;
  out.warning = Warning{"waits-unchecked",
                        "waits between ranks are those of the closed form, which was compared with the run "
                        "followed rank by rank at " +
                            std::to_string(compared) + " of " +
                            format_integer(static_cast<long long>(questions.size())) + " points" +
                            (unchecked.empty() ? "" : ": " + unchecked),
                        "ask for one point alone to have it checked"};
  return out;
}

std::optional<Warning> closed_form_warning(const Model& model, const machine::Machine& machine,
                                           std::span<const Question> questions) {
  if (questions.empty()) return std::nullopt;
  const std::vector<PointComparison> comparisons = compare_some(model, machine, questions);
  if (std::ranges::none_of(comparisons, &PointComparison::differs)) return std::nullopt;
  return Warning{"closed-form-misses-waits",
                 "the closed form differs from the run followed rank by rank: ranks wait for each other in "
                 "turn, or deadlock",
                 "leave out --engine equation"};
}

const Engine& checked_equation_engine() {
  static const CheckedEquation engine;
  return engine;
}

const Engine& disturbed_interpret_engine() {
  static const FollowedEngine engine(interpret_engine());
  return engine;
}

const Engine& disturbed_simulate_engine() {
  static const FollowedEngine engine(simulate_engine());
  return engine;
}

const Engine& auto_engine() {
  static const AutoEngine engine;
  return engine;
}

}  // namespace parcast::predict
