// SPDX-License-Identifier: Apache-2.0
#pragma once
// One rank's words by a structure. A loop is written as its first round, and one loop of the others where these are equal word
// by word: the first differs in what is computed before it, and in what is open.

#include <functional>
#include <map>

#include "structure/unroll.h"
#include "trace/builder.h"

namespace parcast::program {

/// Communicators of a generated trace: all that a rule gives are made when it is first used.
class GeneratedCommunicators {
 public:
  GeneratedCommunicators(const Places& places, trace::Builder& builder) : places_(places), builder_(builder) {}
  std::uint32_t index(const Members& members, const Place& place);

 private:
  const Places& places_;
  trace::Builder& builder_;
  using Rule = std::tuple<int, int, int, std::int64_t, std::uint32_t>;
  std::map<Rule, std::map<std::int64_t, std::uint32_t>> known_;  // by group
};

class RankWords {
 public:
  static constexpr std::size_t kMostWords = std::size_t{1} << 26;

  /// `places`: index in the trace of each of the structure's.
  RankWords(const std::vector<std::uint32_t>& places, std::uint32_t steps, const Place& place, GeneratedCommunicators& communicators, trace::Builder& builder)
      : places_(places), place_(place), communicators_(communicators), builder_(builder), last_(steps) {}

  void operation(const Step& step, const StepValues& values, trace::Operation made, std::int64_t round);
  /// With one process: what it computes where others exchange, it computes as well.
  void leave_out(const Step& step, const StepValues& values);
  bool loop(std::int64_t rounds, const std::function<void()>& body, bool enters);
  void rounds(std::int64_t rounds, const std::function<void(std::int64_t)>& body);
  /// Computing after the last operation.
  void end(const std::vector<Computing>& known, const std::vector<trace::Time>& times);

  /// When there would be more than kMostWords.
  bool too_long() const { return too_long_; }
  /// Whether operations followed each other as they never did in the recordings, so that computing between them was taken from
  /// elsewhere.
  bool unseen_order() const { return unseen_order_; }
  trace::Sequence take() { return std::move(words_); }

 private:
  void compute(const std::vector<Computing>& known, const std::vector<trace::Time>& times);
  bool round(const std::function<void()>& body, bool enters);
  void repeat(std::size_t first, std::int64_t rounds, const std::function<void()>& body);
  void close(std::size_t from, std::int64_t rounds);
  bool equal(std::size_t first, std::size_t second, std::size_t end) const;

  const std::vector<std::uint32_t>& places_;
  const Place& place_;
  GeneratedCommunicators& communicators_;
  trace::Builder& builder_;
  trace::Sequence words_;
  OpenRequests requests_;
  std::uint32_t entered_ = 0;  // loops, since the last operation
  std::uint32_t last_;         // step of the last operation
  std::uint64_t done_ = 0;     // operations written
  bool too_long_ = false, unseen_order_ = false;
};

}  // namespace parcast::program
