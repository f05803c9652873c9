// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole numbers that processes of runs were seen with, as expressions in what these runs were given: a
// parameter, a process's part of it, with or without a border, a product of two of these; and where there are
// runs at several points, whatever a count may be (fit_counts/identify.h). It knows nothing of where the
// numbers come from. docs/models/source_counts.md.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fit_counts/identify.h"
#include "source/counts/count_growth.h"
#include "symbolic/expression.h"

namespace parcast::program {

class Recognition {
 public:
  /// By process of a run; nothing where it was not seen.
  using Values = std::vector<std::optional<std::int64_t>>;

  /// `processes`: of each its parameters, p, r, and extents and coordinates of process grids
  /// (model/binding.h). `dimensions`: of the grids that the program asks for. `familiar`: parts that stand as values in
  /// the program by themselves (parts_in): others are less likely then, and in no product.
  Recognition(std::vector<std::string> parameters, const std::vector<symbolic::Binding>& processes,
              const std::set<int>& dimensions, std::optional<std::vector<Factor>> familiar = {});

  struct Found {
    symbolic::Expression expression;
    bool ambiguous = false;  // other formulas give the same numbers, and other ones elsewhere
    double bits = 0;         // that it costs to say
    std::vector<symbolic::Expression> rivals = {};  // these others, as far as they are told, simplest first
  };
  /// A size: one of the short forms, simplest first, at most four. None for a number below 5 that is the same
  /// everywhere: it is as likely a constant of the program.
  std::vector<Found> size(const Values& values) const;
  /// Whether two expressions differ on other processes than those seen, or with larger parameters, where each process has some of every size. In rounds of loops, too.
  bool differ(const symbolic::Expression& a, const symbolic::Expression& b) const;
  /// The parts of parameters that a size may be, without a border; none where a shorter form is there.
  std::vector<Factor> parts_in(const Values& values) const;
  /// A count as a size, a constant among its rivals where that is about as short; of products only those that are shorter than the numbers that they tell by as much as what is identified must be.
  std::optional<Found> count_as_size(const Values& values) const;
  /// The same, or identified where there are runs at two points at least.
  std::optional<Found> count(const Values& values);

  /// How a ratio of sums over the processes of a run grows from run to run, `most`: at most to this (CountGrowth::of). Nothing
  /// unless grows(), and where it is 0 in one of them.
  std::optional<CountGrowth::Found> growth(const std::vector<double>& some, const std::vector<double>& all, std::optional<double> most = {}) const;
  /// The ratio in the runs of the largest sizes, by the product of their parameters: of what was not there in every run. Nothing where it was not there, either.
  std::optional<double> ratio_at_largest(const std::vector<double>& some, const std::vector<double>& all) const;
  /// Whether a sum over the processes of a run is above 0 in each of them.
  bool in_every_run(const std::vector<double>& counts) const;
  /// Whether it is 0 in all of them but those of the largest sizes (ratio_at_largest): the sizes brought it about.
  bool only_at_largest(const std::vector<double>& counts) const;
  /// Whether the runs tell sizes and processes apart (CountGrowth::apart).
  bool grows() const { return growth_ && growth_->apart(); }
  /// The same where they do not (CountGrowth::mean_powers).
  std::optional<symbolic::Expression> trend(const std::vector<double>& some, const std::vector<double>& all) const;
  /// Whether the number of processes and each parameter took several values, except for sides of a grid of all processes: a number
  /// that was the same then is no size.
  bool all_varied() const { return all_varied_; }

 private:
  struct Size {
    Feature feature;
    int border = 0;  // added
  };
  struct Form {
    std::vector<Size> sizes;  // multiplied
    double bits = 0;
    std::vector<std::int64_t> values;  // by process
  };
  void make_forms(const std::set<int>& dimensions);
  void add(std::vector<Size> sizes, double bits);
  symbolic::Expression expression_of(const Form& form) const;
  double told(const Values& values) const;
  std::vector<const Form*> forms_of(const Values& values) const;
  const std::vector<symbolic::Binding>& elsewhere() const;
  std::vector<Found> found_in(const std::vector<const Form*>& forms) const;  // distinct ones
  Identifier* identifier_of(const std::vector<bool>& seen);

  std::vector<std::string> parameters_;
  std::optional<std::vector<Factor>> familiar_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> given_;  // by process: the parameters' values
  std::vector<ProcessGrid> grids_;
  std::set<int> own_;                       // dimensions of the grids that it makes
  std::vector<Form> forms_;  // simplest first
  struct OfSome {
    std::unique_ptr<Identifier> identifier;
    std::vector<std::ptrdiff_t> cell_of;  // by process; -1: not seen
  };
  std::map<std::vector<bool>, OfSome> identifiers_;  // by the processes that saw something
  void find_points();
  double size_of(std::size_t process) const;  // the product of its parameters
  std::pair<std::vector<double>, std::vector<double>> by_point(const std::vector<double>& some, const std::vector<double>& all) const;
  bool is_side(std::size_t v, const std::vector<CountGrowth::Run>& runs) const;
  bool is_varied_side(const Feature& feature) const;
  bool mixes_sides(const symbolic::Expression& expression) const;
  std::vector<std::size_t> point_of_;  // by process
  std::size_t points_ = 0;
  bool all_varied_ = false;
  std::vector<bool> varied_side_;  // of parameters: sides of a grid of all processes that are not the same in all runs
  std::optional<CountGrowth> growth_;
  mutable std::vector<symbolic::Binding> elsewhere_;
};

}  // namespace parcast::program
