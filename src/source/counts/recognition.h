// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expresses integers observed in processes of runs in terms of the inputs of these runs: a parameter, a
// process's part of it, with or without a border, or a product of two of these. With runs at several points,
// any form of a count is tried (fit_counts/identify.h). The origin of the numbers is not used.
// docs/models/source_counts.md.

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
  /// By process of a run; empty if not observed.
  using Values = std::vector<std::optional<std::int64_t>>;

  /// `processes`: the symbols of each process, which are the parameters, p, r, and extents and coordinates of
  /// process grids (model/binding.h). `dimensions`: of the grids that the program creates. `familiar`: parts
  /// that occur as values of their own in the program (parts_in()). Other parts then cost more bits and occur
  /// in no product.
  Recognition(std::vector<std::string> parameters, const std::vector<symbolic::Binding>& processes,
              const std::set<int>& dimensions, std::optional<std::vector<Factor>> familiar = {});

  struct Found {
    symbolic::Expression expression;
    bool ambiguous = false;  // alternatives give the same numbers here and other numbers elsewhere
    double bits = 0;         // description length
    std::vector<symbolic::Expression> alternatives = {};  // the alternatives found, simplest first
  };
  /// Returns short forms for a size, simplest first, at most four. Returns none for a number below 5 that is
  /// the same everywhere, which is as likely a constant of the program.
  std::vector<Found> size(const Values& values) const;
  /// Returns whether two expressions differ at points where each process has some of every size: on other
  /// processes than the observed ones, or with larger parameters. Rounds of loops are set to 1.
  bool differ(const symbolic::Expression& a, const symbolic::Expression& b) const;
  /// Returns the parts of parameters, without a border, that the values may be. Returns none if a shorter
  /// form exists.
  std::vector<Factor> parts_in(const Values& values) const;
  /// Returns a count as a size. A constant is an alternative if it is about as short. A product must be
  /// shorter than the numbers that it explains, by as many bits as identified counts must be.
  std::optional<Found> count_as_size(const Values& values) const;
  /// Returns count_as_size(), or else an identified count if there are runs at two or more points.
  std::optional<Found> count(const Values& values);

  /// Returns how a ratio of sums over the processes of a run grows from run to run, at most to `most`
  /// (CountGrowth::of). Returns nothing unless grows(), or if the ratio is 0 in some run.
  std::optional<CountGrowth::Found> growth(const std::vector<double>& some, const std::vector<double>& all,
                                           std::optional<double> most = {}) const;
  /// Returns the ratio in the runs of the largest sizes, by the product of their parameters. It is used for
  /// counts that are 0 in some run. Returns nothing if the ratio is 0 at the largest sizes too.
  std::optional<double> ratio_at_largest(const std::vector<double>& some,
                                         const std::vector<double>& all) const;
  /// Returns whether a sum over the processes of a run is above 0 in every run.
  bool in_every_run(const std::vector<double>& counts) const;
  /// Returns whether the count is 0 in all runs except those of the largest sizes (ratio_at_largest()).
  bool only_at_largest(const std::vector<double>& counts) const;
  /// Returns whether the runs separate the effects of sizes and processes (CountGrowth::apart).
  bool grows() const { return growth_ && growth_->apart(); }
  /// Returns growth for runs that do not (CountGrowth::mean_powers).
  std::optional<symbolic::Expression> trend(const std::vector<double>& some,
                                            const std::vector<double>& all) const;
  /// Returns whether the number of processes and each parameter took several values; sides of a grid of all
  /// processes need not. A number that was the same in such runs is not a size.
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
  double given(const Values& values) const;
  std::vector<const Form*> forms_of(const Values& values) const;
  const std::vector<symbolic::Binding>& elsewhere() const;
  std::vector<Found> found_in(const std::vector<const Form*>& forms) const;  // distinct ones
  Identifier* identifier_of(const std::vector<bool>& seen);

  std::vector<std::string> parameters_;
  std::optional<std::vector<Factor>> familiar_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> given_;  // by process: the parameters' values
  std::vector<ProcessGrid> grids_;
  std::set<int> own_;        // dimensions of the grids that it creates
  std::vector<Form> forms_;  // simplest first
  struct OfSome {
    std::unique_ptr<Identifier> identifier;
    std::vector<std::ptrdiff_t> cell_of;  // by process; -1: not observed
  };
  std::map<std::vector<bool>, OfSome> identifiers_;  // by the set of processes with an observed value
  void find_points();
  double size_of(std::size_t process) const;  // product of its parameters
  std::pair<std::vector<double>, std::vector<double>> by_point(const std::vector<double>& some,
                                                               const std::vector<double>& all) const;
  bool is_side(std::size_t v, const std::vector<CountGrowth::Run>& runs) const;
  bool is_varied_side(const Feature& feature) const;
  bool mixes_sides(const symbolic::Expression& expression) const;
  std::vector<std::size_t> point_of_;  // by process
  std::size_t points_ = 0;
  bool all_varied_ = false;
  std::vector<bool> varied_side_;  // of parameters: sides of a grid of all processes that vary between runs
  std::optional<CountGrowth> growth_;
  mutable std::vector<symbolic::Binding> elsewhere_;
};

}  // namespace parcast::program
