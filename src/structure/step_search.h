// SPDX-License-Identifier: Apache-2.0
#pragma once
// The search of align(). From the rest of each rank's operations, it tries the possible next steps in order.
// It modifies one state and records its changes to undo them, so memory grows with the steps taken, not with
// the remaining operations.

#include <map>
#include <optional>
#include <set>

#include "structure/align.h"
#include "structure/occasions.h"
#include "structure/token_cursor.h"

namespace parcast::program {

class StepSearch {
 public:
  StepSearch(const Tokens& tokens, const std::vector<ProcessGrid>& grids, int most_attempts);

  std::optional<std::vector<Draft>> run();
  /// After a failure: the rank and operation at the farthest point reached.
  struct Stuck {
    std::size_t done = 0;
    int attempt = 0;  // attempt in which it was reached
    std::uint32_t rank = 0;
    const Token* token = nullptr;
  };
  const Stuck& stuck() const { return stuck_; }
  /// Returns whether the last attempt ended the search; a rule that it did not try may exist.
  bool gave_up() const { return attempts_ > most_attempts_; }
  /// Returns whether the search still advanced in the last tenth of the attempts. Then the program is too
  /// long, rather than without a rule.
  bool came_farther() const { return gave_up() && stuck_.attempt > most_attempts_ - most_attempts_ / 10; }

 private:
  static constexpr std::int32_t kNobody = -1;
  /// Communicators with only one member for some ranks of some runs, and more for others.
  struct OfSome {
    Members members;
    std::vector<bool> alone;  // by rank
  };
  /// A rank's position before a change.
  struct Before {
    std::size_t at = 0;
    TokenCursor rest;
    std::int64_t open = 0;
  };
  /// The remaining operations of ranks; only ranks that take part.
  struct State {
    std::vector<std::uint32_t> ranks;
    std::vector<TokenCursor> rest;   // by position in `ranks`
    std::vector<std::int64_t> open;  // requests begun here and not completed
    std::vector<Before> changes;     // since the first state, in order
    // In the body of a loop: operations of some iterations only.
    const Occasions* occasions = nullptr;
    std::vector<std::int64_t> rounds;  // then, by position: of that loop

    void note(std::size_t at) { changes.push_back({at, rest[at], open[at]}); }
    void go_back(std::size_t count_of_changes);
    const Token* head(std::size_t at) const { return rest[at].at_end() ? nullptr : &*rest[at]; }
  };
  /// Returns whether a rank's loop ends before the first iteration with the operation.
  bool ends_before(const State& state, std::size_t at, std::uint32_t key) const;
  struct Choice {
    std::size_t guard = 0, partner = 0;
    // A collective whose communicator has only one member for some ranks.
    const OfSome* of = nullptr;
  };
  /// Ranks that execute an operation next, and the rules that select them.
  struct Candidate {
    std::uint32_t key = 0;
    std::vector<bool> takes;  // by position
    std::size_t taken = 0;
    std::vector<Choice> rules;  // simplest first
    std::vector<std::uint32_t> alone = {};
    bool leaves_some = false;  // other ranks have the operation later
  };
  /// Rules are tried in this order: for all ranks; for those that are not alone in their communicator; for
  /// those of a guard.
  enum class Tried { all, not_alone, guarded };

  std::optional<std::vector<Draft>> level(State state);
  /// Unless they return true, these functions restore the state.
  bool go(State& state, std::vector<Draft>& drafts);
  bool go_on(State& state, std::size_t before, Draft draft, std::vector<Draft>& drafts);

  std::vector<std::uint32_t> head_keys(const State& state) const;
  std::vector<Candidate> candidates(const State& state, Tried tried) const;
  void put_likely_first(const State& state, std::vector<Candidate>& all) const;
  std::vector<Candidate> of_some_ranks(const State& state, std::vector<Candidate>& all) const;
  bool take_any(State& state, const std::vector<Candidate>& all, std::vector<Draft>& drafts);
  bool take_guarded(State& state, std::vector<Candidate> set_aside, std::vector<Draft>& drafts);
  bool is_of_unknown_grid(const Choice& rule) const;
  bool is_far(const Choice& rule) const;
  bool is_plain(const Candidate& candidate) const;
  const std::vector<Choice>& rules_of(std::uint32_t key, Tried tried) const;
  void add_candidates(const State& state, std::uint32_t key, Tried tried, std::vector<Candidate>& all) const;
  bool applies(const State& state, std::uint32_t key, Choice rule, Candidate& candidate) const;
  bool is_of(std::uint32_t rank, const Token& token, const Members& members) const;
  bool take(State& state, const Candidate& candidate, std::vector<Draft>& drafts);

  std::vector<bool> at_common_loops(const State& state, std::set<std::uint32_t>& keys) const;
  std::set<std::size_t> at_inner_loops(const State& state, const std::vector<bool>& there,
                                       const Token& largest) const;
  std::size_t as_one_round(TokenCursor rest, const Token& loop) const;
  bool take_loop(State& state, std::vector<Draft>& drafts);
  bool is_mixed(const State& state) const;
  bool unroll_a_round(State& state, std::vector<Draft>& drafts);

  /// Steps whose attributes depend on the number of the round (step_rounds.cpp).
  struct Block {
    std::vector<std::uint32_t> keys;
    // The position with most repetitions, and their number.
    std::size_t reference = 0, times = 0;
    std::vector<std::size_t> times_of = {};  // by position
  };
  struct Rounds {
    std::vector<std::int64_t> of;  // by position
    std::vector<std::vector<Seen>> seen;
  };
  bool take_rounds(State& state, bool guarded, std::vector<Draft>& drafts);
  std::vector<Block> blocks_at(const State& state, std::uint32_t key) const;
  std::int64_t repeats_of_part(const State& state, std::size_t at, const Block& block,
                               const std::vector<Partner>& partners) const;
  std::vector<std::vector<Partner>> partners_of(const State& state, const Block& block,
                                                std::size_t guard) const;
  std::optional<Rounds> follow(State& state, const Block& block, std::size_t guard,
                               const std::vector<Partner>& partners) const;
  bool follow_rank(State& state, std::size_t at, const Block& block, const std::vector<Partner>& partners,
                   std::int64_t rounds, Rounds& found) const;
  bool are_many(const std::map<std::size_t, std::int64_t>& rounds_of_run) const;
  bool vanish(const std::map<std::size_t, std::int64_t>& rounds_of_run) const;
  bool take_block(State& state, const Block& block, bool guarded, std::vector<Draft>& drafts);
  std::size_t repeats(TokenCursor rest, const std::vector<std::uint32_t>& keys) const;

  /// Loops in which some iterations do more than others (step_occasions.cpp).
  bool take_iterations(State& state, std::vector<Draft>& drafts);
  const TokenLoop* loop_ahead(TokenCursor rest, bool& goes_on);
  bool take_iterations(State& state, const std::vector<Iterations>& of, const Occasions& occasions,
                       std::vector<Draft>& drafts);
  std::optional<std::vector<Iterations>> parts_of(const State& state, const std::set<std::uint32_t>& places);
  bool are_likely(const std::vector<Iterations>& of, const Occasions& occasions) const;
  std::optional<std::vector<Draft>> grouped(std::vector<Draft> drafts, const Occasions& occasions,
                                            const std::vector<std::int64_t>& rounds) const;

  const std::vector<double>& parameters_of(std::size_t rank) const {
    return tokens_.runs[tokens_.ranks[rank].run].run.parameters;
  }
  std::int32_t partner_in(std::uint32_t rank, const Token& token) const;
  bool is_message(std::uint32_t key) const;
  std::int64_t opens(std::uint32_t rank, const Token& token) const;
  Seen seen_by(std::uint32_t rank, const Token& token) const {
    return {rank, 0, 1, &tokens_.operation(tokens_.ranks[rank], token)};
  }
  Step step_of(std::uint32_t key) const;
  void remember_stuck(const State& state);

  const Tokens& tokens_;
  std::vector<Guard> guards_;  // `all` first
  std::vector<Partner> partners_;
  std::set<int> known_grids_;                       // dimensions of recorded grids
  std::vector<std::vector<bool>> guarded_;          // [guard][rank]
  std::vector<std::vector<std::int32_t>> partner_;  // [partner][rank]
  std::vector<OfSome> of_some_;
  // By what is tried, for messages, for collectives: rules_of() gives the same to all such keys.
  mutable std::map<std::tuple<Tried, bool, bool>, std::vector<Choice>> rules_;
  TokenPool pool_;
  mutable TokensAhead ahead_;  // remembers its results
  std::size_t done_ = 0;
  int most_attempts_, attempts_ = 0;
  /// Loops, the depth in them, and done_, for which no such iterations were found.
  std::set<std::tuple<const TokenLoop*, int, std::size_t>> in_vain_;
  std::size_t looked_at_ = 0;  // number of operations examined for that
  Stuck stuck_;
};

}  // namespace parcast::program
