// SPDX-License-Identifier: Apache-2.0
// The segments of a model: the computing between calls, with its executions and costs.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/threads.h"
#include "build_model/builder.h"
#include "build_model/nodes_around.h"
#include "build_model/off_processor.h"
#include "model/work.h"
#include "observations/inputs.h"
#include "observations/slowed_runs.h"
#include "source/counts/mispredicted.h"
#include "symbolic/factor.h"

namespace parcast::program {
namespace {

// segments with a smaller share of the computing time get the cheap fit
constexpr double kMajorShare = 0.001;
// share of the computing: most segments of an irregular code are below
constexpr double kWorthSearching = 0.001;
// relative: recorded times differ so much from what the formula gives
constexpr double kMissed = 0.5;

double peak_bytes(const recording::RankRecording& rank) {
  return static_cast<double>(rank.peak_memory);
}

/// Returns at least a page where the growth is known.
double grown_bytes(const recording::RankRecording& rank) {
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t bytes = 0;
  for (const recording::Usage& usage : rank.usage) bytes += usage.peak_growth;
  return rank.usage.empty() ? 0 : static_cast<double>(std::max(bytes, kPage));
}

}  // namespace

void Builder::add_segments() {
  const auto seconds_of = [&](std::int32_t id, RunsOf of) {
    double seconds = 0;
    for (const Trace& trace : traces_.traces)
      if (const auto at = trace.transitions.find(id);
          at != trace.transitions.end() && includes(of, inputs_.runs[trace.run].processes))
        seconds += at->second.time.total;
    return seconds;
  };
  double all = 0;
  for (const Trace& trace : traces_.traces)
    for (const auto& [id, totals] : trace.transitions) all += totals.time.total;
  std::vector<CostBuilder::RunInfo> runs;
  for (std::size_t i = 0; i < recordings_.size(); ++i)
    runs.push_back({inputs_.runs[i], recordings_[i].oversubscribed()});
  const auto costs = [&] {
    CostBuilder out(inputs_.parameters, runs, inputs_.grids, counts_.distributions(), traces_);
    out.expect_growth(sized_, usual_degree_);
    return out;
  };
  model_.residence = costs().residence(resident_bytes(peak_bytes), counts_.design().repeats);
  model_.grown = costs().residence(resident_bytes(grown_bytes), counts_.design().repeats);
  find_sized();
  std::vector<ToCost> to_cost;
  for (std::size_t id = 0; id < traces_.transitions.size(); ++id) {
    const Transition& t = traces_.transitions[id];
    if (t.to == kOutside) continue;  // nothing is recorded after the last call
    for (const RunsOf of : parts_of(static_cast<std::int32_t>(id))) {
      const double seconds = seconds_of(static_cast<std::int32_t>(id), of);
      Segment segment;
      segment.from = t.from == kOutside ? kNone : node_of_key_.at(t.from);
      segment.to = node_of_key_.at(t.to);
      segment.owner = owner_of(model_, segment.from, segment.to);
      segment.share = all > 0 ? seconds / all : 0;
      segment.executions =
          transition_count(static_cast<std::int32_t>(id),
                           segment.share >= kWorthSearching ? Effort::triples : Effort::pairs, of);
      const CountedWork* work = work_behind(t.from);
      to_cost.push_back({static_cast<std::int32_t>(id), segment.share >= kMajorShare, known(work),
                         repeating_parameters(segment.executions), of});
      if (work) {
        if (work->streamed) streamed_.push_back({model_.segments.size(), t.from, *work->streamed, seconds});
        for (const auto& [tier, share] : work->shares)
          if (share > 0) model_.work_by_tier[tier] += share * segment.share;
      }
      segment_seconds_.push_back(seconds);
      model_.segments.push_back(std::move(segment));
    }
  }
  std::vector<FittedSegment> fitted = add_costs(costs(), to_cost);
  std::vector<bool> disturbed;
  for (const double share : off_processor_shares(recordings_, traces_))
    disturbed.push_back(share >= kMuchOffProcessor);
  if (const auto slowed = slowed_runs(fitted, points(), disturbed); !slowed.empty()) {
    note_slowed(slowed, fitted);
    for (const std::size_t run : slowed) runs[run].slowed = true;
    fitted = add_costs(costs(), to_cost);
  }
  model_.between_runs = between_runs(fitted);
  model_.between_runs.unseen = unseen_deviation(sessions_);
  model_.footprint = footprint();
  share_streamed();
  add_work();
}

std::vector<bool> Builder::repeating_parameters(const Count& executions) const {
  std::vector<bool> out;
  if (executions.origin > Origin::ambiguous) return out;
  const auto depends = [](const symbolic::Expression& on, const std::string& name) {
    return std::ranges::any_of(free_symbols(on),
                               [&](const symbolic::Expression& symbol) { return symbol.name() == name; });
  };
  for (const std::string& name : inputs_.parameters) {
    const bool repeats =
        depends(executions.expression, name) || std::ranges::any_of(model_.nodes, [&](const Node& node) {
          return node.executions.origin <= Origin::ambiguous && depends(node.executions.expression, name);
        });
    out.push_back(repeats && !sized_.contains(name));
  }
  return out;
}

void Builder::find_sized() {
  // bytes between two processes, and the messages that carry them
  std::vector<std::pair<symbolic::Expression, symbolic::Expression>> between;
  for (const Node& node : model_.nodes)
    for (const Count* bytes : {&node.bytes, &node.received_bytes, &node.collective_bytes}) {
      if (bytes->expression.is_zero()) continue;
      const symbolic::Expression& times =
          node.messages.expression.is_zero() ? node.executions.expression : node.messages.expression;
      const auto size = quotient(bytes->expression, times);
      for (const std::string& name : inputs_.parameters)
        if (changes_with(size ? *size : bytes->expression, name)) sized_.insert(name);
      if (bytes != &node.collective_bytes) between.emplace_back(bytes->expression, times);
    }
  for (const Factor& factor : counts_.distributions())
    sized_.insert(inputs_.parameters[static_cast<std::size_t>(factor.parameter)]);
  double most = 0;
  for (const auto& [bytes, times] : between) most = std::max(most, degree_of(bytes) - degree_of(times));
  if (most > 0) usual_degree_ = most + 1;
}

constexpr double kLarge = 4096;  // times the recorded values, so that parts of a grid do not count

bool Builder::changes_with(const symbolic::Expression& size, const std::string& parameter) const {
  constexpr double kLeastDegree = 0.02;  // a fitted law may have exponents that are zero but for noise
  if (std::ranges::none_of(free_symbols(size),
                           [&](const symbolic::Expression& each) { return each.name() == parameter; }))
    return false;
  const auto at = [&](double factor) {
    Point point{{}, model_.processes.back()};
    for (const Parameter& each : model_.parameters)
      point.parameters[each.name] = each.values.back() * (each.name == parameter ? factor : 1);
    const auto binding = bind(model_, point, point.processes / 2);
    return binding ? symbolic::evaluate(size, *binding) : Result<double>(binding.error());
  };
  const auto once = at(1), large = at(kLarge);
  if (!once || !large || !(*once > 0) || !(*large > 0)) return true;
  return std::abs(std::log2(*large / *once)) >= kLeastDegree * std::log2(kLarge);
}

double Builder::degree_of(const symbolic::Expression& size) const {
  const auto at = [&](double factor) {
    Point point{{}, model_.processes.back()};
    for (const Parameter& parameter : model_.parameters)
      point.parameters[parameter.name] =
          parameter.values.back() * (sized_.contains(parameter.name) ? factor : 1);
    const auto binding = bind(model_, point, point.processes / 2);
    const auto value = binding ? symbolic::evaluate(size, *binding) : Result<double>(0.0);
    return value && *value > 0 ? *value : 0;
  };
  const double once = at(kLarge), twice = at(2 * kLarge);
  return once > 0 && twice > 0 ? std::log2(twice / once) : 0;
}

std::vector<FittedSegment> Builder::add_costs(const CostBuilder& costs, const std::vector<ToCost>& to_cost) {
  disturbed_share_ = missed_share_ = missed_ = 0;
  std::vector<CostBuilder::Built> all(to_cost.size());
  for_each_index(to_cost.size(), 0, [&](std::size_t s) {
    const ToCost& each = to_cost[s];
    all[s] = costs.build(each.transition, each.major, each.work, each.repeats, each.of);
  });
  std::vector<FittedSegment> fitted;
  std::map<double, std::pair<double, double>> crowded;  // by process count: measured and expected seconds
  for (std::size_t s = 0; s < to_cost.size(); ++s) {
    Segment& segment = model_.segments[s];
    CostBuilder::Built& built = all[s];
    segment.cost = std::move(built.cost);
    fitted.push_back(std::move(built.fitted));
    for (const SegmentDeviation& each : built.compared) {
      auto& [measured, expected] = crowded[inputs_.runs[each.run].processes];
      measured += each.seconds * (1 + each.relative), expected += each.seconds;
    }
    if (built.disturbed) disturbed_share_ += segment.share;
    if (const double missed = segment.cost.growth->residual_relative_error; missed > kMissed)
      missed_share_ += segment.share, missed_ = std::max(missed_, missed);
  }
  crowded_ratios_.clear();
  for (const auto& [p, seconds] : crowded) crowded_ratios_[p] = seconds.first / seconds.second;
  return fitted;
}

std::vector<std::vector<double>> Builder::points() const {
  std::vector<std::vector<double>> out;
  for (const Run& run : inputs_.runs) {
    out.push_back(run.parameters);
    out.back().push_back(run.processes);
  }
  return out;
}

void Builder::note_slowed(const std::vector<std::size_t>& slowed, const std::vector<FittedSegment>& fitted) {
  double given = 0, extra = 0;
  for (const FittedSegment& segment : fitted)
    for (const auto* runs : {&segment.deviations, &segment.crowded})
      for (const SegmentDeviation& each : *runs)
        if (each.run == slowed.front()) given += each.seconds, extra += each.seconds * each.relative;
  for (std::size_t k = 0; k < model_.sources.size(); ++k)
    model_.sources[k].slowed = std::ranges::find(slowed, inputs_.order[k]) != slowed.end();
  const std::string more = slowed.size() > 1 ? " (the first of " + std::to_string(slowed.size()) + ")" : "";
  model_.notices.push_back(
      {"slowed-run",
       describe(recordings_[slowed.front()]) + more + " computes " +
           format_significant(1 + extra / given, 2) +
           " times as long as the others give for it: its times are left out, its counts are kept",
       "record it again on a quiet machine"});
}

std::optional<CostBuilder::KnownWork> Builder::known(const CountedWork* work) {
  if (!work || !work->weighted) return std::nullopt;
  const auto share = [&](CountTier tier) {
    const auto at = work->shares.find(tier);
    return at == work->shares.end() ? 0 : at->second;
  };
  return CostBuilder::KnownWork{*work->weighted, share(CountTier::constant), share(CountTier::measured),
                                work->alternatives, work->advice};
}

const CountedWork* Builder::work_behind(std::int32_t key) {
  if (!counted_.any()) return nullptr;
  const auto [at, fresh] = work_.try_emplace(key);
  if (fresh) {
    std::optional<symbolic::Expression> executions;
    if (key != kOutside) {
      const Count& count = model_.nodes[static_cast<std::size_t>(node_of_key_.at(key))].executions;
      if (count.origin <= Origin::ambiguous) executions = count.expression;
    }
    at->second = counted_.behind(key, executions);
  }
  return at->second ? &*at->second : nullptr;
}
void Builder::share_streamed() {
  std::map<std::int32_t, double> seconds;
  for (const Streamed& each : streamed_) seconds[each.from] += each.seconds;
  for (const Streamed& each : streamed_) {
    if (!(seconds[each.from] > 0)) continue;
    Segment& segment = model_.segments[each.segment];
    if (segment.executions.expression.is_zero()) continue;
    const symbolic::Expression executions =
        each.from == kOutside
            ? symbolic::Expression(1)
            : model_.nodes[static_cast<std::size_t>(node_of_key_.at(each.from))].executions.expression;
    const double part = each.seconds / seconds[each.from];
    const symbolic::Expression per_segment = executions / segment.executions.expression;
    const symbolic::Expression bytes =
        (part == 1 ? symbolic::Expression(1) : symbolic::real(part)) * each.bytes * per_segment;
    // Processes that never execute the segment stream nothing; a division by zero is avoided.
    segment.cost.streamed =
        per_segment.is_number() ? bytes : symbolic::conditional(-segment.executions.expression, 0, bytes);
  }
}
void Builder::add_work() {
  // once in hundreds of rounds: checks of arguments, first rounds
  constexpr double kRarelyMispredicted = 0.001;
  std::map<std::pair<facts::FunctionPlace, int>, std::int32_t> numbers, turns;
  for (const auto& [key, counted] : work_) {
    if (!counted) continue;
    Work work;
    symbolic::Expression executions = 1;
    if (key != kOutside) {
      work.from = node_of_key_.at(key);
      executions = model_.nodes[static_cast<std::size_t>(work.from)].executions.expression;
    }
    for (const BlockCount& block : counted->blocks) {
      const auto [at, fresh] =
          numbers.try_emplace({block.function, block.block}, static_cast<std::int32_t>(model_.blocks.size()));
      if (fresh) model_.blocks.push_back(counted_.described(block.function, block.block));
      const symbolic::Expression count = counted_.decided(block.per_visit * executions);
      work.blocks.push_back({at->second, count, block.tier});
      const double part = counted_.mispredicted(block.function, block.block);
      if (part < kRarelyMispredicted) continue;
      work.blocks.push_back({turn_of(block, turns), symbolic::real(part) * count, CountTier::measured});
    }
    model_.work.push_back(std::move(work));
  }
}
std::int32_t Builder::turn_of(const BlockCount& block,
                              std::map<std::pair<facts::FunctionPlace, int>, std::int32_t>& numbers) {
  const auto [at, fresh] =
      numbers.try_emplace({block.function, block.block}, static_cast<std::int32_t>(model_.blocks.size()));
  if (fresh) {
    model_.blocks.push_back(counted_.described(block.function, block.block));
    model_.blocks.back().operations = {{kMispredicted, 1}};
    model_.blocks.back().packed.clear();
  }
  return at->second;
}
std::optional<symbolic::Expression> Builder::footprint() const {
  std::vector<CountedWork> all;
  for (const auto& [key, work] : work_)
    if (work) all.push_back(*work);
  return counted_.footprint(all);
}

std::vector<double> Builder::resident_bytes(BytesOf of) const {
  std::vector<double> bytes;
  for (const Trace& trace : traces_.traces) {
    bytes.push_back(0);
    for (const auto& rank : recordings_[trace.run].ranks)
      if (rank.rank == trace.rank) bytes.back() = of(rank);
  }
  return bytes;
}

Count Builder::transition_count(std::int32_t id, Effort effort, RunsOf of) {
  Count count = part_count(id, effort, of);
  if (of == RunsOf::all || count.origin <= Origin::ambiguous) return count;
  // The count of all runs may have a formula where that of a part has none.
  Count whole = part_count(id, effort, RunsOf::all);
  if (whole.origin >= count.origin) return count;
  const auto in_part = [&](const symbolic::Expression& executions) {
    const symbolic::Expression several = program::processes_symbol() - 2;
    return of == RunsOf::one_process ? symbolic::conditional(several, 0, executions)
                                     : symbolic::conditional(several, executions, 0);
  };
  whole.expression = in_part(whole.expression);
  for (symbolic::Expression& alternative : whole.alternatives) alternative = in_part(alternative);
  return whole;
}

Count Builder::part_count(std::int32_t id, Effort effort, RunsOf of) {
  Count count = transition_by_values(id, effort, of);
  if (count.origin <= Origin::exact || !ordered_) return count;
  auto found = ordered_->traversals(id, traversals_of(id, of));
  return found ? before_others(*std::move(found), count) : count;
}

std::vector<RunsOf> Builder::parts_of(std::int32_t id) const {
  constexpr double kAlike = 0.1;  // relative difference
  const std::int32_t from = traces_.transitions[static_cast<std::size_t>(id)].from;
  if (from == kOutside || counted_.any()) return {RunsOf::all};
  // By point without p: traversals of the transition and executions of the call before it.
  struct Passed {
    double traversals = 0, executions = 0;
    double share() const { return executions > 0 ? traversals / executions : 0; }
  };
  std::map<std::vector<double>, std::map<bool, Passed>> passed;  // bool: one process
  for (const Trace& trace : traces_.traces) {
    if (!trace.complete) continue;
    const Run& run = inputs_.runs[trace.run];
    Passed& of = passed[run.parameters][run.processes == 1];
    if (const auto at = trace.transitions.find(id); at != trace.transitions.end())
      of.traversals += static_cast<double>(at->second.traversals);
    if (const auto at = trace.calls.find(from); at != trace.calls.end())
      of.executions += static_cast<double>(at->second.executions);
  }
  bool differs = false;
  for (auto& [point, of] : passed) {
    const double alone = of[true].share(), several = of[false].share();
    if (!(alone > 0) || !(several > 0)) continue;
    if (std::abs(alone - several) <= kAlike * std::max(alone, several)) return {RunsOf::all};
    differs = true;
  }
  return differs ? std::vector{RunsOf::several_processes, RunsOf::one_process} : std::vector{RunsOf::all};
}

std::vector<std::int64_t> Builder::traversals_of(std::int32_t id, RunsOf of) const {
  std::vector<std::int64_t> values;
  for (const Trace& trace : traces_.traces) {
    const auto at = trace.transitions.find(id);
    const bool counts = at != trace.transitions.end() && includes(of, inputs_.runs[trace.run].processes);
    values.push_back(counts ? at->second.traversals : 0);
  }
  return values;
}

Count Builder::transition_by_values(std::int32_t id, Effort effort, RunsOf of) {
  const std::vector<std::int64_t> values = traversals_of(id, of);
  const Transition& t = traces_.transitions[static_cast<std::size_t>(id)];
  if (!deterministic_transition(id)) return counts_.build(values, false, effort);
  Around ends;
  for (const std::int32_t key : {t.to, t.from})
    if (key != kOutside) ends.push_back(&bases_.at(node_of_key_.at(key)));
  Around entries;
  if (t.from != kOutside && t.to != kOutside)
    for (NodeId n = owner_of(model_, node_of_key_.at(t.from), node_of_key_.at(t.to)); n != kNone;
         n = parent_of(model_, n))
      entries.push_back(&bases_.at(n));
  if (std::ranges::none_of(ends, [&](const Basis* end) { return end->values == values; }))
    if (auto fewer = relative_.difference(values, ends, entries)) return *std::move(fewer);
  Around all = ends;
  for (const Basis* basis : entries)
    if (basis != &bases_.at(0)) all.push_back(basis);
  return relative_.build(values, true, all, effort);
}

}  // namespace parcast::program
