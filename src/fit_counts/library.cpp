// SPDX-License-Identifier: Apache-2.0
// The library of features of a design, in order of description length. The bits are a prior: features that
// are common in parallel programs have few bits, rare ones many. A form is judged by the sum of its features'
// bits.
#include <algorithm>
#include <cmath>

#include "fit_counts/features.h"

namespace parcast::program {
namespace {

using Kind = Factor::Kind;

constexpr double kMostBits = 15;
constexpr std::size_t kMostFeatures = 9000;
constexpr double kRepeatsBits = 6;   // of a number of iterations that is divided among processes
constexpr double kUndoneBits = 2.5;  // of a block times the extent that it was divided by
// of an extent that was 1 or 2 in every recording: more than of "several", which it equals there but for 1
constexpr double kUnseenGrowthBits = 3;

struct Priced {
  std::vector<Factor> factors;
  double bits = 0;
};
struct Monomial {
  std::vector<int> degrees;
  int degree = 0;
  double bits = 0;
};

bool has_grid(const Design& design, int dimensions) {
  return std::any_of(design.grids.begin(), design.grids.end(),
                     [&](const ProcessGrid& grid) { return grid.dimensions == dimensions; });
}

// Returns the bits of an axis: a recorded topology makes its grid likely, and other grids unlikely.
double axis_bits(const Design& design, const Axis& axis) {
  if (axis.dimensions == 0) return design.grids.empty() ? 0 : 1;
  if (has_grid(design, axis.dimensions)) return 1;
  return (design.grids.empty() ? 3.5 : 6.0) + axis.dimensions * 0.5;
}

std::vector<Axis> all_axes() {
  std::vector<Axis> axes{{0, 0}};
  for (int d = 2; d <= kMostDimensions; ++d)
    for (int k = 0; k < d; ++k) axes.push_back({d, k});
  return axes;
}

// Returns whether a grid's extent was recorded with no value above 2, so that nothing shows growth with it.
bool is_one_or_two(const Design& design, const Axis& axis) {
  return axis.dimensions > 0 && std::ranges::all_of(design.cells, [&](const auto& cell) {
           return cell.place.extents[axis.dimensions][axis.dimension] <= 2;
         });
}

// Returns the parameters that may enter: whole numbers, not negative, with at least two values.
std::vector<int> usable_parameters(const Design& design) {
  std::vector<int> usable;
  for (std::size_t i = 0; i < design.parameters.size(); ++i) {
    const auto values = design.values(i);
    if (design.whole[i] && values.size() > 1 && values.front() >= 0) usable.push_back(static_cast<int>(i));
  }
  return usable;
}

std::vector<Monomial> monomials(const Design& design, const std::vector<int>& usable) {
  const std::size_t count = design.parameters.size();
  const double name_bits = 1 + std::log2(std::max<double>(1, static_cast<double>(usable.size())));
  std::vector<Monomial> all{{std::vector<int>(count, 0), 0, 0}};
  const int most = usable.size() <= 3 ? 3 : 2;
  for (std::size_t begin = 0, degree = 1; degree <= static_cast<std::size_t>(most); ++degree) {
    const std::size_t end = all.size();
    for (std::size_t m = begin; m < end; ++m)
      for (const int v : usable) {
        Monomial next = all[m];
        if (std::any_of(next.degrees.begin() + v + 1, next.degrees.end(), [](int d) { return d > 0; }))
          continue;
        next.bits += next.degrees[v] > 0 ? 1.5 : name_bits;
        ++next.degrees[v];
        ++next.degree;
        all.push_back(std::move(next));
      }
    begin = end;
  }
  return all;
}

std::vector<Priced> process_factors(const Design& design, bool with_rank) {
  std::vector<Priced> all;
  const auto add = [&](Kind kind, const Axis& axis, double bits) {
    if (depends_on_rank(kind) && !with_rank) return;
    all.push_back({{Factor{kind, axis}}, bits + axis_bits(design, axis)});
  };
  for (const Axis& axis : all_axes()) {
    add(Kind::extent, axis, 2 + (is_one_or_two(design, axis) ? kUnseenGrowthBits : 0));
    add(Kind::several, axis, 4);
    add(Kind::first, axis, 3);
    add(Kind::not_first, axis, 3);
    add(Kind::last, axis, 3.5);
    add(Kind::not_last, axis, 3.5);
    add(Kind::coordinate, axis, 4);
    add(Kind::odd, axis, 6);
    add(Kind::even, axis, 6);
    add(Kind::floor_log2, axis, 4.5);
    add(Kind::ceil_log2, axis, 4);
    if (axis.dimension == 0 && has_grid(design, axis.dimensions)) {
      // Messages along each dimension of several ranks, and a second one where both neighbours differ.
      constexpr std::pair<int, double> kLeast[]{{2, 4.0}, {3, 5.5}};
      for (const auto& [least, bits] : kLeast)
        all.push_back({{Factor{Kind::divided, axis, -1, 0, 0, least}}, bits + axis_bits(design, axis)});
      add(Kind::neighbours, axis, 4);
    }
    if (axis.dimensions == 0) add(Kind::second, axis, 5);
    if (axis.dimensions == 0) add(Kind::tree_children, axis, 7);
  }
  return all;
}

double block_bits(Kind kind) {
  switch (kind) {
    case Kind::block_cyclic:
      return 3.5;
    case Kind::quotient_floor:
    case Kind::quotient_ceil:
      return 4;
    case Kind::block_even:
      return 5;
    case Kind::block_last:
      return 5.5;
    case Kind::block_ceil:
      return 5.5;
    case Kind::remainder:
      return 6.5;
    case Kind::index_sum:
      return 7;
    default:
      return 8.5;  // smaller
  }
}

void add_blocks(const Design& design, int parameter, double name_bits, bool with_rank,
                std::vector<Priced>& all) {
  constexpr std::pair<int, double> kOffsets[]{{0, 0.0}, {-1, 2.5}, {-2, 2.5}, {1, 3.0}, {2, 4.0}};
  constexpr std::pair<int, double> kShifts[]{{0, 0.0}, {-1, 4.5}, {1, 4.5}};
  constexpr Kind kKinds[]{Kind::block_cyclic,  Kind::block_even, Kind::block_ceil,
                          Kind::block_last,    Kind::index_sum,  Kind::quotient_floor,
                          Kind::quotient_ceil, Kind::remainder,  Kind::smaller};
  const auto v = static_cast<std::size_t>(parameter);
  const double repeats_bits = v < design.repeats.size() && design.repeats[v] ? kRepeatsBits : 0;
  for (const Axis& axis : all_axes())
    for (const Kind kind : kKinds) {
      if (depends_on_rank(kind) && !with_rank) continue;
      for (const auto& [offset, offset_bits] : kOffsets)
        for (const auto& [shift, shift_bits] : kShifts) {
          if (shift != 0 && !depends_on_rank(kind)) continue;
          const double bits = block_bits(kind) + name_bits - 1 + axis_bits(design, axis) + offset_bits +
                              shift_bits + repeats_bits;
          all.push_back({{Factor{kind, axis, parameter, offset, shift}}, bits});
        }
    }
}

void add_fixed(int parameter, double name_bits, std::vector<Priced>& all) {
  for (const int divisor : {2, 10, 5, 4, 100, 3, 20, 50, 8, 16, 25, 32, 64, 1000})
    for (const Kind kind : {Kind::fixed_floor, Kind::fixed_ceil})
      all.push_back({{Factor{kind, {}, parameter, 0, 0, divisor}},
                     name_bits + 4.5 + 0.5 * std::log2(divisor) + (kind == Kind::fixed_ceil ? 0.5 : 0)});
  all.push_back({{Factor{Kind::levels_floor, {}, parameter}}, name_bits + 6});
  all.push_back({{Factor{Kind::levels_ceil, {}, parameter}}, name_bits + 6});
  for (const int degree : {2, 3})
    all.push_back({{Factor{Kind::root, {}, parameter, 0, 0, degree}}, name_bits + 4.0 + degree});
}

// Adds how often every m-th of n steps comes.
void add_ratios(int parameter, const std::vector<int>& usable, double name_bits, std::vector<Priced>& all) {
  for (const int by : usable) {
    if (by == parameter) continue;
    for (const Kind kind : {Kind::ratio_floor, Kind::ratio_ceil}) {
      Factor ratio{kind, {}, parameter};
      ratio.by = by;
      all.push_back({{ratio}, 2 * name_bits + (kind == Kind::ratio_floor ? 4 : 4.5)});
    }
  }
}

std::vector<Priced> block_factors(const Design& design, const std::vector<int>& usable, bool with_rank) {
  std::vector<Priced> all;
  const double name_bits = 1 + std::log2(std::max<double>(1, static_cast<double>(usable.size())));
  for (const int v : usable) {
    add_blocks(design, v, name_bits, with_rank, all);
    add_fixed(v, name_bits, all);
    add_ratios(v, usable, name_bits, all);
  }
  return all;
}

// Returns whether the product means every second rank, except the end without a partner.
bool alternates(Kind a, Kind b) {
  const auto second = [](Kind k) { return k == Kind::odd || k == Kind::even; };
  const auto inner = [](Kind k) { return k == Kind::not_first || k == Kind::not_last; };
  return (second(a) && inner(b)) || (second(b) && inner(a));
}

// Returns the bits of a product of two factors that occur together: extents of a block, a block at an edge of
// the domain, a corner, a power of p.
std::optional<double> pair_bits(const Priced& a, const Priced& b) {
  const Factor& f = a.factors[0];
  const Factor& g = b.factors[0];
  const bool same_axis = f.axis == g.axis;
  for (const Kind sum : {Kind::divided, Kind::neighbours})
    if (f.kind == sum || g.kind == sum) return std::nullopt;
  if (takes_parameter(f.kind) && takes_parameter(g.kind)) {
    if (!is_block(f.kind) || f.kind != g.kind || f.shift != g.shift || f.offset != g.offset)
      return std::nullopt;
    if (f.axis.dimensions != g.axis.dimensions) return std::nullopt;
    // The second extent of the same block is cheap once the first is named.
    return a.bits + 1.0 + (f.parameter != g.parameter ? 1 : 0);
  }
  if (f.axis.dimensions != g.axis.dimensions) return std::nullopt;
  if (same_axis && depends_on_rank(f.kind) && depends_on_rank(g.kind) && !takes_parameter(g.kind) &&
      !alternates(f.kind, g.kind))
    return std::nullopt;
  const bool undone =
      same_axis && (f.kind == Kind::extent ? is_block(g.kind) : g.kind == Kind::extent && is_block(f.kind));
  return a.bits + b.bits + (undone ? kUndoneBits : 0);
}

std::vector<Priced> pairs(const std::vector<Priced>& singles) {
  std::vector<Priced> all;
  for (std::size_t i = 0; i < singles.size(); ++i)
    for (std::size_t j = i; j < singles.size(); ++j) {
      const Factor& f = singles[i].factors[0];
      const bool square = i == j && (f.kind == Kind::extent || is_block(f.kind));
      if (i == j && !square) continue;
      const auto bits = pair_bits(singles[i], singles[j]);
      if (bits && *bits <= kMostBits) all.push_back({{f, singles[j].factors[0]}, *bits});
    }
  return all;
}

// Returns the numbers of points of blocks in a three-dimensional grid.
std::vector<Priced> volumes(const std::vector<Priced>& blocks) {
  std::vector<Priced> all;
  for (const Priced& a : blocks) {
    const Factor& f = a.factors[0];
    if (f.axis != Axis{3, 0} || !is_block(f.kind)) continue;
    Priced volume{{f, f, f}, a.bits + 1.5};
    volume.factors[1].axis = {3, 1};
    volume.factors[2].axis = {3, 2};
    if (volume.bits <= kMostBits) all.push_back(std::move(volume));
  }
  return all;
}

}  // namespace

std::vector<Feature> make_features(const Design& design, bool with_rank) {
  const std::vector<int> usable = usable_parameters(design);
  std::vector<Priced> factors = process_factors(design, with_rank);
  const std::vector<Priced> blocks = block_factors(design, usable, with_rank);
  factors.insert(factors.end(), blocks.begin(), blocks.end());
  std::erase_if(factors, [](const Priced& f) { return f.bits > kMostBits; });
  const std::vector<Priced> products = pairs(factors);
  const std::vector<Priced> cubes = volumes(blocks);
  factors.insert(factors.end(), products.begin(), products.end());
  factors.insert(factors.end(), cubes.begin(), cubes.end());
  factors.push_back({});

  std::vector<Feature> features;
  for (const Monomial& m : monomials(design, usable))
    for (const Priced& f : factors) {
      if ((m.degree == 0 && f.factors.empty()) || m.bits + f.bits > kMostBits) continue;
      Feature feature{m.degrees, f.factors, m.bits + f.bits};
      feature.uses_rank = std::any_of(f.factors.begin(), f.factors.end(),
                                      [](const Factor& factor) { return depends_on_rank(factor.kind); });
      features.push_back(std::move(feature));
    }
  std::stable_sort(features.begin(), features.end(),
                   [](const Feature& a, const Feature& b) { return a.bits < b.bits; });
  if (features.size() > kMostFeatures) features.resize(kMostFeatures);
  return features;
}

}  // namespace parcast::program
