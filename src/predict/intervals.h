// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of a prediction's interval that the engines share. docs/models/intervals.md.

#include <span>

#include "predict/prediction.h"
#include "statistics/student_mixture.h"

namespace parcast::predict {

/// Lower end, as a fraction of the value, that replaces an end at 0 before a logarithm is taken.
constexpr double kLeastEnd = 1e-6;

/// Distances of an interval's ends below and above a value, as fractions of the value; both >= 0.
struct RelativeDeviation {
  double low = 0, high = 0;
};

/// Ratios of the requested values to the recorded ones, multiplied over p and all parameters that were
/// recorded at one value only.
struct Unvaried {
  double low = 1, high = 1;  // <= 1 and >= 1; p contributes to both
};
Unvaried unvaried(const program::Model& model, const program::Point& point);

/// Returns the deviation of a segment's seconds per execution at these values of its growth model's
/// arguments. It covers three sources. The first is the interval of the mixture. The second, for an argument
/// that never varied, is the ratio to its one recorded value. The third, for counts of the segment's code
/// without relation to the parameters (Cost::unsure), is `unvaried`. Returns zeros when the cost is not
/// positive.
RelativeDeviation cost_deviation(const program::Cost& cost, std::span<const double> arguments, double level,
                                 const Unvaried& unvaried,
                                 const statistics::StudentQuantiles& quantiles = {});

/// Returns by how much alternative formulas of a segment's counted work (program::Cost::rivals) change its
/// seconds, downward and upward. `arguments` are values of its growth model's arguments, `rivals` those of
/// the alternatives; NaN: it has none here.
RelativeDeviation alternative_deviation(const program::Cost& cost, std::span<const double> arguments,
                                        std::span<const double> alternatives);
RelativeDeviation alternative_deviation(const program::Cost& cost, std::span<const double> arguments,
                                        const symbolic::Binding& at);

/// Relative standard deviation of a computing time that is scaled to another processor by core speed alone;
/// other programs use caches and memory differently. Assumed.
constexpr double kOtherProcessorSpread = 0.15;

/// Returns the deviation above for this question: 0 on the processor of the recordings.
double processor_spread(const program::Model& model, const machine::Machine& machine,
                        const Question& question);

/// Returns the relative standard deviation of a program's computing from run to run in this question. On the
/// processor of the recordings it is that between the recordings if these leave at least four degrees of
/// freedom. Else it is the largest of three: between the recordings, if that is their processor; between the
/// calibration's measurements; and between its launches. The deviation assumed for a virtual machine between
/// sessions is added. docs/models/intervals.md, "Runs".
double run_deviation(const program::Model& model, const machine::Machine& machine, const Question& question);

/// Combines half widths that are pairwise correlated to the same degree. With `related` 0 the result is the
/// root of the sum of their squares, with 1 the plain sum.
class RelatedSum {
 public:
  void add(double width) { sum_ += width, squares_ += width * width; }
  double root(double related) const;

 private:
  double sum_ = 0, squares_ = 0;
};

/// Returns what every engine's answer contains apart from parts and regions: program, machine, placement, and
/// the values derived from `seconds`.
Prediction answer_of(std::string_view engine, const program::Model& model, const machine::Machine& machine,
                     const Question& question, const Estimate& seconds);
Prediction answer_of(std::string_view engine, const program::Model& model, const machine::Machine& machine,
                     const Question& question, const Estimate& seconds,
                     std::optional<Estimate> memory_per_node);

/// Sets the total and the values derived from it: node hours, and the probability of ending within the limit.
/// Needs `nodes` and `question` of the prediction.
void set_seconds(const Estimate& seconds, Prediction& prediction);

/// Returns the covariance of two parameters by name; 0 where it is unknown.
double covariance(const machine::Machine& machine, const std::string& a, const std::string& b);

}  // namespace parcast::predict
