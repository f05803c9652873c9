// SPDX-License-Identifier: Apache-2.0
#include "language/totals.h"

#include <algorithm>
#include <utility>

#include "language/parser.h"
#include "model/binding.h"
#include "symbolic/build.h"

namespace parcast::program::written {
namespace {

bool depends_on(const Expression& e, const Expression& symbol) {
  return !symbol.is_zero() && symbolic::contains(e, symbol);
}

/// Returns the sum of c 2^k or c / 2^k over k = 0 .. rounds - 1.
std::optional<Expression> geometric_sum(const Range& range, const Expression& each) {
  if (!range.two_to_count || !range.first.is_zero() || depends_on(each, range.index)) return std::nullopt;
  const Expression up = symbolic::expand(each / range.power), down = symbolic::expand(each * range.power);
  if (!depends_on(up, range.power)) return up * (*range.two_to_count - Expression(1));
  if (!depends_on(down, range.power)) return down * (Expression(2) - Expression(2) / *range.two_to_count);
  return std::nullopt;
}

/// Returns r xor amount, computed bit by bit.
Expression exclusive_or(const Expression& r, std::int64_t amount) {
  Expression out = r;
  for (std::int64_t bit = 1; bit <= amount; bit *= 2)
    if (amount & bit)
      out = out + Expression(bit) - Expression(2 * bit) * modulo(floor(r / Expression(bit)), Expression(2));
  return out;
}

}  // namespace

std::optional<Expression> sum_over(const Range& range, const Expression& each) {
  if (depends_on(each, range.power)) return geometric_sum(range, each);
  if (!depends_on(each, range.index)) return range.count * each;
  const std::vector<Expression> taken{each, range.first, range.stride, range.count};
  const Expression round = symbolic::temporary_symbol(taken);
  return symbolic::series(round, 0, range.count - Expression(1),
                          symbolic::replace(each, range.index, range.first + range.stride * round));
}

std::optional<Expression> mean_over(const Range& range, const Expression& each) {
  if (!depends_on(each, range.power) && !depends_on(each, range.index)) return each;
  const auto sum = sum_over(range, each);
  if (!sum) return std::nullopt;
  return *sum / max(range.count, Expression(1));
}

std::optional<Expression> Surroundings::total(Expression each, bool rounds_done) const {
  for (auto one = around_.rbegin(); one != around_.rend(); ++one) {
    if (!one->range) {
      each = one->indicator * each;
      continue;
    }
    if (std::exchange(rounds_done, false)) continue;
    const auto sum = sum_over(*one->range, each);
    if (!sum) return std::nullopt;
    each = *sum;
  }
  return each;
}

bool Surroundings::under(const Expression& indicator) const {
  return std::ranges::any_of(around_,
                             [&](const One& one) { return !one.range && one.indicator == indicator; });
}

const Range* Surroundings::varied_by(const Expression& each) const {
  for (auto one = around_.rbegin(); one != around_.rend(); ++one)
    if (one->range && (depends_on(each, one->range->index) || depends_on(each, one->range->power)))
      return one->range;
  return nullptr;
}

Expression exists(const Partner& partner) {
  using enum Partner::Kind;
  const Expression r = rank_symbol(), p = processes_symbol(), end = p - Expression(1),
                   amount = partner.amount;
  switch (partner.kind) {
    case none:
      return 0;
    case any:
    case ring:
      return 1;
    case fixed:
    case from_last:
      return partner.amount == 0 ? Expression(1) : at_least(end, amount);
    case offset:
      return partner.amount > 0 ? at_least(end, r + amount) : at_least(r + amount, Expression(0));
    case exclusive_or:
      return at_least(end, written::exclusive_or(r, partner.amount));
    case others:
      return at_least(end, amount + Expression(1));
    case grid:
      break;
  }
  Expression all = 1;
  for (int k = 0; k < partner.dimensions; ++k) {
    const std::int64_t shift = partner.shift[static_cast<std::size_t>(k)];
    if (shift == 0 || (partner.periodic >> k & 1) != 0) continue;
    const Expression to = coordinate_symbol(partner.dimensions, k) + Expression(shift);
    all = all * (shift > 0 ? at_least(extent_symbol(partner.dimensions, k) - Expression(1), to)
                           : at_least(to, Expression(0)));
  }
  return all;
}

bool always_exists(const Partner& partner) {
  return partner.change == Change::none && exists(partner) == Expression(1);
}

}  // namespace parcast::program::written
