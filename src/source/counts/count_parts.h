// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds what part one count is of another in some runs, and how a part without a formula grows.
// docs/models/source_counts.md.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "source/counts/block_counts.h"
#include "source/counts/function_flows.h"
#include "source/counts/recognition.h"
#include "source/counts/source_count.h"

namespace parcast::program {

/// State shared by all functions of a place.
struct Surroundings {
  const facts::LinkedProgram& program;
  const BlockCounts::InputSymbols& symbols;
  std::function<Recognition&(const std::vector<const Sighting*>&)> recognition;  // for these sightings
  std::optional<symbolic::Expression> visits;  // visits of the place, if known as an expression
  // executions of all blocks that every run executes, summed, polling blocks excluded
  std::map<const Sighting*, double> whole;
  const std::set<BlockPlace>& polling;
};

constexpr double kSeldom = 12;  // bits for a count that is 0 in some run

/// Computes parts of counts, which are given by the index of a sighting. All three arguments must outlive
/// this object.
class CountParts {
 public:
  CountParts(const Surroundings& around, const std::vector<const Sighting*>& sightings,
             Recognition& recognition)
      : around_(around), sightings_(sightings), recognition_(recognition) {}

  /// Returns whether an alternative explained some part equally well so far.
  bool ambiguous() const { return ambiguous_; }
  void note_ambiguous(bool is) { ambiguous_ = ambiguous_ || is; }

  /// Returns the visits of the place, in the form of a count.
  PerSighting visits() const;
  bool same(const PerSighting& a, const PerSighting& b) const;
  /// Returns the share of `some` in `all`: exact if it is the same at every sighting, otherwise the mean.
  /// `forced`: control has no other way to go.
  SourceCount part_of(const PerSighting& some, const PerSighting& all, bool forced = false) const;
  /// Changes the tier of a constant part to recognised if all inputs varied while it stayed the same, unless
  /// data may have decided it.
  SourceCount steady(SourceCount part, bool by_data) const;
  /// Returns the part as part_of() and steady() do, if it is none or all of `all`. Otherwise it is, in this
  /// order: a recognised integer per unit of `all`; a part computed by `part_of_total` from a recognised
  /// total; the mean with its growth, at most `most`.
  using PartOfTotal = std::function<SourceCount(const SourceCount&)>;
  SourceCount find_part(const PerSighting& some, const PerSighting& all, const PartOfTotal& part_of_total,
                        bool by_data, std::optional<double> most = {});
  /// Returns a count proportional to a known quantity `with`, with the growth of their ratio.
  std::optional<SourceCount> in_proportion(const SourceCount& with, const PerSighting& count) const;
  /// Returns a count that is above 0 only at the largest sizes. It is a part of all executions of the program
  /// in each run, and grows with them.
  std::optional<SourceCount> with_program(const PerSighting& count) const;
  /// Multiplies a count by its trend, for runs that do not separate sizes and processes.
  SourceCount with_trend(SourceCount given, const PerSighting& count) const;
  std::vector<double> by_sighting(const PerSighting& count) const;
  /// Returns whether an expression gives the counts exactly at every sighting.
  bool agrees(const symbolic::Expression& per_visit, const PerSighting& counts) const;
  /// Returns whether an expression has a finite value of at least 0 at every sighting.
  bool finite(const symbolic::Expression& per_visit) const;

 private:
  SourceCount grown(SourceCount mean, const std::vector<double>& some, const std::vector<double>& all,
                    std::optional<double> most = {}) const;
  SourceCount recognised_part(const PerSighting& some, const PerSighting& all,
                              const PartOfTotal& part_of_total, bool by_data);
  SourceCount recognised(const Recognition::Found& found);
  std::vector<symbolic::Expression> others_of(const Recognition::Found& found) const;
  /// Returns the factor by which an expression must be multiplied to give the total of the counts.
  std::optional<symbolic::Expression> scale_of(const symbolic::Expression& per_visit,
                                               const PerSighting& counts) const;

  const Surroundings& around_;
  const std::vector<const Sighting*>& sightings_;
  Recognition& recognition_;
  bool ambiguous_ = false;
};

}  // namespace parcast::program
