// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes one rank's words from a structure. A loop is written as its first round and one loop of the others,
// if these are equal word by word. The first round differs in the computing before it and in its open
// requests.

#include <functional>
#include <map>

#include "structure/unroll.h"
#include "trace/builder.h"

namespace parcast::program {

/// Communicators of a generated trace. All communicators of a rule are made when it is first used.
class GeneratedCommunicators {
 public:
  GeneratedCommunicators(const Places& places, trace::Builder& builder)
      : places_(places), builder_(builder) {}
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

  /// `places`: index in the trace of each of the structure's places.
  RankWords(const std::vector<std::uint32_t>& places, std::uint32_t steps, const Place& place,
            GeneratedCommunicators& communicators, trace::Builder& builder)
      : places_(places), place_(place), communicators_(communicators), builder_(builder), last_(steps) {}

  void operation(const Step& step, const StepValues& values, trace::Operation made, std::int64_t round);
  /// For a run with one process: keeps the computing before a step that is left out.
  void leave_out(const Step& step, const StepValues& values);
  bool loop(std::int64_t rounds, const std::function<void()>& body, bool enters);
  void rounds(std::int64_t rounds, const std::function<void(std::int64_t)>& body);
  /// Adds the computing after the last operation.
  void end(const std::vector<Computing>& known, const std::vector<trace::Time>& times);

  /// Returns whether there would be more than kMostWords words.
  bool too_long() const { return too_long_; }
  /// Returns whether operations followed each other in an order without a recording, so that the computing
  /// between them was taken from another order.
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
  std::uint32_t entered_ = 0;  // loops entered since the last operation
  std::uint32_t last_;         // step of the last operation
  std::uint64_t done_ = 0;     // number of operations written
  bool too_long_ = false, unseen_order_ = false;
};

}  // namespace parcast::program
