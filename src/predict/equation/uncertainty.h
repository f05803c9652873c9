// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intervals of sums of terms. Errors with a common source are added; independent ones are added in squares.
// The span of ambiguous counts is added on top (docs/models/intervals.md).

#include <functional>
#include <map>
#include <vector>

#include "predict/equation/machine_errors.h"
#include "predict/equation/solve.h"
#include "predict/intervals.h"

namespace parcast::predict {

class Uncertainty {
 public:
  Uncertainty(const program::Model& model, const machine::Machine& machine, const Question& question,
              const Solution& solution);

  /// Returns the sum of all terms, or of the given terms (indices into Solution::terms).
  Estimate estimate(const std::vector<std::size_t>& terms) const;
  Estimate estimate() const;
  /// Returns the sum of all terms with the interval from the program's model alone: growth of segments and
  /// counts, whose errors are common to all machines.
  Estimate of_program() const;

  /// Returns the errors that only the machine causes, as fractions of the total.
  MachineErrors machine_errors() const;

  /// Returns, for each term, the share of its own sources, including ambiguity, in the squared half width of
  /// the total's interval.
  std::vector<double> shares() const;

  /// Returns the seconds between the lowest and the highest value that the alternative formulas of a term's
  /// count allow.
  double ambiguous_seconds(std::size_t term) const { return errors_[term].ambiguity.low + errors_[term].ambiguity.high; }

 private:
  struct Deviation {
    double low = 0, high = 0;   // seconds below and above the value, both >= 0
  };
  struct Source {
    int kind = 0;
    std::int64_t number = 0;
    auto operator<=>(const Source&) const = default;
  };
  struct Errors {
    std::map<Source, Deviation> independent;
    std::map<std::string, double> gradient;   // by machine parameter: seconds per base unit
    Deviation ambiguity;
  };

  struct Width {
    double above = 0;                // seconds
    double factor_below = 1;         // of the value
    Deviation ambiguity;
  };

  void add_streaming(std::size_t term);
  void add_cost(std::size_t term);
  void add_count(std::size_t term);
  void add_table(std::size_t term);
  void add_machine(std::size_t term);
  enum class Sources { all, of_program };
  Width width(const std::vector<std::size_t>& terms, Sources sources = Sources::all) const;
  std::vector<std::size_t> all_terms() const;
  double covariance(const std::string& a, const std::string& b) const;
  std::int64_t number_of(const symbolic::Expression& count);

  const program::Model& model_;
  const machine::Machine& machine_;
  const Question& question_;
  const Solution& solution_;
  double quantile_ = 0;
  Unvaried unvaried_;
  std::map<std::string, machine::Parameter> parameters_;
  std::map<symbolic::Expression, std::int64_t> counts_;
  std::vector<Errors> errors_;
};

}  // namespace parcast::predict
