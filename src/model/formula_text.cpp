// SPDX-License-Identifier: Apache-2.0
#include "model/formula_text.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

/// Returns readable names by symbols of model.h, for grids of that many dimensions.
std::vector<std::pair<Expression, std::string>> grid_names(int dimensions) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  std::vector<std::pair<Expression, std::string>> out;
  for (int k = 0; k < dimensions; ++k) {
    out.emplace_back(extent_symbol(dimensions, k), dimensions == 1 ? "p" : std::string("p") + kAxes[k]);
    out.emplace_back(coordinate_symbol(dimensions, k), dimensions == 1 ? "rank" : kAxes[k]);
  }
  return out;
}

/// Names of the number of dimensions of at least 2 and 3 ranks.
constexpr std::pair<std::int64_t, const char*> kDivided[] = {{2, "dims"}, {3, "dims3"}};

/// Returns the formula with a name for the sum over all dimensions of 1 where the extent is at least `least`;
/// the same formula if the terms of that sum have different factors.
Expression with_divided(const Expression& formula, int dimensions, std::int64_t least, const char* name) {
  const auto term = [](int k) { return parameter_symbol("divided " + std::to_string(k)); };
  std::map<Expression, Expression> terms;
  Expression first = parameter_symbol(name);  // the first term is the sum less the others
  for (int k = 0; k < dimensions; ++k) {
    terms.emplace(symbolic::conditional(extent_symbol(dimensions, k) - least, 1, 0), term(k));
    if (k > 0) first = first - term(k);
  }
  const Expression named =
      symbolic::substitute(symbolic::replace_parts(formula, terms), {{term(0).name(), first}});
  const std::vector<Expression> symbols = symbolic::free_symbols(named);
  const bool left = std::ranges::any_of(
      symbols, [](const Expression& symbol) { return symbol.name().starts_with("divided "); });
  return left ? formula : named;
}

Expression with_divided(Expression formula) {
  for (int d = 2; d <= kMostDimensions; ++d)
    for (const auto& [least, name] : kDivided) formula = with_divided(formula, d, least, name);
  return formula;
}

}  // namespace

bool counts_dimensions(const Expression& formula) {
  return with_divided(formula) != formula;
}

std::string formula_text(const Expression& as_kept) {
  const std::vector<Expression> before = symbolic::free_symbols(as_kept);
  const bool is_free = std::ranges::none_of(before, [](const Expression& symbol) {
    return symbol.name() == kDivided[0].second || symbol.name() == kDivided[1].second;
  });
  const Expression formula = is_free ? with_divided(as_kept) : as_kept;
  const std::vector<Expression> symbols = symbolic::free_symbols(formula);
  const auto has = [&](const Expression& symbol) {
    return std::ranges::find(symbols, symbol) != symbols.end();
  };
  std::vector<std::pair<Expression, std::string>> names{{rank_symbol(), "rank"}};
  int grids = 0;
  for (int d = 1; d <= kMostDimensions; ++d) {
    const auto of_grid = grid_names(d);
    if (std::ranges::none_of(of_grid, [&](const auto& name) { return has(name.first); })) continue;
    grids += d > 1;
    names.insert(names.end(), of_grid.begin(), of_grid.end());
  }
  std::set<std::string> own;  // names of symbols that are not replaced
  for (const Expression& symbol : symbols)
    if (std::ranges::find(names, symbol, &std::pair<Expression, std::string>::first) == names.end())
      own.insert(symbol.name());
  symbolic::Substitution with;
  for (const auto& [symbol, name] : names) {
    if (grids > 1 && symbol != rank_symbol()) continue;
    if (own.contains(name) && name != "p") return symbolic::readable_text(formula);
    with.emplace(symbol.name(), symbolic::symbol(name, symbol.kind()));
  }
  return symbolic::readable_text(symbolic::substitute(formula, with));
}

}  // namespace parcast::program
