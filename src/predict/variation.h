// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interval of an engine that walks a program: each uncertain input is varied, one at a time, and the
// program is walked again. docs/models/intervals.md, "By simulation".

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/intervals.h"
#include "predict/prediction.h"
#include "predict/question.h"

namespace parcast::predict {

/// Origins of the counts of one rank's computing, and its uncertainty as fractions of it.
struct ComputingKnown {
  std::map<Origin, double> shares;  // sum 1, or empty
  RelativeDeviation deviation;

  /// Returns the weakest origin that has a noticeable share.
  Origin origin() const {
    constexpr double kNoticeable = 0.01;
    for (auto at = shares.rbegin(); at != shares.rend(); ++at)
      if (at->second >= kNoticeable) return at->first;
    return Origin::exact;
  }
};
Result<ComputingKnown> computing_of(const program::Model& model, const machine::Machine& machine,
                                    const Question& question, std::int32_t rank);

/// Returns the share of time by origin of its counts: of computing as known, of regions that only communicate
/// their own; the order of operations is exact.
std::map<Origin, double> coverage_of(const program::Model& model, const ComputingKnown& computing,
                                     const Prediction& prediction);

/// A walk with one changed input.
struct Variation {
  std::string what;      // "slower computing"
  double computing = 1;  // factor of computing times
  // with a parameter of a link raised by one standard error; null: unchanged
  const machine::Machine* machine = nullptr;
  std::string table;  // collectives that this table prices are multiplied by `factor`
  double factor = 1;
};

/// Returns several numbers in seconds for each variation, and reports to `progress`.
using Walk = std::function<Result<std::vector<std::vector<double>>>(std::span<const Variation> variations,
                                                                    const Progress& progress)>;

struct VariedAnswer {
  const program::Model& model;
  const machine::Machine& machine;
  const Question& question;
  Placement placement;
  const ComputingKnown& computing;
  std::vector<std::string> tables;  // tables that price collectives of the program
};

/// Returns the intervals of the numbers; the first one is the total. `known` are the numbers without
/// variation.
Result<std::vector<Estimate>> vary(const VariedAnswer& of, std::span<const double> known, Origin origin,
                                   const Walk& walk, const Progress& progress);

}  // namespace parcast::predict
