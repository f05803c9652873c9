// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interval of an engine that walks a program: what nobody knows exactly is varied, one thing after the other, and the program walked
// anew. docs/models/intervals.md, "By simulation".

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/intervals.h"
#include "predict/prediction.h"
#include "predict/question.h"

namespace parcast::predict {

/// What is known of the computing of one rank: where it comes from, and how far off it may be, as fractions of it.
struct ComputingKnown {
  std::map<Origin, double> shares;  // sum 1, or empty
  RelativeDeviation deviation;

  /// The least sure that has a share.
  Origin origin() const { return shares.empty() ? Origin::exact : shares.rbegin()->first; }
};
Result<ComputingKnown> computing_of(const program::Model& model, const machine::Machine& machine, const Question& question, std::int32_t rank);

/// Share of time by origin where all but computing is exact.
std::map<Origin, double> coverage_of(const program::Model& model, const ComputingKnown& computing, const Prediction& prediction);

/// One thing is otherwise.
struct Variation {
  std::string what;                    // "slower computing"
  double computing = 1;                // takes so many times as long
  const machine::Machine* machine = nullptr;  // with a parameter of a link one standard error higher; null: as it is
  std::string table;                   // collectives that this table prices
  double factor = 1;                   // take so many times as long
};

/// Several numbers in seconds, of each variation; `progress` is told.
using Walk = std::function<Result<std::vector<std::vector<double>>>(std::span<const Variation> variations, const Progress& progress)>;

struct VariedAnswer {
  const program::Model& model;
  const machine::Machine& machine;
  const Question& question;
  Placement placement;
  const ComputingKnown& computing;
  std::vector<std::string> tables;     // that price collectives of the program
};

/// Intervals of the numbers, the first of which is the whole; `known` are they with nothing varied.
Result<std::vector<Estimate>> vary(const VariedAnswer& of, std::span<const double> known, Origin origin, const Walk& walk, const Progress& progress);

}  // namespace parcast::predict
