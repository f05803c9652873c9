// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, a part of the plain interpreter (test_reference.h): locks of windows as defined by
// docs/models/remote_epochs.md.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "predict/simulate/platform.h"

namespace parcast::simulate::reference {

/// A message of a rank to the owner of a part of a window.
struct LockLetter {
  enum class Says { wants_to_share, wants_alone, gives_back } says = Says::gives_back;
  std::tuple<std::uint32_t, std::int32_t, std::int32_t> part;  // communicator, window, owner
  std::int32_t from = 0;
  Time way_back = 0;
  std::function<void(Time)> granted = {};  // called when the grant is back
};

class LockOffice {
 public:
  /// "in order of arrival (ties: lower rank first, then in order of its calls)"
  void post(Time arrival, std::uint64_t number, LockLetter letter) {
    on_the_way_.emplace(std::tuple(arrival, letter.from, number, count_++), std::move(letter));
  }

  /// "Returns at a moment precede requests of the same moment": only at these times a lock can be granted.
  void serve(Time now) {
    std::list<LockLetter> letters;
    while (!on_the_way_.empty() && std::get<0>(on_the_way_.begin()->first) <= now) {
      letters.push_back(std::move(on_the_way_.begin()->second));
      on_the_way_.erase(on_the_way_.begin());
    }
    for (const LockLetter& letter : letters) {
      if (letter.says != LockLetter::Says::gives_back) continue;
      Part& part = parts_[letter.part];
      part.shared.erase(letter.from);
      part.alone.erase(letter.from);
      // "the queue is scanned in order, and each request compatible with the holders by then is granted"
      part.queue.remove_if([&](const LockLetter& waiting) { return part.grants(waiting, now); });
    }
    for (LockLetter& letter : letters)
      if (letter.says != LockLetter::Says::gives_back)
        if (Part& part = parts_[letter.part]; !part.grants(letter, now))
          part.queue.push_back(std::move(letter));
  }

 private:
  struct Part {
    std::set<std::int32_t> shared, alone;  // ranks that hold it
    std::list<LockLetter> queue;
    bool grants(const LockLetter& letter, Time now) {
      const bool wants_alone = letter.says == LockLetter::Says::wants_alone;
      if (!alone.empty() || (wants_alone && !shared.empty())) return false;
      (wants_alone ? alone : shared).insert(letter.from);
      letter.granted(now + letter.way_back);
      return true;
    }
  };
  // arrival, rank, number of the call
  std::map<std::tuple<Time, std::int32_t, std::uint64_t, std::uint64_t>, LockLetter> on_the_way_;
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, Part> parts_;
  std::uint64_t count_ = 0;
};

}  // namespace parcast::simulate::reference
