// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one rank does by a structure: a sink is told operations, loops and rounds in order.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "structure/rules.h"

namespace parcast::program {

/// What a step is at one rank.
struct StepValues {
  bool takes = false;          // its guard holds
  std::int64_t rounds = 0;
  std::int64_t bytes = 0, slope = 0;
  std::int64_t root = 0;
  std::vector<trace::Time> computing;  // as Step::computing
};

/// After how many iterations of a loop with that body the same ones come again: 1, where all are the same.
std::int64_t period_of(const std::vector<Step>& body);
/// The first iteration after `iteration` that may do other steps of that body than it does.
std::int64_t next_unlike(const std::vector<Step>& body, std::int64_t iteration);

/// Sink: operation(step, values, operation), where `operation` lacks communicator, requests and place;
/// leave_out(step, values) instead, where there is no partner; loop(rounds, body, enters) calls body() for
/// each round, and returns whether something was done (`enters`: the first round enters a loop; else it goes
/// on with one); rounds(rounds, body) calls body(k).
template <class Sink>
class Unroller {
 public:
  Unroller(const std::vector<StepValues>& values, const Place& place, Sink& sink) : values_(values), place_(place), sink_(sink) {}

  void go(const std::vector<Step>& steps, std::int64_t round = 0, std::int64_t rounds = 1,
          std::int64_t iteration = 0) {
    for (const Step& step : steps) {
      const StepValues& values = values_[step.id];
      if (!values.takes) continue;
      switch (step.kind) {
        case Step::Kind::operation: operation(step, values, round, rounds); break;
        case Step::Kind::loop:
          loop(step, values.rounds, round, rounds);
          break;
        case Step::Kind::rounds:
          sink_.rounds(values.rounds, [&](std::int64_t k) { go(step.body, k, values.rounds, k); });
          break;
        case Step::Kind::every:
          if (iteration % step.every == step.offset) go(step.body, round, rounds, iteration);
          break;
      }
    }
  }

 private:
  /// Where some iterations do more than others: a loop over all that differ, and what is left of it.
  void loop(const Step& step, std::int64_t count, std::int64_t round, std::int64_t rounds) {
    const std::int64_t period = period_of(step.body), periods = count / period;
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
      const std::int64_t end = std::min(count, next_unlike(step.body, i));
      const auto like_this = [&] { go(step.body, round, rounds, i); };
      if (sink_.loop(end - i, like_this, enters)) enters = false;
      i = end;
    }
  }

  void operation(const Step& step, const StepValues& values, std::int64_t round, std::int64_t rounds) {
    trace::Operation made{.kind = step.operation, .mode = step.mode, .pattern = step.pattern, .uneven = step.uneven};
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
      case Tag::Kind::any: return trace::kAny;
      case Tag::Kind::number: break;
      case Tag::Kind::own_rank: tag += place_.r; break;
      case Tag::Kind::partners_rank: tag += place_.r + made.peer; break;
      case Tag::Kind::round: tag += round; break;
    }
    return static_cast<std::int32_t>(tag);
  }

  static std::uint64_t bytes(const Step& step, const StepValues& values, std::int64_t round, std::int64_t rounds) {
    std::int64_t bytes = values.bytes;
    if (step.bytes.change == Change::up) bytes += values.slope * round;
    else if (step.bytes.change == Change::down) bytes -= values.slope * round;
    else bytes = changed(bytes, step.bytes.change, round, rounds).value_or(std::numeric_limits<std::int64_t>::max());  // refused by trace::check
    return static_cast<std::uint64_t>(bytes < 0 ? 0 : bytes);
  }

  const std::vector<StepValues>& values_;
  const Place& place_;
  Sink& sink_;
};

/// Requests that were begun and not waited for.
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
  /// Those that a wait is for, ascending; they are open no more.
  std::vector<std::uint64_t> take(const std::vector<Awaited>& awaited);
  void remove(const std::vector<std::uint64_t>& numbers);
  /// After a round that began at `before` and is like the one before it: so many more of them pass. False where more than
  /// 2^20 would be open.
  bool pass_rounds(std::uint64_t before, std::uint64_t more);

 private:
  std::uint64_t begun_ = 0;
  std::vector<Request> open_;  // by number
};

}  // namespace parcast::program
