// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which of several programs that do the same (other distributions of the data, other algorithms) is the fastest on a machine, at one point or
// at those of a sweep, where that changes, and what makes the difference. docs/models/selection.md.

#include <map>
#include <string>
#include <vector>

#include "explain/crossings.h"
#include "explain/selection.h"

namespace parcast::explain {

struct VariantPoint {
  std::map<std::string, double> varied;           // what the sweep varies; empty: one point
  std::vector<predict::Prediction> predictions;   // of the variants, in the order given
  Selection selection;
};

/// Along one of the varied parameters, all others as they are here.
struct VariantCrossing {
  std::string parameter;
  std::map<std::string, double> others;
  Crossing crossing;
};

struct VariantAnswer {
  std::vector<VariantPoint> points;               // as the sweep crosses them
  std::vector<VariantCrossing> crossings;
};

/// By how much a variant's part of the time exceeds another's.
struct PartDifference {
  std::string part;    // "computing", "startup", "transfer", "waiting"
  double seconds = 0;  // what the slower one spends more on it; below 0: less
};
/// The largest in favour of the faster one first.
std::vector<PartDifference> differences(const predict::Prediction& faster, const predict::Prediction& slower);

}  // namespace parcast::explain
