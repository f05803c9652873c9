// SPDX-License-Identifier: Apache-2.0
#pragma once
// Describes how a count without a formula grows from run to run, relative to a known quantity. The result is
// one product of powers of the parameters and the number of processes, or the sum of two, selected by
// description length. This needs runs that separate the effects of sizes and processes; otherwise the result
// is a mean of all powers that are possible. docs/models/source_counts.md.

#include <optional>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::program {

class CountGrowth {
 public:
  struct Run {
    double processes = 1;
    std::vector<double> parameters;
  };
  /// `runs`: at different points. Only parameters that differ between runs get powers, and only those with
  /// values of 5 or more: smaller numbers are sides of grids, choices and orders.
  CountGrowth(const std::vector<std::string>& parameters, const std::vector<Run>& runs);

  /// Fewer runs cannot separate one power from another.
  static constexpr std::size_t kFewest = 3;

  struct Found {
    symbolic::Expression ratio;
    bool constant = false;  // constant within the noise
    double bits = 0;        // description length: of the formula and of its deviations
    // among those about as short, the one that grows least and the one that grows most, if they differ from
    // this one
    std::vector<symbolic::Expression> alternatives = {};
  };
  /// Returns whether there are kFewest runs, some of which differ only in the number of processes and some
  /// only in sizes, as far as these vary at all.
  bool apart() const { return apart_; }
  /// Returns how `some` per unit of `all` grows; both are by run and above 0. `most`: upper bound of the
  /// ratio everywhere, ignored if the runs exceed it. Returns nothing unless apart().
  std::optional<Found> of(const std::vector<double>& some, const std::vector<double>& all,
                          std::optional<double> most = {}) const;
  /// For at least kFewest runs that are not apart(): a constant times mean powers. Returns nothing if the
  /// ratio is about constant.
  std::optional<symbolic::Expression> mean_powers(const std::vector<double>& some,
                                                  const std::vector<double>& all) const;

 private:
  struct Form {  // a product of powers
    symbolic::Expression what;
    std::vector<double> at;  // by run
    double far = 1;          // value with everything that varies increased by a factor
    double bits = 0;
    bool paired = false;               // may be a term of a sum
    std::optional<std::size_t> lower;  // index of the form with one power less of its parameter
    double degree = 0;                 // in the parameters
  };
  std::vector<Form> of_parameters(const std::vector<std::string>& names, const std::vector<Run>& runs) const;
  std::vector<Form> of_processes(const std::vector<Run>& runs) const;
  Form of_faces(const std::vector<Run>& runs) const;
  std::vector<std::size_t> sides_of(const std::vector<Run>& runs) const;
  std::vector<Form> forms_;
  std::size_t runs_ = 0;
  std::vector<std::string> names_;
  std::vector<Run> at_;
  std::vector<std::size_t> sizes_, sides_;  // indices of parameters
  bool apart_ = false;
};

}  // namespace parcast::program
