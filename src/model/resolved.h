// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model with doubts removed that do not matter at a point. A count may be ambiguous only because a variable
// had too few recorded values. At one of these values all its alternatives may be equal, so there is no
// ambiguity. A count that is ambiguous only because all recordings lie on a lattice (lattice.h) is exact on
// that lattice.

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/binding.h"
#include "model/lattice.h"
#include "model/model.h"

namespace parcast::program {

/// Returns the model at `point`. An ambiguous count becomes exact if three conditions hold. First, its open
/// variables have values with which recordings determined the others (Count::settling). Second, its
/// alternatives are then equal for every rank and all values of the other variables. Third, the point is on
/// the lattice of these recordings. An exact count becomes ambiguous if a parameter is negative or a fraction
/// but never was. A negative count becomes 0. A measure of work that is not positive becomes the least
/// recorded one, or 1.
Model resolved(Model model, const Point& point);

/// Returns the model for any point like the recorded ones: what never varied keeps its value, and the lattice
/// holds. If nothing varied, the model is as built.
Model resolved_as_recorded(Model model);

/// A condition under which an ambiguous count is exact: these variables have these values, and the point is
/// on the lattice.
struct Settling {
  std::vector<std::string> variables;
  std::vector<double> values;
  Lattice lattice;
};
/// Returns the conditions, one of which suffices at a point in the domain of the model's lattice. A resolved
/// model has the count exact under the same conditions.
std::vector<Settling> settlings(const Model& model, const Count& count);

/// Returns the model with the counts and measures of work that a resolved model bounds from below at any of
/// the points bounded; all else is as built.
Model bounded_below(Model model, std::span<const Point> points);

/// The counts of one model that become exact, at many points. What no point changes is computed once. The
/// model must outlive this. Safe for concurrent use.
class Settlements {
 public:
  explicit Settlements(const Model& model);

  /// Returns a text that is equal for points at which the same counts become exact and the same ones stay
  /// ambiguous.
  std::string at(const Point& point) const;
  /// Returns whether the point's position off the lattice is all that keeps a count ambiguous.
  bool held_back_by_lattice(const Point& point) const;

 private:
  /// What recordings with some values of open variables determine.
  struct Known {
    std::vector<bool> agrees;  // by member of the group: its alternatives are equal there
    bool recorded = false;
    Lattice lattice;
  };
  /// Ambiguous counts with the same open variables.
  struct Group {
    std::vector<std::string> open;
    std::vector<const Count*> members;
    std::map<std::vector<double>, std::unique_ptr<Known>> known;  // by values of the open variables
  };
  const Known* known_at(Group& group, const Point& point) const;

  const Model& model_;
  Lattice domain_;
  mutable std::mutex guard_;
  mutable std::vector<Group> groups_;
};

/// An expression that the model at a point replaces where it falls below `least` on one of bounded_ranks().
struct Bounded {
  symbolic::Expression expression;
  double least = 0;
};
std::vector<Bounded> bounded_of(const Model& model);
/// Returns the first, middle and last ranks and some of their neighbours.
std::vector<std::int32_t> bounded_ranks(std::int32_t processes);

}  // namespace parcast::program
