// SPDX-License-Identifier: Apache-2.0
#pragma once
// The level of an occasion: how much slower it was than the median occasion. Occasions are the launches that
// measured a table, or the turns through its sizes. A value that only some occasions measured is adjusted to
// the level of all (docs/calibration.md).

#include <cstddef>
#include <map>
#include <optional>

namespace parcast::calibrate {

class Levels {
 public:
  /// Adds a size that all occasions measured: `ratio` > 0 is the value of `occasion` divided by the median
  /// over all. `bytes` >= 0.
  void add(std::size_t occasion, double bytes, double ratio);

  struct Level {
    double ratio = 1;
    double unsure = 0;  // half the difference between the logarithms at the sizes on either side
  };
  /// Returns the level at any size, interpolated linearly in the logarithms between the sizes on either side;
  /// beyond the outermost sizes it is constant. Returns nothing for an unknown occasion.
  std::optional<Level> of(std::size_t occasion, double bytes) const;

 private:
  std::map<std::size_t, std::map<double, double>> known_;  // by occasion and log bytes: log ratio
};

}  // namespace parcast::calibrate
