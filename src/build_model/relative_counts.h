// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts relative to the loops around them, as in loop descriptors (Clement and Quinn 1997): a loop has a
// trip count, and a call in it a number of executions per iteration. docs/models/counts.md, "Relative
// counts".

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit_counts/counts.h"

namespace parcast::program {

/// A count that other counts may be a multiple of, with its value in each trace.
struct Basis {
  std::vector<std::int64_t> values;
  Count count;
};

class RelativeCounts {
 public:
  /// Takes the arguments of CountBuilder and a builder made of them; all must outlive this object.
  RelativeCounts(const std::vector<std::string>& parameters, const std::vector<Run>& runs,
                 const std::vector<ProcessGrid>& grids, const Traces& traces, CountBuilder& counts);

  /// Returns a count for `values`, one per trace. `around`: innermost first.
  ///
  /// If the values are the same integer multiple of a basis in all traces, that multiple is the count. Some
  /// ranks of a run may have equal counts while the others always have 0. Then the count is a condition on
  /// the rank's place times a count that does not depend on ranks. Otherwise the result is the most certain
  /// of the count identified alone and its quotients by each basis.
  Count build(const std::vector<std::int64_t>& values, bool deterministic,
              std::span<const Basis* const> around, Effort effort = Effort::triples);
  /// Returns a fitted count as a fitted size times a basis: bytes as messages times their mean size. Returns
  /// `count` if it is not fitted, if the basis is not known, or where the basis is 0 and the values are not.
  Count by_size(Count count, const std::vector<std::int64_t>& values, const Basis& basis) const;
  /// Returns the difference of a basis of `from` and one of `less` if it equals the values in all traces.
  std::optional<Count> difference(const std::vector<std::int64_t>& values, std::span<const Basis* const> from,
                                  std::span<const Basis* const> less) const;

 private:
  // Uses the traces marked in `used`.
  std::optional<Count> multiple(const std::vector<std::int64_t>& values, const Basis& basis,
                                const std::vector<bool>& used);
  std::optional<Count> product(const std::vector<std::int64_t>& values, const Basis& basis, Effort effort);
  std::optional<Count> where_in_grid(const std::vector<std::int64_t>& values,
                                     std::span<const Basis* const> around, Effort effort,
                                     std::size_t least_parts);
  void drop_equal_alternatives(Count& count);
  void drop_alternatives_equal_where(Count& count, const symbolic::Expression& where);
  const std::vector<symbolic::Binding>& probes();
  bool is_independent(const std::vector<std::int64_t>& values, const std::vector<bool>& used,
                      std::size_t parameter) const;
  bool lacks_one_process_alone(const std::vector<bool>& used, const std::vector<bool>& kept) const;
  std::optional<Count> plain(const std::vector<std::int64_t>& values, const std::vector<bool>& used);
  const std::vector<double>& unvaried(const std::vector<bool>& used);
  /// Returns the builder for the traces marked in `used` and the parameters marked in `kept`.
  CountBuilder& counts_of(const std::vector<bool>& used, const std::vector<bool>& kept);
  CountBuilder& counts_of(const std::vector<bool>& used) {
    return counts_of(used, std::vector<bool>(parameters_.size(), true));
  }

  const std::vector<std::string>& parameters_;
  const std::vector<Run>& runs_;
  const std::vector<ProcessGrid>& grids_;
  const Traces& traces_;
  CountBuilder& counts_;
  std::map<std::vector<bool>, std::vector<double>> unvaried_;  // by `used` traces
  std::vector<Place> places_;                                  // of the traces
  std::vector<symbolic::Binding> probes_;  // points and ranks at which alternatives are compared
  struct Part {
    std::vector<std::string> parameters;
    std::vector<Run> runs;
    std::unique_ptr<CountBuilder> counts;
  };
  std::map<std::pair<std::vector<bool>, std::vector<bool>>, Part> of_some_;
};

}  // namespace parcast::program
