// SPDX-License-Identifier: Apache-2.0
#pragma once
// Identifies a count as an exact formula in (n, p, r): the shortest form that equals every observation, and
// other short ones that do. Decides whether the evidence suffices to call it exact; if not, names the
// recording that would decide.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fit_counts/search.h"
#include "model/binding.h"
#include "model/lattice.h"
#include "model/model.h"

namespace parcast::program {

inline constexpr std::size_t kMostAlternatives = 8;  // of a count

struct Identified {
  Count count;                    // exact, ambiguous, or constant
  std::vector<Feature> features;  // of the preferred form
  double bits = 0;                // description length
};

class Identifier {
 public:
  explicit Identifier(Design design);
  ~Identifier();

  const Design& design() const { return design_; }
  /// `values`: one per cell of the design. Returns nothing if no form of the searched family holds. Equal
  /// values are searched once.
  const std::optional<Identified>& identify(const std::vector<std::int64_t>& values,
                                            Effort effort = Effort::triples);

 private:
  struct Candidate;
  std::optional<Identified> search(const std::vector<std::int64_t>& values, Effort effort);
  const FeatureTable& table(bool with_rank);
  bool same_on_all_ranks(const std::vector<std::int64_t>& values) const;
  Candidate make_candidate(const Form& form, const FeatureTable& table) const;
  std::vector<Candidate> candidates(const std::vector<Form>& forms, const FeatureTable& table) const;
  void add_unvaried(const Form& form, const FeatureTable& table, std::vector<Candidate>& all) const;
  void add_unseen_growth(std::vector<Candidate>& all) const;
  static void keep_first_of_equal(std::vector<Candidate>& all);
  std::vector<std::size_t> given(const std::vector<Candidate>& all) const;
  std::string advice(const std::vector<Candidate>& all, const std::vector<std::size_t>& open,
                     const std::vector<std::int64_t>& values) const;

  Design design_;
  std::vector<Point> recorded_;  // the design's complete groups
  Lattice lattice_;              // of these
  std::unique_ptr<FeatureTable> tables_[2];
  std::vector<Place> probes_;        // inside and beyond the data
  std::vector<Place> smaller_;       // below the data
  std::vector<Point> probe_points_;  // of the probes
  std::map<std::pair<Effort, std::vector<std::int64_t>>, std::optional<Identified>> known_;
};

}  // namespace parcast::program
