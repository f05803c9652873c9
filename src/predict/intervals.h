// SPDX-License-Identifier: Apache-2.0
#pragma once
// What engines share of a prediction's interval. docs/models/intervals.md.

#include <span>

#include "predict/prediction.h"

namespace parcast::predict {

/// Where a logarithm is taken an interval that reaches 0 ends at this part of its value.
constexpr double kLeastEnd = 1e-6;

/// How far below and above a value an interval's ends lie, as fractions of the value, both >= 0.
struct RelativeDeviation {
  double low = 0, high = 0;
};

/// How far what is asked is from values that were the only ones recorded, as ratios multiplied over the parameters and p.
struct Unvaried {
  double low = 1, high = 1;  // <= 1 and >= 1; p counts in both
};
Unvaried unvaried(const program::Model& model, const program::Point& point);

/// Of a segment's seconds per execution where its growth model's arguments have these values: the mixture's own interval,
/// for an argument that never varied the ratio to the one value seen, and for counts of its code that nothing ties to the parameters that of
/// parameters that never varied. Zeros where the cost is not positive.
RelativeDeviation cost_deviation(const program::Cost& cost, std::span<const double> arguments, double level, const Unvaried& unvaried);

/// How far a segment's seconds where its growth model's arguments have these values go down and up by other formulas of its counted work (program::Cost::rivals).
RelativeDeviation rival_deviation(const program::Cost& cost, std::span<const double> arguments, const symbolic::Binding& at);

/// Relative standard deviation of a computing time carried to another processor by core speed alone: other programs
/// meet caches and memory of another kind. Assumed.
constexpr double kOtherProcessorSpread = 0.15;

/// That of computing in this question: 0 on the processor of the recordings.
double processor_spread(const program::Model& model, const machine::Machine& machine, const Question& question);

/// Relative standard deviation of a program's computing from run to run, in this question: the largest of what the calibration saw from piece to
/// piece, from launch to launch, and, on the processor of the recordings, of what these differ by; with it what is assumed of a virtual machine between sittings. docs/models/intervals.md, Runs.
double run_deviation(const program::Model& model, const machine::Machine& machine, const Question& question);

/// A sum of half widths that are related alike, two by two: `related` 0 gives the root of their squares, 1 the plain sum.
class RelatedSum {
 public:
  void add(double width) { sum_ += width, squares_ += width * width; }
  double root(double related) const;

 private:
  double sum_ = 0, squares_ = 0;
};

/// What every engine's answer says beside its parts and regions: of what it is, where it runs, and what follows from `seconds`.
Prediction answer_of(std::string_view engine, const program::Model& model, const machine::Machine& machine, const Question& question, const Estimate& seconds);

/// Sets the total and what follows from it: node hours, and the chance to keep the limit. Nodes and question are set already.
void set_seconds(const Estimate& seconds, Prediction& prediction);

/// Covariance of two parameters by their names, 0 where it is not known.
double covariance(const machine::Machine& machine, const std::string& a, const std::string& b);

}  // namespace parcast::predict
