// SPDX-License-Identifier: Apache-2.0
#include "model/formula_text.h"

#include <algorithm>
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

}  // namespace

std::string formula_text(const Expression& formula) {
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
