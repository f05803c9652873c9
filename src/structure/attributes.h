// SPDX-License-Identifier: Apache-2.0
#pragma once
// What steps say besides their order: rounds, bytes, tags, roots and communicators, from what every rank of every run did.

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "structure/align.h"

namespace parcast::program {

class Attributes {
 public:
  using Values = std::vector<std::optional<std::int64_t>>;  // by rank

  Attributes(const Tokens& tokens, const std::vector<std::string>& parameters, const std::vector<ProcessGrid>& grids);

  /// The steps with all they say but what waits are for and how long they compute. An error names the step of which something
  /// follows no rule.
  Result<std::vector<Step>> finish(std::vector<Draft> drafts);
  /// Measures of work that the counts show, for costs.
  std::vector<Factor> distributions() const { return whole().distributions(); }
  /// Rounds of loops, and bytes of operations, that are fitted alone: what was seen of them, by step.
  const std::map<std::uint32_t, Values>& observed() const { return observed_; }
  /// What was taken although no rule was found, a sentence each.
  const std::vector<std::string>& assumptions() const { return assumptions_; }

 private:
  /// Counts from some of the runs.
  struct Subset {
    std::vector<std::int64_t> place_of;  // of each rank among those of the subset; -1: not among them
    Traces traces;
    std::unique_ptr<CountBuilder> counts;
  };
  using ByRank = std::map<std::uint32_t, std::vector<std::int64_t>>;

  Result<Step> finish(Draft draft);
  Result<void> describe_operation(const Draft& draft, Step& step);
  Result<void> describe_rounds(const Draft& draft, Step& step);
  RoundCount bytes_of(const Draft& draft);
  Result<Tag> tag_of(const Draft& draft) const;
  Result<Members> members_of_step(const Draft& draft) const;
  std::optional<std::uint32_t> number_of(const Seen& seen, const Members& members) const;
  const std::vector<std::int32_t>& expected(const RankOfRun& rank, const Members& members) const;
  Result<void> describe_root(const Draft& draft, Step& step);

  Count count(const Values& values);
  Count identified(Subset& subset, const Values& values, bool deterministic);
  bool reproduces(const Count& count, const Values& values) const;
  Values along(const Values& values, std::size_t dimensions, std::size_t dimension) const;
  Subset& subset_of(const std::set<std::size_t>& runs);
  const CountBuilder& whole() const;
  std::string name_of_step(const Draft& draft) const;

  const Tokens& tokens_;
  std::vector<std::string> parameters_;
  std::vector<ProcessGrid> grids_;
  std::vector<Run> runs_;
  std::map<std::set<std::size_t>, Subset> subsets_;
  mutable std::map<std::tuple<std::size_t, int, int, int, std::int64_t, std::int64_t>, std::vector<std::int32_t>> expected_;
  std::vector<std::string> assumptions_;
  std::map<std::uint32_t, Values> observed_;
  std::uint32_t next_ = 0;
};

}  // namespace parcast::program
