// SPDX-License-Identifier: Apache-2.0
#include "simulate/patterns.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>

namespace parcast::bench {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;
using trace::Time;

constexpr std::uint64_t kBytes = 8192;
constexpr Time kMicrosecond = 1'000'000;

/// Distinct operations of a trace under construction.
class Operations {
 public:
  explicit Operations(trace::Trace& trace) : trace_(trace) {}
  Item message(Kind kind, std::int32_t rank, std::int32_t partner, std::int32_t tag) {
    return item({.kind = kind, .peer = partner - rank, .tag = tag, .bytes = kBytes});
  }
  /// An allreduce of 8 bytes by all ranks.
  Item allreduce() {
    return item({.kind = Kind::collective, .pattern = recording::Pattern::allreduce, .bytes = 8});
  }
  Item wait(std::uint32_t requests) {
    std::vector<std::uint32_t> all(requests);
    std::iota(all.begin(), all.end(), 1u);
    const auto at = std::find(trace_.request_sets.begin(), trace_.request_sets.end(), all);
    const auto number = static_cast<std::uint32_t>(at - trace_.request_sets.begin());
    if (at == trace_.request_sets.end()) trace_.request_sets.push_back(all);
    return item({.kind = Kind::wait, .requests = number});
  }

 private:
  Item item(const Operation& operation) {
    const auto [at, is_new] = known_.try_emplace(
        {static_cast<int>(operation.kind), operation.peer, operation.tag, operation.requests},
        trace_.operations.size());
    if (is_new) trace_.operations.push_back(operation);
    return Item::operation(static_cast<std::uint32_t>(at->second));
  }
  trace::Trace& trace_;
  std::map<std::array<std::int64_t, 4>, std::size_t> known_;
};

/// Returns extents of a grid that is as close to a cube, or a square, as the factors allow.
std::vector<std::int32_t> extents(std::int32_t ranks, std::size_t dimensions) {
  std::vector<std::int32_t> out(dimensions, 1);
  std::vector<std::int32_t> factors;
  for (std::int32_t f = 2; ranks > 1; ranks % f == 0 ? (factors.push_back(f), ranks /= f) : ++f) {
  }
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor)
    *std::min_element(out.begin(), out.end()) *= *factor;
  return out;
}

Item computing(std::int32_t rank, Time about) {
  return Item::compute(about + (rank * std::int64_t{7919} % 97) * about / 1000);
}

trace::Sequence halo(Operations& operations, std::int32_t rank, std::int32_t ranks, Item computing) {
  const auto grid = extents(ranks, 3);
  const std::array<std::int32_t, 3> at{rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]};
  const auto neighbour = [&](std::size_t axis, std::int32_t step) {
    auto to = at;
    to[axis] = (to[axis] + step + grid[axis]) % grid[axis];
    return to[0] + grid[0] * (to[1] + grid[1] * to[2]);
  };
  trace::Sequence body{computing};
  for (const Kind kind : {Kind::start_receive, Kind::start_send})
    for (std::int32_t side = 0; side < 6; ++side)
      body.push_back(operations.message(kind, rank,
                                        neighbour(static_cast<std::size_t>(side / 2), side % 2 == 0 ? -1 : 1),
                                        kind == Kind::start_send ? side : side ^ 1));
  body.push_back(operations.wait(12));
  return body;
}

/// A halo exchange, then a sum over all ranks, which compute equal times.
trace::Sequence reduced(Operations& operations, std::int32_t rank, std::int32_t ranks) {
  trace::Sequence body = halo(operations, rank, ranks, Item::compute(1000 * kMicrosecond));
  body.push_back(operations.allreduce());
  return body;
}

trace::Sequence doubling(Operations& operations, std::int32_t rank, std::int32_t ranks) {
  trace::Sequence body{computing(rank, kMicrosecond)};
  for (std::int32_t bit = 1; bit < ranks; bit *= 2) {
    if ((rank ^ bit) >= ranks) continue;
    body.push_back(operations.message(Kind::start_receive, rank, rank ^ bit, bit));
    body.push_back(operations.message(Kind::start_send, rank, rank ^ bit, bit));
    body.push_back(operations.wait(2));
  }
  return body;
}

trace::Sequence wavefront(Operations& operations, std::int32_t rank, std::int32_t ranks) {
  const auto grid = extents(ranks, 2);
  const std::int32_t x = rank % grid[0], y = rank / grid[0];
  trace::Sequence body;
  if (x > 0) body.push_back(operations.message(Kind::receive, rank, rank - 1, 0));
  if (y > 0) body.push_back(operations.message(Kind::receive, rank, rank - grid[0], 1));
  body.push_back(computing(rank, 10 * kMicrosecond));
  if (x + 1 < grid[0]) body.push_back(operations.message(Kind::send, rank, rank + 1, 0));
  if (y + 1 < grid[1]) body.push_back(operations.message(Kind::send, rank, rank + grid[0], 1));
  return body;
}

/// Six permutations: each rank's destination, and the source from which it then receives.
class Sparse {
 public:
  explicit Sparse(std::int32_t ranks) {
    std::mt19937_64 random(1);
    for (std::size_t k = 0; k < to_.size(); ++k) {
      to_[k].resize(static_cast<std::size_t>(ranks));
      std::iota(to_[k].begin(), to_[k].end(), 0);
      for (std::size_t i = to_[k].size(); i > 1; --i) std::swap(to_[k][i - 1], to_[k][random() % i]);
      from_[k].resize(to_[k].size());
      for (std::size_t i = 0; i < to_[k].size(); ++i)
        from_[k][static_cast<std::size_t>(to_[k][i])] = static_cast<std::int32_t>(i);
    }
  }
  trace::Sequence body(Operations& operations, std::int32_t rank) const {
    trace::Sequence out{computing(rank, 100 * kMicrosecond)};
    for (std::size_t k = 0; k < to_.size(); ++k)
      out.push_back(operations.message(Kind::start_receive, rank, from_[k][static_cast<std::size_t>(rank)],
                                       static_cast<std::int32_t>(k)));
    for (std::size_t k = 0; k < to_.size(); ++k)
      out.push_back(operations.message(Kind::start_send, rank, to_[k][static_cast<std::size_t>(rank)],
                                       static_cast<std::int32_t>(k)));
    out.push_back(operations.wait(12));
    return out;
  }

 private:
  std::array<std::vector<std::int32_t>, 6> to_, from_;
};

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names{"halo", "doubling", "wavefront", "sparse", "reduced"};
  return names;
}

trace::Trace pattern(const std::string& name, std::int32_t ranks, std::uint32_t iterations, bool folded) {
  trace::Trace trace;
  trace.program = name;
  trace.ranks = ranks;
  Operations operations(trace);
  const Sparse sparse(name == "sparse" ? ranks : 1);
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;  // bodies, by their words
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const trace::Sequence body = name == "halo"
                                     ? halo(operations, rank, ranks, computing(rank, 1000 * kMicrosecond))
                                 : name == "reduced"   ? reduced(operations, rank, ranks)
                                 : name == "doubling"  ? doubling(operations, rank, ranks)
                                 : name == "wavefront" ? wavefront(operations, rank, ranks)
                                                       : sparse.body(operations, rank);
    std::vector<std::uint64_t> words;
    for (const Item item : body) words.push_back(item.word());
    const auto [shared, is_new] =
        known.try_emplace(std::move(words), static_cast<std::uint32_t>(trace.sequences.size()));
    trace.sequence_of.push_back(shared->second);
    if (!is_new) continue;
    trace::Sequence sequence;
    if (folded) sequence.push_back(Item::loop(static_cast<std::uint32_t>(body.size()), iterations));
    for (std::uint32_t i = 0; i < (folded ? 1 : iterations); ++i)
      sequence.insert(sequence.end(), body.begin(), body.end());
    trace.sequences.push_back(std::move(sequence));
  }
  return trace;
}

std::uint64_t operations_of(const trace::Trace& trace) {
  std::uint64_t count = 0;
  for (const std::uint32_t number : trace.sequence_of)
    for (trace::Walker walker(trace.sequences[number]); walker.next();)
      if (walker.item().what() == Item::What::compute ||
          trace.operations[walker.item().index()].kind != Kind::wait)
        ++count;
  return count;
}

}  // namespace parcast::bench
