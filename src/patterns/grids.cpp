// SPDX-License-Identifier: Apache-2.0
// Patterns between neighbours in process grids of one to three dimensions, with ranks in row-major order.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "patterns/rules.h"

namespace parcast::program {
namespace {

constexpr std::size_t kMostNeighbours = 26;

using Shift = std::array<int, 3>;  // along each dimension

struct Grid {
  std::vector<std::int32_t> extents;
  unsigned periodic = 0;      // bit d: along dimension d
  std::vector<Shift> shifts;  // to the receivers

  /// Returns -1 if there is no neighbour.
  std::int32_t neighbour(std::int32_t rank, const Shift& shift) const {
    std::int32_t out = 0, stride = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::int32_t extent = extents[d];
      std::int32_t at = rank / stride % extent + shift[d];
      if (at < 0 || at >= extent) {
        if ((periodic >> d & 1U) == 0) return -1;
        at = (at + extent) % extent;
      }
      out += at * stride;
      stride *= extent;
    }
    return out;
  }
};

int along(const Shift& shift) {
  return std::abs(shift[0]) + std::abs(shift[1]) + std::abs(shift[2]);
}

/// Returns the directions along at most `most` dimensions at once.
std::vector<Shift> directions(std::size_t dimensions, int most) {
  std::vector<Shift> out;
  const auto range = [&](std::size_t d) { return d < dimensions ? 1 : 0; };
  for (int a = -range(0); a <= range(0); ++a)
    for (int b = -range(1); b <= range(1); ++b)
      for (int c = -range(2); c <= range(2); ++c)
        if (const Shift shift{a, b, c}; along(shift) > 0 && along(shift) <= most) out.push_back(shift);
  return out;
}

/// Returns a rank's neighbours, each with the number of directions that lead to it.
std::vector<std::pair<std::int32_t, std::uint64_t>> neighbours_of(const Grid& grid, std::int32_t rank) {
  std::vector<std::pair<std::int32_t, std::uint64_t>> out;
  for (const Shift& shift : grid.shifts) {
    const std::int32_t to = grid.neighbour(rank, shift);
    if (to < 0 || to == rank) continue;
    const auto at = std::find_if(out.begin(), out.end(), [&](const auto& each) { return each.first == to; });
    if (at == out.end())
      out.emplace_back(to, 1);
    else
      ++at->second;
  }
  return out;
}

/// Returns whether the pairs are those of neighbours. All must have the same number of messages, or the same
/// number for each direction.
bool is_of(const Traffic& traffic, const Grid& grid) {
  bool even = true, by_direction = true;
  std::uint64_t each = 0, each_direction = 0;
  for (std::int32_t rank = 0; rank < traffic.ranks(); ++rank) {
    const auto expected = neighbours_of(grid, rank);
    if (expected.size() != traffic.receivers_of(rank)) return false;
    for (const auto& [to, directions] : expected) {
      const Pair* pair = traffic.find(rank, to);
      if (!pair) return false;
      if (each == 0) each = pair->messages, each_direction = pair->messages / directions;
      even = even && pair->messages == each;
      by_direction = by_direction && pair->messages == each_direction * directions;
    }
    if (!even && !by_direction) return false;
  }
  return each > 0;
}

/// Adds all factorisations of p into `dimensions` factors of at least 2.
void factor(std::int32_t p, std::size_t dimensions, std::vector<std::int32_t>& chosen,
            std::vector<std::vector<std::int32_t>>& out) {
  if (dimensions == 1) {
    if (p < 2) return;
    chosen.push_back(p);
    out.push_back(chosen);
    chosen.pop_back();
    return;
  }
  for (std::int32_t extent = 2; extent <= p / 2; ++extent) {
    if (p % extent != 0) continue;
    chosen.push_back(extent);
    factor(p / extent, dimensions - 1, chosen, out);
    chosen.pop_back();
  }
}

std::vector<std::vector<std::int32_t>> extents_of(std::int32_t p, std::size_t dimensions) {
  std::vector<std::vector<std::int32_t>> out;
  std::vector<std::int32_t> chosen;
  factor(p, dimensions, chosen, out);
  return out;
}

std::string text_of(const Grid& grid) {
  std::string text, round;
  for (std::size_t d = 0; d < grid.extents.size(); ++d) {
    text += (d > 0 ? " x " : "") + std::to_string(grid.extents[d]);
    if ((grid.periodic >> d & 1U) != 0) round += (round.empty() ? "" : ", ") + std::to_string(d);
  }
  const unsigned all = (1U << grid.extents.size()) - 1;
  return text + (grid.periodic == 0 ? "" : grid.periodic == all ? ", periodic" : ", periodic along " + round);
}

/// If all ranks send to all, corners distinguish a halo from a transpose: their messages are shorter.
bool corners_are_shorter(const Traffic& traffic, const Grid& grid) {
  double longest_corner = 0, shortest_face = -1;
  for (std::int32_t rank = 0; rank < traffic.ranks(); ++rank)
    for (const auto& [to, unused] : neighbours_of(grid, rank)) {
      const bool face = std::any_of(grid.shifts.begin(), grid.shifts.end(), [&](const Shift& shift) {
        return along(shift) == 1 && grid.neighbour(rank, shift) == to;
      });
      const Pair& pair = *traffic.find(rank, to);
      const double size = pair.bytes / static_cast<double>(pair.messages);
      if (!face)
        longest_corner = std::max(longest_corner, size);
      else
        shortest_face = shortest_face < 0 ? size : std::min(shortest_face, size);
    }
  return longest_corner < shortest_face;
}

Classified halo_of(const std::string& form, int dimensions) {
  static constexpr const char* kTables[] = {"", "shift", "halo2d", "halo3d"};
  return {
      .pattern = MessagePattern::halo, .form = form, .dimensions = dimensions, .table = kTables[dimensions]};
}

/// Finds a halo in both directions along a line or ring, always at the same distance.
std::optional<Classified> line_halo_in(const Traffic& traffic) {
  const std::int32_t p = traffic.ranks(),
                     distance = std::abs(traffic.pairs().front().to - traffic.pairs().front().from);
  for (const std::int32_t far : {std::min(distance, p - distance), distance}) {
    if (2 * far >= p) continue;
    for (const bool periodic : {false, true}) {
      const auto there = [&](std::int32_t rank, std::int32_t step) {
        return periodic ? (rank + step + p) % p : rank + step;
      };
      std::size_t expected = 0;
      bool all = true;
      for (std::int32_t rank = 0; all && rank < p; ++rank)
        for (const std::int32_t step : {-far, far})
          if (const std::int32_t to = there(rank, step); to >= 0 && to < p)
            all = all && traffic.has(rank, to), ++expected;
      if (all && expected == traffic.pairs().size())
        return halo_of("line of " + std::to_string(p) +
                           (far > 1 ? ", " + std::to_string(far) + " apart" : "") +
                           (periodic ? ", periodic" : ""),
                       1);
    }
  }
  return std::nullopt;
}

std::optional<Classified> halo_on(const Traffic& traffic, Grid& grid, bool everybody) {
  const auto dimensions = static_cast<int>(grid.extents.size());
  for (int most = 1; most <= dimensions; ++most)
    for (grid.periodic = 0; grid.periodic < 1U << dimensions; ++grid.periodic) {
      grid.shifts = directions(grid.extents.size(), most);
      if (!is_of(traffic, grid) || (everybody && !corners_are_shorter(traffic, grid))) continue;
      return halo_of(text_of(grid) + (most == 1                      ? ""
                                      : most == 2 && dimensions == 3 ? ", with edges"
                                                                     : ", with corners"),
                     dimensions);
    }
  return std::nullopt;
}

/// Computes the share of messages that the traffic has in common with an expected set of pairs, all with the
/// same number of messages.
class Comparison {
 public:
  explicit Comparison(const Traffic& traffic) : traffic_(traffic) {
    std::vector<std::uint64_t> counts;
    for (const Pair& pair : traffic.pairs()) counts.push_back(pair.messages), total_ += pair.messages;
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2),
                     counts.end());
    usual_ = counts[counts.size() / 2];
  }
  /// expected(rank, visit) calls visit(to) for every expected receiver of the rank.
  template <class Expected>
  double share(Expected expected) const {
    std::uint64_t common = 0, wanted = 0;
    for (std::int32_t rank = 0; rank < traffic_.ranks(); ++rank)
      expected(rank, [&](std::int32_t to) {
        if (to < 0 || to >= traffic_.ranks() || to == rank) return;
        wanted += usual_;
        if (const Pair* pair = traffic_.find(rank, to)) common += std::min(pair->messages, usual_);
      });
    return static_cast<double>(common) / static_cast<double>(std::max({total_, wanted, std::uint64_t{1}}));
  }

 private:
  const Traffic& traffic_;
  std::uint64_t total_ = 0, usual_ = 1;
};

}  // namespace

std::optional<Classified> halo_in(const Traffic& traffic) {
  const std::int32_t p = traffic.ranks();
  if (p < 3 || !traffic.both_ways()) return std::nullopt;
  for (std::int32_t rank = 0; rank < p; ++rank)
    if (traffic.receivers_of(rank) == 0 || traffic.receivers_of(rank) > kMostNeighbours) return std::nullopt;
  if (traffic.even())
    if (auto found = line_halo_in(traffic)) return found;
  const bool everybody = traffic.even() && traffic.pairs().size() ==
                                               static_cast<std::size_t>(p) * static_cast<std::size_t>(p - 1);
  for (const std::size_t dimensions : {2U, 3U})
    for (const auto& extents : extents_of(p, dimensions)) {
      Grid grid{extents, 0, {}};
      if (auto found = halo_on(traffic, grid, everybody)) return found;
    }
  return std::nullopt;
}

std::optional<Classified> grid_shift_in(const Traffic& traffic) {
  if (traffic.ranks() < 4 || !traffic.even()) return std::nullopt;
  for (std::int32_t rank = 0; rank < traffic.ranks(); ++rank)
    if (traffic.receivers_of(rank) > 3) return std::nullopt;
  for (const std::size_t dimensions : {2U, 3U})
    for (const auto& extents : extents_of(traffic.ranks(), dimensions))
      for (unsigned periodic = 0; periodic < 1U << dimensions; ++periodic) {
        bool too_short = false;  // both directions along that dimension are the same
        for (std::size_t d = 0; d < dimensions; ++d)
          too_short = too_short || ((periodic >> d & 1U) != 0 && extents[d] < 3);
        if (too_short) continue;
        for (unsigned back = 0; back < 1U << dimensions; ++back) {
          Grid grid{extents, periodic, {}};
          for (std::size_t d = 0; d < dimensions; ++d)
            grid.shifts.emplace_back()[d] = (back >> d & 1U) != 0 ? -1 : 1;
          if (is_of(traffic, grid))
            return Classified{.pattern = MessagePattern::shift,
                              .form = "along each dimension of " + text_of(grid),
                              .table = "shift"};
        }
      }
  return std::nullopt;
}

Nearest nearest_to(const Traffic& traffic) {
  const Comparison comparison(traffic);
  const std::int32_t p = traffic.ranks();
  Nearest best;
  const auto consider = [&](MessagePattern pattern, double share) {
    if (share > best.explained) best = {pattern, share};
  };
  std::vector<std::int32_t> distances;
  for (std::size_t i = traffic.begin(p / 2); i < traffic.begin(p / 2 + 1); ++i)
    distances.push_back((traffic.pairs()[i].to - p / 2 + p) % p);
  for (const std::int32_t distance : distances) {
    consider(MessagePattern::exchange, comparison.share([&](std::int32_t rank, const auto& visit) {
      visit(rank ^ ((p / 2 + distance) % p ^ p / 2));
    }));
    consider(MessagePattern::shift,
             comparison.share([&](std::int32_t rank, const auto& visit) { visit((rank + distance) % p); }));
  }
  std::int32_t from = 0, to = 0;
  for (std::int32_t rank = 0; rank < p; ++rank) {
    if (traffic.receivers_of(rank) > traffic.receivers_of(from)) from = rank;
    if (traffic.senders_to(rank) > traffic.senders_to(to)) to = rank;
  }
  const auto everybody = [&](const auto& visit) {
    for (std::int32_t rank = 0; rank < p; ++rank) visit(rank);
  };
  consider(MessagePattern::broadcast, comparison.share([&](std::int32_t rank, const auto& visit) {
    if (rank == from) everybody(visit);
  }));
  consider(MessagePattern::combine,
           comparison.share([&](std::int32_t rank, const auto& visit) { visit(rank == to ? -1 : to); }));
  for (const std::size_t dimensions : {1U, 2U, 3U})
    for (const auto& extents : extents_of(p, dimensions))
      for (const unsigned periodic : {0U, (1U << dimensions) - 1}) {
        const Grid grid{extents, periodic, directions(dimensions, 1)};
        consider(MessagePattern::halo, comparison.share([&](std::int32_t rank, const auto& visit) {
          for (const auto& [next, unused] : neighbours_of(grid, rank)) visit(next);
        }));
      }
  if (traffic.pairs().size() * 4 > static_cast<std::size_t>(p) * static_cast<std::size_t>(p))
    consider(MessagePattern::transpose,
             comparison.share([&](std::int32_t, const auto& visit) { everybody(visit); }));
  return best;
}

}  // namespace parcast::program
