// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, the implementation of test_random_trace.h: draws communications one after the other, each for
// all ranks that take part in it.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "predict/simulate/platform.h"
#include "predict/simulate/test_program.h"

namespace parcast::simulate::testing {

using recording::Pattern;
using trace::Kind;
using trace::Mode;

/// The same numbers everywhere: the standard fixes the generator, but not its distributions.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(below(most - least + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  std::int64_t of(std::initializer_list<std::int64_t> values) { return values.begin()[below(values.size())]; }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[below(left)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// On a grid many events happen at equal times.
Platform random_platform(Draw& draw, std::size_t ranks, bool on_a_grid);

class Generator {
 public:
  Generator(std::uint64_t seed, std::size_t least_ranks);

  Draw& draw() { return draw_; }
  /// No access to another rank's memory will be drawn.
  void without_accesses() { accesses_ = locks_ = false; }
  void without_locks() { locks_ = false; }
  Program& program() { return program_; }
  const Platform& platform() const { return platform_; }

  /// Draws communications until there are enough.
  void fill(std::uint32_t most_events) {
    for (std::uint32_t events = draw_.between(1, most_events); events > 0 && left_ > 0; --events) event();
  }

  Program finish();

  // ---- Needed for mistakes

  /// Returns a communicator of all ranks that no other calls use.
  std::uint32_t another_world();
  std::int32_t any_rank() { return static_cast<std::int32_t>(draw_.below(ranks_.size())); }
  std::int32_t rank_but(std::int32_t other) {
    const auto ranks = static_cast<std::int32_t>(ranks_.size());
    return (other + 1 + static_cast<std::int32_t>(draw_.below(static_cast<std::uint64_t>(ranks - 1)))) %
           ranks;
  }

  void emit(std::int32_t rank, Node node);

  /// No rank waits for the last request that the rank has begun.
  void forget_last_request(std::int32_t rank) {
    ranks_[static_cast<std::size_t>(rank)].outstanding.pop_back();
  }

  /// Adds some calls of each kind, for mistakes that break one.
  void foundation();

  /// Windows from this number on are unused.
  static constexpr std::int32_t kWindows = 3;

  /// Messages to one rank that receives them from any source. With `too_many` there are more receives than
  /// messages.
  void phase(bool alone_in_a_loop, std::uint32_t too_many = 0);

  std::uint64_t random_bytes();

 private:
  struct Open {  // of a rank: its body in the innermost loop
    Body body;
    std::uint64_t begun = 0;                 // requests, with loops unrolled
    std::vector<std::uint64_t> outstanding;  // by the number begun before
  };

  struct Phase {
    std::uint32_t communicator = 0;
    std::vector<std::int32_t> senders;
    std::int32_t master = 0, tag = 0;
    bool any_tag = false, alone_in_a_loop = false;
    std::uint32_t each = 1;  // messages of a sender
  };

  struct Loop {
    std::uint32_t rounds = 1;
    std::vector<Body> before;          // bodies of the ranks before the loop
    std::vector<std::uint64_t> begun;  // their requests before the loop
  };

  void event();
  void message();
  void message_to_itself(std::int32_t rank, Node out, Node in);
  void exchange();
  void collective_call();
  void access();
  void locked();
  Phase draw_phase();
  void send_in(const Phase& phase);
  void receive_in(const Phase& phase, bool some_from_one, std::uint32_t too_many);
  void nested_loop();
  void begin_loop(std::uint32_t rounds);
  void end_loop();

  void add_communicators();
  std::uint32_t any_communicator() {
    return draw_.one_in(3) ? 0 : static_cast<std::uint32_t>(draw_.below(usual_communicators_));
  }

  Mode random_mode() { return static_cast<Mode>(draw_.below(3)); }

  bool spend(std::uint64_t messages) {
    const auto all = static_cast<std::int64_t>(messages * rounds_);
    if (all > left_) return false;
    left_ -= all;
    return true;
  }

  void compute(std::size_t rank) {
    const Time time = on_a_grid_ ? draw_.of({0, 10, 10, 20, 30, 50, 1000})
                                 : draw_.of({0, 0, 1, 10, 10, 1000, 1000, 2500, 77777});
    ranks_[rank].body.push_back(testing::compute(time));
  }
  void maybe_compute(std::int32_t rank) {
    if (draw_.one_in(3)) compute(static_cast<std::size_t>(rank));
  }

  /// Adds a wait for these and perhaps for one more, which may be complete.
  void wait_for(std::size_t rank, const std::vector<std::uint64_t>& requests);
  /// Adds that many receives, some after a probe for the same message.
  void emit_receives(std::int32_t rank, Node in, std::uint32_t times);
  void wait_for_some(std::size_t rank);
  /// Adds waits for all requests from the `first` one on.
  void wait_for_all(std::size_t rank, std::uint64_t first);

  Draw draw_;
  Platform platform_;
  Program program_;
  std::vector<Open> ranks_;
  std::size_t usual_communicators_ = 1;
  std::vector<Loop> loops_;  // open loops, the innermost last
  bool on_a_grid_ = false, from_any_ = false, accesses_ = true, locks_ = true;
  std::int64_t left_ = 0;     // messages that may still be drawn
  std::uint64_t rounds_ = 1;  // product over all open loops
  std::int32_t phases_ = 0;
};

}  // namespace parcast::simulate::testing
