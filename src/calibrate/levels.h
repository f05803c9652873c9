// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much slower than the middle one each of several occasions was on which a table was measured: launches, or turns through its sizes. What only
// some occasions measured is brought to the level of all (docs/models/communication.md, Levels).

#include <cstddef>
#include <map>
#include <optional>

namespace parcast::calibrate {

class Levels {
 public:
  /// Of a size that all occasions measured: what `occasion` measured over the middle of all, > 0. `bytes` >= 0.
  void add(std::size_t occasion, double bytes, double ratio);

  struct Level {
    double ratio = 1;
    double unsure = 0;  // half of what the logarithms of the sizes on either side differ by
  };
  /// At any size: straight between the logarithms of the sizes on either side, beyond the last one as there. Nothing of an unknown occasion.
  std::optional<Level> of(std::size_t occasion, double bytes) const;

 private:
  std::map<std::size_t, std::map<double, double>> known_;  // by occasion and log bytes: log ratio
};

}  // namespace parcast::calibrate
