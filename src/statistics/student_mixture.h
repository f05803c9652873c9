// SPDX-License-Identifier: Apache-2.0
#pragma once
// A weighted mixture of shifted and scaled Student t distributions: the predictions of several fitted
// hypotheses for one number.

#include <map>
#include <mutex>
#include <span>
#include <utility>

namespace parcast::statistics {

struct StudentComponent {
  double weight = 0;  // sum over all components: 1
  double location = 0;
  double scale = 0;    // > 0
  double degrees = 0;  // of freedom, > 0
};

/// Returns the probability of a value below x, within 6e-4 of exact for degrees of freedom that are not
/// integers.
double probability_below(std::span<const StudentComponent> mixture, double x);

/// Quantiles of Student's distribution, each computed once. Mixtures of values at the same points have the
/// same few degrees of freedom. Safe for concurrent use.
class StudentQuantiles {
 public:
  double operator()(double p, double degrees) const;

 private:
  mutable std::mutex guard_;
  mutable std::map<std::pair<double, double>, double> known_;
};

/// Returns the x below which the mixture has probability p, 0 < p < 1, within 1e-9. It takes Halley's steps,
/// and bisects where these lead nowhere.
double mixture_quantile(std::span<const StudentComponent> mixture, double p,
                        const StudentQuantiles& quantiles = {});

}  // namespace parcast::statistics
