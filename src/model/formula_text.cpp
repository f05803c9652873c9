// SPDX-License-Identifier: Apache-2.0
#include "model/formula_text.h"

#include <algorithm>
#include <iterator>
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

/// A sum of terms that are 1 or 0, with its name.
struct Named {
  const char* name;
  std::vector<Expression> terms;
};

constexpr const char *kDims = "dims", *kDims3 = "dims3", *kNeighbours = "neighbours";

/// Returns the sums over a grid of that many dimensions.
std::vector<Named> sums_over_grid(int dimensions) {
  Named dims{kDims, {}}, dims3{kDims3, {}}, neighbours{kNeighbours, {}};
  for (int k = 0; k < dimensions; ++k) {
    const Expression P = extent_symbol(dimensions, k), c = coordinate_symbol(dimensions, k);
    dims.terms.push_back(symbolic::conditional(P - 2, 1, 0));
    dims3.terms.push_back(symbolic::conditional(P - 3, 1, 0));
    neighbours.terms.push_back(symbolic::conditional(c - 1, 1, 0));
    neighbours.terms.push_back(symbolic::conditional(P - 2 - c, 1, 0));
  }
  return {dims, dims3, neighbours};
}

/// Returns the formula with the name for the sum; the same formula if the terms have different factors.
Expression with_name(const Expression& formula, const Named& sum) {
  const auto symbol = [](std::size_t k) { return parameter_symbol("term " + std::to_string(k)); };
  std::map<Expression, Expression> terms;
  Expression first = parameter_symbol(sum.name);  // the first term is the sum less the others
  for (std::size_t k = 0; k < sum.terms.size(); ++k) {
    terms.emplace(sum.terms[k], symbol(k));
    if (k > 0) first = first - symbol(k);
  }
  const Expression named =
      symbolic::substitute(symbolic::replace_parts(formula, terms), {{symbol(0).name(), first}});
  const std::vector<Expression> symbols = symbolic::free_symbols(named);
  const bool left =
      std::ranges::any_of(symbols, [](const Expression& each) { return each.name().starts_with("term "); });
  return left ? formula : named;
}

/// Returns the sums over a grid of which one of these symbols is part.
std::vector<Named> sums_with(const std::vector<Expression>& symbols) {
  std::vector<Named> out;
  for (int d = 2; d <= kMostDimensions; ++d) {
    const auto of_grid = grid_names(d);
    const bool occurs = std::ranges::any_of(
        of_grid, [&](const auto& name) { return std::ranges::find(symbols, name.first) != symbols.end(); });
    if (occurs) std::ranges::move(sums_over_grid(d), std::back_inserter(out));
  }
  return out;
}

}  // namespace

std::vector<std::string> names_of_sums(const Expression& formula) {
  std::vector<std::string> out;
  for (const Named& sum : sums_with(symbolic::free_symbols(formula)))
    if (with_name(formula, sum) != formula) out.push_back(sum.name);
  return out;
}

std::string formula_text(const Expression& as_kept) {
  const std::vector<Expression> before = symbolic::free_symbols(as_kept);
  const bool is_free = std::ranges::none_of(before, [](const Expression& symbol) {
    return symbol.name() == kDims || symbol.name() == kDims3 || symbol.name() == kNeighbours;
  });
  Expression formula = as_kept;
  if (is_free)
    for (const Named& sum : sums_with(before)) formula = with_name(formula, sum);
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
