// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arrangement of points, and all quantities derived from it alone. Most kernels of a file were measured
// at the same points, so these are computed once for all of them.

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
#include "fit/laws.h"
#include "fit/observations.h"
#include "fit/shapes.h"
#include "statistics/student_mixture.h"

namespace parcast::fit {

/// Points with the correlations of their errors.
struct PointSet {
  Points points;
  Correlation correlation{Points{}};
  std::shared_ptr<const Cells> cells;
  std::array<std::vector<double>, kRelations.size()>
      correlations;  // between all cells; only for form_of(relation)
  std::array<std::shared_ptr<const Whitening>, kRelations.size()> whitenings;  // for equal noise
  std::vector<std::vector<double>> logarithms;  // per argument; empty if some value has none
  std::vector<std::size_t> varied;              // arguments with more than one value
  // the two nearest of each point; empty for fewer than four points
  std::vector<std::array<std::size_t, 2>> neighbours;
  std::shared_ptr<const Laws> laws;  // of few values; null: there are more, or sums of terms explain them

  std::size_t size() const { return points.size(); }
  std::size_t arguments() const { return points.empty() ? 0 : points[0].size(); }
  const std::vector<double>& correlations_of(std::size_t relation) const {
    return correlations[form_of(relation)];
  }
};

/// Points that differ in one argument only, at least three of them.
struct Line {
  std::vector<std::size_t> rows;
  std::shared_ptr<const Shapes> shapes;  // of that argument only
};

/// Points that differ in one argument only, in its ascending order.
struct Strand {
  std::vector<std::size_t> rows;
  std::vector<double> x, logs;           // the argument's values, > 0, and their logarithms
  std::shared_ptr<const Shapes> shapes;  // of that argument only
};

/// The points at an argument's largest value, at most kMostPredicted, to be predicted from those below.
struct Fold {
  std::size_t argument = 0;
  bool of_processes = false;                // whether the argument counts them
  std::vector<std::size_t> kept, left_out;  // rows
  PointSet rest;
  std::vector<std::size_t> searched;  // rows of the rest that are used to choose terms; empty: all
  std::vector<std::size_t>
      shapes;  // their rows in the layout's shapes; if terms are chosen on all points, these are `kept`
  // For each left-out point:
  std::vector<double> beyond;                              // doublings beyond the rest
  std::vector<std::optional<Continuation>> continuations;  // of the rest's growth
  /// Covariance of its discrepancy with that of each cell of the rest, per relation except the first.
  std::array<std::vector<std::vector<double>>, kRelations.size()> related;
};

class Layout {
 public:
  /// `processes` has an entry per argument: whether it counts processes (laws.h). Empty: none does.
  explicit Layout(Points points, std::vector<bool> processes = {});

  const PointSet& all() const { return all_; }
  /// Returns the rows used to choose terms, ascending; empty: all of them. Shapes and factor columns have a
  /// row for each.
  const std::vector<std::size_t>& searched() const { return searched_; }
  const FactorColumns& factors(std::size_t argument) const { return factors_[argument]; }
  /// Returns the first and the last line along the argument; fewer if there are not two. Long lines contain
  /// only some of their points.
  const std::vector<Line>& lines(std::size_t argument) const { return lines_[argument]; }
  /// Returns all strands of at least six points along the argument, enough to detect a break, unless it has a
  /// value of zero. Of many strands, and of long ones, only some, evenly spaced.
  const std::vector<Strand>& strands(std::size_t argument) const { return strands_[argument]; }
  /// One fold for each argument with at least four values, so that three remain to fit.
  const std::vector<Fold>& folds() const { return folds_; }
  /// One fold for each argument with at least five values: the points at its two largest values are left out,
  /// and those at the largest are predicted.
  const std::vector<Fold>& far_folds() const { return far_folds_; }
  /// Whether few numbers of processes are crossed with sizes (crossed.h).
  bool crossed() const { return crossed_; }
  /// Of crossed points: one fold for each argument with at least three values. Two remain to fit.
  const std::vector<Fold>& crossed_folds() const { return crossed_folds_; }
  const std::vector<bool>& processes() const { return processes_; }
  /// With one argument, all its terms; else null.
  const std::shared_ptr<const Shapes>& shapes() const { return shapes_; }
  const statistics::StudentQuantiles& quantiles() const { return quantiles_; }

  /// Returns whether the argument counts processes.
  bool of_processes(std::size_t argument) const {
    return argument < processes_.size() && processes_[argument];
  }

 private:
  std::vector<bool> processes_;
  PointSet all_;
  std::vector<std::size_t> searched_;
  std::vector<FactorColumns> factors_;
  std::vector<std::vector<Line>> lines_;
  std::vector<std::vector<Strand>> strands_;
  std::vector<Fold> folds_, far_folds_, crossed_folds_;
  bool crossed_ = false;
  std::shared_ptr<const Shapes> shapes_;
  statistics::StudentQuantiles quantiles_;
};

/// Caches layouts unless they are too large. Safe for concurrent use by several threads.
class Layouts {
 public:
  explicit Layouts(std::vector<std::string> parameters) : parameters_(std::move(parameters)) {}
  std::shared_ptr<const Layout> of(const Points& points, const std::vector<bool>& processes) const;
  std::shared_ptr<const Arguments> arguments(const Points& points) const;
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  std::vector<std::string> parameters_;
  mutable std::mutex guard_;
  mutable std::map<std::pair<Points, std::vector<bool>>, std::shared_ptr<const Layout>> layouts_;
  mutable std::map<Points, std::shared_ptr<const Arguments>> arguments_;
  mutable std::size_t kept_ = 0;  // approximate number of values in all layouts
};

/// The bounding box of points.
struct Extent {
  std::vector<double> low, high;  // per argument

  explicit Extent(const Points& points);
};

/// Returns the doublings of `point` beyond the observed range: root of the sum of squares over arguments.
double doublings_beyond(const Extent& observed, std::span<const double> point);

}  // namespace parcast::fit
