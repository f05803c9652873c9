// SPDX-License-Identifier: Apache-2.0
#pragma once
// The factors by which forecasts of larger parts correct the segments of a model (reconcile.h), at many
// points. What no point changes is computed once.

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "model/model.h"
#include "predict/equation/compiled.h"
#include "predict/reconcile.h"
#include "statistics/student_mixture.h"

namespace parcast::predict {

/// Level of the intervals from which segments and forecasts have their deviations.
constexpr double kWeighedLevel = 0.9;

struct Correction {
  std::vector<double> factors;            // of each segment's seconds, above 0; empty: none is corrected
  std::optional<program::Notice> notice;  // of code "reconciled", or "reconciled-far" from a factor of two
};

/// Safe for concurrent use. The model must outlive this; its counts are resolved (model/resolved.h).
class Corrections {
 public:
  explicit Corrections(const program::Model& model);

  /// Returns no factors where a variable that never varied has another value than recorded, and for a model
  /// whose forecasts correct nothing (is_reconciled).
  Correction at(const program::Point& point) const;

  /// Returns each forecast, mean over some ranks: nothing where it has no value, or as for at().
  std::vector<std::optional<Weighed>> forecasts_at(const program::Point& point) const;

 private:
  using Row = std::vector<double>;  // arguments on one rank
  /// The columns of a growth model's arguments; nothing for one with a symbol that has no value.
  using Columns = std::vector<std::optional<std::size_t>>;
  /// Values of all columns on some ranks of a point.
  struct Values {
    std::vector<double> columns;
    std::size_t ranks = 0;
  };

  std::optional<std::size_t> add(const symbolic::Expression& expression);
  Columns add_all(std::span<const symbolic::Expression> expressions);
  Values values_at(const program::Point& point) const;
  std::optional<Row> row(const Values& values, const Columns& columns, std::size_t rank) const;
  std::optional<Weighed> once(std::size_t segment, const Row& arguments) const;
  Weighed segment_at(std::size_t segment, const Values& values) const;
  std::optional<Weighed> forecast_at(std::size_t forecast, const Values& values) const;
  std::vector<Group> groups_at(const program::Point& point, const Values& values) const;

  const program::Model& model_;
  bool corrects_ = false;
  std::vector<Group> groups_;
  std::vector<symbolic::Expression> expressions_;
  std::vector<std::optional<std::size_t>> executions_;  // by segment
  std::vector<Columns> of_segment_, of_forecast_;
  std::optional<Compiled> compiled_;
  statistics::StudentQuantiles quantiles_;
  /// Costs of one execution by their arguments: points often share those of a segment.
  mutable std::vector<std::map<Row, std::optional<Weighed>>> known_;
  mutable std::mutex guard_;
};

}  // namespace parcast::predict
