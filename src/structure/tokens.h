// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces as the search for a structure sees them: what each rank does, without its computing, folded anew; operations that
// may be one and the same step of the program have one key.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "fit_counts/counts.h"
#include "structure/rules.h"
#include "trace/trace.h"

namespace parcast::program {

/// A run of the program of which a trace is there.
struct TracedRun {
  Run run;                       // parameters in the order of the names
  bool oversubscribed = false;
  trace::Trace trace;            // has passed check()
  std::vector<trace::Place> alone;  // where collectives are called by one rank for itself, which the trace has not
  std::vector<std::string> uncounted;  // what the trace rests on and what it leaves out, without the numbers of this run
};

struct TokenLoop;

/// An operation, or a loop. 16 bytes: there may be kMostTokens of them.
struct Token {
  std::uint32_t key = 0;         // of an operation
  std::uint32_t number = 0;      // index into the trace's operations; of a loop its rounds
  const TokenLoop* loop = nullptr;

  bool is_loop() const { return loop != nullptr; }
  std::uint32_t rounds() const { return number; }
};

struct TokenLoop {
  std::vector<Token> body;
  std::vector<std::uint32_t> keys;  // that occur in it, ascending
};

/// One rank of one run.
struct RankOfRun {
  std::size_t run = 0;
  Place place;
  const std::vector<Token>* tokens = nullptr;
};

/// What a key stands for.
struct StepKey {
  trace::Kind kind = trace::Kind::send;
  trace::Mode mode = trace::Mode::standard;
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false, from_any = false;
  std::uint32_t place = trace::kNowhere;  // index into Tokens::places

  auto tuple() const { return std::tuple(kind, mode, pattern, uneven, from_any, place); }
};

struct Tokens {
  std::vector<TracedRun> runs;                       // of two processes or more, by processes, then parameters
  std::vector<Places> places_of;                     // of each run
  std::vector<std::vector<std::vector<Token>>> sequences;  // of each run, of each sequence of its trace
  std::deque<TokenLoop> loops;                             // that tokens point to
  std::vector<std::vector<std::uint32_t>> key_of;    // of each run, of each operation of its trace
  std::vector<RankOfRun> ranks;                      // by run, then rank
  std::vector<trace::Place> places;
  std::vector<StepKey> keys;

  const trace::Operation& operation(const RankOfRun& rank, const Token& token) const {
    return runs[rank.run].trace.operations[token.number];
  }
  /// "MPI_Send (main.cpp:12, in main/solve)".
  std::string describe(std::uint32_t key) const;
  /// "p = 8, n = 100".
  std::string describe_run(std::size_t run, const std::vector<std::string>& parameters) const;
};

/// Of all runs together. Beyond, no structure is looked for: an order that hardly repeats itself has none.
inline constexpr std::size_t kMostTokens = std::size_t{1} << 22;

/// What to do without a rule.
inline constexpr const char* kOrderHint =
    "an order that depends on data or on chance has no rule; parcast predict needs none, and parcast "
    "simulate and export take a recording in place of the model; "
    "runs of fewer iterations may show one";

/// Counts what a search for a structure would hold of traces, and refuses more than kMostTokens.
class TokenBudget {
 public:
  explicit TokenBudget(std::size_t most = kMostTokens) : most_(most) {}
  /// An error from the trace on with which there are too many.
  Result<void> add(const trace::Trace& trace);

 private:
  std::size_t most_, taken_ = 0;
};

/// Runs on one process are left out: they exchange nothing. An error when none is left.
Result<Tokens> tokens_of(std::vector<TracedRun> runs, const std::vector<ProcessGrid>& grids);
/// Gives ranks their places in other grids.
void put_on_grids(Tokens& tokens, const std::vector<ProcessGrid>& grids);

}  // namespace parcast::program
