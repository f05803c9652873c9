// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces in the form used by the search for a structure: the operations of each rank, without computing and
// folded again. Operations that may be the same step of the program have one key.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "fit_counts/counts.h"
#include "structure/rules.h"
#include "trace/trace.h"

namespace parcast::program {

/// A run of the program with a trace.
struct TracedRun {
  Run run;  // parameters in the order of the names
  bool oversubscribed = false;
  trace::Trace trace;  // has passed check()
  // Collectives that one rank calls for itself, which the trace does not contain.
  std::vector<trace::Place> alone;
  // Assumptions and omissions of the trace, without the numbers of this run.
  std::vector<std::string> uncounted;
  // The same run where a receive from any source takes the message that came in the recording; empty if there
  // is no such receive.
  struct AsItCame {
    trace::Trace trace;
    std::vector<std::string> uncounted;
  };
  std::optional<AsItCame> as_it_came = {};
};

struct TokenLoop;

/// An operation or a loop. It has 16 bytes, since there may be kMostTokens of them.
struct Token {
  std::uint32_t key = 0;     // of an operation
  std::uint32_t number = 0;  // index into the trace's operations; of a loop its rounds
  const TokenLoop* loop = nullptr;

  bool is_loop() const { return loop != nullptr; }
  std::uint32_t rounds() const { return number; }
};

struct TokenLoop {
  std::vector<Token> body;
  std::vector<std::uint32_t> keys;  // keys in it, ascending
};

/// One rank of one run.
struct RankOfRun {
  std::size_t run = 0;
  Place place;
  const std::vector<Token>* tokens = nullptr;
};

/// The properties that operations of a key share.
struct StepKey {
  trace::Kind kind = trace::Kind::send;
  trace::Mode mode = trace::Mode::standard;
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false, from_any = false;
  std::uint32_t place = trace::kNowhere;  // index into Tokens::places

  auto tuple() const { return std::tuple(kind, mode, pattern, uneven, from_any, place); }
};

struct Tokens {
  std::vector<std::string> parameters;  // names
  std::vector<TracedRun> runs;          // of two processes or more, by processes, then parameters
  std::vector<Places> places_of;        // by run
  // By run, then by sequence of its trace.
  std::vector<std::vector<std::vector<Token>>> sequences;
  std::deque<TokenLoop> loops;                     // loops that tokens point to
  std::vector<std::vector<std::uint32_t>> key_of;  // by run, then by operation of its trace
  std::vector<RankOfRun> ranks;                    // by run, then rank
  std::vector<trace::Place> places;
  std::vector<StepKey> keys;

  const trace::Operation& operation(const RankOfRun& rank, const Token& token) const {
    return runs[rank.run].trace.operations[token.number];
  }
  /// Returns "MPI_Send (main.cpp:12, in main/solve)".
  std::string describe(std::uint32_t key) const;
  /// Returns "p = 8, n = 100".
  std::string describe_run(std::size_t run) const;
};

/// Limit for all runs together. Above it the search is skipped: an order that hardly repeats has no
/// structure.
inline constexpr std::size_t kMostTokens = std::size_t{1} << 22;

/// Advice to the user if no rule was found.
inline constexpr const char* kOrderHint =
    "an order that depends on data or on chance has no rule; parcast predict needs none; runs of fewer "
    "iterations may show one";

/// Counts the tokens that a search would hold of traces, and refuses more than `most`.
class TokenBudget {
 public:
  explicit TokenBudget(std::size_t most = kMostTokens) : most_(most) {}
  /// Adds a trace; returns an error once there are too many tokens.
  Result<void> add(const trace::Trace& trace);

 private:
  std::size_t most_, taken_ = 0;
};

/// Returns the runs as tokens. Runs on one process are left out, since they exchange nothing. Returns an
/// error if none is left.
Result<Tokens> tokens_of(std::vector<TracedRun> runs, std::vector<std::string> parameters,
                         const std::vector<ProcessGrid>& grids);
/// Assigns ranks their places in other grids.
void put_on_grids(Tokens& tokens, const std::vector<ProcessGrid>& grids);

}  // namespace parcast::program
