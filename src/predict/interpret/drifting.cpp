// SPDX-License-Identifier: Apache-2.0
// Rounds with equal events that take each rank a different time: some ranks drift relative to others, until
// one has to wait that did not before. Assume that all comparisons in two rounds had the same outcome, and
// each time grew by the same amount in both. Then the growth repeats until some comparison changes its
// outcome. That many rounds are skipped (docs/models/interpretation.md, "Drift").
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "predict/interpret/interpreter.h"

namespace parcast::interpret {

__extension__ using Wide = __int128;

namespace {

/// Returns the sum over i = 0 .. n - 1 of floor((a i + b) / m); a, b >= 0, m > 0. Uses the Euclidean
/// algorithm on the lattice below the line.
Wide sum_of_floors(Wide n, Wide m, Wide a, Wide b) {
  Wide sum = 0;
  while (n > 0) {
    sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m, b %= m;
    const Wide top = a * n + b;
    if (top < m) break;
    n = top / m, b = top % m;
    std::swap(m, a);
  }
  return sum;
}

}  // namespace

Interpreter::Snapshot Interpreter::drifting_snapshot() {
  Snapshot out = snapshot(false);
  for_each_time([&](Time& time) { out.times.push_back(time); });
  out.sums = out_.by_class, out.edges = edges_, out.calls = out_.evaluated + out_.folded;
  return out;
}

void Interpreter::watch_wait(const Rank& self, Time waited, Time under_way, Time flight, Time flight_bytes) {
  watched_->comparisons.push_back({waited, Comparison::What::waiting, watched_->stays.size()});
  watched_->stays.push_back({static_cast<std::size_t>(&self - ranks_.data()),
                             labels_.operation[self.walker.item().index()], under_way, flight, flight_bytes});
}

/// Returns how often the last watched round repeats, with every time later by the same difference as from the
/// round before.
std::int64_t Interpreter::repetitions_of_drift() const {
  const std::vector<Snapshot>& at = drift_->taken;
  const std::vector<Comparison>&a = drift_->first.comparisons, &b = drift_->second.comparisons;
  for (std::size_t i = 0; i < at[2].times.size(); ++i)
    if (at[2].times[i] - at[1].times[i] != at[1].times[i] - at[0].times[i]) return 0;
  if (a.size() != b.size()) return 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  /// Limits the repetitions so that a difference (`then`, now `now`) keeps its sign; its absolute value must
  /// stay at least `least`. Returns false when `then` or `now` already violates this.
  const auto keeps_sign = [&](Time then, Time now, Time least) {
    if (then < 0 || (then == 0 && now < 0)) then = -then, now = -now;
    if (now < least || then < least) return false;
    if (now < then) most = std::min(most, (now - least) / (then - now));
    return true;
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (a[i].what != b[i].what) return 0;
    if (a[i].what == Comparison::What::waiting) {
      const Stay &x = drift_->first.stays[a[i].stay], &y = drift_->second.stays[b[i].stay];
      if (x.under_way != y.under_way) return 0;
      if (a[i].apart == b[i].apart) continue;
      if (!keeps_sign(a[i].apart, b[i].apart, 1) ||
          !keeps_sign(a[i].apart - x.under_way, b[i].apart - y.under_way, 0))
        return 0;
    } else if (a[i].apart != b[i].apart &&
               !keeps_sign(a[i].apart, b[i].apart, a[i].what == Comparison::What::earlier)) {
      return 0;
    }
  }
  return most;
}

/// Adds the waits of the repetitions in excess of that many copies of the last round's waits.
void Interpreter::add_waits_of_drift(std::int64_t repetitions) {
  const Wide n = repetitions;
  for (std::size_t i = 0; i < drift_->second.comparisons.size(); ++i) {
    const Comparison &then = drift_->first.comparisons[i], &now = drift_->second.comparisons[i];
    const Time change = now.apart - then.apart;
    if (now.what != Comparison::What::waiting || change == 0) continue;
    const Stay& stay = drift_->second.stays[now.stay];
    Statistics& spent = out_.by_class[stay.row * out_.units + stay.unit];
    const Time more = static_cast<Time>(Wide{change} * (n * (n + 1) / 2));
    if (now.apart >= stay.under_way && then.apart >= stay.under_way) {
      spent.wait += more;  // the part for the message itself is unchanged
      continue;
    }
    // The complete wait is for the message, and its part for bytes is rounded down in each round.
    const auto for_bytes = [&](Time waited) {
      return stay.flight > 0 ? Wide{waited} * stay.flight_bytes / stay.flight : Wide{0};
    };
    Wide bytes = 0;
    if (stay.flight > 0) {
      const Time least = std::min(now.apart + change, now.apart + change * repetitions),
                 step = std::abs(change);
      bytes = sum_of_floors(n, stay.flight, Wide{step} * stay.flight_bytes, Wide{least} * stay.flight_bytes);
    }
    const Time transfer = static_cast<Time>(bytes - n * for_bytes(now.apart));
    spent.transfer += transfer, spent.startup += more - transfer;
  }
}

/// Called at the beginning of a round of loops of one level. `anew`: these loops had not begun before.
/// Returns true when rounds were skipped.
bool Interpreter::drift(std::uint32_t level, bool anew) {
  Drift& of = *drift_;
  watched_ = nullptr;
  if (level != of.level || anew) of = {.level = level};
  ++of.stops;
  if (of.taken.empty() && of.stops < of.next) return false;
  of.taken.push_back(drifting_snapshot());
  const bool alike = of.taken.size() == 1 || (of.taken.back().state == of.taken.front().state &&
                                              of.taken.back().left.size() == of.taken.front().left.size());
  if (alike && of.taken.size() < 3) {
    watched_ = of.taken.size() == 1 ? &of.first : &of.second;
    watched_->comparisons.clear(), watched_->stays.clear();
    return false;
  }
  std::int64_t repetitions = 0;
  if (alike) {
    const std::optional<Rounds> before = rounds_between(of.taken[0], of.taken[1]),
                                rounds = rounds_between(of.taken[1], of.taken[2]);
    const auto same = [](const Rounds::Done& x, const Rounds::Done& y) {
      return x.level == y.level && x.rounds == y.rounds;
    };
    if (before && rounds && std::ranges::equal(before->done, rounds->done, same))
      repetitions = std::min(rounds->most, repetitions_of_drift());
    if (repetitions > 0) {
      Time fastest = 0, latest = 0;
      for (std::size_t i = 0; i < of.taken[2].times.size(); ++i)
        fastest = std::max(fastest, of.taken[2].times[i] - of.taken[1].times[i]),
        latest = std::max(latest, of.taken[2].times[i]);
      if (fastest > 0 && repetitions > (trace::kLongest - latest) / fastest)
        return fail({std::string(kTooLong), "", "ask for fewer iterations"}), true;
      std::size_t i = 0;
      for_each_time(
          [&](Time& time) { time += repetitions * (of.taken[2].times[i] - of.taken[1].times[i]), ++i; });
      repeat(of.taken[1], of.taken[2], *rounds, repetitions);
      add_waits_of_drift(repetitions);
    }
  }
  of.pause = repetitions > 0 ? 1 : 2 * of.pause;
  of.next = of.stops + of.pause;
  of.taken.clear();
  return repetitions > 0;
}

}  // namespace parcast::interpret
