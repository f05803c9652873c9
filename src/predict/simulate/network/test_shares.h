// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a plain second implementation of the shares of docs/models/network.md, and the exact max-min
// fair shares.

#include <cstdint>
#include <vector>

#include "predict/simulate/network/bandwidth.h"
#include "predict/simulate/network/shares.h"

namespace parcast::simulate::network::reference {

struct Flow {
  Bandwidth bound = kUnbounded;
  std::vector<LinkId> way;
};

/// Applies the page's rounds to all flows and links.
std::vector<Bandwidth> rates(const std::vector<Bandwidth>& capacities, const std::vector<Flow>& flows);

__extension__ using Wide = __int128;

struct Fraction {
  std::int64_t over = 0, under = 1;
};
/// Computes by water filling in rational numbers: all open flows rise together until a link is full or a
/// bound is met. For few flows and small capacities.
std::vector<Fraction> exact_rates(const std::vector<Bandwidth>& capacities, const std::vector<Flow>& flows);

}  // namespace parcast::simulate::network::reference
