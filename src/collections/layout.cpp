// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "parcast/collections/distribution.h"

namespace parcast::collections {
namespace {

bool is_whole(const Distribution& distribution) {
  return distribution.kind == Distribution::Kind::whole;
}

/// Returns the largest r with r^n <= value.
int whole_root(int value, int n) {
  const auto power_fits = [&](std::int64_t r) {
    std::int64_t power = 1;
    for (int i = 0; i < n; ++i)
      if ((power *= r) > value) return false;
    return true;
  };
  int root = 1;
  while (power_fits(root + 1)) ++root;
  return root;
}

int largest_divisor(int value, int most) {
  while (value % most != 0) --most;
  return most;
}

std::int64_t block_width(std::int64_t extent, Distribution distribution, int parts) {
  switch (distribution.kind) {
    case Distribution::Kind::whole:
      return extent;
    case Distribution::Kind::block:
      return (extent + parts - 1) / parts;
    case Distribution::Kind::cyclic:
      break;
  }
  return std::min(distribution.width, extent);
}

}  // namespace

std::vector<int> processor_sides(int processors, std::span<const Distribution> distributions, Shape shape) {
  auto left = static_cast<int>(distributions.size() -
                               static_cast<std::size_t>(std::ranges::count_if(distributions, is_whole)));
  const int side = left > 0 ? whole_root(processors, left) : 1;
  std::vector<int> sides;
  for (const Distribution& distribution : distributions) {
    sides.push_back(is_whole(distribution)   ? 1
                    : shape == Shape::square ? side
                                             : largest_divisor(processors, whole_root(processors, left)));
    if (is_whole(distribution)) continue;
    processors /= shape == Shape::square ? 1 : sides.back();
    --left;
  }
  return sides;
}

Layout::Layout(std::int64_t extent, Distribution distribution, int parts) : extent_(extent), parts_(parts) {
  if (extent < 0) throw Error("an extent of " + std::to_string(extent) + " is negative");
  if (parts < 1)
    throw Error("a side of the grid of processors is " + std::to_string(parts) + ", it must be at least 1");
  if (is_whole(distribution) && parts != 1)
    throw Error("a dimension with distribution Whole has " + std::to_string(parts) +
                " processors, it must have 1");
  if (distribution.width < 1)
    throw Error("BlockCyclic(" + std::to_string(distribution.width) + ") has no elements in a block");
  width_ = std::max<std::int64_t>(block_width(extent, distribution, parts), 1);
}

}  // namespace parcast::collections
