// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks several programs that solve the same problem (other distributions of the data, other algorithms) on a
// machine, at one point or at those of a sweep. Finds where the order changes, and the differences of time
// parts. docs/models/selection.md.

#include <map>
#include <string>
#include <vector>

#include "explain/crossings.h"
#include "explain/selection.h"

namespace parcast::explain {

struct VariantPoint {
  std::map<std::string, double> varied;          // values of the sweep's parameters; empty: a single point
  std::vector<predict::Prediction> predictions;  // one per variant, in the order given
  Selection selection;
};

/// A crossing along one of the varied parameters; `others` are the values of the other ones.
struct VariantCrossing {
  std::string parameter;
  std::map<std::string, double> others;
  Crossing crossing;
};

struct VariantAnswer {
  std::vector<VariantPoint> points;  // in the order of the sweep
  std::vector<VariantCrossing> crossings;
};

/// The difference of a time part between two variants.
struct PartDifference {
  std::string part;    // "computing", "startup", "transfer" or "waiting"
  double seconds = 0;  // excess of the slower one; below 0: it takes less
};
/// Returns the differences, the largest in favour of the faster one first.
std::vector<PartDifference> differences(const predict::Prediction& faster, const predict::Prediction& slower);

}  // namespace parcast::explain
