// SPDX-License-Identifier: Apache-2.0
#pragma once
// Searches for sums of up to three features and a constant, with rational coefficients of small denominator,
// that equal observed counts at every cell. Forms are found modulo a prime, solved modulo a larger one, and
// confirmed in exact arithmetic. Some (n, p) are kept out of the search: they only confirm.
//
// Features that no recording distinguishes (up to a factor and a constant) form one class. The search runs
// over classes and then over their members, so it finds every form that holds, not only the first one. One
// random linear combination of all cells (Freivalds' check) shows which members also hold at the cells that
// were not searched. The search thus looks for equal sums instead of trying every choice.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fit_counts/features.h"
#include "fit_counts/wide.h"
#include "symbolic/rational.h"

namespace parcast::program {

struct Form {
  std::vector<std::size_t> features;  // indices into the table, ascending
  std::vector<symbolic::Rational> coefficients;
  symbolic::Rational constant;
  double bits = 0;  // description length
};

/// Bits added to a form that gives fractions at points without recordings.
inline constexpr double kFractionBits = 8;

/// Forms of three features take most of the time. `pairs` searches them only if shorter forms hold, as their
/// alternatives.
enum class Effort { pairs, triples };

/// The features of one design with their values at the cells. Without ranks, one cell of each group
/// represents all.
class FeatureTable {
 public:
  FeatureTable(const Design& design, bool with_rank);

  const Design& design() const { return *design_; }
  const Feature& feature(std::size_t index) const { return features_[index]; }
  std::size_t size() const { return features_.size(); }
  bool with_rank() const { return with_rank_; }
  /// Returns whether some groups were kept out of the search and only confirm.
  bool keeps_out() const { return kept_out_; }

  /// Returns forms that equal `values` (one per cell of the design) everywhere, cheapest first, at most
  /// `most`.
  std::vector<Form> search(std::span<const std::int64_t> values, std::size_t most,
                           Effort effort = Effort::triples) const;

  /// Returns whether the form gives `values` at every cell of the design, in exact arithmetic.
  bool confirms(const Form& form, std::span<const std::int64_t> values) const;

 private:
  struct Searcher;
  void choose_cells();
  void build_classes();
  void choose_budget();
  std::uint64_t weighted_sum(std::size_t feature) const;

  const Design* design_;
  bool with_rank_;
  bool kept_out_ = false;
  std::vector<Feature> features_;
  std::vector<std::size_t> searched_;  // cells used by the search; the others only confirm
  // A feature as scale x the first one of its class + shift at every searched cell, modulo the large prime.
  struct Member {
    std::size_t feature = 0;
    std::uint64_t inverse_of_scale = 1, shift = 0;
    std::uint64_t sum = 0;  // over all cells of the design, each times its weight
  };
  std::vector<std::vector<Member>> classes_;  // ordered by bits; the first one represents the class
  // [searched cell][class], minus the first cell's value, mod prime
  std::vector<std::vector<std::uint32_t>> columns_;
  std::vector<double> class_bits_;
  std::vector<std::uint64_t> weights_;      // of the design's cells, modulo the large prime
  double pair_bits_ = 0, triple_bits_ = 0;  // largest sums of bits that are searched
};

/// numerator / denominator with denominator > 0. Functions return nothing if a feature has no value or the
/// sum overflows.
struct ExactValue {
  Wide numerator = 0;
  std::int64_t denominator = 1;
  bool whole() const { return numerator % denominator == 0; }
};
std::optional<ExactValue> value_at(const Form& form, const FeatureTable& table, const Place& place);

}  // namespace parcast::program
