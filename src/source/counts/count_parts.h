// SPDX-License-Identifier: Apache-2.0
#pragma once
// What part one count is of another, by what some runs counted, and how parts grow that nothing gives. docs/models/source_counts.md.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "source/counts/block_counts.h"
#include "source/counts/function_flows.h"
#include "source/counts/recognition.h"
#include "source/counts/told.h"

namespace parcast::program {

/// What all functions of a place share.
struct Surroundings {
  const facts::LinkedProgram& program;
  const BlockCounts::InputSymbols& symbols;
  std::function<Recognition&(const std::vector<const Sighting*>&)> recognition;  // of these sightings
  std::optional<symbolic::Expression> visits;  // of the place, where they are known as an expression
  std::map<const Sighting*, double> whole;  // executions of all blocks together that each run has, but for those that poll
  const std::set<BlockPlace>& polling;
};

constexpr double kSeldom = 12;  // bits of what was not there in every run

/// Counts of sightings, each by its index. All three live longer.
class CountParts {
 public:
  CountParts(const Surroundings& around, const std::vector<const Sighting*>& sightings, Recognition& recognition) : around_(around), sightings_(sightings), recognition_(recognition) {}

  /// Whether something else would have said the same of some part so far.
  bool ambiguous() const { return ambiguous_; }
  void note_ambiguous(bool is) { ambiguous_ = ambiguous_ || is; }

  /// Of the place, as counts of anything else.
  PerSighting visits() const;
  bool same(const PerSighting& a, const PerSighting& b) const;
  /// What share `some` is of `all`: the same at every sighting, or the mean. `forced`: there is no other way
  /// to go.
  Told part_of(const PerSighting& some, const PerSighting& all, bool forced = false) const;
  /// What was the same number while all that was given took several values is a constant of the program, unless data may have decided it.
  Told steady(Told part, bool by_data) const;
  /// The same; where it is neither none nor all of them: as a whole number per one of `all` that is recognised, or as one
  /// that is recognised in total, of which `part_of_total` makes the part; else the mean, and how it grows, `most`: to this at most.
  using PartOfTotal = std::function<Told(const Told&)>;
  Told find_part(const PerSighting& some, const PerSighting& all, const PartOfTotal& part_of_total, bool by_data, std::optional<double> most = {});
  /// What goes with something else that is told, and how the two grow apart.
  std::optional<Told> in_proportion(const Told& with, const PerSighting& count) const;
  /// What was there at the largest sizes alone: a part of all that the program does in each run, and as that grows.
  std::optional<Told> with_program(const PerSighting& count) const;
  /// Runs that do not tell sizes and processes apart.
  Told with_trend(Told told, const PerSighting& count) const;
  std::vector<double> by_sighting(const PerSighting& count) const;
  /// Whether it gives what was counted, to the unit, at every sighting.
  bool agrees(const symbolic::Expression& per_visit, const PerSighting& counts) const;
  /// Whether it is a number of at least 0 at every sighting.
  bool finite(const symbolic::Expression& per_visit) const;

 private:
  Told grown(Told mean, const std::vector<double>& some, const std::vector<double>& all, std::optional<double> most = {}) const;
  Told recognised_part(const PerSighting& some, const PerSighting& all, const PartOfTotal& part_of_total, bool by_data);
  Told recognised(const Recognition::Found& found);
  std::vector<symbolic::Expression> others_of(const Recognition::Found& found) const;
  /// What an expression must be multiplied with to give all that was counted together.
  std::optional<symbolic::Expression> scale_of(const symbolic::Expression& per_visit, const PerSighting& counts) const;

  const Surroundings& around_;
  const std::vector<const Sighting*>& sightings_;
  Recognition& recognition_;
  bool ambiguous_ = false;
};

}  // namespace parcast::program
