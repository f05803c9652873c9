// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a count that no formula gives, per one of something that is known, grows from run to run: one or two products of
// powers of the parameters and the number of processes, chosen by description length, if runs tell the two apart; else the
// mean of all powers that it may be. docs/models/source_counts.md.

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
  /// `runs`: at different points. Powers are of what differs among them; of parameters only those of 5 or more, since smaller
  /// numbers are sides of grids, choices and orders.
  CountGrowth(const std::vector<std::string>& parameters, const std::vector<Run>& runs);

  /// Runs at two points tell nothing of one power against another.
  static constexpr std::size_t kFewest = 3;

  struct Found {
    symbolic::Expression ratio;
    bool constant = false;  // it stays the same, within what it varies by
    double bits = 0;        // that it costs to say, with what it leaves
    std::vector<symbolic::Expression> rivals = {};  // of those about as short that which grows least and that which grows most, where it is another
  };
  /// Whether there are kFewest runs, some that differ in the number of processes alone and some in sizes alone, as far as these
  /// differ at all.
  bool apart() const { return apart_; }
  /// `some` per one of `all` by run, both above 0. `most`: it can be no larger anywhere, where it is not in these. Nothing
  /// unless apart().
  std::optional<Found> of(const std::vector<double>& some, const std::vector<double>& all, std::optional<double> most = {}) const;
  /// For runs that do not tell them apart, kFewest at least: a constant times mean powers. Nothing where it stays about the same.
  std::optional<symbolic::Expression> mean_powers(const std::vector<double>& some, const std::vector<double>& all) const;

 private:
  struct Form {  // a product of powers
    symbolic::Expression what;
    std::vector<double> at;     // by run
    double far = 1;             // where all that differs is some times as large
    double bits = 0;
    bool paired = false;        // may stand in a sum
    std::optional<std::size_t> lower;  // the same with one power less of its parameter
    double degree = 0;          // in the parameters
  };
  std::vector<Form> of_parameters(const std::vector<std::string>& names, const std::vector<Run>& runs) const;
  std::vector<Form> of_processes(const std::vector<Run>& runs) const;
  Form of_faces(const std::vector<Run>& runs) const;
  std::vector<std::size_t> sides_of(const std::vector<Run>& runs) const;
  std::vector<Form> forms_;
  std::size_t runs_ = 0;
  std::vector<std::string> names_;
  std::vector<Run> at_;
  std::vector<std::size_t> sizes_, sides_;  // parameters
  bool apart_ = false;
};

}  // namespace parcast::program
