// SPDX-License-Identifier: Apache-2.0
#pragma once
// A weighted mixture of shifted and scaled Student t distributions: what several fitted hypotheses say of one number.

#include <map>
#include <mutex>
#include <span>
#include <utility>

namespace parcast::statistics {

struct StudentComponent {
  double weight = 0;    // of all components: 1 together
  double location = 0;
  double scale = 0;     // > 0
  double degrees = 0;   // of freedom, > 0
};

/// The probability of staying below x; within 6e-4 of exact for degrees of freedom that are not whole.
double probability_below(std::span<const StudentComponent> mixture, double x);

/// Quantiles of Student's distribution, each found once: mixtures of values at the same points have the same few degrees of freedom.
/// May be used by several threads at once.
class StudentQuantiles {
 public:
  double operator()(double p, double degrees) const;

 private:
  mutable std::mutex guard_;
  mutable std::map<std::pair<double, double>, double> known_;
};

/// The x below which the mixture lies with probability p, 0 < p < 1, within 1e-7, by the Illinois variant of regula falsi.
double mixture_quantile(std::span<const StudentComponent> mixture, double p, const StudentQuantiles& quantiles = {});

}  // namespace parcast::statistics
