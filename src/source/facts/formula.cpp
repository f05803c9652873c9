// SPDX-License-Identifier: Apache-2.0
#include "source/facts/formula.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace parcast::facts {
namespace {

// Stores a formula as the nodes of a function, so that the same evaluation serves both.
class Flattened {
 public:
  NodeNumber of(const Formula& formula) {
    const auto known = numbers_.find(formula.get());
    if (known != numbers_.end()) return known->second;
    Node node{formula->operation, formula->bits, {}, formula->number, formula->value, formula->name};
    for (const Formula& operand : formula->operands) node.operands.push_back(of(operand));
    const auto number = static_cast<NodeNumber>(function.nodes.size());
    function.nodes.push_back(std::move(node));
    if (formula->operation == Operation::load) inputs[number] = formula->input;
    return numbers_[formula.get()] = number;
  }

  Function function;
  std::map<NodeNumber, Input> inputs;

 private:
  std::map<const Term*, NodeNumber> numbers_;
};

void gather(const Formula& formula, std::set<Input>& into, std::set<const Term*>& seen) {
  if (!seen.insert(formula.get()).second) return;
  if (formula->operation == Operation::load) into.insert(formula->input);
  for (const Formula& operand : formula->operands) gather(operand, into, seen);
}

using Compared = std::set<std::pair<const Term*, const Term*>>;  // pairs known to be the same

bool same_terms(const Formula& a, const Formula& b, Compared& known) {
  if (a == b || known.contains({a.get(), b.get()})) return true;
  if (a->operation != b->operation || a->bits != b->bits || a->number != b->number || a->name != b->name ||
      a->input != b->input || a->operands.size() != b->operands.size())
    return false;
  if (a->operation == Operation::real &&
      std::bit_cast<std::uint64_t>(a->value) != std::bit_cast<std::uint64_t>(b->value))
    return false;
  for (std::size_t i = 0; i < a->operands.size(); ++i)
    if (!same_terms(a->operands[i], b->operands[i], known)) return false;
  known.insert({a.get(), b.get()});
  return true;
}

// Returns whether the number has few binary digits, so that its decimal text in a program is exact: 0.5, not
// 0.29.
bool is_short(double value) {
  return std::isfinite(value) && std::floor(std::ldexp(value, 20)) == std::ldexp(value, 20);
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == 0.5;
}

Rounding rounding_of(const Term& term) {
  Rounding most = Rounding::exact;
  for (const Formula& operand : term.operands) most = std::max(most, operand->rounding);
  const Rounding after = most == Rounding::exact ? Rounding::once : Rounding::more;
  switch (term.operation) {
    case Operation::real:
      return is_short(term.value) ? Rounding::exact : Rounding::more;
    case Operation::sitofp:
    case Operation::uitofp:
      return term.bits < 64 ? Rounding::more : Rounding::exact;  // a float has 24 binary digits
    case Operation::fadd:
    case Operation::fsub:
    case Operation::fmul:
    case Operation::fmuladd:
      return term.bits < 64 || most != Rounding::exact ? Rounding::more : Rounding::exact;
    case Operation::fdiv:
      if (term.bits == 64 && term.operands[1]->operation == Operation::real &&
          is_power_of_two(term.operands[1]->value))
        return most;
      [[fallthrough]];
    case Operation::sqrt:
      return term.bits < 64 ? Rounding::more : after;
    // of an integer or a quotient it is an integer only for a power of two
    case Operation::log2:
      return term.bits < 64 || most == Rounding::more ? Rounding::more : Rounding::once;
    case Operation::fptrunc:
    case Operation::log:
    case Operation::exp:
    case Operation::pow:
      return Rounding::more;
    case Operation::fneg:
    case Operation::fabs:
    case Operation::fmin:
    case Operation::fmax:
    case Operation::fpext:
    case Operation::frem:
    case Operation::select:
      return most;
    default:
      return Rounding::exact;
  }
}

bool takes_whole_part(Operation operation) {
  switch (operation) {
    case Operation::fptosi:
    case Operation::fptoui:
    case Operation::floor:
    case Operation::ceil:
    case Operation::ftrunc:
    case Operation::round:
      return true;
    default:
      return false;
  }
}

Formula finished(Term term) {
  term.rounding = rounding_of(term);
  term.in_rounds = term.operation == Operation::recurrence;
  // rint() rounds halves to even, and the expression rounds them up.
  term.off_by_one = term.operation == Operation::rint;
  for (const Formula& operand : term.operands) {
    term.in_rounds = term.in_rounds || operand->in_rounds;
    term.off_by_one = term.off_by_one || operand->off_by_one ||
                      (takes_whole_part(term.operation) && operand->rounding == Rounding::more);
  }
  return std::make_shared<const Term>(std::move(term));
}

}  // namespace

Formula input(Input which, unsigned bits, Rounding rounding) {
  Term term;
  term.rounding = rounding;
  term.operation = Operation::load;
  term.bits = bits;
  term.input = which;
  return std::make_shared<const Term>(std::move(term));
}

Formula integer(std::int64_t value, unsigned bits) {
  Term term;
  term.number = value;
  term.bits = bits;
  return std::make_shared<const Term>(std::move(term));
}

Formula operation(const Node& node, std::vector<Formula> operands) {
  return finished({node.operation, node.bits, std::move(operands), node.number, node.value, node.name, {}});
}

std::optional<Value> evaluate(const Formula& formula, const Inputs& inputs,
                              const std::function<std::optional<std::uint64_t>(int)>& round) {
  Flattened flat;
  const NodeNumber root = flat.of(formula);
  const Surroundings surroundings{[&](NodeNumber node) -> std::optional<Value> {
                                    const auto which = flat.inputs.find(node);
                                    if (which == flat.inputs.end()) return std::nullopt;
                                    const auto value = inputs.find(which->second);
                                    return value == inputs.end() ? std::nullopt
                                                                 : std::optional(value->second);
                                  },
                                  round};
  return evaluate(flat.function, root, surroundings);
}

bool same(const Formula& a, const Formula& b) {
  Compared known;
  return same_terms(a, b, known);
}

std::vector<Input> inputs_of(const Formula& formula) {
  std::set<Input> found;
  std::set<const Term*> seen;
  gather(formula, found, seen);
  return {found.begin(), found.end()};
}

}  // namespace parcast::facts
