// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/collectives.h"

#include <algorithm>
#include <bit>

namespace parcast::simulate {
namespace {

using recording::Pattern;

std::int32_t rounds(std::int32_t members) {
  return members <= 1 ? 0 : std::bit_width(static_cast<std::uint32_t>(members - 1));
}

std::int32_t wrapped(std::int64_t rank, std::int32_t members) {
  const std::int64_t rest = rank % members;
  return static_cast<std::int32_t>(rest < 0 ? rest + members : rest);
}

/// Returns the members in the subtree of node `v`, whose lowest bit is `bit`.
std::uint64_t below(std::int64_t v, std::int64_t bit, std::int32_t members) {
  return static_cast<std::uint64_t>(std::min<std::int64_t>(bit, members - v));
}

struct Tree {
  std::int32_t v;       // rank relative to the root
  std::int64_t lowest;  // lowest bit of v; of the root: the first one beyond all members
  explicit Tree(const CollectiveCall& call) : v(wrapped(std::int64_t{call.rank} - call.root, call.members)) {
    lowest = v == 0 ? std::int64_t{1} << rounds(call.members) : v & -v;
  }
  std::int32_t real(const CollectiveCall& call, std::int64_t other) const {
    return wrapped(other + call.root, call.members);
  }
};

/// Returns floor(m i / n), without overflow of the product.
std::uint64_t cut(std::uint64_t bytes, std::uint64_t before, std::uint64_t parts) {
  return bytes / parts * before + bytes % parts * before / parts;
}

/// Returns the bytes of the members before `member` when the bytes are divided into one share per member.
std::uint64_t shares_before(const CollectiveCall& call, std::int64_t member) {
  return cut(call.bytes, static_cast<std::uint64_t>(member), static_cast<std::uint64_t>(call.members));
}

std::uint64_t share_of(const CollectiveCall& call, std::int64_t member) {
  return shares_before(call, member + 1) - shares_before(call, member);
}

/// Returns the bytes over the edge above node `v`.
std::uint64_t tree_bytes(const CollectiveCall& call, std::int64_t v, std::int64_t bit) {
  if (call.algorithm == Algorithm::scatter_allgather)
    return shares_before(call, std::min<std::int64_t>(v + bit, call.members)) - shares_before(call, v);
  const bool parts = call.pattern == Pattern::gather || call.pattern == Pattern::scatter;
  return parts ? call.bytes * below(v, bit, call.members) : call.bytes;
}

CollectiveStep down(const CollectiveCall& call, std::int32_t step) {
  const Tree tree(call);
  CollectiveStep out;
  if (step == 0) {
    if (tree.v > 0)
      out.from = tree.real(call, tree.v - tree.lowest), out.received = tree_bytes(call, tree.v, tree.lowest);
    return out;
  }
  const std::int64_t bit = std::int64_t{1} << (rounds(call.members) - step), child = tree.v + bit;
  if (bit < tree.lowest && child < call.members)
    out.to = tree.real(call, child), out.sent = tree_bytes(call, child, bit);
  return out;
}

CollectiveStep up(const CollectiveCall& call, std::int32_t step) {
  const Tree tree(call);
  CollectiveStep out;
  const std::int64_t bit = std::int64_t{1} << step, child = tree.v + bit;
  if (bit == tree.lowest && tree.v > 0)
    out.to = tree.real(call, tree.v - bit), out.sent = tree_bytes(call, tree.v, bit);
  if (bit < tree.lowest && child < call.members)
    out.from = tree.real(call, child), out.received = tree_bytes(call, child, bit);
  return out;
}

/// The largest power of two of members takes part. Each other member first gives its bytes to one of these,
/// and receives the result afterwards.
struct Power {
  std::int32_t members, extra, levels;
  explicit Power(const CollectiveCall& call)
      : members(static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(call.members)))),
        extra(call.members - members),
        levels(std::bit_width(static_cast<std::uint32_t>(members)) - 1) {}
  bool paired(std::int32_t rank) const { return rank < 2 * extra; }
  bool outside(std::int32_t rank) const { return paired(rank) && rank % 2 == 0; }
  std::int32_t number(std::int32_t rank) const { return paired(rank) ? (rank - 1) / 2 : rank - extra; }
  std::int32_t rank(std::int32_t number) const { return number < extra ? 2 * number + 1 : number + extra; }

  CollectiveStep before(const CollectiveCall& call) const {
    if (!paired(call.rank)) return {};
    return outside(call.rank) ? CollectiveStep{.to = call.rank + 1, .sent = call.bytes}
                              : CollectiveStep{.from = call.rank - 1, .received = call.bytes};
  }
  CollectiveStep after(const CollectiveCall& call) const {
    if (!paired(call.rank)) return {};
    return outside(call.rank) ? CollectiveStep{.from = call.rank + 1, .received = call.bytes}
                              : CollectiveStep{.to = call.rank - 1, .sent = call.bytes};
  }
};

CollectiveStep doubling(const CollectiveCall& call, std::int32_t step) {
  const Power power(call);
  if (step == 0) return power.before(call);
  if (step > power.levels) return power.after(call);
  if (power.outside(call.rank)) return {};
  const std::int32_t other = power.rank(power.number(call.rank) ^ (1 << (step - 1)));
  return {other, other, call.bytes, call.bytes};
}

/// Returns the bytes of the shares that member `number` has left after `halvings` halvings. With other_half:
/// the bytes of the half that it gives away in the last one.
std::uint64_t after_halvings(const CollectiveCall& call, std::int32_t number, std::int32_t halvings,
                             bool other_half) {
  const auto parts = std::uint64_t{std::bit_floor(static_cast<std::uint32_t>(call.members))};
  std::uint64_t first = 0, count = parts;
  for (std::int32_t k = 0; k < halvings; ++k) {
    count /= 2;
    const bool upper = ((number >> k) & 1) != 0;
    if (upper != (other_half && k == halvings - 1)) first += count;
  }
  return cut(call.bytes, first + count, parts) - cut(call.bytes, first, parts);
}

/// Exchanges halves of the vector at doubling distances, then the same in reverse.
CollectiveStep halving_and_doubling(const CollectiveCall& call, std::int32_t step) {
  const Power power(call);
  if (step == 0) return power.before(call);
  if (step > 2 * power.levels) return power.after(call);
  if (power.outside(call.rank)) return {};
  const bool back = step > power.levels;
  const std::int32_t k = back ? 2 * power.levels - step : step - 1, number = power.number(call.rank),
                     other = power.rank(number ^ (1 << k));
  const std::uint64_t own = after_halvings(call, number, k + 1, false),
                      given = after_halvings(call, number, k + 1, true);
  return back ? CollectiveStep{other, other, own, given} : CollectiveStep{other, other, given, own};
}

CollectiveStep around(const CollectiveCall& call, std::int32_t step) {
  CollectiveStep out{wrapped(std::int64_t{call.rank} + 1, call.members),
                     wrapped(std::int64_t{call.rank} - 1, call.members), call.bytes, call.bytes};
  if (call.pattern == Pattern::allreduce) {
    out.sent = share_of(call, wrapped(std::int64_t{call.rank} - step, call.members));
    out.received = share_of(call, wrapped(std::int64_t{call.rank} - step - 1, call.members));
  }
  return out;
}

/// Returns the number of values below `members` with that bit set.
std::uint64_t with_bit(std::int32_t members, std::int32_t bit) {
  const std::uint64_t half = std::uint64_t{1} << bit, whole = 2 * half,
                      count = static_cast<std::uint64_t>(members);
  return count / whole * half + (count % whole > half ? count % whole - half : 0);
}

CollectiveStep by_powers(const CollectiveCall& call, std::int32_t step) {
  const std::int64_t distance = std::int64_t{1} << step;
  CollectiveStep out{wrapped(call.rank + distance, call.members), wrapped(call.rank - distance, call.members),
                     0, 0};
  if (call.pattern == Pattern::allgather) {
    std::swap(out.to, out.from);
    out.sent = out.received =
        call.bytes * static_cast<std::uint64_t>(std::min<std::int64_t>(distance, call.members - distance));
  }
  if (call.pattern == Pattern::alltoall)
    out.sent = out.received =
        call.bytes / static_cast<std::uint64_t>(call.members) * with_bit(call.members, step);
  return out;
}

CollectiveStep in_pairs(const CollectiveCall& call, std::int32_t step) {
  const std::uint64_t part = call.bytes / static_cast<std::uint64_t>(call.members);
  return {wrapped(std::int64_t{call.rank} + step + 1, call.members),
          wrapped(std::int64_t{call.rank} - step - 1, call.members), part, part};
}

CollectiveStep prefix(const CollectiveCall& call, std::int32_t step) {
  const std::int64_t distance = std::int64_t{1} << step;
  CollectiveStep out;
  out.sent = out.received = call.bytes;
  if (call.rank + distance < call.members) out.to = static_cast<std::int32_t>(call.rank + distance);
  if (call.rank - distance >= 0) out.from = static_cast<std::int32_t>(call.rank - distance);
  return out;
}

/// Passes the shares that a broadcast scattered from neighbour to neighbour.
CollectiveStep shares_around(const CollectiveCall& call, std::int32_t step) {
  const Tree tree(call);
  const auto share = [&](std::int64_t member) { return share_of(call, wrapped(member, call.members)); };
  return {tree.real(call, std::int64_t{tree.v} + 1), tree.real(call, std::int64_t{tree.v} - 1),
          share(std::int64_t{tree.v} - step), share(std::int64_t{tree.v} - step - 1)};
}

bool goes_in(Pattern pattern) {
  return pattern != Pattern::broadcast && pattern != Pattern::scatter;
}
bool goes_out(Pattern pattern) {
  return pattern != Pattern::reduce && pattern != Pattern::gather;
}

/// Returns the bytes that the root of a linear collective sends to one member.
std::uint64_t linear_bytes_out(const CollectiveCall& call) {
  const auto members = static_cast<std::uint64_t>(call.members);
  if (call.pattern == Pattern::allgather) return call.bytes * members;
  return call.pattern == Pattern::reduce_scatter ? call.bytes / members : call.bytes;
}

/// All members send to the root one after the other, then the root sends to all one after the other.
CollectiveStep by_the_root(const CollectiveCall& call, std::int32_t step) {
  const Tree tree(call);
  const std::int32_t incoming = goes_in(call.pattern) ? (tree.v == 0 ? call.members - 1 : 1) : 0;
  const bool in = step < incoming;
  const std::int32_t other = tree.real(call, tree.v > 0 ? 0 : 1 + (in ? step : step - incoming));
  const std::uint64_t bytes = in ? call.bytes : linear_bytes_out(call);
  return in == (tree.v == 0) ? CollectiveStep{.from = other, .received = bytes}
                             : CollectiveStep{.to = other, .sent = bytes};
}

/// Step of a scan: from the member below, to the member above.
CollectiveStep along_the_chain(const CollectiveCall& call, std::int32_t step) {
  CollectiveStep out;
  if (step == 0 && call.rank > 0) out.from = call.rank - 1, out.received = call.bytes;
  if (step == 1 && call.rank + 1 < call.members) out.to = call.rank + 1, out.sent = call.bytes;
  return out;
}

std::int32_t linear_steps(const CollectiveCall& call) {
  if (call.pattern == Pattern::scan) return 2;
  const std::int32_t each = Tree(call).v == 0 ? call.members - 1 : 1;
  return each * (goes_in(call.pattern) ? 1 : 0) + each * (goes_out(call.pattern) ? 1 : 0);
}

std::int32_t binomial_steps(const CollectiveCall& call) {
  const std::int32_t levels = rounds(call.members);
  return (goes_in(call.pattern) ? levels : 0) + (goes_out(call.pattern) ? levels + 1 : 0);
}

CollectiveStep by_the_tree(const CollectiveCall& call, std::int32_t step) {
  const std::int32_t levels = goes_in(call.pattern) ? rounds(call.members) : 0;
  return step < levels ? up(call, step) : down(call, step - levels);
}

/// Uses the first member as the root of patterns without one, and no bytes for a barrier.
CollectiveCall centred(CollectiveCall call) {
  const bool rooted = call.pattern == Pattern::broadcast || call.pattern == Pattern::reduce ||
                      call.pattern == Pattern::gather || call.pattern == Pattern::scatter;
  if (!rooted) call.root = 0;
  if (call.pattern == Pattern::barrier) call.bytes = 0;
  return call;
}

}  // namespace

std::int32_t steps_of(const CollectiveCall& given) {
  if (given.members <= 1) return 0;
  const CollectiveCall call = centred(given);
  switch (call.algorithm) {
    case Algorithm::linear:
      return linear_steps(call);
    case Algorithm::binomial:
      return binomial_steps(call);
    case Algorithm::recursive_doubling:
      if (call.pattern == Pattern::scan) break;
      return std::bit_width(static_cast<std::uint32_t>(call.members)) + 1;
    case Algorithm::rabenseifner:
      return 2 * Power(call).levels + 2;
    case Algorithm::ring:
      return (call.pattern == Pattern::allreduce ? 2 : 1) * (call.members - 1);
    case Algorithm::pairwise:
      return call.members - 1;
    case Algorithm::scatter_allgather:
      return rounds(call.members) + 1 + call.members - 1;
    case Algorithm::dissemination:
    case Algorithm::bruck:
      break;
  }
  return rounds(call.members);
}

CollectiveStep step_of(const CollectiveCall& given, std::int32_t step) {
  const CollectiveCall call = centred(given);
  switch (call.algorithm) {
    case Algorithm::linear:
      return call.pattern == Pattern::scan ? along_the_chain(call, step) : by_the_root(call, step);
    case Algorithm::binomial:
      return by_the_tree(call, step);
    case Algorithm::recursive_doubling:
      return call.pattern == Pattern::scan ? prefix(call, step) : doubling(call, step);
    case Algorithm::rabenseifner:
      return halving_and_doubling(call, step);
    case Algorithm::ring:
      return around(call, step);
    case Algorithm::pairwise:
      return in_pairs(call, step);
    case Algorithm::scatter_allgather: {
      const std::int32_t scattering = rounds(call.members) + 1;
      return step < scattering ? down(call, step) : shares_around(call, step - scattering);
    }
    case Algorithm::dissemination:
    case Algorithm::bruck:
      break;
  }
  return by_powers(call, step);
}

}  // namespace parcast::simulate
