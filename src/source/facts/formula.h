// SPDX-License-Identifier: Apache-2.0
#pragma once
// A value as the program's own arithmetic over what it was given: words of its command line, its rank, the
// number of processes, the process grid. Exact like the nodes it was put together from (evaluate.h), and as
// an expression that holds while nothing overflows.

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

/// What a run was given. `word`: number of the command line's word `index` (0 is the program), or number `part`, from 1, of those that
/// stand in it apart by one of kBetweenNumbers; `words`: how many there are. grid_extent, grid_coordinate: of the dimension `index` of a grid of `dimensions`. recognised: number
/// `index` of what values were recognised as by what they were seen to be.
struct Input {
  InputKind kind = InputKind::word;
  int index = 0, dimensions = 0, part = 0;

  friend auto operator<=>(const Input&, const Input&) = default;
};

constexpr std::string_view kBetweenNumbers = "x,:;/";

struct Term;
using Formula = std::shared_ptr<const Term>;

/// How far a value is from what its expression says, since the program computes in floating-point numbers. `once`: a single operation on exact ones
/// was rounded, which carries no quotient or root of whole numbers below 2^52 over a whole number.
enum class Rounding { exact, once, more };

struct Term {
  Operation operation = Operation::integer;  // of arithmetic; `load`: an input
  unsigned bits = 64;
  std::vector<Formula> operands;
  std::int64_t number = 0;  // an integer's value, a recurrence's loop
  double value = 0;
  std::string name;  // a comparison's predicate
  Input input;
  Rounding rounding = Rounding::exact;
  bool off_by_one = false;  // at some points its expression may be: it rests on the whole part of what was rounded more than once
  bool in_rounds = false;   // it rests on rounds of loops of the function that it stands in
};

/// `rounding`: of a word that is read as a floating-point number.
Formula input(Input which, unsigned bits, Rounding rounding = Rounding::exact);
Formula integer(std::int64_t value, unsigned bits = 64);
Formula operation(const Node& node, std::vector<Formula> operands);

/// Values of the inputs in one process of one run; a word that is no number has none.
using Inputs = std::map<Input, Value>;

/// As facts::evaluate: the program's arithmetic to the bit.
std::optional<Value> evaluate(const Formula& formula, const Inputs& inputs,
                              const std::function<std::optional<std::uint64_t>(int)>& round = {});

/// Whether they are put together alike.
bool same(const Formula& a, const Formula& b);

/// The inputs that it rests on.
std::vector<Input> inputs_of(const Formula& formula);

/// N - 3 and N/p - 3 are not said to fall below zero of a number N on the command line.
constexpr std::int64_t kSmallSize = 8;

/// Symbols for inputs and for the rounds of loops; none for an input that has no name.
struct Names {
  std::function<std::optional<symbolic::Expression>(const Input&)> input;
  std::function<std::optional<symbolic::Expression>(int loop)> round;
  std::function<std::optional<symbolic::Expression>(int loop)> last_round = {};  // what `round` is at most, where that is known
  std::function<std::int64_t(const Input&)> smallest = {};  // that a size on the command line is taken to be, at most kSmallSize; without it that
};

struct Converted {
  symbolic::Expression value;
  /// False where it may be another value than the program's: 64 bits that wrap, remainders of numbers of which the last digits are lost.
  bool everywhere = true;
};

/// The same value while nothing overflows above; below zero the program's quotients are rounded towards it and its unsigned numbers wrap, and so
/// does the expression, but where a size of less than `smallest` makes a difference of it and a constant negative. Nothing where an operation has no
/// such form (bits of words, exponentials) or an input no name. A caller compares it with evaluate() at the points it knows.
std::optional<Converted> to_expression(const Formula& formula, const Names& names);


}  // namespace parcast::facts
