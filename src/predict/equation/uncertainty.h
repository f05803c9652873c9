// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intervals of sums of terms. What errs together is added up, what errs apart is added in squares; the span of
// ambiguous counts is added on top (docs/models/intervals.md).

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

  /// The sum of the terms (by index into Solution::terms), or of these terms.
  Estimate estimate(const std::vector<std::size_t>& terms) const;
  Estimate estimate() const;
  /// The sum of all terms with the interval that the program's model alone gives it: growth of segments and counts, which err alike on
  /// every machine.
  Estimate of_program() const;

  /// What errs in the machine alone, as fractions of the total.
  MachineErrors machine_errors() const;

  /// Share of the squared half width of the total's interval that each term's own sources bring, ambiguity included.
  std::vector<double> shares() const;

  /// Seconds between the lowest and the highest that the other formulas of a term's count allow.
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
