// SPDX-License-Identifier: Apache-2.0
#include "structure/attributes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/checked.h"
#include "model/binding.h"
#include "structure/step_text.h"

namespace parcast::program {
namespace {

bool doubles(const std::vector<std::int64_t>& values) {
  for (std::size_t k = 1; k < values.size(); ++k)
    if (values[k] != 2 * values[k - 1]) return false;
  return true;
}

bool halves(const std::vector<std::int64_t>& values) {
  for (std::size_t k = 1; k < values.size(); ++k)
    if (2 * values[k] != values[k - 1]) return false;
  return true;
}

bool is_linear(const std::vector<std::int64_t>& values) {
  for (std::size_t k = 2; k < values.size(); ++k)
    if (values[k] - values[k - 1] != values[1] - values[0]) return false;
  return true;
}

bool is_constant(const std::vector<std::int64_t>& values) {
  return std::ranges::all_of(values, [&](std::int64_t v) { return v == values.front(); });
}

Count once() {
  Count count;
  count.expression = 1;
  count.origin = Origin::exact;
  return count;
}

}  // namespace

Attributes::Attributes(const Tokens& tokens, const std::vector<std::string>& parameters,
                       const std::vector<ProcessGrid>& grids)
    : tokens_(tokens), parameters_(parameters), grids_(grids) {
  std::set<std::size_t> all;
  for (const TracedRun& run : tokens.runs) {
    all.insert(runs_.size());
    runs_.push_back(run.run);
  }
  subset_of(all);
}

const CountBuilder& Attributes::whole() const {
  std::set<std::size_t> all;
  for (std::size_t run = 0; run < runs_.size(); ++run) all.insert(run);
  return *subsets_.at(all).counts;
}

Attributes::Subset& Attributes::subset_of(const std::set<std::size_t>& runs) {
  Subset& subset = subsets_[runs];
  if (subset.counts) return subset;
  for (const RankOfRun& rank : tokens_.ranks) {
    if (!runs.contains(rank.run)) {
      subset.place_of.push_back(-1);
      continue;
    }
    subset.place_of.push_back(static_cast<std::int64_t>(subset.traces.traces.size()));
    subset.traces.traces.push_back(
        {.run = rank.run, .rank = static_cast<std::int32_t>(rank.place.r), .complete = true});
  }
  subset.counts = std::make_unique<CountBuilder>(parameters_, runs_, grids_, subset.traces);
  return subset;
}

std::string Attributes::name_of_step(const Draft& draft) const {
  if (!draft.body.empty()) return name_of_step(draft.body.front());
  return describe_step(draft.step.operation, draft.step.pattern,
                       draft.step.place == trace::kNowhere ? nullptr : &tokens_.places[draft.step.place]);
}

Result<std::vector<Step>> Attributes::finish(std::vector<Draft> drafts) {
  std::vector<Step> steps;
  for (Draft& draft : drafts) {
    PARCAST_ASSIGN(Step step, finish(std::move(draft)));
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<Step> Attributes::finish(Draft draft) {
  Step step = draft.step;
  step.id = next_++;
  if (step.kind == Step::Kind::operation) {
    PARCAST_TRY(describe_operation(draft, step));
    return step;
  }
  if (step.kind != Step::Kind::every) PARCAST_TRY(describe_rounds(draft, step));
  PARCAST_ASSIGN(step.body, finish(std::move(draft.body)));
  return step;
}

// Rounds.

/// Finds one rule for all ranks. If the ranks with rounds do equally many in a run, finds one for the ranks
/// of a guard.
Result<void> Attributes::describe_rounds(const Draft& draft, Step& step) {
  Values all(tokens_.ranks.size()), present(tokens_.ranks.size());
  const auto is_silent = [&](std::size_t rank) { return !draft.silent.empty() && draft.silent[rank]; };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (is_silent(rank)) continue;
    all[rank] = draft.rounds[rank];
    if (draft.rounds[rank] > 0) present[rank] = draft.rounds[rank];
  }
  if (step.guard.kind != Guard::Kind::all) {
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (!holds(step.guard, tokens_.ranks[rank].place))
        present[rank].reset();
      else
        present[rank] = all[rank];
    all = present;
  } else {
    for (const Guard& guard : known_guards()) {
      bool tells = present != all;
      for (std::size_t rank = 0; tells && rank < all.size(); ++rank)
        tells = is_silent(rank) || holds(guard, tokens_.ranks[rank].place) == present[rank].has_value();
      if (!tells) continue;
      step.guard = guard;
      all = present;
      break;
    }
  }
  step.rounds = count(all);
  if (step.kind == Step::Kind::rounds && !reproduces(step.rounds, all))
    return Error{"the number of rounds of " + name_of_step(draft) + " follows no rule", "",
                 "record at further process counts, and at three or more values of each parameter"};
  if (step.rounds.origin == Origin::fitted) observed_[step.id] = all;
  if (step.rounds.origin == Origin::fitted && !is_constant(std::vector<std::int64_t>(draft.rounds)))
    assumptions_.push_back(
        "how often " + name_of_step(draft) + " and what follows it is repeated is fitted, to " +
        std::to_string(static_cast<int>(std::ceil(100 * step.rounds.relative_error))) + " %");
  return {};
}

// Operations.

Result<void> Attributes::describe_operation(const Draft& draft, Step& step) {
  if (step.operation == trace::Kind::wait) return {};
  PARCAST_ASSIGN(step.members, members_of_step(draft));
  step.bytes = bytes_of(draft);
  if (step.bytes.count.origin == Origin::fitted)
    for (const Seen& seen : draft.seen) {
      auto& values = observed_.try_emplace(step.id, tokens_.ranks.size()).first->second;
      values[seen.rank] = static_cast<std::int64_t>(seen.operation->bytes);
    }
  if (step.operation == trace::Kind::collective) return describe_root(draft, step);
  PARCAST_ASSIGN(step.tag, tag_of(draft));
  return {};
}

RoundCount Attributes::bytes_of(const Draft& draft) {
  ByRank by_rank;
  for (const Seen& seen : draft.seen)
    by_rank[seen.rank].push_back(static_cast<std::int64_t>(seen.operation->bytes));
  const auto every = [&](auto holds_for) {
    return std::ranges::all_of(by_rank, [&](const auto& each) { return holds_for(each.second); });
  };
  const auto counted = [&](auto value) {
    Values values(tokens_.ranks.size());
    for (const auto& [rank, of] : by_rank) values[rank] = value(of);
    return count(values);
  };
  const auto first = [](const std::vector<std::int64_t>& of) { return of.front(); };
  if (every(is_constant)) return {counted(first), Change::none, {}};
  if (every(doubles)) return {counted(first), Change::doubling, {}};
  if (every(halves)) {
    Count from_first = counted(first);
    if (from_first.origin != Origin::fitted) return {std::move(from_first), Change::halved, {}};
    return {counted([](const std::vector<std::int64_t>& of) { return of.back(); }), Change::halving, {}};
  }
  if (every(is_linear)) {
    const bool falls = std::ranges::any_of(
        by_rank, [](const auto& each) { return each.second.size() > 1 && each.second[1] < each.second[0]; });
    Values slopes(tokens_.ranks.size());
    for (const auto& [rank, of] : by_rank)
      if (of.size() > 1) slopes[rank] = falls ? of[0] - of[1] : of[1] - of[0];
    return {counted(first), falls ? Change::down : Change::up, count(slopes)};
  }
  assumptions_.push_back("the bytes of " + name_of_step(draft) +
                         " change from round to round by no rule; their mean is taken");
  Count mean = counted([](const std::vector<std::int64_t>& of) {
    return std::accumulate(of.begin(), of.end(), std::int64_t{0}) / static_cast<std::int64_t>(of.size());
  });
  mean.origin = Origin::fitted;
  return {std::move(mean), Change::none, {}};
}

std::string Attributes::with_lines(const Draft& draft, const std::string& hint) const {
  const Seen& first = draft.seen.front();
  const auto& places = tokens_.runs[tokens_.ranks[first.rank].run].trace.places;
  const bool has_line =
      first.operation->place != trace::kNowhere && !places[first.operation->place].file.empty();
  return has_line ? hint
                  : "compile the program with -g: without line numbers, different calls may look like one; " +
                        hint;
}

Result<Tag> Attributes::tag_of(const Draft& draft) const {
  const auto base = [&](const Seen& seen, Tag::Kind kind) -> std::int64_t {
    const std::int64_t rank = tokens_.ranks[seen.rank].place.r;
    switch (kind) {
      case Tag::Kind::any:
      case Tag::Kind::number:
        return 0;
      case Tag::Kind::own_rank:
        return rank;
      case Tag::Kind::partners_rank:
        return rank + seen.operation->peer;
      case Tag::Kind::round:
        return seen.round;
    }
    return 0;
  };
  const Seen& first = draft.seen.front();
  const auto any = [](const Seen& seen) { return seen.operation->tag == trace::kAny; };
  if (std::ranges::all_of(draft.seen, any)) return Tag{Tag::Kind::any, 0};
  for (const Tag::Kind kind :
       {Tag::Kind::number, Tag::Kind::own_rank, Tag::Kind::partners_rank, Tag::Kind::round}) {
    const std::int64_t amount = first.operation->tag - base(first, kind);
    if (std::ranges::all_of(draft.seen, [&](const Seen& seen) {
          return !any(seen) && seen.operation->tag - base(seen, kind) == amount;
        }))
      return Tag{kind, amount};
  }
  return Error{
      "the tags of " + name_of_step(draft) + " follow no rule",
      tokens_.describe_run(tokens_.ranks[first.rank].run),
      with_lines(
          draft,
          "known are a number, and a number added to the own rank, the partner's, or that of the round")};
}

const std::vector<std::int32_t>& Attributes::expected(const RankOfRun& rank, const Members& members) const {
  const auto key = std::tuple(rank.run, static_cast<int>(members.kind), members.dimensions,
                              static_cast<int>(members.kept), members.amount, group_of(members, rank.place));
  const auto [at, is_new] = expected_.emplace(key, std::vector<std::int32_t>{});
  if (is_new) at->second = members_of(members, tokens_.places_of[rank.run], rank.place);
  return at->second;
}

/// Returns the number of the communicator among those with these members; nothing if its members differ.
std::optional<std::uint32_t> Attributes::number_of(const Seen& seen, const Members& members) const {
  const RankOfRun& rank = tokens_.ranks[seen.rank];
  const auto& communicators = tokens_.runs[rank.run].trace.communicators;
  const auto& wanted = expected(rank, members);
  const auto is = [&](std::uint32_t index) {
    return index == 0 ? std::cmp_equal(wanted.size(), tokens_.runs[rank.run].run.processes)
                      : communicators[index].members == wanted;
  };
  if (!is(seen.operation->communicator)) return std::nullopt;
  std::uint32_t number = 0;
  for (std::uint32_t index = 0; index < seen.operation->communicator; ++index) number += is(index);
  return number;
}

Result<Members> Attributes::members_of_step(const Draft& draft) const {
  for (Members members : known_members()) {
    std::optional<std::uint32_t> number;
    bool fits = std::ranges::all_of(
        draft.alone, [&](std::uint32_t rank) { return expected(tokens_.ranks[rank], members).size() == 1; });
    for (const Seen& seen : draft.seen) {
      const auto here = fits ? number_of(seen, members) : std::nullopt;
      fits = here.has_value();
      if (!fits) break;
      // If a column is all ranks, communicators of all ranks are counted among its own.
      const RankOfRun& rank = tokens_.ranks[seen.rank];
      if (members.kind != Members::Kind::all &&
          std::cmp_equal(expected(rank, members).size(), tokens_.runs[rank.run].run.processes))
        continue;
      fits = number.value_or(*here) == *here;
      number = here;
    }
    if (!fits) continue;
    members.number = number.value_or(0);
    return members;
  }
  return Error{"the members of the communicator of " + name_of_step(draft) + " follow no rule",
               tokens_.describe_run(tokens_.ranks[draft.seen.front().rank].run),
               with_lines(draft,
                          "known are all ranks, rows, columns and planes of a process grid, ranks with equal "
                          "r mod k, blocks of k ranks, and all ranks but rank 0")};
}

Result<void> Attributes::describe_root(const Draft& draft, Step& step) {
  const auto size = [&](const Seen& seen) {
    return static_cast<std::int64_t>(expected(tokens_.ranks[seen.rank], step.members).size());
  };
  Values values(tokens_.ranks.size());
  bool same = true, up = true, down = true;
  for (const Seen& seen : draft.seen) {
    const auto from = [&](std::int64_t change) {
      return floor_modulo<std::int64_t>(seen.operation->root + change * static_cast<std::int64_t>(seen.round),
                                        size(seen));
    };
    auto& value = values[seen.rank];
    if (seen.round == 0) value = seen.operation->root;
    same = same && value && seen.operation->root == *value;
    up = up && value && from(-1) == *value;
    down = down && value && from(1) == *value;
  }
  if (!same && !up && !down)
    return Error{"the roots of " + name_of_step(draft) + " follow no rule",
                 tokens_.describe_run(tokens_.ranks[draft.seen.front().rank].run),
                 with_lines(draft, "known are one rank, and one after the other")};
  step.root_change = same ? 0 : up ? 1 : -1;
  step.root = count(values);
  if (!reproduces(step.root, values))
    return Error{"the root of " + name_of_step(draft) + " follows no rule",
                 tokens_.describe_run(tokens_.ranks[draft.seen.front().rank].run),
                 "record at three or more process counts"};
  return {};
}

// Counts.

bool Attributes::reproduces(const Count& count, const Values& values) const {
  Model names;
  for (const std::string& name : parameters_) names.parameters.push_back({name, {}});
  names.grids = grids_;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    if (!values[rank]) continue;
    const Run& run = runs_[tokens_.ranks[rank].run];
    Point point{{}, run.processes};
    for (std::size_t v = 0; v < parameters_.size(); ++v) point.parameters[parameters_[v]] = run.parameters[v];
    const auto binding = bind(names, point, static_cast<std::int32_t>(tokens_.ranks[rank].place.r));
    const auto value = binding ? value_of(count, *binding) : Result<CountValue>(binding.error());
    if (!value || std::llround(value->value) != *values[rank]) return false;
  }
  return true;
}

Count Attributes::identified(Subset& subset, const Values& values, bool deterministic) {
  std::vector<std::int64_t> known(subset.traces.traces.size(), 0);
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    if (subset.place_of[rank] >= 0)
      known[static_cast<std::size_t>(subset.place_of[rank])] = values[rank].value_or(0);
  return subset.counts->build(known, deterministic);
}

/// Returns the values; ranks without one get that of a rank that differs in one coordinate only.
Attributes::Values Attributes::along(const Values& values, std::size_t dimensions,
                                     std::size_t dimension) const {
  using Line = std::vector<std::int64_t>;
  std::map<Line, std::int64_t> of_line;
  const auto line_of = [&](const RankOfRun& rank) {
    Line line{static_cast<std::int64_t>(rank.run)};
    for (std::size_t k = 0; k < dimensions; ++k)
      if (k != dimension) line.push_back(rank.place.coordinates[dimensions][k]);
    return line;
  };
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    if (values[rank]) of_line.emplace(line_of(tokens_.ranks[rank]), *values[rank]);
  Values filled = values;
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    if (!values[rank]) {
      const auto found = of_line.find(line_of(tokens_.ranks[rank]));
      if (found != of_line.end()) filled[rank] = found->second;
    }
  return filled;
}

/// Finds the count from the runs in which some rank has a value. Ranks without one get a value that makes the
/// rule simple, since they are no evidence.
Count Attributes::count(const Values& values) {
  std::set<std::size_t> runs;
  std::map<std::size_t, std::set<std::int64_t>> in_run;
  bool partial = false;
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    if (values[rank]) {
      runs.insert(tokens_.ranks[rank].run);
      in_run[tokens_.ranks[rank].run].insert(*values[rank]);
    }
  if (runs.empty()) return once();
  Subset& subset = subset_of(runs);
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    partial = partial || (subset.place_of[rank] >= 0 && !values[rank]);
  const bool uniform = std::ranges::all_of(in_run, [](const auto& each) { return each.second.size() == 1; });
  std::vector<Values> attempts;
  Values even = values;
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    if (subset.place_of[rank] >= 0 && !values[rank]) even[rank] = *in_run[tokens_.ranks[rank].run].begin();
  if (uniform || !partial) attempts.push_back(even);
  if (!uniform && partial) {
    for (std::size_t dimensions = 2; dimensions <= kMostDimensions; ++dimensions)
      for (std::size_t dimension = 0; dimension < dimensions; ++dimension)
        attempts.push_back(along(values, dimensions, dimension));
    attempts.push_back(values);
  }
  for (const Values& attempt : attempts) {
    Count found = identified(subset, attempt, true);
    if (found.origin != Origin::fitted && reproduces(found, values)) return found;
  }
  return identified(subset, even, false);
}

}  // namespace parcast::program
