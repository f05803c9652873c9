// SPDX-License-Identifier: Apache-2.0
#include "structure/each_rank.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::program {
namespace {

using trace::Kind;

/// Returns whether two ranks do the same in the same order, apart from rounds and bytes.
bool are_alike(const Tokens& tokens, const RankOfRun& a, const std::vector<Token>& of_a, const RankOfRun& b,
               const std::vector<Token>& of_b) {
  return std::ranges::equal(of_a, of_b, [&](const Token& x, const Token& y) {
    if (x.is_loop() != y.is_loop()) return false;
    if (x.is_loop()) return are_alike(tokens, a, x.loop->body, b, y.loop->body);
    return x.key == y.key && tokens.operation(a, x).peer == tokens.operation(b, y).peer;
  });
}

std::size_t steps_in(const std::vector<Token>& all) {
  std::size_t steps = 0;
  for (const Token& token : all) steps += 1 + (token.is_loop() ? steps_in(token.loop->body) : 0);
  return steps;
}

class Copier {
 public:
  /// `ranks`: one rank of each run, with equal numbers.
  Copier(const Tokens& tokens, std::vector<std::uint32_t> ranks) : tokens_(tokens), ranks_(std::move(ranks)) {
    const Place& place = tokens_.ranks[ranks_.front()].place;
    guard_ = {.kind = Guard::Kind::copied,
              .of = static_cast<std::int32_t>(place.p),
              .remainder = static_cast<std::int32_t>(place.r)};
  }

  /// `lists`: equal stretches of these ranks.
  std::vector<Draft> steps(const std::vector<const std::vector<Token>*>& lists) const {
    std::vector<Draft> drafts;
    for (std::size_t i = 0; i < lists.front()->size(); ++i) {
      std::vector<const Token*> same;
      for (const std::vector<Token>* list : lists) same.push_back(&(*list)[i]);
      drafts.push_back(same.front()->is_loop() ? loop(same) : operation(same));
    }
    return drafts;
  }

 private:
  Draft loop(const std::vector<const Token*>& same) const {
    Draft draft;
    draft.step.kind = Step::Kind::loop;
    draft.step.guard = guard_;
    draft.rounds.assign(tokens_.ranks.size(), 0);
    std::vector<const std::vector<Token>*> bodies;
    for (std::size_t i = 0; i < same.size(); ++i) {
      draft.rounds[ranks_[i]] = same[i]->rounds();
      bodies.push_back(&same[i]->loop->body);
    }
    draft.body = steps(bodies);
    return draft;
  }

  Draft operation(const std::vector<const Token*>& same) const {
    const StepKey& key = tokens_.keys[same.front()->key];
    Draft draft{.step = {.place = key.place,
                         .guard = guard_,
                         .operation = key.kind,
                         .mode = key.mode,
                         .pattern = key.pattern,
                         .uneven = key.uneven},
                .key = same.front()->key};
    for (std::size_t i = 0; i < same.size(); ++i)
      draft.seen.push_back({ranks_[i], 0, 1, &tokens_.operation(tokens_.ranks[ranks_[i]], *same[i])});
    if (key.kind == Kind::collective || key.kind == Kind::wait) return draft;
    const std::int32_t peer = draft.seen.front().operation->peer;
    if (peer == trace::kAny)
      draft.step.partner.kind = Partner::Kind::any;
    else
      draft.step.partner = {.kind = Partner::Kind::offset, .amount = peer};
    return draft;
  }

  const Tokens& tokens_;
  std::vector<std::uint32_t> ranks_;
  Guard guard_;
};

}  // namespace

std::vector<TracedRun> runs_in_order_of_last(const Tokens& tokens) {
  const std::size_t last = tokens.runs.size() - 1;
  const auto processes = static_cast<std::size_t>(tokens.runs[last].run.processes);
  const std::size_t first_of_last = tokens.ranks.size() - processes;
  std::vector<TracedRun> out;
  std::size_t first = 0;
  for (std::size_t run = 0; run < tokens.runs.size(); ++run) {
    const auto of_run = static_cast<std::size_t>(tokens.runs[run].run.processes);
    bool alike = of_run == processes;
    for (std::size_t r = 0; alike && r < processes; ++r) {
      const RankOfRun &a = tokens.ranks[first + r], &b = tokens.ranks[first_of_last + r];
      alike = are_alike(tokens, a, *a.tokens, b, *b.tokens);
    }
    if (alike) out.push_back(tokens.runs[run]);
    first += of_run;
  }
  return out;
}

Result<std::vector<Draft>> steps_of_each_rank(const Tokens& tokens) {
  const std::size_t runs = tokens.runs.size(), processes = tokens.ranks.size() / runs;
  std::size_t steps = 0;
  for (std::size_t rank = 0; rank < processes; ++rank) steps += steps_in(*tokens.ranks[rank].tokens);
  if (steps > kMostCopiedSteps)
    return Error{"the recorded order has " + format_integer(static_cast<long long>(steps)) +
                     " steps of all ranks, more than the " +
                     format_integer(static_cast<long long>(kMostCopiedSteps)) + " that a model keeps",
                 "", "runs of fewer iterations may have fewer"};
  std::vector<Draft> all;
  for (std::size_t rank = 0; rank < processes; ++rank) {
    std::vector<std::uint32_t> ranks;
    std::vector<const std::vector<Token>*> lists;
    for (std::size_t run = 0; run < runs; ++run) {
      ranks.push_back(static_cast<std::uint32_t>(run * processes + rank));
      lists.push_back(tokens.ranks[ranks.back()].tokens);
    }
    std::ranges::move(Copier(tokens, std::move(ranks)).steps(lists), std::back_inserter(all));
  }
  return all;
}

}  // namespace parcast::program
