// SPDX-License-Identifier: Apache-2.0
#include "explain/crossings.h"

#include <algorithm>
#include <cmath>

namespace parcast::explain {
namespace {

constexpr double kNear = 1e-6;

struct Side {
  double value = 0;
  std::size_t fastest = 0;
};

void narrow(Side low, Side high, bool whole, const FastestAt& fastest_at, std::vector<Crossing>& out) {
  while (low.fastest != high.fastest) {
    const double middle = whole ? std::floor((low.value + high.value) / 2) : (low.value + high.value) / 2;
    const bool near =
        whole ? high.value - low.value <= 1
              : high.value - low.value <= kNear * std::max(std::abs(low.value), std::abs(high.value));
    const auto there =
        near || !(middle > low.value && middle < high.value) ? std::nullopt : fastest_at(middle);
    if (!there) return out.push_back({low.fastest, high.fastest, low.value, high.value, near});
    if (*there == low.fastest) {
      low.value = middle;
    } else if (*there == high.fastest) {
      high.value = middle;
    } else {  // a third one is fastest in between
      narrow(low, {middle, *there}, whole, fastest_at, out);
      low = {middle, *there};
    }
  }
}

}  // namespace

std::vector<Crossing> crossings(std::span<const double> values, std::span<const std::size_t> fastest,
                                bool whole, const FastestAt& fastest_at) {
  std::vector<Crossing> out;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    narrow({values[i], fastest[i]}, {values[i + 1], fastest[i + 1]}, whole, fastest_at, out);
  return out;
}

}  // namespace parcast::explain
