// SPDX-License-Identifier: Apache-2.0
#pragma once
// How points lie, and all that follows from that alone: most kernels of a file were measured at the same points, so it is computed
// once for all of them.

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fit/cells.h"
#include "fit/continued.h"
#include "fit/correlation.h"
#include "fit/observations.h"
#include "fit/shapes.h"
#include "statistics/student_mixture.h"

namespace parcast::fit {

/// Points with what their errors have in common.
struct PointSet {
  Points points;
  Correlation correlation{Points{}};
  std::shared_ptr<const Cells> cells;
  std::array<std::vector<double>, kRelations.size()>
      correlations;  // between all cells; of form_of(relation) alone
  std::array<std::shared_ptr<const Whitening>, kRelations.size()> whitenings;      // of equal noise
  std::vector<std::vector<double>> logarithms;                                     // per argument; empty where one has none
  std::vector<std::size_t> varied;                                                 // arguments of more than one value
  std::vector<std::array<std::size_t, 2>> neighbours;                              // per point the two nearest; of fewer than four points none

  std::size_t size() const { return points.size(); }
  std::size_t arguments() const { return points.empty() ? 0 : points[0].size(); }
  const std::vector<double>& correlations_of(std::size_t relation) const { return correlations[form_of(relation)]; }
};

/// Points on which one argument alone changes, at least three of them.
struct Line {
  std::vector<std::size_t> rows;
  std::shared_ptr<const Shapes> shapes;  // of that argument alone
};

/// Points on which one argument alone changes, in its ascending order.
struct Strand {
  std::vector<std::size_t> rows;
  std::vector<double> x, logs;           // the argument's values, > 0, and their logarithms
  std::shared_ptr<const Shapes> shapes;  // of that argument alone
};

/// The points at an argument's largest value, kMostPredicted of them at most, to be predicted from those
/// below.
struct Fold {
  std::size_t argument = 0;
  std::vector<std::size_t> kept, left_out;  // rows
  PointSet rest;
  std::vector<std::size_t> searched;  // of the rest those on which terms are chosen; empty: all
  std::vector<std::size_t>
      shapes;  // their rows of the layout's shapes; with all points searched these are `kept`
  // Of each left out:
  std::vector<double> beyond;                             // doublings beyond the rest
  std::vector<std::optional<Continuation>> continuations; // of the rest's growth
  /// Covariance of its discrepancy with that of each cell of the rest, per relation but the first.
  std::array<std::vector<std::vector<double>>, kRelations.size()> related;
};

class Layout {
 public:
  explicit Layout(Points points);

  const PointSet& all() const { return all_; }
  /// The rows on which terms are chosen, ascending; empty: all of them. A row of shapes and factor columns
  /// for each.
  const std::vector<std::size_t>& searched() const { return searched_; }
  const FactorColumns& factors(std::size_t argument) const { return factors_[argument]; }
  /// The first and the last line along the argument; none, or only one, where there are no more. Of a long
  /// line some points.
  const std::vector<Line>& lines(std::size_t argument) const { return lines_[argument]; }
  /// All of at least six points along the argument, where it has no value of zero: enough to see a break. Of
  /// many strands and of long ones some, evenly spaced.
  const std::vector<Strand>& strands(std::size_t argument) const { return strands_[argument]; }
  /// For each argument of at least four values, so that three are left to fit.
  const std::vector<Fold>& folds() const { return folds_; }
  /// For each argument of at least five values: the points at its two largest are left out, those at the largest predicted.
  const std::vector<Fold>& far_folds() const { return far_folds_; }
  /// With one argument, all its terms; else nothing.
  const std::shared_ptr<const Shapes>& shapes() const { return shapes_; }
  const statistics::StudentQuantiles& quantiles() const { return quantiles_; }

 private:
  PointSet all_;
  std::vector<std::size_t> searched_;
  std::vector<FactorColumns> factors_;
  std::vector<std::vector<Line>> lines_;
  std::vector<std::vector<Strand>> strands_;
  std::vector<Fold> folds_, far_folds_;
  std::shared_ptr<const Shapes> shapes_;
  statistics::StudentQuantiles quantiles_;
};

/// Layouts that were asked for before, as far as they are not too large to be kept. May be used by several threads at once.
class Layouts {
 public:
  explicit Layouts(std::vector<std::string> parameters) : parameters_(std::move(parameters)) {}
  std::shared_ptr<const Layout> of(const Points& points) const;
  std::shared_ptr<const Arguments> arguments(const Points& points) const;
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  std::vector<std::string> parameters_;
  mutable std::mutex guard_;
  mutable std::map<Points, std::shared_ptr<const Layout>> layouts_;
  mutable std::map<Points, std::shared_ptr<const Arguments>> arguments_;
  mutable std::size_t kept_ = 0;  // numbers of all layouts, about
};

/// The box around points.
struct Extent {
  std::vector<double> low, high;  // per argument

  explicit Extent(const Points& points);
};

/// Doublings of `point` beyond the observed range: root of the sum of squares over arguments.
double doublings_beyond(const Extent& observed, std::span<const double> point);

}  // namespace parcast::fit
