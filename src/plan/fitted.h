// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast fit` believes of one kernel: the same models, fitted anew with each further run.

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
  /// As fit::fit_all answers for `measurements.kernels[kernel]`: with what kernels of one metric tell of each other, and as a count
  /// times a cost where that is better. What kernels tell of each other stays as it is when runs are added. `repetitions`: how often
  /// a further run is repeated at its point; 0: as often as the points are in the median.
  static Result<Fitted> of(const fit::Measurements& measurements, std::size_t kernel, fit::Statistic statistic, std::size_t repetitions);

  Interval at(const Point& point, double level) const override;
  /// The further repetitions scatter about `value`, their statistic, as those measured do.
  std::unique_ptr<const Belief> after(const Point& point, double value) const override;

  fit::Predicted predict(const Point& point, double level) const;
  /// Of the values, or of the cost of one of what is counted.
  const fit::Model& model() const { return values_.model; }
  /// How many are counted at `point`; 1 where the values are fitted directly.
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

  std::shared_ptr<const fit::Layouts> layouts_;  // of points that fits have in common
  fit::Statistic statistic_;
  std::size_t repetitions_;
  fit::Kernel kernel_;     // as measured
  Modelled values_;        // of the kernel, or of the cost of one of what is counted
  std::optional<Modelled> count_;
};

}  // namespace parcast::plan
