// SPDX-License-Identifier: Apache-2.0
#pragma once
// The belief of `parcast fit` about one kernel: the same models, refitted with each further run.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fit/fit.h"
#include "fit/layout.h"
#include "fit/model.h"
#include "plan/belief.h"

namespace parcast::plan {

class Fitted : public Belief {
 public:
  /// Fits like fit::fit_all for `measurements.kernels[kernel]`: with the calibration by kernels of the same
  /// metric, and as a count times a cost if that is better. The calibration is not updated when runs are
  /// added. `repetitions`: number of repetitions of a further run; 0: the median over the points.
  static Result<Fitted> of(const fit::Measurements& measurements, std::size_t kernel,
                           fit::Statistic statistic, std::size_t repetitions);

  Interval at(const Point& point, double level) const override;
  /// The further repetitions have the statistic `value` and scatter like the measured ones.
  std::unique_ptr<const Belief> after(const Point& point, double value) const override;

  fit::Predicted predict(const Point& point, double level) const;
  /// Returns the model of the values, or of the cost of one counted item.
  const fit::Model& model() const { return values_.model; }
  /// Returns the count at `point`; 1 if the values are fitted directly.
  double count_at(const Point& point) const;
  bool factored() const { return count_.has_value(); }
  const fit::Kernel& kernel() const { return kernel_; }
  std::size_t repetitions() const { return repetitions_; }

 private:
  struct Modelled {
    fit::Kernel kernel;
    fit::Calibration calibration;
    fit::Model model;
  };
  Fitted(std::shared_ptr<const fit::Layouts> layouts, fit::Statistic statistic, std::size_t repetitions)
      : layouts_(std::move(layouts)), statistic_(statistic), repetitions_(repetitions) {}
  void add(Modelled& modelled, const Point& point, double value) const;

  std::shared_ptr<const fit::Layouts> layouts_;  // of points that fits share
  fit::Statistic statistic_;
  std::size_t repetitions_;
  fit::Kernel kernel_;  // as measured
  Modelled values_;     // of the kernel, or of the cost of one counted item
  std::optional<Modelled> count_;
};

}  // namespace parcast::plan
