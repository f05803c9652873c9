// SPDX-License-Identifier: Apache-2.0
#include "predict/dependence/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parcast::dependence {
namespace {

// Differences of times of size `scale` have an error of a few units in its last place.
double rounding(double scale) {
  return 16 * std::numeric_limits<double>::epsilon() * std::abs(scale);
}

// Returns the last value plus m more increments that change linearly from period to period.
double extrapolate(double a, double b, double c, double m) {
  const double step = c - b;
  const double change = step - (b - a);
  return c + m * step + (std::abs(change) > rounding(c) ? change * m * (m + 1) / 2 : 0);
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

}  // namespace

void History::add(Snapshot snapshot) {
  kept_.push_back(std::move(snapshot));
  if (kept_.size() > 2 * lengths_.back() + 1) kept_.pop_front();
}

bool History::repeats(std::size_t length) const {
  const Snapshot& a = back(2 * length);
  const Snapshot& b = back(length);
  const Snapshot& c = back(0);
  if (a.times.size() != c.times.size() || b.times.size() != c.times.size() || b.turns != c.turns ||
      a.turns != c.turns)
    return false;
  for (std::size_t i = 0; i < c.times.size(); ++i)
    if (std::abs((c.times[i] - b.times[i]) - (b.times[i] - a.times[i])) > rounding(c.times[i])) return false;
  const double tie = rounding(largest(c.times));
  for (std::size_t i = 0; i < length; ++i) {
    const std::vector<double>& now = back(i).margins;
    const std::vector<double>& before = back(i + length).margins;
    if (now.size() != before.size()) return false;
    for (std::size_t k = 0; k < now.size(); ++k)
      if (std::abs(now[k]) > tie && std::abs(before[k]) > tie && (now[k] > 0) != (before[k] > 0))
        return false;
  }
  return true;
}

std::int64_t History::periods_until_change(std::size_t length) const {
  const double tie = rounding(largest(back(0).times));
  double fewest = 9e18;
  for (std::size_t i = 0; i < length; ++i) {
    const std::vector<double>& now = back(i).margins;
    const std::vector<double>& before = back(i + length).margins;
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double change = now[k] - before[k];
      if (std::abs(change) <= 2 * tie) continue;
      // A new difference after a tie was decided by rounding: wait until it is clear.
      if (std::abs(now[k]) <= tie) return 0;
      if ((now[k] > 0) != (change > 0)) fewest = std::min(fewest, std::floor(std::abs(now[k] / change)) - 1);
    }
  }
  return fewest <= 0 ? 0 : static_cast<std::int64_t>(fewest);
}

Jump History::find(std::int64_t remaining) const {
  for (const std::size_t length : lengths_) {
    if (kept_.size() < 2 * length + 1) break;
    const std::int64_t room = remaining / static_cast<std::int64_t>(length);
    if (room < 1 || !repeats(length)) continue;
    const std::int64_t periods = std::min(room, periods_until_change(length));
    if (periods > 0) return {length, periods};
  }
  return {};
}

Snapshot History::after(const Jump& jump) const {
  const Snapshot& a = back(2 * jump.length);
  const Snapshot& b = back(jump.length);
  const double m = static_cast<double>(jump.periods);
  Snapshot out = back(0);
  for (std::size_t i = 0; i < out.times.size(); ++i) out.times[i] += m * (out.times[i] - b.times[i]);
  for (std::size_t i = 0; i < out.parts.size(); ++i)
    out.parts[i] = extrapolate(a.parts[i], b.parts[i], out.parts[i], m);
  // The margins of the last skipped iterations, so that an enclosing loop sees both ends of the range.
  std::vector<double> margins;
  for (std::size_t i = 0; i < jump.length; ++i) {
    const std::vector<double>& now = back(i).margins;
    const std::vector<double>& before = back(i + jump.length).margins;
    for (std::size_t k = 0; k < now.size(); ++k) margins.push_back(now[k] + m * (now[k] - before[k]));
  }
  out.margins = std::move(margins);
  return out;
}

}  // namespace parcast::dependence
