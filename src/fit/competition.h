// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mixture and the plain forecasts compete where few numbers of processes are crossed with sizes: each
// predicts the largest processes and the largest sizes from the rest, and is weighed by its error.

#include <optional>
#include <span>
#include <vector>

#include "fit/mixture.h"
#include "fit/plain_forecasts.h"

namespace parcast::fit {

struct Check;

class Competition {
 public:
  /// `checks` are those of the folds, in their order. There is at least one.
  Competition(const Observed& observed, const Layout& layout, std::span<const Check> checks);

  /// Root mean square of the relative errors in the checks, by the weighted mean of all logarithms.
  double validation_error() const { return validation_error_; }
  double own_weight() const { return own_; }  // of the mixture
  const PlainForecasts& forecasts() const { return forecasts_; }
  std::span<const double> plain_weights() const { return weights_; }
  /// Adds the plain forecasts to the mixture's answer at a point. `error` is the relative standard deviation
  /// of effects that no forecast contains.
  void join(std::vector<statistics::StudentComponent>& mixture, std::span<const double> point,
            double error) const;

 private:
  PlainForecasts forecasts_;
  double own_ = 1;  // weight of the mixture; the sum of all is 1
  std::array<double, kPlainForecasts.size()> weights_{}, errors_{};
  double validation_error_ = 0;
};

}  // namespace parcast::fit
