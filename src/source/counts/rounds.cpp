// SPDX-License-Identifier: Apache-2.0
#include "source/counts/rounds.h"

#include <algorithm>

namespace parcast::program {

using symbolic::Expression;

std::string round_name(int loop) {
  return "i" + std::to_string(loop);
}

Expression round_symbol(int loop) {
  return symbolic::symbol(round_name(loop), symbolic::SymbolKind::loop_index);
}

bool depends(const Expression& what, const Expression& symbol) {
  const auto symbols = symbolic::free_symbols(what);
  return std::ranges::find(symbols, symbol) != symbols.end();
}

bool depends_on_rounds(const Expression& what) {
  return std::ranges::any_of(symbolic::free_symbols(what), [](const Expression& symbol) {
    return symbol.kind() == symbolic::SymbolKind::loop_index;
  });
}

Expression over_rounds(const Expression& round, const Expression& iterations, const Expression& each) {
  constexpr double kFew = 4;
  if (!iterations.is_constant() || iterations.number() > kFew)
    return symbolic::series(round, 0, iterations - Expression(1), each);
  Expression sum = 0;
  for (int k = 0; k < iterations.number(); ++k)
    sum = sum + symbolic::substitute(each, {{round.name(), Expression(k)}});
  return sum;
}

}  // namespace parcast::program
