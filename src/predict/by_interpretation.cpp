// SPDX-License-Identifier: Apache-2.0
#include "predict/by_interpretation.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "machine/tools.h"
#include "predict/assumed_link.h"
#include "predict/check_evidence.h"
#include "predict/interpret/rank_classes.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "predict/simulated_seconds.h"
#include "predict/system_costs.h"
#include "predict/variation.h"
#include "structure/generate.h"

namespace parcast::predict {
namespace {

using interpret::Interpretation;
using interpret::Statistics;
using program::ApplicationGraph;
using program::GraphTrace;
using program::Model;
using program::UnitId;

double seconds(interpret::Time time) {
  return static_cast<double>(time) * kSecond;
}

interpret::Labels labels_of(const GraphTrace& program) {
  return {program.unit_of, program.computing_of, program.tail, program.part_of_call,
          static_cast<std::uint32_t>(program.graph.units.size())};
}

Result<machine::Routes> routes_of(const machine::Machine& machine, std::int32_t ranks,
                                  const machine::MapRule& map) {
  PARCAST_ASSIGN(const machine::System system, machine::system_of(machine));
  PARCAST_ASSIGN(machine::Mapping mapping, machine::map_ranks(system, ranks, map));
  return machine::Routes::of(std::move(mapping));
}

/// Returns the rank with the longest computing; the first of several.
std::int32_t busiest(const Interpretation& result) {
  std::int32_t most = 0;
  for (std::int32_t rank = 1; rank < result.ranks; ++rank)
    if (result.of_rank(rank).compute > result.of_rank(most).compute) most = rank;
  return most;
}

/// Returns the rank whose time represents the run: the one that ends last, or the one that computes longest
/// where that rank mostly waits, like a host for its nodes.
std::int32_t divided_rank(const Interpretation& result) {
  const std::int32_t last = result.slowest();
  const Statistics spent = result.of_rank(last);
  return spent.wait > spent.compute ? busiest(result) : last;
}

/// Returns the time of a rank in a unit. A rank that ends early waits in the last unit for the others.
Statistics spent_by(const ApplicationGraph& graph, const Interpretation& result, std::int32_t rank,
                    UnitId unit) {
  Statistics spent = result.statistics(rank, unit);
  if (unit == graph.end) spent.wait += result.makespan - result.ends[static_cast<std::size_t>(rank)];
  return spent;
}

/// Returns, in order: the end of the run; for each unit the mean over ranks of the time of it and of all
/// units inside it; for each unit the time of it alone on `rank`.
std::vector<double> numbers_of(const ApplicationGraph& graph, const Interpretation& result,
                               std::int32_t rank) {
  const std::size_t units = graph.units.size();
  std::vector<double> own(units), out{seconds(result.makespan)};
  for (UnitId unit = 0; unit < units; ++unit) {
    interpret::Time sum = 0;
    for (std::int32_t each = 0; each < result.ranks; ++each) sum += result.statistics(each, unit).time();
    own[unit] = seconds(sum) / result.ranks;
  }
  for (std::size_t unit = units; unit-- > 1;) own[graph.units[unit].parent] += own[unit];
  out.insert(out.end(), own.begin(), own.end());
  for (UnitId unit = 0; unit < units; ++unit)
    out.push_back(seconds(spent_by(graph, result, rank, unit).time()));
  return out;
}

/// Interprets a model's program with several variations in parallel.
class InterpretedRuns {
 public:
  /// `rank`: the one whose time is divided among units.
  InterpretedRuns(const GraphTrace& program, const machine::Machine& machine, const machine::MapRule& map,
                  double compute_ratio, std::int32_t rank)
      : program_(program),
        machine_(machine),
        map_(map),
        compute_ratio_(compute_ratio),
        rank_(rank),
        labels_(labels_of(program)) {}

  /// Finds the classes of ranks on the unchanged machine. They hold for all variations: a link with other
  /// costs separates no further ranks.
  Result<void> find_classes() {
    PARCAST_ASSIGN(machine::Routes routes, routes_of(machine_, program_.trace.ranks, map_));
    const SystemCosts costs(machine_, program_.trace, routes, compute_ratio_);
    if (!costs.sends_collectives()) classes_ = interpret::rank_classes(program_.trace, costs);
    return {};
  }

  Result<std::vector<double>> one(const Variation& variation) const {
    const machine::Machine& machine = variation.machine ? *variation.machine : machine_;
    PARCAST_ASSIGN(machine::Routes routes, routes_of(machine, program_.trace.ranks, map_));
    SystemCosts costs(machine, program_.trace, routes, compute_ratio_);
    costs.vary(variation.computing, variation.table, variation.factor);
    const Result<Interpretation> result =
        interpret::interpret(program_.trace, costs, labels_, {.classes = classes_ ? &*classes_ : nullptr});
    // The run is so uncertain that it might exceed the longest supported time: return that time as the other
    // end.
    if (!result && result.error().what == interpret::kTooLong)
      return std::vector<double>(1 + 2 * program_.graph.units.size(), seconds(trace::kLongest));
    if (!result) return result.error();
    if (!result->waiting.empty())
      return never_ends("interpret", result->waiting.size(),
                        "with " + variation.what + ", as uncertain as it is, ");
    return numbers_of(program_.graph, *result, rank_);
  }

  Result<std::vector<std::vector<double>>> all(std::span<const Variation> variations,
                                               const Progress& progress) const {
    std::vector<std::optional<Result<std::vector<double>>>> done(variations.size());
    std::atomic<std::size_t> next = 0, finished = 0;
    const auto work = [&](bool tells) {
      for (std::size_t i = next++; i < variations.size(); i = next++) {
        done[i] = one(variations[i]);
        ++finished;
        if (tells && progress)
          progress(static_cast<double>(1 + finished) / static_cast<double>(1 + variations.size()));
      }
    };
    std::vector<std::thread> others;
    for (unsigned k = 1; k < std::max(std::thread::hardware_concurrency(), 1u); ++k)
      others.emplace_back(work, false);
    work(true);
    for (std::thread& each : others) each.join();
    std::vector<std::vector<double>> out;
    for (auto& each : done) {
      if (!*each) return each->error();
      out.push_back(std::move(**each));
    }
    return out;
  }

 private:
  const GraphTrace& program_;
  const machine::Machine& machine_;
  const machine::MapRule& map_;
  double compute_ratio_;
  std::int32_t rank_;
  interpret::Labels labels_;
  std::optional<interpret::RankClasses> classes_;
};

/// `computing`: origin of computing; everything else is counted exactly.
Parts parts_of(const Statistics& spent, Origin computing) {
  return {without_interval(seconds(spent.compute), spent.compute > 0 ? computing : Origin::exact),
          without_interval(0, Origin::exact), without_interval(seconds(spent.startup), Origin::exact),
          without_interval(seconds(spent.transfer), Origin::exact),
          without_interval(seconds(spent.wait), Origin::exact)};
}

/// Sets regions and parts from the units of one rank.
void take_regions(const Interpreted& from, std::span<const Estimate> own, Origin computing, Prediction& out) {
  const std::int32_t rank = divided_rank(from.result);
  Statistics all = from.result.of_rank(rank);
  all.wait += from.result.makespan - from.result.ends[static_cast<std::size_t>(rank)];
  out.parts = parts_of(all, computing);
  for (const program::ApplicationUnit& unit : from.program.graph.units) {
    const Statistics spent = spent_by(from.program.graph, from.result, rank, unit.id);
    if (spent.time() == 0) continue;
    RegionTime region;
    region.path = unit.path, region.where = unit.where;
    region.origin = spent.compute > 0 ? weaker(computing, unit.origin) : unit.origin;
    region.parts = parts_of(spent, computing);
    region.seconds = own[unit.id];
    region.seconds.origin = region.origin;
    region.executions = std::to_string(spent.executions);
    out.regions.push_back(std::move(region));
  }
  std::ranges::stable_sort(out.regions, [](const RegionTime& a, const RegionTime& b) {
    return a.seconds.value > b.seconds.value;
  });
}

std::vector<Warning> warnings_of(const Model& model, const machine::Machine& machine,
                                 const Question& question, const Interpreted& from) {
  std::vector<Warning> out = question_warnings(model, machine, question);
  add_unique(out, ignored_parts("interpret", machine, question));
  const std::vector<std::string> warned = program::range_sentences(model, question.point);  // of other codes
  for (const auto* sentences : {&from.program.trace.assumptions, &from.assumptions})
    for (const std::string& sentence : *sentences)
      if (std::ranges::find(warned, sentence) == warned.end())
        add_unique(out, {{"interpreted", sentence, ""}});
  if (auto scaled = scale_warning(from.scale)) add_unique(out, {*std::move(scaled)});
  add_notices(model, out);
  return out;
}

Result<double> compute_ratio_of(const machine::Machine& machine, const Question& question) {
  if (!question.recorded_machine) return 1.0;
  return machine::compute_ratio(*question.recorded_machine, machine);
}

struct Answered {
  Interpreted interpreted;
  std::vector<Estimate> all;  // in the order of numbers_of()
  ComputingKnown computing;
};

Result<Interpreted> walk(const Model& model, const machine::Machine& machine, const Question& question,
                         const machine::MapRule& map,
                         const std::function<interpret::Options(const trace::Trace&)>& options_for) {
  PARCAST_ASSIGN(GraphTrace program, program::graph_trace(model, question.point));
  PARCAST_TRY(trace::check(program.trace));
  const interpret::Options options = options_for(program.trace);
  PARCAST_ASSIGN(const double ratio, compute_ratio_of(machine, question));
  PARCAST_ASSIGN(const ComputingScale scale, fit_to_segments(model, question, program.trace));
  HowInterpreted how{.map = map, .compute_ratio = ratio * scale.factor, .options = options};
  PARCAST_ASSIGN(Interpreted out, interpret_on(std::move(program), machine, how));
  out.scale = scale;
  return out;
}

Result<Answered> answer(const Model& model, const machine::Machine& machine, const Question& question,
                        const machine::MapRule& map, const Progress& progress) {
  PARCAST_ASSIGN(Interpreted interpreted, walk(model, machine, question, map, [](const trace::Trace&) {
                   return interpret::Options{.edges = true};
                 }));
  if (!interpreted.result.waiting.empty()) return Answered{std::move(interpreted), {}, {}};
  const std::int32_t rank = divided_rank(interpreted.result);
  PARCAST_ASSIGN(ComputingKnown computing, computing_of(model, machine, question, rank));
  InterpretedRuns runs(interpreted.program, machine, map, interpreted.compute_ratio, rank);
  PARCAST_TRY(runs.find_classes());
  const Walk walk = [&](std::span<const Variation> variations, const Progress& tell) {
    return runs.all(variations, tell);
  };
  const std::vector<double> known = numbers_of(interpreted.program.graph, interpreted.result, rank);
  std::vector<std::string> tables;
  for (const machine::PatternCost& table : machine.patterns)
    if (std::ranges::any_of(interpreted.program.trace.operations, [&](const trace::Operation& each) {
          return each.kind == trace::Kind::collective &&
                 machine::table_for(machine, each.pattern, each.uneven) == &table;
        }))
      tables.push_back(table.name);
  PARCAST_ASSIGN(std::vector<Estimate> all,
                 vary({model, machine, question, place(machine, question), computing, tables}, known,
                      computing.origin(), walk, progress));
  return Answered{std::move(interpreted), std::move(all), computing};
}

class InterpretEngine final : public Engine {
 public:
  std::string_view name() const override { return "interpret"; }

  Result<Prediction> predict(const Model& as_built, const machine::Machine& machine, const Question& question,
                             const Progress& progress) const override {
    PARCAST_TRY(check(as_built, question));
    const Model model = model_at(as_built, question.point);
    PARCAST_ASSIGN(const Answered answered, answer(model, machine, question, map_of(question), progress));
    const Interpreted& from = answered.interpreted;
    if (!from.result.waiting.empty()) {
      Prediction out = answer_of(name(), model, machine, question, {});
      out.hang = hang_of(from);
      return out;
    }
    Prediction out = answer_of(name(), model, machine, question, answered.all.front());
    const std::span<const Estimate> own =
        std::span(answered.all).subspan(1 + from.program.graph.units.size());
    take_regions(from, own, answered.computing.origin(), out);
    out.coverage = coverage_of(model, answered.computing, out);
    out.warnings = warnings_of(model, machine, question, from);
    hold_checks(model, out);
    hold_assumed_link(machine, out);
    return out;
  }
};

}  // namespace

Result<Interpreted> interpret_on(GraphTrace program, const machine::Machine& machine,
                                 const HowInterpreted& how) {
  Interpreted out;
  out.program = std::move(program);
  out.machine = machine.name;
  out.map = how.map;
  out.compute_ratio = how.compute_ratio;
  PARCAST_ASSIGN(machine::Routes routes, routes_of(machine, out.program.trace.ranks, how.map));
  out.routes = std::make_shared<machine::Routes>(std::move(routes));
  const SystemCosts costs(machine, out.program.trace, *out.routes, how.compute_ratio);
  PARCAST_ASSIGN(out.result,
                 interpret::interpret(out.program.trace, costs, labels_of(out.program), how.options));
  for (const interpret::Edge& edge : out.result.edges)
    out.program.graph.edges.push_back({edge.from, edge.to, edge.messages, edge.bytes});
  out.assumptions = costs.assumptions();
  return out;
}

machine::MapRule map_of(const Question& question, machine::MapRule rule) {
  if (!rule.ranks_per_node) rule.ranks_per_node = question.ranks_per_node;
  rule.threads = question.threads;
  return rule;
}

Result<Interpreted> interpret_on(const Model& as_built, const machine::Machine& machine,
                                 const Question& question, const machine::MapRule& map,
                                 const Progress& progress) {
  PARCAST_TRY(check(as_built, question));
  const Model model = model_at(as_built, question.point);
  PARCAST_ASSIGN(Answered answered, answer(model, machine, question, map, progress));
  Interpreted out = std::move(answered.interpreted);
  out.warnings = question_warnings(model, machine, question);
  add_notices(model, out.warnings);
  if (auto scaled = scale_warning(out.scale)) add_unique(out.warnings, {*std::move(scaled)});
  if (!answered.all.empty()) {
    const auto units = static_cast<std::ptrdiff_t>(out.program.graph.units.size());
    out.estimates.assign(answered.all.begin() + 1, answered.all.begin() + 1 + units);
    out.estimates.front() = answered.all.front();
  }
  return out;
}

Result<Interpreted> interpret_shortly(const Model& resolved, const machine::Machine& machine,
                                      const Question& question, std::uint64_t most_calls) {
  // The search for repeated iterations costs more than a few hundred calls, so short runs are followed
  // without it.
  return walk(resolved, machine, question, map_of(question), [most_calls](const trace::Trace& trace) {
    std::uint64_t calls = 0;
    for (const std::uint32_t sequence : trace.sequence_of)
      calls += trace::size_of(trace.sequences[sequence]).operations;
    if (calls <= kCallsAtMost) return interpret::Options{.fold = false};
    return interpret::Options{.most_calls = most_calls};
  });
}

std::shared_ptr<const Hang> hang_of(const Interpreted& interpreted) {
  const Interpretation& result = interpreted.result;
  if (result.waiting.empty()) return nullptr;
  return std::make_shared<const Hang>(Hang{std::make_shared<const trace::Trace>(interpreted.program.trace),
                                           result.waiting, result.fewest, result.by_choice});
}

Statistics sum_below(const ApplicationGraph& graph, const Interpretation& result, UnitId unit,
                     std::int32_t rank) {
  Statistics sum = result.statistics(rank, unit);
  for (const UnitId child : graph.units[unit].children) sum += sum_below(graph, result, child, rank);
  return sum;
}

const Engine& interpret_engine() {
  static const InterpretEngine engine;
  return engine;
}

}  // namespace parcast::predict
