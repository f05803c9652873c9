// SPDX-License-Identifier: Apache-2.0
#pragma once
// Predictions over the number of processes and a size of the problem: how the time, the efficiency, the
// interval and the shares of regions change over both.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/prediction.h"

namespace parcast::report::html {

struct Field {
  std::string parameter;                // the size; empty: no field
  std::vector<std::int32_t> processes;  // ascending
  std::vector<double> sizes;            // ascending
  std::vector<std::optional<predict::Prediction>>
      points;             // by size, then processes; nothing: no answer there
  std::string note = {};  // why it has few points; may be empty

  const std::optional<predict::Prediction>& at(std::size_t size, std::size_t process) const {
    return points[size * processes.size() + process];
  }
};

/// Returns T(1) / (p T(p)) at a point; nothing unless both are known.
std::optional<double> efficiency_at(const Field& field, std::size_t size, std::size_t process);
/// Returns half of the interval as a fraction of the time.
std::optional<double> uncertainty_at(const Field& field, std::size_t size, std::size_t process);
/// Returns the share of a region, by its path, in the time.
std::optional<double> share_at(const Field& field, const std::string& region, std::size_t size,
                               std::size_t process);

}  // namespace parcast::report::html
