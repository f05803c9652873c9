// SPDX-License-Identifier: Apache-2.0
// Patterns whose partners follow from a formula of the rank, in one round or in several.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "patterns/rules.h"

namespace parcast::program {
namespace {

/// Returns whether the pairs are exactly r -> partner(r) for all r with another rank as partner.
template <class Partner>
bool pairs_follow(const Traffic& traffic, Partner partner) {
  std::size_t expected = 0;
  for (std::int32_t rank = 0; rank < traffic.ranks(); ++rank) {
    const std::int32_t to = partner(rank);
    if (to < 0 || to >= traffic.ranks() || to == rank) continue;
    if (!traffic.has(rank, to)) return false;
    ++expected;
  }
  return expected == traffic.pairs().size();
}

/// Returns the name of a pairing whose rule leaves more than one rank without a partner.
std::optional<std::string> pairing_with_gaps(const Traffic& traffic) {
  const std::int32_t p = traffic.ranks(), a = traffic.pairs().front().from, b = traffic.pairs().front().to;
  if (const std::int32_t distance = a ^ b;
      pairs_follow(traffic, [&](std::int32_t r) { return r ^ distance; }))
    return "with r xor " + std::to_string(distance);
  for (const std::int32_t first : {0, 1})
    if (pairs_follow(traffic, [&](std::int32_t r) {
          return r < first ? -1 : (r - first) % 2 == 0 ? r + 1 : r - 1;
        }))
      return "of neighbours";
  const auto side = static_cast<std::int32_t>(std::lround(std::sqrt(p)));
  if (side * side == p && pairs_follow(traffic, [&](std::int32_t r) { return r % side * side + r / side; }))
    return "across the diagonal of " + std::to_string(side) + " x " + std::to_string(side);
  return std::nullopt;
}

/// Numbers the ranks that take part in doubling 0, 1, ..; -1 for a rank that sends its data before and
/// receives the result afterwards.
std::int32_t number_in_doubling(std::int32_t rank, std::int32_t extra) {
  if (rank < 2 * extra) return rank % 2 == 0 ? -1 : rank / 2;
  return rank - extra;
}

/// Returns the table that prices rounds with these message sizes; empty if the sizes follow no rule.
std::string table_of_rounds(const std::vector<double>& sizes) {
  const auto grows_by = [&](double factor) {
    for (std::size_t k = 1; k < sizes.size(); ++k)
      if (std::abs(sizes[k] - factor * sizes[k - 1]) > 0.01 * sizes[k]) return false;
    return true;
  };
  if (grows_by(1)) return "allreduce";
  if (grows_by(2)) return "allgather";
  return grows_by(0.5) ? "reduce_scatter" : "";
}

/// Returns, by round, the sizes of one rank's messages to partner(k). Empty unless each is sent after all
/// messages before it were received.
template <class PartnerIn>
std::vector<double> sizes_by_round(const Traffic& traffic, std::int32_t rank, int rounds, std::uint32_t heard,
                                   PartnerIn partner) {
  std::vector<double> sizes;
  std::uint32_t before = 0;
  for (int k = 0; k < rounds; ++k) {
    const Pair* pair = traffic.find(rank, partner(k));
    if (!pair || pair->heard < heard + static_cast<std::uint32_t>(k) || (k > 0 && pair->first < before))
      return {};
    before = pair->first;
    sizes.push_back(pair->bytes / static_cast<double>(pair->messages));
  }
  return sizes;
}

std::string doubling_table(const Traffic& traffic, int rounds, std::int32_t extra, bool ascending) {
  std::string table;
  for (std::int32_t rank = 0; rank < traffic.ranks(); ++rank) {
    const std::int32_t number = number_in_doubling(rank, extra);
    if (number < 0) {
      if (traffic.receivers_of(rank) != 1 || !traffic.has(rank, rank + 1) ||
          traffic.find(rank, rank + 1)->heard > 0)
        return "";
      continue;
    }
    const bool helps = rank < 2 * extra;
    const auto partner = [&](int k) {
      const std::int32_t other = number ^ (1 << (ascending ? k : rounds - 1 - k));
      return other < extra ? 2 * other + 1 : other + extra;
    };
    const std::vector<double> sizes = sizes_by_round(traffic, rank, rounds, helps ? 1 : 0, partner);
    const std::string own = sizes.empty() ? "" : table_of_rounds(sizes);
    if (own.empty() || (!table.empty() && own != table)) return "";
    table = own;
    if (traffic.receivers_of(rank) != static_cast<std::size_t>(rounds) + (helps ? 1 : 0)) return "";
    if (!helps) continue;
    const Pair* back = traffic.find(rank, rank - 1);
    if (!back || back->heard < static_cast<std::uint32_t>(rounds) + 1) return "";
  }
  return table;
}

}  // namespace

std::optional<Classified> exchange_in(const Traffic& traffic) {
  if (!traffic.even() || !traffic.both_ways()) return std::nullopt;
  for (std::int32_t rank = 0; rank < traffic.ranks(); ++rank)
    if (traffic.receivers_of(rank) > 1 || traffic.senders_to(rank) > 1) return std::nullopt;
  const auto rule = pairing_with_gaps(traffic);
  const std::size_t left_out = static_cast<std::size_t>(traffic.ranks()) - traffic.pairs().size();
  if (!rule && left_out > 1) return std::nullopt;
  return Classified{
      .pattern = MessagePattern::exchange, .form = rule.value_or("in pairs"), .table = "exchange"};
}

std::optional<Classified> shift_in(const Traffic& traffic) {
  const std::int32_t p = traffic.ranks(),
                     distance = traffic.pairs().front().to - traffic.pairs().front().from;
  if (!traffic.even() || (p > 2 && std::abs(distance) == p - 1 && traffic.pairs().size() == 1))
    return std::nullopt;
  const auto found = [&](const std::string& form) {
    return Classified{.pattern = MessagePattern::shift, .form = form, .table = "shift"};
  };
  const std::int32_t up = (distance + p) % p, nearest = 2 * up > p ? up - p : up;
  if (p > 2 && pairs_follow(traffic, [&](std::int32_t r) { return (r + up) % p; }))
    return found("by " + std::to_string(nearest) + ", periodic");
  if (2 * std::abs(distance) > p || !pairs_follow(traffic, [&](std::int32_t r) { return r + distance; }))
    return std::nullopt;
  // If every message is the preceding one passed on, it is a tree of one branch, in each of equally many
  // ranks.
  const bool passed_on = p > 2 && p % distance == 0 &&
                         std::all_of(traffic.pairs().begin(), traffic.pairs().end(), [&](const Pair& pair) {
                           return pair.heard > 0 || traffic.senders_to(pair.from) == 0;
                         });
  if (passed_on && 2 * std::abs(distance) < p) return std::nullopt;
  return found("by " + std::to_string(distance));
}

std::optional<Classified> doubling_in(const Traffic& traffic) {
  const std::int32_t p = traffic.ranks();
  if (p < 3) return std::nullopt;
  const int rounds = std::bit_width(static_cast<std::uint32_t>(p)) - 1;
  const std::int32_t extra = p - (1 << rounds);
  if (traffic.pairs().size() != static_cast<std::size_t>(rounds) * static_cast<std::size_t>(p - extra) +
                                    2 * static_cast<std::size_t>(extra) ||
      !traffic.even())
    return std::nullopt;
  for (const bool ascending : {true, false}) {
    // a halo of two rows or two planes has the same messages
    if (!ascending && p <= 8 && extra == 0) continue;
    const std::string table = doubling_table(traffic, rounds, extra, ascending);
    if (!table.empty())
      return Classified{.pattern = MessagePattern::combine,
                        .form = ascending ? "recursive doubling" : "recursive halving",
                        .table = table};
  }
  return std::nullopt;
}

std::optional<Classified> dissemination_in(const Traffic& traffic) {
  const std::int32_t p = traffic.ranks();
  const int rounds = std::bit_width(static_cast<std::uint32_t>(p - 1));
  if (p < 4 || traffic.pairs().size() != static_cast<std::size_t>(rounds) * static_cast<std::size_t>(p) ||
      !traffic.even())
    return std::nullopt;
  for (const std::int32_t sign : {1, -1}) {
    bool all = true;
    std::string table;
    for (std::int32_t rank = 0; all && rank < p; ++rank) {
      const auto sizes = sizes_by_round(traffic, rank, rounds, 0,
                                        [&](int k) { return ((rank + sign * (1 << k)) % p + p) % p; });
      all = !sizes.empty();
      if (all && table.empty()) table = table_of_rounds(sizes) == "allreduce" ? "allreduce" : "allgather";
    }
    if (all) return Classified{.pattern = MessagePattern::combine, .form = "dissemination", .table = table};
  }
  return std::nullopt;
}

std::optional<Classified> transpose_in(const Traffic& traffic) {
  const auto p = static_cast<std::size_t>(traffic.ranks());
  if (p < 3 || traffic.pairs().size() != p * (p - 1) || !traffic.even()) return std::nullopt;
  return Classified{.pattern = MessagePattern::transpose, .form = "all to all", .table = "alltoall"};
}

}  // namespace parcast::program
