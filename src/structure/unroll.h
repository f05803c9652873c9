// SPDX-License-Identifier: Apache-2.0
#pragma once
// Unrolls one rank's operations from a structure. A sink receives operations, loops and rounds in order.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "structure/rules.h"

namespace parcast::program {

/// The values of a step at one rank.
struct StepValues {
  bool takes = false;  // its guard holds
  std::int64_t rounds = 0;
  std::int64_t every = 1, offset = 0;  // 0 <= offset; offset >= every: never
  std::int64_t bytes = 0, slope = 0;
  std::int64_t root = 0;
  std::vector<trace::Time> computing;  // in the order of Step::computing
};

/// Returns the number of iterations after which a loop with that body repeats: 1 if all are equal.
std::int64_t period_of(const std::vector<Step>& body, const std::vector<StepValues>& values);
/// Returns the first iteration after `iteration` that may execute other steps of that body.
std::int64_t next_unlike(const std::vector<Step>& body, const std::vector<StepValues>& values,
                         std::int64_t iteration);

/// A sink has these functions. operation(step, values, operation): `operation` lacks communicator, requests
/// and place. leave_out(step, values): called instead if there is no partner. loop(rounds, body, enters):
/// calls body() for each round, and returns whether anything was done; `enters`: the first round enters a
/// loop, otherwise it continues one. rounds(rounds, body): calls body(k).
template <class Sink>
class Unroller {
 public:
  Unroller(const std::vector<StepValues>& values, const Place& place, Sink& sink)
      : values_(values), place_(place), sink_(sink) {}

  void go(const std::vector<Step>& steps, std::int64_t round = 0, std::int64_t rounds = 1,
          std::int64_t iteration = 0) {
    for (const Step& step : steps) {
      const StepValues& values = values_[step.id];
      if (!values.takes) continue;
      switch (step.kind) {
        case Step::Kind::operation:
          operation(step, values, round, rounds);
          break;
        case Step::Kind::loop:
          loop(step, values.rounds, round, rounds);
          break;
        case Step::Kind::rounds:
          sink_.rounds(values.rounds, [&](std::int64_t k) { go(step.body, k, values.rounds, k); });
          break;
        case Step::Kind::every:
          if (iteration % values.every == values.offset) go(step.body, round, rounds, iteration);
          break;
      }
    }
  }

 private:
  /// If some iterations do more than others: a loop over complete periods, then the remaining iterations.
  void loop(const Step& step, std::int64_t count, std::int64_t round, std::int64_t rounds) {
    const std::int64_t period = period_of(step.body, values_), periods = count / period;
    if (period == 1) {
      const auto same = [&] { go(step.body, round, rounds); };
      sink_.loop(count, same, true);
      return;
    }
    const auto whole = [&] { iterations(step, period, round, rounds, false); };
    const bool begun = periods > 0 && sink_.loop(periods, whole, true);
    iterations(step, count % period, round, rounds, !begun);
  }

  void iterations(const Step& step, std::int64_t count, std::int64_t round, std::int64_t rounds,
                  bool enters) {
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t end = std::min(count, next_unlike(step.body, values_, i));
      const auto like_this = [&] { go(step.body, round, rounds, i); };
      if (sink_.loop(end - i, like_this, enters)) enters = false;
      i = end;
    }
  }

  void operation(const Step& step, const StepValues& values, std::int64_t round, std::int64_t rounds) {
    trace::Operation made{
        .kind = step.operation, .mode = step.mode, .pattern = step.pattern, .uneven = step.uneven};
    if (step.partner.kind != Partner::Kind::none) {
      const auto partner = partner_of(step.partner, place_, round, rounds);
      if (!partner) return sink_.leave_out(step, values);
      made.peer = *partner == trace::kAny ? *partner : static_cast<std::int32_t>(*partner - place_.r);
    }
    made.tag = tag(step, made, round);
    made.root = static_cast<std::int32_t>(values.root);
    made.bytes = bytes(step, values, round, rounds);
    sink_.operation(step, values, made, round);
  }

  std::int32_t tag(const Step& step, const trace::Operation& made, std::int64_t round) const {
    std::int64_t tag = step.tag.amount;
    switch (step.tag.kind) {
      case Tag::Kind::any:
        return trace::kAny;
      case Tag::Kind::number:
        break;
      case Tag::Kind::own_rank:
        tag += place_.r;
        break;
      case Tag::Kind::partners_rank:
        tag += place_.r + made.peer;
        break;
      case Tag::Kind::round:
        tag += round;
        break;
    }
    return static_cast<std::int32_t>(tag);
  }

  static std::uint64_t bytes(const Step& step, const StepValues& values, std::int64_t round,
                             std::int64_t rounds) {
    std::int64_t bytes = values.bytes;
    if (step.bytes.change == Change::up)
      bytes += values.slope * round;
    else if (step.bytes.change == Change::down)
      bytes -= values.slope * round;
    // trace::check refuses the maximum.
    else
      bytes =
          changed(bytes, step.bytes.change, round, rounds).value_or(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::uint64_t>(bytes < 0 ? 0 : bytes);
  }

  const std::vector<StepValues>& values_;
  const Place& place_;
  Sink& sink_;
};

/// Requests that were begun and not completed.
class OpenRequests {
 public:
  struct Request {
    std::uint64_t number = 0;
    std::uint32_t step = 0;
    bool operator==(const Request&) const = default;
  };
  void begin(std::uint32_t step) { open_.push_back({++begun_, step}); }
  std::uint64_t begun() const { return begun_; }
  const std::vector<Request>& open() const { return open_; }
  /// Returns the numbers of the requests that a wait completes, ascending, and closes them.
  std::vector<std::uint64_t> take(const std::vector<Awaited>& awaited);
  void remove(const std::vector<std::uint64_t>& numbers);
  /// Adds `more` rounds like the last one, which began at `before`. Returns false if more than 2^20 requests
  /// would be open.
  bool pass_rounds(std::uint64_t before, std::uint64_t more);

 private:
  std::uint64_t begun_ = 0;
  std::vector<Request> open_;  // by number
};

}  // namespace parcast::program
