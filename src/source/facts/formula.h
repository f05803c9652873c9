// SPDX-License-Identifier: Apache-2.0
#pragma once
// A value as the program's own arithmetic over its inputs: words of the command line, the rank, the number of
// processes, the process grid. A formula is exact like the nodes from which it was built (evaluate.h). It can
// also be converted to an expression that holds as long as nothing overflows.

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/facts/evaluate.h"
#include "symbolic/expression.h"

namespace parcast::facts {

enum class InputKind { word, words, rank, processes, grid_extent, grid_coordinate, recognised };

/// An input of a run. `word`: the number in command line word `index` (0 is the program). With `part` from 1
/// on it is the part-th of several numbers in that word, which are separated by one of kBetweenNumbers.
/// `words`: how many words there are. grid_extent, grid_coordinate: of dimension `index` of a grid with
/// `dimensions` dimensions. recognised: number `index` in the list of expressions that observed values were
/// recognised as.
struct Input {
  InputKind kind = InputKind::word;
  int index = 0, dimensions = 0, part = 0;

  friend auto operator<=>(const Input&, const Input&) = default;
};

constexpr std::string_view kBetweenNumbers = "x,:;/";

struct Term;
using Formula = std::shared_ptr<const Term>;

/// How much floating-point rounding separates a value from its expression. `once`: a single operation on
/// exact numbers was rounded. This does not move a quotient or root of integers below 2^52 across an integer.
enum class Rounding { exact, once, more };

struct Term {
  Operation operation = Operation::integer;  // an arithmetic operation; `load`: an input
  unsigned bits = 64;
  std::vector<Formula> operands;
  std::int64_t number = 0;  // value of an integer, loop of a recurrence
  double value = 0;
  std::string name;  // predicate of a comparison
  Input input;
  Rounding rounding = Rounding::exact;
  // the expression may be off by one at some points, since it takes the whole part of a number that was
  // rounded more than once
  bool off_by_one = false;
  bool in_rounds = false;  // depends on rounds of loops of its function
};

/// `rounding`: for a word that is read as a floating-point number.
Formula input(Input which, unsigned bits, Rounding rounding = Rounding::exact);
Formula integer(std::int64_t value, unsigned bits = 64);
Formula operation(const Node& node, std::vector<Formula> operands);

/// Values of the inputs in one process of one run. A word that is not a number has no value.
using Inputs = std::map<Input, Value>;

/// As facts::evaluate: the program's arithmetic, exact to the bit.
std::optional<Value> evaluate(const Formula& formula, const Inputs& inputs,
                              const std::function<std::optional<std::uint64_t>(int)>& round = {});

/// Returns whether two formulas have the same structure.
bool same(const Formula& a, const Formula& b);

/// Returns the inputs that a formula depends on.
std::vector<Input> inputs_of(const Formula& formula);

/// Upper limit of `smallest` below: for a number N on the command line, N - 3 and N/p - 3 are assumed not to
/// be negative.
constexpr std::int64_t kSmallSize = 8;

/// Symbols for inputs and for the rounds of loops; empty for an input without a name.
struct Names {
  std::function<std::optional<symbolic::Expression>(const Input&)> input;
  std::function<std::optional<symbolic::Expression>(int loop)> round;
  // upper bound of `round`, where known
  std::function<std::optional<symbolic::Expression>(int loop)> last_round = {};
  // lower bound assumed for a size on the command line, at most kSmallSize, which is also the default
  std::function<std::int64_t(const Input&)> smallest = {};
};

struct Converted {
  symbolic::Expression value;
  /// False if the value may differ from the program's: 64-bit numbers that wrap, or remainders of numbers
  /// whose last digits are lost.
  bool everywhere = true;
};

/// Converts a formula to an expression with the same value as long as nothing overflows upwards. Below zero
/// the program's quotients are rounded towards zero and its unsigned numbers wrap. The expression does the
/// same, except where only a size below `smallest` makes the difference of it and a constant negative.
/// Returns nothing if an operation has no such form (bits of words, exponentials) or an input has no name.
/// The caller compares the expression with evaluate() at the known points.
std::optional<Converted> to_expression(const Formula& formula, const Names& names);

}  // namespace parcast::facts
