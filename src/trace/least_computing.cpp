// SPDX-License-Identifier: Apache-2.0
#include "trace/least_computing.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace parcast::trace {
namespace {

constexpr std::uint64_t kMostWords = 20'000'000;  // of 8 bytes, all ranks together

/// Computing until an operation, or until the end of the rank.
struct Step {
  Time computing = 0;
  bool is_end = true;
  std::uint32_t operation = 0;
};

Step next_step(Walker& walker) {
  Step out;
  while (walker.next()) {
    const Item item = walker.item();
    if (item.what() == Item::What::operation) {
      out.is_end = false, out.operation = item.index();
      return out;
    }
    out.computing += item.time();
  }
  return out;
}

/// Compares operations of two traces, each pair once.
class SameOperations {
 public:
  SameOperations(const Trace& a, const Trace& b) : a_(a), b_(b) {}

  bool operator()(std::uint32_t a, std::uint32_t b) {
    const auto [at, is_new] = known_.try_emplace(std::uint64_t{a} << 32 | b, false);
    if (is_new) at->second = are_equal(a_.operations[a], b_.operations[b]);
    return at->second;
  }

 private:
  /// Indices into tables are replaced by what they name.
  bool are_equal(Operation a, Operation b) const {
    const bool same_place = a.place == kNowhere || b.place == kNowhere
                                ? a.place == b.place
                                : a_.places[a.place] == b_.places[b.place];
    const bool same_members =
        a_.communicators[a.communicator].members == b_.communicators[b.communicator].members;
    const bool same_requests =
        a.kind != Kind::wait || a_.request_sets[a.requests] == b_.request_sets[b.requests];
    a.place = b.place, a.communicator = b.communicator, a.requests = b.requests;
    return a == b && same_place && same_members && same_requests;
  }

  const Trace &a_, &b_;
  std::unordered_map<std::uint64_t, bool> known_;
};

std::uint64_t words_of(const Trace& trace) {
  std::uint64_t words = 0;
  std::vector<Size> sizes;
  for (const Sequence& sequence : trace.sequences) sizes.push_back(size_of(sequence));
  for (const std::uint32_t s : trace.sequence_of) words += sizes[s].operations + sizes[s].computes;
  return words;
}

Error differ(std::int32_t rank) {
  return {"the recordings do not have the same operations in the same order", "rank " + std::to_string(rank),
          ""};
}

/// Returns the sequence of a rank; `same`: of the first trace with each of the others.
Result<Sequence> least(std::span<const Trace> runs, std::int32_t rank, std::vector<SameOperations>& same) {
  const auto r = static_cast<std::size_t>(rank);
  std::vector<Walker> walkers;
  for (const Trace& run : runs) walkers.emplace_back(run.sequences[run.sequence_of[r]]);
  Sequence out;
  for (;;) {
    Step first = next_step(walkers[0]);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const Step other = next_step(walkers[i]);
      if (first.is_end != other.is_end || (!first.is_end && !same[i - 1](first.operation, other.operation)))
        return differ(rank);
      first.computing = std::min(first.computing, other.computing);
    }
    if (first.computing > 0) out.push_back(Item::compute(first.computing));
    if (first.is_end) return out;
    out.push_back(Item::operation(first.operation));
  }
}

}  // namespace

Result<Trace> with_least_computing(std::span<const Trace> runs) {
  if (runs.empty()) return Error{"there is no recording", "", ""};
  Trace out = runs[0];
  if (runs.size() == 1) return out;
  std::vector<SameOperations> same;
  for (const Trace& run : runs.subspan(1)) {
    if (run.ranks != out.ranks)
      return Error{
          "the recordings have " + std::to_string(out.ranks) + " and " + std::to_string(run.ranks) + " ranks",
          "", ""};
    same.emplace_back(out, run);
  }
  if (words_of(out) > kMostWords) return Error{"the recordings are too long to be compared", "", ""};
  std::vector<Sequence> sequences;
  for (std::int32_t rank = 0; rank < out.ranks; ++rank) {
    PARCAST_ASSIGN(Sequence sequence, least(runs, rank, same));
    sequences.push_back(std::move(sequence));
    out.sequence_of[static_cast<std::size_t>(rank)] = static_cast<std::uint32_t>(rank);
  }
  out.sequences = std::move(sequences);
  out.assumptions.push_back("each computing time is the shortest of " + std::to_string(runs.size()) +
                            " recordings of this run");
  return out;
}

}  // namespace parcast::trace
