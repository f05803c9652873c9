// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/collectives.h"

#include <algorithm>
#include <bit>

namespace parcast::simulate {
namespace {

using recording::Pattern;

std::int32_t rounds(std::int32_t members) { return members <= 1 ? 0 : std::bit_width(static_cast<std::uint32_t>(members - 1)); }

std::int32_t wrapped(std::int64_t rank, std::int32_t members) {
  const std::int64_t rest = rank % members;
  return static_cast<std::int32_t>(rest < 0 ? rest + members : rest);
}

/// Members in the subtree of `v` that begins at a node whose lowest bit is `bit`.
std::uint64_t below(std::int64_t v, std::int64_t bit, std::int32_t members) {
  return static_cast<std::uint64_t>(std::min<std::int64_t>(bit, members - v));
}

struct Tree {
  std::int32_t v;         // rank counted from the root
  std::int64_t lowest;    // bit of v; of the root: the first beyond all members
  explicit Tree(const CollectiveCall& call) : v(wrapped(std::int64_t{call.rank} - call.root, call.members)) {
    lowest = v == 0 ? std::int64_t{1} << rounds(call.members) : v & -v;
  }
  std::int32_t real(const CollectiveCall& call, std::int64_t other) const { return wrapped(other + call.root, call.members); }
};

/// What goes over the edge above node `v`.
std::uint64_t tree_bytes(const CollectiveCall& call, std::int64_t v, std::int64_t bit) {
  const bool whole = call.pattern == Pattern::broadcast || call.pattern == Pattern::reduce;
  return whole ? call.bytes : call.bytes * below(v, bit, call.members);
}

CollectiveStep down(const CollectiveCall& call, std::int32_t step) {
  const Tree tree(call);
  CollectiveStep out;
  if (step == 0) {
    if (tree.v > 0) out.from = tree.real(call, tree.v - tree.lowest), out.received = tree_bytes(call, tree.v, tree.lowest);
    return out;
  }
  const std::int64_t bit = std::int64_t{1} << (rounds(call.members) - step), child = tree.v + bit;
  if (bit < tree.lowest && child < call.members) out.to = tree.real(call, child), out.sent = tree_bytes(call, child, bit);
  return out;
}

CollectiveStep up(const CollectiveCall& call, std::int32_t step) {
  const Tree tree(call);
  CollectiveStep out;
  const std::int64_t bit = std::int64_t{1} << step, child = tree.v + bit;
  if (bit == tree.lowest && tree.v > 0) out.to = tree.real(call, tree.v - bit), out.sent = tree_bytes(call, tree.v, bit);
  if (bit < tree.lowest && child < call.members) out.from = tree.real(call, child), out.received = tree_bytes(call, child, bit);
  return out;
}

CollectiveStep doubling(const CollectiveCall& call, std::int32_t step) {
  const auto power = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(call.members)));
  const std::int32_t extra = call.members - power, levels = std::bit_width(static_cast<std::uint32_t>(power)) - 1;
  const bool folded = call.rank < 2 * extra, even = call.rank % 2 == 0;
  CollectiveStep out;
  out.sent = out.received = call.bytes;
  if (step == 0) {
    if (folded && even) out.to = call.rank + 1;
    if (folded && !even) out.from = call.rank - 1;
  } else if (step <= levels) {
    if (folded && even) return {};
    const std::int32_t self = folded ? (call.rank - 1) / 2 : call.rank - extra, other = self ^ (1 << (step - 1));
    out.to = out.from = other < extra ? 2 * other + 1 : other + extra;
  } else if (folded) {
    if (even) out.from = call.rank + 1;
    else out.to = call.rank - 1;
  }
  return out;
}

/// Part `share` of the bytes cut into one for each member: floor(m (i + 1) / p) - floor(m i / p), without their products.
std::uint64_t share_of(const CollectiveCall& call, std::int32_t share) {
  const auto members = static_cast<std::uint64_t>(call.members), rest = call.bytes % members, from = static_cast<std::uint64_t>(share);
  return call.bytes / members + rest * (from + 1) / members - rest * from / members;
}

CollectiveStep around(const CollectiveCall& call, std::int32_t step) {
  CollectiveStep out{wrapped(std::int64_t{call.rank} + 1, call.members), wrapped(std::int64_t{call.rank} - 1, call.members), call.bytes, call.bytes};
  if (call.algorithm == Algorithm::ring_reduce) {
    out.sent = share_of(call, wrapped(std::int64_t{call.rank} - step, call.members));
    out.received = share_of(call, wrapped(std::int64_t{call.rank} - step - 1, call.members));
  }
  return out;
}

/// Numbers below `members` with that bit set.
std::uint64_t with_bit(std::int32_t members, std::int32_t bit) {
  const std::uint64_t half = std::uint64_t{1} << bit, whole = 2 * half, count = static_cast<std::uint64_t>(members);
  return count / whole * half + (count % whole > half ? count % whole - half : 0);
}

CollectiveStep by_powers(const CollectiveCall& call, std::int32_t step) {
  const std::int64_t distance = std::int64_t{1} << step;
  CollectiveStep out{wrapped(call.rank + distance, call.members), wrapped(call.rank - distance, call.members), 0, 0};
  if (call.pattern == Pattern::allgather) {
    std::swap(out.to, out.from);
    out.sent = out.received = call.bytes * static_cast<std::uint64_t>(std::min<std::int64_t>(distance, call.members - distance));
  }
  if (call.pattern == Pattern::alltoall)
    out.sent = out.received = call.bytes / static_cast<std::uint64_t>(call.members) * with_bit(call.members, step);
  return out;
}

CollectiveStep in_pairs(const CollectiveCall& call, std::int32_t step) {
  const std::uint64_t part = call.bytes / static_cast<std::uint64_t>(call.members);
  return {wrapped(std::int64_t{call.rank} + step + 1, call.members), wrapped(std::int64_t{call.rank} - step - 1, call.members), part, part};
}

CollectiveStep prefix(const CollectiveCall& call, std::int32_t step) {
  const std::int64_t distance = std::int64_t{1} << step;
  CollectiveStep out;
  out.sent = out.received = call.bytes;
  if (call.rank + distance < call.members) out.to = static_cast<std::int32_t>(call.rank + distance);
  if (call.rank - distance >= 0) out.from = static_cast<std::int32_t>(call.rank - distance);
  return out;
}

}  // namespace

std::optional<Algorithm> algorithm_for(Pattern pattern, std::uint64_t bytes, bool uneven, std::uint64_t long_from) {
  const bool is_long = uneven || bytes >= long_from;
  switch (pattern) {
    case Pattern::barrier: return Algorithm::dissemination;
    case Pattern::broadcast:
    case Pattern::scatter: return Algorithm::binomial;
    case Pattern::reduce:
    case Pattern::gather: return Algorithm::binomial_up;
    case Pattern::allreduce: return is_long ? Algorithm::ring_reduce : Algorithm::recursive_doubling;
    case Pattern::allgather: return is_long ? Algorithm::ring : Algorithm::bruck;
    case Pattern::alltoall: return is_long ? Algorithm::pairwise : Algorithm::bruck;
    case Pattern::reduce_scatter: return Algorithm::pairwise;
    case Pattern::scan: return Algorithm::prefix;
    case Pattern::none:
    case Pattern::neighbourhood: break;
  }
  return std::nullopt;
}

std::int32_t steps_of(const CollectiveCall& call) {
  if (call.members <= 1) return 0;
  switch (call.algorithm) {
    case Algorithm::binomial: return rounds(call.members) + 1;
    case Algorithm::recursive_doubling: return std::bit_width(static_cast<std::uint32_t>(call.members)) + 1;
    case Algorithm::ring_reduce: return 2 * (call.members - 1);
    case Algorithm::ring:
    case Algorithm::pairwise: return call.members - 1;
    case Algorithm::dissemination:
    case Algorithm::binomial_up:
    case Algorithm::bruck:
    case Algorithm::prefix: break;
  }
  return rounds(call.members);
}

CollectiveStep step_of(const CollectiveCall& call, std::int32_t step) {
  switch (call.algorithm) {
    case Algorithm::binomial: return down(call, step);
    case Algorithm::binomial_up: return up(call, step);
    case Algorithm::recursive_doubling: return doubling(call, step);
    case Algorithm::ring_reduce:
    case Algorithm::ring: return around(call, step);
    case Algorithm::pairwise: return in_pairs(call, step);
    case Algorithm::prefix: return prefix(call, step);
    case Algorithm::dissemination:
    case Algorithm::bruck: break;
  }
  return by_powers(call, step);
}

}  // namespace parcast::simulate
