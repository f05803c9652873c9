// SPDX-License-Identifier: Apache-2.0
#include "structure/rules.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"

namespace parcast::program {
namespace {

constexpr std::int64_t kMostPower = 61;
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // no rank is that far away

/// The rank's coordinate in the dimension of a guard.
struct Along {
  std::int64_t coordinate = 0, extent = 1;
};

Along along(const Guard& guard, const Place& place) {
  if (guard.dimensions == 0) return {place.r, place.p};
  const auto d = static_cast<std::size_t>(guard.dimensions), k = static_cast<std::size_t>(guard.dimension);
  return {place.coordinates[d][k], place.extents[d][k]};
}

std::optional<std::int64_t> shifted(int of, const std::array<std::int8_t, 3>& shift, std::uint8_t periodic,
                                    const Place& place) {
  const auto dimensions = static_cast<std::size_t>(of);
  std::int64_t rank = 0;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::int64_t extent = place.extents[dimensions][k];
    std::int64_t at = place.coordinates[dimensions][k] + shift[k];
    if (at < 0 || at >= extent) {
      if ((periodic >> k & 1) == 0) return std::nullopt;
      at = floor_modulo(at, extent);
    }
    rank = rank * extent + at;
  }
  return rank;
}

std::optional<std::int64_t> rank_of(const Partner& partner, const Place& place, std::int64_t amount) {
  switch (partner.kind) {
    case Partner::Kind::none:
      return std::nullopt;
    case Partner::Kind::any:
      return trace::kAny;
    case Partner::Kind::fixed:
      return amount;
    case Partner::Kind::from_last:
      return place.p - 1 - amount;
    case Partner::Kind::offset:
      return place.r + amount;
    case Partner::Kind::ring:
      return floor_modulo(place.r + amount, place.p);
    case Partner::Kind::exclusive_or:
      return amount < 0 ? -1 : place.r ^ amount;
    case Partner::Kind::others:
      return amount < 0 || amount > place.p - 2 ? -1 : amount < place.r ? amount : amount + 1;
    case Partner::Kind::grid:
      return shifted(partner.dimensions, partner.shift, partner.periodic, place);
  }
  return std::nullopt;
}

/// Returns all shifts by -1, 0 and 1, and by 2 along one dimension; those along fewer dimensions first.
std::vector<std::array<std::int8_t, 3>> shifts(int dimensions) {
  std::vector<std::array<std::int8_t, 3>> all;
  const int most = dimensions == 2 ? 9 : 27;
  for (int distance = 1; distance <= dimensions; ++distance)
    for (int code = 0; code < most; ++code) {
      std::array<std::int8_t, 3> shift{};
      int rest = code;
      for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k, rest /= 3)
        shift[k] = static_cast<std::int8_t>(rest % 3 - 1);
      if (std::ranges::count_if(shift, [](int s) { return s != 0; }) == distance) all.push_back(shift);
    }
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k)
    for (const int by : {-2, 2}) {
      all.emplace_back();
      all.back()[k] = static_cast<std::int8_t>(by);
    }
  return all;
}

/// Returns whether the shift is over an edge or a corner. Along one dimension it would equal not_first or
/// not_last.
bool is_across(const std::array<std::int8_t, 3>& shift) {
  return std::ranges::count_if(shift, [](int by) { return by != 0; }) > 1;
}

std::string shift_text(int dimensions, const std::array<std::int8_t, 3>& shift, std::uint8_t periodic) {
  std::string text = "(";
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k)
    text += (k > 0 ? ", " : "") + std::string(shift[k] > 0 ? "+" : "") + std::to_string(shift[k]) +
            (periodic >> k & 1 ? " around" : "");
  return text + ")";
}

void add_grid(int dimensions, std::vector<Partner>& into) {
  for (const auto& shift : shifts(dimensions)) {
    std::uint8_t moved = 0;
    for (std::size_t k = 0; k < 3; ++k) moved |= static_cast<std::uint8_t>((shift[k] != 0) << k);
    for (std::uint8_t periodic = 0; periodic < 8; ++periodic)
      if ((periodic & ~moved) == 0)
        into.push_back(
            {.kind = Partner::Kind::grid, .dimensions = dimensions, .shift = shift, .periodic = periodic});
  }
}

std::string signed_text(std::int64_t amount, Change change) {
  const std::string size = std::to_string(amount < 0 ? -amount : amount), sign = amount < 0 ? " - " : " + ";
  switch (change) {
    case Change::none:
      return sign + size;
    case Change::up:
      return (amount == 0 ? "" : sign + size) + " + k";
    case Change::down:
      return (amount == 0 ? "" : sign + size) + " - k";
    case Change::doubling:
      return sign + (size == "1" ? "" : size + "*") + "2^k";
    case Change::halving:
      return sign + (size == "1" ? "" : size + "*") + "2^(rounds - 1 - k)";
    case Change::halved:
      return sign + size + "/2^k";
  }
  return "";
}

}  // namespace

Places::Places(std::int32_t processes, const std::vector<ProcessGrid>& grids,
               std::span<const double> parameters)
    : processes_(processes), first_(place_at(parameters, processes, 0, grids)) {}

Place Places::of(std::int32_t rank) const {
  Place place = first_;
  place.r = rank;
  for (std::size_t d = 1; d <= kMostDimensions; ++d) {
    std::int64_t rest = rank;
    for (std::size_t k = d; k-- > 0; rest /= place.extents[d][k])
      place.coordinates[d][k] = rest % place.extents[d][k];
  }
  return place;
}

std::optional<std::int64_t> changed(std::int64_t amount, Change change, std::int64_t round,
                                    std::int64_t rounds) {
  switch (change) {
    case Change::none:
      return amount;
    case Change::up:
      return checked_add(amount, round);
    case Change::down:
      return checked_subtract(amount, round);
    case Change::doubling:
    case Change::halving: {
      const std::int64_t power = change == Change::doubling ? round : rounds - 1 - round;
      if (power < 0 || power > kMostPower) return std::nullopt;
      return checked_multiply(amount, std::int64_t{1} << power);
    }
    case Change::halved:
      return round > kMostPower ? 0 : amount / (std::int64_t{1} << round);
  }
  return std::nullopt;
}

bool holds(const Guard& guard, const Place& place) {
  const auto [c, extent] = along(guard, place);
  switch (guard.kind) {
    case Guard::Kind::all:
      return true;
    case Guard::Kind::first:
      return c == 0;
    case Guard::Kind::not_first:
      return c > 0;
    case Guard::Kind::last:
      return c == extent - 1;
    case Guard::Kind::not_last:
      return c < extent - 1;
    case Guard::Kind::inner:
      return c > 0 && c < extent - 1;
    case Guard::Kind::odd:
      return c % 2 == 1;
    case Guard::Kind::even:
      return c % 2 == 0;
    case Guard::Kind::second:
      return c == 1;
    case Guard::Kind::neighboured:
      return shifted(guard.dimensions, guard.shift, 0, place).has_value();
    case Guard::Kind::copied:
      return c % guard.of == guard.remainder;
  }
  return false;
}

std::optional<std::int32_t> partner_of(const Partner& partner, const Place& place, std::int64_t round,
                                       std::int64_t rounds) {
  const auto amount = changed(partner.amount, partner.change, round, rounds);
  if (!amount || *amount > kFarthest || *amount < -kFarthest) return std::nullopt;
  const auto rank = rank_of(partner, place, *amount);
  if (!rank) return std::nullopt;
  if (partner.kind == Partner::Kind::any) return trace::kAny;
  if (*rank < 0 || *rank >= place.p) return std::nullopt;
  return static_cast<std::int32_t>(*rank);
}

std::int64_t group_of(const Members& members, const Place& place) {
  switch (members.kind) {
    case Members::Kind::all:
      return 0;
    case Members::Kind::modulo:
      return place.r % members.amount;
    case Members::Kind::block:
      return place.r / members.amount;
    case Members::Kind::nodes:
      return place.r > 0 ? 1 : 0;
    case Members::Kind::plane:
      break;
  }
  const auto dimensions = static_cast<std::size_t>(members.dimensions);
  std::int64_t group = 0;
  for (std::size_t k = 0; k < dimensions; ++k)
    if ((members.kept >> k & 1) == 0)
      group = group * place.extents[dimensions][k] + place.coordinates[dimensions][k];
  return group;
}

std::vector<std::int32_t> members_of(const Members& members, const Places& places, const Place& place) {
  const std::int64_t group = group_of(members, place);
  std::vector<std::int32_t> all;
  for (std::int32_t rank = 0; rank < places.processes(); ++rank)
    if (group_of(members, places.of(rank)) == group) all.push_back(rank);
  return all;
}

bool is_alone(const Members& members, const Places& places, const Place& place) {
  const std::int64_t group = group_of(members, place);
  for (std::int32_t rank = 0; rank < places.processes(); ++rank)
    if (rank != place.r && group_of(members, places.of(rank)) == group) return false;
  return true;
}

std::optional<std::int32_t> first_difference(const Rule& a, const Rule& b, const Places& places,
                                             std::span<const Guard> around) {
  const auto partner = [](const Rule& rule, const Place& place) -> std::optional<std::int32_t> {
    if (!holds(rule.first, place)) return std::nullopt;
    return rule.second.kind == Partner::Kind::none ? std::optional<std::int32_t>(0)
                                                   : partner_of(rule.second, place);
  };
  for (std::int32_t rank = 0; rank < places.processes(); ++rank) {
    const Place place = places.of(rank);
    if (!std::ranges::all_of(around, [&](const Guard& guard) { return holds(guard, place); })) continue;
    if (partner(a, place) != partner(b, place)) return rank;
  }
  return std::nullopt;
}

std::vector<Guard> known_guards() {
  using enum Guard::Kind;
  std::vector<Guard> known;
  for (const Guard::Kind kind : {first, not_first, last, not_last, inner, even, odd})
    known.push_back({kind, 0, 0});
  for (int dimensions = 2; dimensions <= kMostDimensions; ++dimensions)
    for (int dimension = 0; dimension < dimensions; ++dimension)
      for (const Guard::Kind kind : {first, not_first, last, not_last, inner, even, odd})
        known.push_back({kind, dimensions, dimension});
  known.push_back({second, 0, 0});
  for (int dimensions = 2; dimensions <= kMostDimensions; ++dimensions)
    for (const auto& shift : shifts(dimensions))
      if (is_across(shift)) known.push_back({neighboured, dimensions, 0, shift});
  return known;
}

std::vector<Partner> known_partners(const std::vector<ProcessGrid>& grids) {
  using enum Partner::Kind;
  std::vector<Partner> all{{.kind = any}};
  for (const ProcessGrid& grid : grids)
    if (grid.dimensions >= 2 && grid.is_certain()) add_grid(grid.dimensions, all);
  for (const int amount : {1, -1, 2, -2, 3, -3})
    for (const Partner::Kind kind : {ring, offset}) all.push_back({.kind = kind, .amount = amount});
  all.push_back({.kind = ring, .amount = 0});
  for (const int amount : {0, 1}) all.push_back({.kind = fixed, .amount = amount});
  all.push_back({.kind = from_last, .amount = 0});
  for (const int amount : {1, 2, 4, 8}) all.push_back({.kind = exclusive_or, .amount = amount});
  for (int dimensions = 2; dimensions <= kMostDimensions; ++dimensions)
    if (std::ranges::none_of(grids, [&](const ProcessGrid& grid) {
          return grid.dimensions == dimensions && grid.is_certain();
        }))
      add_grid(dimensions, all);
  return all;
}

std::vector<Partner> changing_partners() {
  using enum Partner::Kind;
  std::vector<Partner> all;
  for (const int amount : {0, 1}) all.push_back({.kind = fixed, .amount = amount, .change = Change::up});
  all.push_back({.kind = others, .amount = 0, .change = Change::up});
  for (const int amount : {0, 1}) all.push_back({.kind = from_last, .amount = amount, .change = Change::up});
  all.push_back({.kind = exclusive_or, .amount = 1, .change = Change::up});
  all.push_back({.kind = exclusive_or, .amount = 1, .change = Change::doubling});
  all.push_back({.kind = exclusive_or, .amount = 1, .change = Change::halving});
  for (const Partner::Kind kind : {ring, offset}) {
    for (const Change change : {Change::doubling, Change::halving})
      for (const int amount : {1, -1}) all.push_back({.kind = kind, .amount = amount, .change = change});
    all.push_back({.kind = kind, .amount = 1, .change = Change::up});
    all.push_back({.kind = kind, .amount = -1, .change = Change::down});
  }
  return all;
}

std::vector<Members> known_members() {
  std::vector<Members> all{{}};
  for (int dimensions = 2; dimensions <= kMostDimensions; ++dimensions)
    for (std::uint8_t kept = 1; kept + 1 < 1 << dimensions; ++kept)
      all.push_back({.kind = Members::Kind::plane, .dimensions = dimensions, .kept = kept});
  for (const int amount : {2, 3, 4, 8, 16}) {
    all.push_back({.kind = Members::Kind::modulo, .amount = amount});
    all.push_back({.kind = Members::Kind::block, .amount = amount});
  }
  all.push_back({.kind = Members::Kind::nodes});
  return all;
}

std::string to_text(const Partner& partner) {
  const std::string amount = signed_text(partner.amount, partner.change);
  switch (partner.kind) {
    case Partner::Kind::none:
      return "nobody";
    case Partner::Kind::any:
      return "anybody";
    case Partner::Kind::fixed:
      return "rank" + (amount.starts_with(" + ") ? amount.substr(2) : amount);
    case Partner::Kind::from_last:
      return "the last rank but" + (amount.starts_with(" + ") ? amount.substr(2) : amount);
    case Partner::Kind::offset:
      return "rank r" + amount;
    case Partner::Kind::ring:
      return "rank (r" + amount + ") mod p";
    case Partner::Kind::exclusive_or:
      return "rank r xor" + (amount.starts_with(" + ") ? amount.substr(2) : amount);
    case Partner::Kind::others:
      return "each other rank";
    case Partner::Kind::grid:
      break;
  }
  return "the grid's " + shift_text(partner.dimensions, partner.shift, partner.periodic);
}

std::string to_text(const Guard& guard) {
  const std::string suffix = std::to_string(guard.dimensions) + "_" + std::to_string(guard.dimension);
  const std::string c = guard.dimensions == 0 ? "r" : "c" + suffix,
                    last = (guard.dimensions == 0 ? "p" : "g" + suffix) + " - 1";
  switch (guard.kind) {
    case Guard::Kind::all:
      return "all ranks";
    case Guard::Kind::first:
      return "ranks with " + c + " = 0";
    case Guard::Kind::not_first:
      return "ranks with " + c + " > 0";
    case Guard::Kind::last:
      return "ranks with " + c + " = " + last;
    case Guard::Kind::not_last:
      return "ranks with " + c + " < " + last;
    case Guard::Kind::inner:
      return "ranks with 0 < " + c + " < " + last;
    case Guard::Kind::odd:
      return "ranks with odd " + c;
    case Guard::Kind::even:
      return "ranks with even " + c;
    case Guard::Kind::second:
      return "ranks with " + c + " = 1";
    case Guard::Kind::neighboured:
      return "ranks with a neighbour at the grid's " + shift_text(guard.dimensions, guard.shift, 0);
    case Guard::Kind::copied:
      return "ranks with " + c + " mod " + std::to_string(guard.of) + " = " + std::to_string(guard.remainder);
  }
  return "";
}

}  // namespace parcast::program
