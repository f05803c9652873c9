// SPDX-License-Identifier: Apache-2.0
#include "predict/model_checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/text.h"
#include "model/resolved.h"
#include "predict/auto_engine.h"
#include "predict/corrections.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "predict/segment_computing.h"

namespace parcast::predict {
namespace {

using program::Compared;
using program::ComparedPiece;
using program::Model;
using program::NodeId;
using program::RecordedRun;
using program::RunCheck;

constexpr std::size_t kFewestValues = 3;  // of a variable, so that two remain
constexpr double kLongest = 1e30;         // seconds; the largest that the file can hold
constexpr double kLeastShare = 0.001;     // of a run's computing; regions below it on both sides are omitted

/// Two consecutive calls by name; the names are equal in every model of the program.
using Pair = std::pair<std::string, std::string>;

std::string name_of(const Model& model, NodeId id) {
  if (id == program::kNone) return "";
  const program::Node& call = model.nodes[static_cast<std::size_t>(id)];
  std::string path;
  for (NodeId at = call.parent; at != program::kNone; at = model.nodes[static_cast<std::size_t>(at)].parent) {
    const program::Node& node = model.nodes[static_cast<std::size_t>(at)];
    if (node.kind == program::NodeKind::region) path = node.label + "/" + path;
  }
  return path + call.label + " " + call.where;
}

std::string name_of(const program::RunTotals& totals, std::int32_t key) {
  if (key == program::kOutside) return "";
  const program::CallKey& call = totals.keys[static_cast<std::size_t>(key)];
  std::string path;
  for (const std::string& region : call.path) path += region + "/";
  return path + call.name + " " + call.where;
}

/// The labels and places of the nodes around a node, and its own: equal in every model of the program.
std::string named_path(const Model& model, NodeId id) {
  std::string out;
  for (; id != program::kNone; id = model.nodes[static_cast<std::size_t>(id)].parent) {
    const program::Node& node = model.nodes[static_cast<std::size_t>(id)];
    out = node.label + " " + node.where + "/" + out;
  }
  return out;
}

/// Computing between two calls, for each rank.
struct Both {
  std::int32_t segment = -1;  // the first segment of that name; -1: the model has none
  std::vector<double> recorded, given;
};

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class Comparison {
 public:
  Comparison(const Model& model, const RecordedRun& run)
      : model_(model), run_(run), ranks_(static_cast<std::size_t>(run.point.processes)) {}

  Result<RunCheck> check() {
    PARCAST_TRY(add_given());
    add_recorded();
    RunCheck out;
    out.processes = run_.point.processes;
    out.parameters = run_.point.parameters;
    add_ranks(out);
    add_regions(out);
    add_segment(out);
    return out;
  }

  /// Computing in a node, all ranks together. Only after check().
  Compared inside(NodeId node) const {
    Compared out;
    for (const auto& [pair, both] : pairs_) {
      NodeId at = both.segment < 0 ? 0 : model_.segments[static_cast<std::size_t>(both.segment)].owner;
      while (at != program::kNone && at != node) at = model_.nodes[static_cast<std::size_t>(at)].parent;
      if (at == node) out.recorded += sum_of(both.recorded), out.given += sum_of(both.given);
    }
    return out;
  }

 private:
  Both& both_of(const Pair& pair) {
    Both& both = pairs_[pair];
    both.recorded.resize(ranks_), both.given.resize(ranks_);
    return both;
  }

  Result<void> add_given() {
    PARCAST_ASSIGN(const auto seconds, values_by_rank(model_, run_.point, computing_by_segment(model_)));
    for (std::size_t s = 0; s < model_.segments.size(); ++s) {
      const program::Segment& segment = model_.segments[s];
      Both& both = both_of({name_of(model_, segment.from), name_of(model_, segment.to)});
      if (both.segment < 0) both.segment = static_cast<std::int32_t>(s);
      for (std::size_t r = 0; r < ranks_; ++r)
        if (const double value = seconds[s * ranks_ + r]; std::isfinite(value))
          both.given[r] += std::clamp(value, 0.0, kLongest);
    }
    return {};
  }

  void add_recorded() {
    const program::RunTotals& totals = *run_.totals;
    for (const program::Trace& trace : totals.traces)
      for (const auto& [id, of] : trace.transitions) {
        const program::Transition& t = totals.transitions[static_cast<std::size_t>(id)];
        if (t.to == program::kOutside) continue;
        both_of({name_of(totals, t.from), name_of(totals, t.to)})
            .recorded[static_cast<std::size_t>(trace.rank)] +=
            of.time.mean * static_cast<double>(of.time.count) + of.time.first_extra;
      }
  }

  void add_ranks(RunCheck& out) const {
    std::vector<Compared> ranks(ranks_);
    for (const auto& [pair, both] : pairs_)
      for (std::size_t r = 0; r < ranks_; ++r)
        ranks[r].recorded += both.recorded[r], ranks[r].given += both.given[r];
    double most = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      out.computing.recorded += ranks[r].recorded, out.computing.given += ranks[r].given;
      out.slowest.recorded = std::max(out.slowest.recorded, ranks[r].recorded);
      out.slowest.given = std::max(out.slowest.given, ranks[r].given);
      const double off = std::abs(ranks[r].given - ranks[r].recorded);
      if (off <= most) continue;
      most = off;
      out.rank = ComparedPiece{static_cast<std::int32_t>(r), ranks[r]};
    }
  }

  void add_regions(RunCheck& out) const {
    std::map<NodeId, Compared> regions;
    for (const auto& [pair, both] : pairs_) {
      const NodeId owner =
          both.segment < 0 ? 0 : model_.segments[static_cast<std::size_t>(both.segment)].owner;
      Compared& region = regions[std::max<NodeId>(owner, 0)];
      region.recorded += sum_of(both.recorded), region.given += sum_of(both.given);
    }
    for (const auto& [node, seconds] : regions)
      if (seconds.recorded > kLeastShare * out.computing.recorded ||
          seconds.given > kLeastShare * out.computing.given)
        out.regions.push_back({node, seconds});
  }

  /// Time before MPI_Init is not of the parallel run.
  bool is_before_init(std::int32_t segment) const {
    const program::Segment& each = model_.segments[static_cast<std::size_t>(segment)];
    return each.from == program::kNone && each.to != program::kNone &&
           model_.nodes[static_cast<std::size_t>(each.to)].call_class == recording::CallClass::initialise;
  }

  /// Takes the segment with the largest error; one before MPI_Init only if its error exceeds all others
  /// together.
  void add_segment(RunCheck& out) const {
    double most = 0, others = 0;
    std::optional<ComparedPiece> before;
    for (const auto& [pair, both] : pairs_) {
      if (both.segment < 0) continue;
      const Compared seconds{sum_of(both.recorded), sum_of(both.given)};
      const double off = std::abs(seconds.given - seconds.recorded);
      if (is_before_init(both.segment)) {
        before = ComparedPiece{both.segment, seconds};
        continue;
      }
      others += off;
      if (off <= most) continue;
      most = off;
      out.segment = ComparedPiece{both.segment, seconds};
    }
    if (before && std::abs(before->seconds.given - before->seconds.recorded) > others) out.segment = before;
  }

  const Model& model_;
  const RecordedRun& run_;
  std::size_t ranks_;
  std::map<Pair, Both> pairs_;
};

std::optional<Compared> total_of(const Model& model, const machine::Machine& machine,
                                 const RecordedRun& run) {
  if (run.crowded || run.disturbed || !(run.seconds > 0)) return std::nullopt;
  Question question;
  question.point = run.point;
  const auto prediction = auto_engine().predict(model, machine, question);
  if (!prediction || prediction->hang) return std::nullopt;
  return Compared{run.seconds, prediction->seconds.value};
}

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

/// Adds the errors of the model's forecasts, and of the sums of their segments, for a run.
Result<void> add_errors(const Model& model, const RecordedRun& run, double doublings, ForwardErrors& errors) {
  const Model as_fitted = program::resolved(model, run.point);
  Comparison comparison(as_fitted, run);
  PARCAST_TRY(comparison.check());
  const std::vector<std::optional<Weighed>> wholes = Corrections(as_fitted).forecasts_at(run.point);
  for (std::size_t f = 0; f < wholes.size(); ++f) {
    const program::Forecast& forecast = as_fitted.forecasts[f];
    const std::optional<Weighed>& whole = wholes[f];
    const Compared parts = comparison.inside(forecast.node);
    if (!whole || !(whole->value > 0) || !(parts.recorded > 0) || !(parts.given > 0)) continue;
    ForwardErrors::OfNode& node = errors.nodes[named_path(as_fitted, forecast.node)];
    node.whole.push_back(std::log(parts.recorded / run.point.processes / whole->value) / doublings);
    node.parts.push_back(std::log(parts.recorded / parts.given) / doublings);
  }
  return {};
}

double value_of(const RecordedRun& run, const std::string& variable) {
  return variable == "p" ? run.point.processes : run.point.parameters.at(variable);
}

}  // namespace

Result<RunCheck> check_computing(const Model& model, const RecordedRun& run) {
  return Comparison(model_at(model, run.point), run).check();
}

Result<program::Checks> give_back(const Model& model, const std::vector<RecordedRun>& runs,
                                  const machine::Machine* machine, const Progress& progress) {
  program::Checks out;
  const bool totals = machine && same_processor(model.recorded_on, *machine);
  if (totals) out.machine = machine->name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    PARCAST_ASSIGN(RunCheck check, check_computing(model, runs[i]));
    check.slowed = std::ranges::any_of(model.sources, [&](const program::Source& source) {
      return source.slowed && !source.digest.empty() && source.digest == runs[i].digest;
    });
    if (totals) check.total = total_of(model, *machine, runs[i]);
    out.given_back.push_back(std::move(check));
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(runs.size()));
  }
  return out;
}

std::vector<HeldOut> held_out(const std::vector<RecordedRun>& runs) {
  if (runs.empty()) return {};
  std::vector<std::string> variables{"p"};
  for (const auto& [name, value] : runs.front().point.parameters) variables.push_back(name);
  std::vector<HeldOut> out;
  for (const std::string& variable : variables) {
    std::set<double> values;
    for (const RecordedRun& run : runs) values.insert(value_of(run, variable));
    if (values.size() < kFewestValues) continue;
    HeldOut held{variable, *values.rbegin(), *std::next(values.rbegin()), {}, {}};
    for (std::size_t i = 0; i < runs.size(); ++i)
      (value_of(runs[i], variable) == held.largest ? held.runs : held.others).push_back(i);
    out.push_back(std::move(held));
  }
  return out;
}

Result<program::ForwardCheck> check_forward(program::RecordedRuns& recordings,
                                            const std::vector<RecordedRun>& runs, const HeldOut& held,
                                            ForwardErrors& errors) {
  std::vector<std::size_t> chosen;
  for (const std::size_t i : held.others) chosen.push_back(runs[i].index);
  PARCAST_ASSIGN(const Model model, recordings.make_model_of(chosen));
  program::ForwardCheck out{held.without, held.largest, held.remaining, {}};
  for (const std::size_t i : held.runs) {
    PARCAST_ASSIGN(RunCheck check, check_computing(model, runs[i]));
    check.regions.clear(), check.segment.reset();  // they belong to that model, which is not kept
    if (held.remaining > 0)
      PARCAST_TRY(add_errors(model, runs[i], std::log2(held.largest / held.remaining), errors));
    out.runs.push_back(std::move(check));
  }
  return out;
}

void weigh_forecasts(Model& model, const ForwardErrors& errors) {
  for (program::Forecast& forecast : model.forecasts) {
    const auto of_node = errors.nodes.find(named_path(model, forecast.node));
    if (of_node == errors.nodes.end()) continue;
    forecast.error = root_mean_square(of_node->second.whole);
    forecast.error_of_parts = root_mean_square(of_node->second.parts);
  }
}

Result<std::vector<Unchecked>> check_model(program::RecordedRuns& recordings, Model& model,
                                           const machine::Machine* machine, bool forward,
                                           const std::function<void(double, std::string_view)>& show) {
  PARCAST_ASSIGN(const auto runs, recordings.whole_runs());
  const auto all = forward ? held_out(runs) : std::vector<HeldOut>();
  const auto steps = static_cast<double>(1 + all.size());
  std::vector<Unchecked> missing;
  std::vector<program::ForwardCheck> ahead;
  ForwardErrors errors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    show(static_cast<double>(i) / steps, "predict the largest runs from the others");
    auto check = check_forward(recordings, runs, all[i], errors);
    if (check)
      ahead.push_back(*std::move(check));
    else
      missing.push_back({"the runs of largest " + all[i].without, check.error()});
  }
  weigh_forecasts(model, errors);
  const auto before = static_cast<double>(all.size());
  auto checks = give_back(model, runs, machine,
                          [&](double done) { show((before + done) / steps, "predict the recordings"); });
  if (!checks) return std::vector<Unchecked>{{"its recordings", checks.error()}};
  model.checks = *std::move(checks);
  model.checks.forward = std::move(ahead);
  for (program::ForwardCheck& check : model.checks.forward)
    for (RunCheck& run : check.runs)
      run.slowed = std::ranges::any_of(model.checks.given_back, [&](const RunCheck& each) {
        return each.slowed && each.processes == run.processes && each.parameters == run.parameters &&
               each.computing.recorded == run.computing.recorded;
      });
  return missing;
}

}  // namespace parcast::predict
