// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intervals of sums of terms. Errors with a common source are added; independent ones are added in squares.
// The span of ambiguous counts is added on top (docs/models/intervals.md).

#include <span>
#include <vector>

#include "predict/equation/machine_errors.h"
#include "predict/equation/segment_deviations.h"
#include "predict/equation/solve.h"
#include "predict/intervals.h"

namespace parcast::predict {

class Uncertainty {
 public:
  /// `deviations`: of the plan's model at its level; questions share them.
  Uncertainty(const Question& question, const Solution& solution, const SegmentDeviations& deviations);
  Uncertainty(const Question& question, const Solution& solution);

  /// Returns the sum of all terms, or of the given terms (indices into Solution::terms).
  Estimate estimate(std::span<const std::size_t> terms) const;
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
  double ambiguous_seconds(std::size_t term) const {
    return errors_[term].ambiguity.low + errors_[term].ambiguity.high;
  }

 private:
  struct Deviation {
    double low = 0, high = 0;  // seconds below and above the value, both >= 0
  };
  struct Independent {
    std::size_t source = 0;  // numbered by Sources
    Deviation deviation;
  };
  struct Slope {
    std::size_t parameter = 0;  // index into Plan::uncertain
    double value = 0;           // seconds per base unit
  };
  struct Errors {
    std::vector<Independent> independent;  // one for each source
    std::vector<Slope> slopes;
    Deviation ambiguity;
  };
  struct Width {
    double above = 0;         // seconds
    double factor_below = 1;  // of the value
    Deviation ambiguity;
  };

  /// Numbers of the sources of errors; those of one kind are consecutive.
  struct Sources {
    explicit Sources(const Plan& plan);
    std::size_t streaming = 0, segments = 0, counts = 0, tables = 0, processor = 0, runs = 0, end = 0;
    bool is_segment(std::size_t source) const { return source >= segments && source < counts; }
    bool is_of_program(std::size_t source) const { return source >= segments && source < tables; }
  };

  std::span<const double> details_of(std::size_t term) const {
    return solution_.details[solution_.chosen[term]];
  }
  double detail(std::size_t term, std::size_t column, double otherwise) const {
    return plan_.value(details_of(term), column, otherwise);
  }
  void add_streaming(std::size_t term);
  void add_cost(std::size_t term, const SegmentDeviations& deviations);
  void add_count(std::size_t term);
  void add_table(std::size_t term);
  void add_machine(std::size_t term);
  void narrow(double most_together);
  enum class Included { all, of_program };
  Width width(std::span<const std::size_t> terms, Included included = Included::all) const;
  double machine_deviation(std::span<const std::size_t> terms) const;
  std::vector<std::size_t> all_terms() const;

  const Question& question_;
  const Solution& solution_;
  const Plan& plan_;
  Sources sources_;
  Unvaried unvaried_;
  std::vector<Errors> errors_;
  // Factors of the segments' widths: forward checks showed smaller errors of their sum.
  double narrower_above_ = 1, narrower_below_ = 1;
};

}  // namespace parcast::predict
