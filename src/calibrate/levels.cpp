// SPDX-License-Identifier: Apache-2.0
#include "calibrate/levels.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace parcast::calibrate {
namespace {

double place_of(double bytes) {
  return std::log(std::max(bytes, 1.0));
}

}  // namespace

void Levels::add(std::size_t occasion, double bytes, double ratio) {
  known_[occasion][place_of(bytes)] = std::log(ratio);
}

std::optional<Levels::Level> Levels::of(std::size_t occasion, double bytes) const {
  const auto found = known_.find(occasion);
  if (found == known_.end()) return std::nullopt;
  const std::map<double, double>& sizes = found->second;
  const double at = place_of(bytes);
  auto right = sizes.lower_bound(at);
  if (right == sizes.end()) --right;
  const auto left = right == sizes.begin() || right->first <= at ? right : std::prev(right);
  const double part = right->first > left->first ? (at - left->first) / (right->first - left->first) : 0;
  return Level{std::exp(left->second + part * (right->second - left->second)),
               std::fabs(right->second - left->second) / 2};
}

}  // namespace parcast::calibrate
