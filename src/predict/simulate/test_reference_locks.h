// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, a part of the plain interpreter (test_reference.h): locks of windows as docs/models/remote_epochs.md has them.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "predict/simulate/platform.h"

namespace parcast::simulate::reference {

/// What a rank sends to the owner of a part of a window.
struct LockLetter {
  enum class Says { wants_to_share, wants_alone, gives_back } says = Says::gives_back;
  std::tuple<std::uint32_t, std::int32_t, std::int32_t> part;  // communicator, window, owner
  std::int32_t from = 0;
  Time way_back = 0;
  std::function<void(Time)> granted = {};  // is told when the grant is back
};

class LockOffice {
 public:
  /// "Requests are served in order of arrival (ties: lower rank first, then in order of its calls)."
  void post(Time arrival, std::uint64_t number, LockLetter letter) { on_the_way_.emplace(std::tuple(arrival, letter.from, number, count_++), std::move(letter)); }

  /// Serves what arrives now, the only time at which anything can be granted.
  void serve(Time now) {
    std::set<Part*> touched;
    while (!on_the_way_.empty() && std::get<0>(on_the_way_.begin()->first) <= now) {
      LockLetter letter = std::move(on_the_way_.begin()->second);
      on_the_way_.erase(on_the_way_.begin());
      Part& part = parts_[letter.part];
      touched.insert(&part);
      if (letter.says == LockLetter::Says::gives_back) part.shared.erase(letter.from), part.alone.erase(letter.from);
      else part.queue.push_back(std::move(letter));
    }
    for (Part* part : touched)
      while (!part->queue.empty() && part->admits(part->queue.front().says)) {
        const LockLetter& first = part->queue.front();
        (first.says == LockLetter::Says::wants_alone ? part->alone : part->shared).insert(first.from);
        first.granted(now + first.way_back);
        part->queue.pop_front();
      }
  }

 private:
  struct Part {
    std::set<std::int32_t> shared, alone;  // who holds it
    std::list<LockLetter> queue;
    bool admits(LockLetter::Says says) const { return alone.empty() && (says == LockLetter::Says::wants_to_share || shared.empty()); }
  };
  std::map<std::tuple<Time, std::int32_t, std::uint64_t, std::uint64_t>, LockLetter> on_the_way_;  // arrival, rank, number of the call
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, Part> parts_;
  std::uint64_t count_ = 0;
};

}  // namespace parcast::simulate::reference
