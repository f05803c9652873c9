// SPDX-License-Identifier: Apache-2.0
#include "structure/find.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/threads.h"
#include "fit_counts/costs.h"
#include "structure/alternatives.h"
#include "structure/attributes.h"
#include "structure/each_rank.h"
#include "structure/each_step.h"
#include "structure/inferred_grids.h"
#include "structure/mean_sizes.h"
#include "structure/measure.h"
#include "structure/step_text.h"

namespace parcast::program {
namespace {

constexpr double kMajorShare = 0.02;  // of the computing: tried against every measure of work
// On grids after the first: the right one needs few attempts more than it has steps.
constexpr int kAttemptsOfOthers = 500;
// Sizes of operations of one rank that differ in nothing else: so many are rarely those of a rule.
constexpr std::size_t kSizesOfData = 32;
constexpr double kLeastSeconds = 1e-12;  // a picosecond, the resolution of a trace

/// Returns whether no rank of a run executes more than one of these transitions.
bool share_out_ranks(const std::vector<std::size_t>& members, const Traces& traces) {
  return std::ranges::all_of(traces.traces, [&](const Trace& trace) {
    return std::ranges::count_if(members, [&](std::size_t member) {
             return trace.transitions.contains(static_cast<std::int32_t>(member));
           }) <= 1;
  });
}

/// Adds the totals of these transitions of one rank as one more transition.
void add_together(Trace& trace, const std::vector<std::size_t>& members, std::int32_t id) {
  TransitionTotals sum;
  double variance = 0, noise = 0;
  for (const std::size_t member : members) {
    const auto at = trace.transitions.find(static_cast<std::int32_t>(member));
    if (at == trace.transitions.end()) continue;
    const TimeSummary& time = at->second.time;
    const auto count = static_cast<double>(time.count);
    sum.traversals += at->second.traversals;
    sum.time.count += time.count;
    sum.time.total += time.total;
    variance += std::pow(count * time.standard_error, 2);
    noise += count * time.noise;
  }
  if (sum.time.count == 0) return;
  const auto count = static_cast<double>(sum.time.count);
  sum.time.mean = sum.time.total / count;
  sum.time.standard_error = std::sqrt(variance) / count;
  sum.time.noise = noise / count;
  trace.transitions.emplace(id, std::move(sum));
}

class Finder {
 public:
  Finder(const Tokens& tokens, const std::vector<std::string>& parameters,
         const std::vector<ProcessGrid>& grids, int most_attempts = kMostAttempts)
      : most_attempts_(most_attempts),
        tokens_(tokens),
        parameters_(parameters),
        grids_(grids),
        attributes_(tokens_, parameters, grids),
        measuring_(tokens_) {}

  Result<Structure> find() {
    PARCAST_ASSIGN(auto alignment, align(tokens_, grids_, most_attempts_));
    if (alignment.gave_up) return Structure{.missing = *std::move(alignment.gave_up), .gave_up = true};
    PARCAST_ASSIGN(Structure structure, structure_of(std::move(alignment.drafts)));
    add_costs(structure);
    return structure;
  }

  /// Returns the steps of each rank for itself. Fails if they are too many or do not give the recordings
  /// back. `tokens`: of runs that runs_in_order_of_last() returned.
  Result<Structure> copy() {
    PARCAST_ASSIGN(std::vector<Draft> drafts, steps_of_each_rank(tokens_));
    PARCAST_ASSIGN(Structure structure, structure_of(std::move(drafts)));
    structure.copied = tokens_.runs.back().run.processes;
    add_recorded_costs(structure);
    return structure;
  }

 private:
  Result<Structure> structure_of(std::vector<Draft> drafts) {
    Structure& structure = model_.structure.emplace();
    PARCAST_ASSIGN(structure.steps, attributes_.finish(std::move(drafts)));
    structure.places = tokens_.places;
    describe_model(structure);
    drop_equal_alternatives(structure, grids_);
    prefer_known_grids(structure, grids_);
    prefer_partners_that_fit(structure, grids_);
    for (std::uint32_t rank = 0; rank < tokens_.ranks.size(); ++rank) {
      PARCAST_ASSIGN(const auto values, values_of(rank));
      PARCAST_TRY(measuring_.add(rank, structure, values));
    }
    PARCAST_TRY(measuring_.describe_waits(structure));
    PARCAST_TRY(verify(structure));
    return structure;
  }

  void describe_model(Structure& structure) {
    for (const std::string& name : parameters_) model_.parameters.push_back({name, {}});
    model_.grids = grids_;
    std::set<std::int32_t> processes;
    std::set<std::string> assumptions;
    for (const TracedRun& run : tokens_.runs) {
      processes.insert(run.run.processes);
      assumptions.insert(run.uncounted.begin(), run.uncounted.end());
    }
    structure.processes.assign(processes.begin(), processes.end());
    structure.assumptions = attributes_.assumptions();
    structure.assumptions.insert(structure.assumptions.end(), assumptions.begin(), assumptions.end());
    say_what_is_alone(structure);
    for_each_step(structure.steps, [&](const Step&) { ++structure.step_count; });
  }

  /// Adds assumptions for collectives that no run has between ranks. They are in none of the traces, so they
  /// are missing if a communicator has several ranks.
  void say_what_is_alone(Structure& structure) const {
    std::vector<trace::Place> given;
    for (const TracedRun& run : tokens_.runs)
      for (const trace::Place& place : run.alone) {
        if (std::ranges::find(given, place) != given.end() ||
            std::ranges::find(tokens_.places, place) != tokens_.places.end())
          continue;
        given.push_back(place);
        structure.assumptions.push_back(
            describe_step(trace::Kind::collective, recording::Pattern::none, &place) +
            " is called for a communicator of one rank in all recordings: what it takes where one has more "
            "ranks is not counted; a recording of such a run would decide");
      }
  }

  Point point_of(const RankOfRun& rank) const {
    const Run& run = tokens_.runs[rank.run].run;
    Point point{{}, run.processes};
    for (std::size_t v = 0; v < parameters_.size(); ++v) point.parameters[parameters_[v]] = run.parameters[v];
    return point;
  }

  /// Returns the values of the formulas, or the observed values if the formulas are fitted.
  Result<std::vector<StepValues>> values_of(std::uint32_t rank) {
    const RankOfRun& of = tokens_.ranks[rank];
    if (!evaluation_ || evaluated_ != of.run) {
      evaluation_.emplace(model_, point_of(of));
      evaluated_ = of.run;
    }
    std::vector<StepValues> values;
    PARCAST_TRY(evaluation_->at(of.place, values));
    for (const auto& [step, seen] : attributes_.observed()) {
      if (!seen[rank]) continue;
      values[step].rounds = values[step].bytes = *seen[rank];
    }
    return values;
  }

  /// Verifies that the structure reproduces every rank's operations.
  Result<void> verify(const Structure& structure) {
    for (std::uint32_t rank = 0; rank < tokens_.ranks.size(); ++rank) {
      const RankOfRun& of = tokens_.ranks[rank];
      const trace::Trace& recorded = tokens_.runs[of.run].trace;
      trace::Builder builder("", recorded.ranks);
      GeneratedCommunicators communicators(tokens_.places_of[of.run], builder);
      std::vector<std::uint32_t> place_of;
      for (const trace::Place& place : structure.places) place_of.push_back(builder.place(place));
      PARCAST_ASSIGN(const auto values, values_of(rank));
      RankWords words(place_of, structure.step_count, of.place, communicators, builder);
      PARCAST_ASSIGN(const auto sequence, sequence_of(structure, values, of.place, words));
      const trace::Trace made = builder.finish();
      const auto& did = recorded.sequences[recorded.sequence_of[static_cast<std::size_t>(of.place.r)]];
      if (const auto unlike = first_unlike(recorded, did, made, sequence))
        return Error{"operation " + std::to_string(*unlike + 1) + " of rank " + std::to_string(of.place.r) +
                         " is not what the rules found give",
                     tokens_.describe_run(of.run),
                     "record at three or more process counts, and at three or more values of each parameter"};
    }
    return {};
  }

  /// A step's call, that of the step before, and the number of loops entered in between.
  using Code = std::array<std::uint32_t, 3>;

  /// Returns the slots of each piece of code that several slots share: rules select the ranks of each.
  static std::vector<std::vector<std::size_t>> alike(const Structure& structure,
                                                     const std::vector<Measuring::Slot>& slots) {
    constexpr std::uint32_t kNoCall = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> call(structure.step_count + 1, kNoCall);
    for_each_step(structure.steps, [&](const Step& step) {
      if (step.kind == Step::Kind::operation) call[step.id] = step.place;
    });
    std::map<Code, std::vector<std::size_t>> groups;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const auto [step, after, loops] = slots[slot];
      if (call[step] != kNoCall && call[after] != kNoCall)
        groups[{call[step], call[after], loops}].push_back(slot);
    }
    std::vector<std::vector<std::size_t>> out;
    for (auto& [code, members] : groups)
      if (members.size() > 1) out.push_back(std::move(members));
    return out;
  }

  /// Returns a slot's seconds relative to the cost of its code: measured / given, over all ranks. Returns
  /// nothing if runs deviate from that by more than from the slot's own cost, and by more than noise.
  std::optional<double> part_of(const Cost& code, const Cost& own, const Traces& traces,
                                std::int32_t slot) const {
    constexpr double kNoise = 0.15, kWorse = 1.5;
    struct Sums {
      double measured = 0, given = 0;
    };
    std::map<std::size_t, Sums> by_run;
    Sums all;
    for (std::size_t t = 0; t < traces.traces.size(); ++t) {
      const auto at = traces.traces[t].transitions.find(slot);
      if (at == traces.traces[t].transitions.end()) continue;
      const RankOfRun& rank = tokens_.ranks[t];
      const auto binding = binding_of(rank.place, parameters_, tokens_.runs[rank.run].run.parameters);
      std::vector<double> point;
      for (const symbolic::Expression& argument : code.arguments) {
        const auto value = symbolic::evaluate(argument, binding);
        if (!value || !std::isfinite(*value)) return std::nullopt;
        point.push_back(std::max(*value, 0.0));
      }
      const double given = static_cast<double>(at->second.time.count) * code.growth->predict(point);
      by_run[rank.run].measured += at->second.time.total, by_run[rank.run].given += given;
      all.measured += at->second.time.total, all.given += given;
    }
    if (!(all.measured > 0) || !(all.given > 0)) return std::nullopt;
    const double part = all.measured / all.given;
    double squares = 0;
    for (const auto& [run, sums] : by_run)
      squares += std::pow(sums.measured / std::max(part * sums.given, 1e-300) - 1, 2);
    const double missed = std::sqrt(squares / static_cast<double>(by_run.size()));
    if (missed > std::max(kNoise, kWorse * own.growth->residual_relative_error)) return std::nullopt;
    return part;
  }

  void add_costs(Structure& structure) {
    Traces traces;
    std::vector<Measuring::Slot> slots;
    for (const RankOfRun& rank : tokens_.ranks)
      traces.traces.push_back(
          {.run = rank.run, .rank = static_cast<std::int32_t>(rank.place.r), .complete = true});
    std::vector<double> seconds;
    double all = 0;
    for (const auto& [slot, times] : measuring_.times()) {
      const auto id = static_cast<std::int32_t>(slots.size());
      slots.push_back(slot);
      traces.transitions.push_back({});
      seconds.push_back(0);
      for (const auto& [rank, time] : times) {
        TransitionTotals& totals = traces.traces[rank].transitions[id];
        totals.traversals = totals.time.count = time.executions;
        const TimeSummary spread = summarise(time.first);
        totals.time.standard_error = spread.standard_error;
        totals.time.noise = spread.noise;
        totals.time.total = time.seconds;
        totals.time.mean = time.seconds / static_cast<double>(time.executions);
        seconds.back() += time.seconds;
      }
      all += seconds.back();
    }
    std::vector<CostBuilder::RunInfo> runs;
    for (const TracedRun& run : tokens_.runs) runs.push_back({run.run, run.oversubscribed});
    // Fits of the same code for other ranks would part beyond the recordings, by noise alone. So its slots
    // have one law, each with a factor.
    std::vector<std::vector<std::size_t>> groups = alike(structure, slots);
    std::erase_if(groups, [&](const auto& members) { return !share_out_ranks(members, traces); });
    std::vector<double> seconds_of_group;
    for (const std::vector<std::size_t>& members : groups) {
      const auto id = static_cast<std::int32_t>(traces.transitions.size());
      traces.transitions.push_back({});
      seconds_of_group.push_back(0);
      for (const std::size_t slot : members) seconds_of_group.back() += seconds[slot];
      for (Trace& trace : traces.traces) add_together(trace, members, id);
    }
    CostBuilder costs(parameters_, runs, grids_, attributes_.distributions(), traces);
    std::set<std::string> sized;
    for (const Factor& factor : attributes_.distributions())
      sized.insert(parameters_[static_cast<std::size_t>(factor.parameter)]);
    costs.expect_growth(std::move(sized), std::numeric_limits<double>::infinity());
    std::vector<std::optional<Cost>> found(slots.size());
    for_each_index(slots.size(), 0, [&](std::size_t slot) {
      if (seconds[slot] < kLeastSeconds) return;
      found[slot] = costs.build(static_cast<std::int32_t>(slot), seconds[slot] >= kMajorShare * all).cost;
    });
    std::vector<Cost> of_group(groups.size());
    for_each_index(groups.size(), 0, [&](std::size_t g) {
      of_group[g] =
          costs.build(static_cast<std::int32_t>(slots.size() + g), seconds_of_group[g] >= kMajorShare * all)
              .cost;
    });
    std::vector<double> factor(slots.size(), 1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (of_group[g].growth->hypotheses.empty()) continue;
      for (const std::size_t slot : groups[g]) {
        if (!found[slot] || found[slot]->growth->hypotheses.empty()) continue;
        const auto part = part_of(of_group[g], *found[slot], traces, static_cast<std::int32_t>(slot));
        if (part) found[slot] = of_group[g], factor[slot] = *part;
      }
    }
    ComputingOfSteps computing;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const auto [step, after, loops] = slots[slot];
      Computing& of = computing[step].emplace_back(Computing{after, loops, 0, Origin::measured});
      if (!found[slot] || found[slot]->growth->hypotheses.empty()) continue;
      const Cost& cost = *found[slot];
      of.seconds = growth_expression(cost.growth->hypotheses.front(), cost.arguments);
      if (factor[slot] != 1) of.seconds = symbolic::real(factor[slot]) * of.seconds;
      of.origin = cost.origin;
    }
    put_computing(std::move(computing), structure);
  }

  /// Takes the mean seconds of the last run that shows a step. Engines scale their sum to that of the model's
  /// segments (predict/computing_scale.h).
  void add_recorded_costs(Structure& structure) const {
    ComputingOfSteps computing;
    for (const auto& [slot, times] : measuring_.times()) {
      const auto [step, after, loops] = slot;
      const Measuring::Time& time = times.rbegin()->second;
      computing[step].push_back({after, loops,
                                 symbolic::real(time.seconds / static_cast<double>(time.executions)),
                                 Origin::measured});
    }
    put_computing(std::move(computing), structure);
  }

  using ComputingOfSteps = std::map<std::uint32_t, std::vector<Computing>>;

  static void put_computing(ComputingOfSteps computing, Structure& structure) {
    // A step without any computing before it needs no entry.
    std::erase_if(computing, [](const auto& each) {
      return std::ranges::all_of(each.second, [](const Computing& of) { return of.seconds.is_zero(); });
    });
    for_each_step(structure.steps, [&](Step& step) {
      if (const auto of = computing.find(step.id); of != computing.end())
        step.computing = std::move(of->second);
    });
    if (const auto end = computing.find(structure.step_count); end != computing.end())
      structure.tail = std::move(end->second);
  }

  int most_attempts_;
  const Tokens& tokens_;
  const std::vector<std::string>& parameters_;
  const std::vector<ProcessGrid>& grids_;
  Attributes attributes_;
  Measuring measuring_;
  Model model_;
  std::optional<StepEvaluation> evaluation_;
  std::size_t evaluated_ = 0;
};

/// "process grids are inferred from the partners of messages: 1 x 2 at p = 2, 4 x 2 at p = 8; at other p
/// ...".
std::string inferred_text(const ProcessGrid& grid) {
  std::string text = "extents of the process grid are inferred from the partners of messages: ";
  std::size_t listed = 0;
  for (const auto& [processes, extents] : grid.recorded) {
    constexpr std::size_t kMostListed = 4;
    if (listed++ == kMostListed) {
      text += ", ...";
      break;
    }
    if (listed > 1) text += ", ";
    for (std::size_t k = 0; k < extents.size(); ++k)
      text += (k > 0 ? " x " : "") + std::to_string(extents[k]);
    text += " at p = " + std::to_string(processes);
  }
  if (grid.ascending)
    return text + "; at other p as balanced as MPI_Dims_create makes them, the largest last";
  return text + (grid.from_dims_create ? "; at other p as MPI_Dims_create makes them" : "");
}

std::string grid_assumption(const std::vector<ProcessGrid>& grids,
                            const std::vector<std::string>& parameters) {
  std::string names;
  for (const ProcessGrid& grid : grids)
    for (const std::size_t v : grid.parameters) names += (names.empty() ? "" : " x ") + parameters[v];
  for (const ProcessGrid& grid : grids)
    if (grid.is_certain() && grid.parameters.empty() && grid.periodic.empty()) return inferred_text(grid);
  if (!names.empty())
    return "the processes are taken to form a grid of " + names + ", which multiply to p in every recording";
  if (std::ranges::any_of(grids, &ProcessGrid::ascending))
    return "process grids are taken to have their largest extent last, which the order of messages follows; "
           "MPI_Dims_create has it first";
  return "";
}

}  // namespace

Result<Structure> find_structure(std::vector<TracedRun> runs, const std::vector<std::string>& parameters,
                                 const std::vector<ProcessGrid>& grids) {
  PARCAST_ASSIGN(const Tokens tokens, tokens_of(std::move(runs), parameters, grids));
  return Finder(tokens, parameters, grids).find();
}

namespace {

/// Searches on each grid in turn, and returns the first structure that is found, or what is missing on the
/// first grid.
Result<StructureOnGrids> find_on_grids(Tokens& tokens, const std::vector<std::string>& parameters,
                                       const std::vector<std::vector<ProcessGrid>>& candidates,
                                       int most_attempts = kMostAttempts) {
  std::optional<Result<Structure>> first;
  for (const std::vector<ProcessGrid>& grids : candidates) {
    put_on_grids(tokens, grids);
    auto found = Finder(tokens, parameters, grids, first ? kAttemptsOfOthers : most_attempts).find();
    if (found && found->found()) {
      if (std::string assumption = grid_assumption(grids, parameters); !assumption.empty())
        found->assumptions.push_back(std::move(assumption));
      return StructureOnGrids{*std::move(found), grids};
    }
    if (!first) first = std::move(found);
  }
  PARCAST_ASSIGN(Structure none, *std::move(first));
  return StructureOnGrids{std::move(none), {}};
}

Result<StructureOnGrids> find_rules(Tokens& tokens, const std::vector<std::string>& parameters,
                                    const std::vector<std::vector<ProcessGrid>>& candidates) {
  std::vector<TracedRun> runs_of_means = tokens.runs;
  LevelledSizes levelled = level_sizes(runs_of_means);
  const auto of_means = [&]() -> Result<StructureOnGrids> {
    PARCAST_ASSIGN(Tokens here, tokens_of(std::move(runs_of_means), parameters, candidates.front()));
    PARCAST_ASSIGN(StructureOnGrids out, find_on_grids(here, parameters, candidates));
    out.structure.assumptions.push_back(std::move(levelled.assumption));
    return out;
  };
  const auto is_found = [](const Result<StructureOnGrids>& out) { return out && out->structure.found(); };
  // Where data decide sizes, they rarely have a rule: a short search for it comes first.
  const bool by_data = !levelled.assumption.empty() && levelled.most_sizes >= kSizesOfData;
  auto found = find_on_grids(tokens, parameters, candidates, by_data ? kAttemptsOfOthers : kMostAttempts);
  if (is_found(found) || levelled.assumption.empty()) return found;
  if (auto second = of_means(); is_found(second)) return second;
  return by_data ? find_on_grids(tokens, parameters, candidates) : found;
}

struct Copy {
  Structure structure;
  std::size_t runs = 0;  // that have this order
};

/// Returns the order of the last run as recorded, each message with its mean size.
Result<Copy> copied_order_of(std::vector<TracedRun> runs, const std::vector<std::string>& parameters,
                             const std::vector<ProcessGrid>& grids) {
  LevelledSizes levelled = level_sizes(runs);
  PARCAST_ASSIGN(const Tokens all, tokens_of(std::move(runs), parameters, grids));
  PARCAST_ASSIGN(const Tokens alike, tokens_of(runs_in_order_of_last(all), parameters, grids));
  PARCAST_ASSIGN(Structure copy, Finder(alike, parameters, grids).copy());
  if (!levelled.assumption.empty()) copy.assumptions.push_back(std::move(levelled.assumption));
  return Copy{std::move(copy), alike.runs.size()};
}

/// Returns the order of the runs on most processes. Receives from any source take the messages that came in
/// the recordings: what a program does next depends on them. Where that is another order in each run, they
/// take what arrives first.
Result<Structure> copied_order(const Tokens& tokens, const std::vector<std::string>& parameters,
                               const std::vector<ProcessGrid>& grids) {
  std::vector<TracedRun> runs = tokens.runs;
  std::erase_if(runs,
                [&](const TracedRun& run) { return run.run.processes < tokens.runs.back().run.processes; });
  std::vector<TracedRun> came;
  for (const TracedRun& run : runs) {
    if (!run.as_it_came) continue;
    came.push_back(
        {run.run, run.oversubscribed, run.as_it_came->trace, run.alone, run.as_it_came->uncounted});
  }
  auto by_arrival = copied_order_of(std::move(runs), parameters, grids);
  if (!came.empty())
    if (auto as_came = copied_order_of(std::move(came), parameters, grids);
        as_came && (!by_arrival || as_came->runs >= by_arrival->runs))
      return std::move(as_came->structure);
  if (!by_arrival) return by_arrival.error();
  return std::move(by_arrival->structure);
}

}  // namespace

Result<StructureOnGrids> find_structure_and_grids(std::vector<TracedRun> runs,
                                                  const std::vector<std::string>& parameters,
                                                  std::vector<std::vector<ProcessGrid>> candidates,
                                                  const std::vector<ProcessGrid>& recorded) {
  PARCAST_ASSIGN(Tokens tokens, tokens_of(std::move(runs), parameters, candidates.front()));
  if (candidates.size() > 1)  // no grid was recorded
    for (const ProcessGrid& grid : inferred_grids(tokens.runs)) candidates.push_back({grid});
  auto found = find_rules(tokens, parameters, candidates);
  if (found && found->structure.found()) return found;
  Error missing = found ? found->structure.missing : found.error();
  auto copy = copied_order(tokens, parameters, recorded);
  if (!copy) {
    missing.what += "; the model does not keep the recorded order either: " + copy.error().what;
    if (!found) return missing;
    found->structure.missing = std::move(missing);
    return found;
  }
  copy->missing = std::move(missing);
  copy->gave_up = found && found->structure.gave_up;
  return StructureOnGrids{*std::move(copy), {}};
}

}  // namespace parcast::program
