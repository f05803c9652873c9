// SPDX-License-Identifier: Apache-2.0
#pragma once
// The performance model normal form as published (Calotoiu et al., SC 2013; several parameters: Calotoiu et
// al., CLUSTER 2016), reimplemented for comparison with parcast fit. It has a constant and one term c p^i
// log2(p)^j per parameter, fitted by ordinary least squares. It has the smallest symmetric error when each
// point is left out in turn.

#include <optional>
#include <span>
#include <vector>

#include "fit/measurements.h"

namespace parcast::bench {

struct NormalForm {
  struct Factor {
    double exponent = 0;
    int log_power = 0;
  };
  struct Term {
    double coefficient = 0;
    std::vector<Factor> factors;  // one per parameter
  };
  std::vector<Term> terms;
  double evaluate(std::span<const double> point) const;
};

/// Means of repetitions represent points. Nothing below two points.
std::optional<NormalForm> fit_normal_form(const std::vector<std::vector<double>>& points,
                                          const std::vector<double>& values);

}  // namespace parcast::bench
