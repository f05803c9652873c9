// SPDX-License-Identifier: Apache-2.0
#pragma once
// The search behind align(): from a state, what is left of each rank, the steps that may come next, tried in order.

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "program/structure/align.h"

namespace parcast::program {

class StepSearch {
 public:
  StepSearch(const Tokens& tokens, const std::vector<ProcessGrid>& grids);

  std::optional<std::vector<Draft>> run();
  /// After a failure: the rank and the operation at the point that was reached farthest.
  struct Stuck {
    std::size_t done = 0;
    std::uint32_t rank = 0;
    const Token* token = nullptr;
  };
  const Stuck& stuck() const { return stuck_; }

 private:
  static constexpr std::int32_t kNobody = -1;
  /// Communicators that have one member alone for some ranks of some runs, and more for others.
  struct OfSome {
    Members members;
    std::vector<bool> alone;  // by rank
  };
  /// What ranks have still to do, the next last; only ranks that take part.
  struct State {
    std::vector<std::uint32_t> ranks;
    std::vector<std::vector<const Token*>> rest;  // by position in `ranks`
    std::vector<std::int64_t> open;               // requests begun here and not waited for
  };
  struct Choice {
    std::size_t guard = 0, partner = 0;
    const OfSome* of = nullptr;  // a collective whose communicator has one member alone for some ranks
  };
  /// Ranks that do an operation next, and the rules that say so.
  struct Candidate {
    std::uint32_t key = 0;
    std::vector<bool> takes;  // by position
    std::size_t taken = 0;
    std::vector<Choice> rules;  // the simplest first
    std::vector<std::uint32_t> alone = {};
  };
  /// Rules are tried in this order: for all ranks; for those that are not alone in their communicator; for those of a guard.
  enum class Tried { all, not_alone, guarded };

  std::optional<std::vector<Draft>> level(State state);
  bool go(const State& state, std::vector<Draft>& drafts);
  bool go_on(State next, Draft draft, std::vector<Draft>& drafts);

  std::vector<std::uint32_t> head_keys(const State& state) const;
  std::vector<Candidate> candidates(const State& state, Tried tried) const;
  std::vector<Choice> rules_of(std::uint32_t key, Tried tried) const;
  void add_candidates(const State& state, std::uint32_t key, Tried tried, std::vector<Candidate>& all) const;
  bool applies(const State& state, std::uint32_t key, Choice rule, Candidate& candidate) const;
  bool is_of(std::uint32_t rank, const Token& token, const Members& members) const;
  bool take(const State& state, const Candidate& candidate, std::vector<Draft>& drafts);

  std::vector<bool> at_common_loops(const State& state, std::set<std::uint32_t>& keys) const;
  std::set<std::size_t> at_inner_loops(const State& state, const std::vector<bool>& there, const Token& largest) const;
  std::size_t as_one_round(const std::vector<const Token*>& rest, const Token& loop) const;
  bool take_loop(const State& state, std::vector<Draft>& drafts);
  bool is_mixed(const State& state) const;
  bool unroll_a_round(const State& state, std::vector<Draft>& drafts);

  /// Steps whose attributes follow the number of the round (rounds.cpp).
  struct Block {
    std::vector<std::uint32_t> keys;
    std::size_t reference = 0, times = 0;  // the position that repeats it most, and how often
  };
  struct Rounds {
    State next;
    std::vector<std::int64_t> of;  // by position
    std::vector<std::vector<Seen>> seen;
  };
  bool take_rounds(const State& state, bool guarded, std::vector<Draft>& drafts);
  std::optional<Block> block_at(const State& state, std::uint32_t key) const;
  std::vector<std::vector<Partner>> partners_of(const State& state, const Block& block) const;
  std::optional<Rounds> follow(const State& state, const Block& block, std::size_t guard, const std::vector<Partner>& partners) const;
  bool are_many(const std::map<std::size_t, std::int64_t>& rounds_of_run) const;
  bool take_block(const State& state, const Block& block, bool guarded, std::vector<Draft>& drafts);
  std::size_t repeats(const std::vector<const Token*>& rest, const std::vector<std::uint32_t>& keys) const;

  const Token* head(const State& state, std::size_t at) const { return state.rest[at].empty() ? nullptr : state.rest[at].back(); }
  std::int32_t partner_in(std::uint32_t rank, const Token& token) const;
  bool is_message(std::uint32_t key) const;
  std::int64_t opens(std::uint32_t rank, const Token& token) const;
  Seen seen_by(std::uint32_t rank, const Token& token) const { return {rank, 0, 1, &tokens_.operation(tokens_.ranks[rank], token)}; }
  Step step_of(std::uint32_t key) const;
  void remember_stuck(const State& state);

  const Tokens& tokens_;
  std::vector<Guard> guards_;                        // `all` first
  std::vector<Partner> partners_;
  std::vector<std::vector<bool>> guarded_;           // [guard][rank]
  std::vector<std::vector<std::int32_t>> partner_;   // [partner][rank]
  std::vector<OfSome> of_some_;
  std::deque<Token> unrolled_;                       // loops with a round less
  std::size_t done_ = 0;
  int attempts_ = 0;
  Stuck stuck_;
};

}  // namespace parcast::program
