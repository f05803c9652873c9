// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attributes of steps besides their order: rounds, bytes, tags, roots and communicators, found from the
// operations of every rank of every run.

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "structure/align.h"

namespace parcast::program {

class Attributes {
 public:
  using Values = std::vector<std::optional<std::int64_t>>;  // by rank

  Attributes(const Tokens& tokens, const std::vector<std::string>& parameters,
             const std::vector<ProcessGrid>& grids);

  /// Returns the steps with all attributes except the targets of waits and the computing. The error names the
  /// step with an attribute that follows no rule.
  Result<std::vector<Step>> finish(std::vector<Draft> drafts);
  /// Returns the measures of work in the counts, for costs.
  std::vector<Factor> distributions() const { return whole().distributions(); }
  /// Returns the observed rounds of loops and bytes of operations whose counts are fitted, by step.
  const std::map<std::uint32_t, Values>& observed() const { return observed_; }
  /// Returns the assumptions made where no rule was found, a sentence each.
  const std::vector<std::string>& assumptions() const { return assumptions_; }

 private:
  /// Counts from some of the runs.
  struct Subset {
    std::vector<std::int64_t> place_of;  // position of each rank in the subset; -1: not in it
    Traces traces;
    std::unique_ptr<CountBuilder> counts;
  };
  using ByRank = std::map<std::uint32_t, std::vector<std::int64_t>>;

  Result<Step> finish(Draft draft);
  Result<void> describe_operation(const Draft& draft, Step& step);
  Result<void> describe_rounds(const Draft& draft, Step& step);
  RoundCount bytes_of(const Draft& draft);
  /// Returns the hint of an error. Where calls have no line numbers it first proposes to compile with -g.
  std::string with_lines(const Draft& draft, const std::string& hint) const;
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
  mutable std::map<std::tuple<std::size_t, int, int, int, std::int64_t, std::int64_t>,
                   std::vector<std::int32_t>>
      expected_;
  std::vector<std::string> assumptions_;
  std::map<std::uint32_t, Values> observed_;
  std::uint32_t next_ = 0;
};

}  // namespace parcast::program
