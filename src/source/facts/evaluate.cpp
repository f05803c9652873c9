// SPDX-License-Identifier: Apache-2.0
#include "source/facts/evaluate.h"

#include <bit>
#include <cmath>
#include <map>

namespace parcast::facts {
namespace {

std::uint64_t mask(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>(((value & mask(bits)) ^ sign) - sign);
}

Value whole(std::uint64_t value, unsigned bits) {
  return {false, sign_extended(value, bits), 0};
}
Value real(double value, unsigned bits) {
  return {true, 0, bits == 32 ? static_cast<double>(static_cast<float>(value)) : value};
}

using Numbers = std::vector<Value>;
__extension__ typedef unsigned __int128 Wide;

std::optional<Value> of_whole_numbers(const Node& node, const Numbers& v) {
  const unsigned bits = node.bits;
  if (bits > 64) return std::nullopt;
  const auto u = [&](std::size_t i) { return static_cast<std::uint64_t>(v[i].whole) & mask(bits); };
  const auto s = [&](std::size_t i) { return v[i].whole; };
  const auto fold = [&](auto combine) {
    std::uint64_t value = u(0);
    for (std::size_t i = 1; i < v.size(); ++i) value = combine(value, u(i));
    return whole(value, bits);
  };
  switch (node.operation) {
    case Operation::add:
      return fold([](auto a, auto b) { return a + b; });
    case Operation::mul:
      return fold([](auto a, auto b) { return a * b; });
    case Operation::bit_and:
      return fold([](auto a, auto b) { return a & b; });
    case Operation::bit_or:
      return fold([](auto a, auto b) { return a | b; });
    case Operation::bit_xor:
      return fold([](auto a, auto b) { return a ^ b; });
    case Operation::umax:
      return fold([](auto a, auto b) { return std::max(a, b); });
    case Operation::umin:
      return fold([](auto a, auto b) { return std::min(a, b); });
    case Operation::smax:
    case Operation::smin: {
      std::int64_t value = s(0);
      for (std::size_t i = 1; i < v.size(); ++i)
        value = node.operation == Operation::smax ? std::max(value, s(i)) : std::min(value, s(i));
      return whole(static_cast<std::uint64_t>(value), bits);
    }
    case Operation::sub:
      return whole(u(0) - u(1), bits);
    case Operation::udiv:
      return u(1) == 0 ? std::nullopt : std::optional(whole(u(0) / u(1), bits));
    case Operation::urem:
      return u(1) == 0 ? std::nullopt : std::optional(whole(u(0) % u(1), bits));
    case Operation::sdiv:
    case Operation::srem:
      if (s(1) == 0 || (s(1) == -1 && u(0) == std::uint64_t{1} << (bits - 1))) return std::nullopt;
      return whole(static_cast<std::uint64_t>(node.operation == Operation::sdiv ? s(0) / s(1) : s(0) % s(1)),
                   bits);
    case Operation::shl:
      return u(1) >= bits ? std::nullopt : std::optional(whole(u(0) << u(1), bits));
    case Operation::lshr:
      return u(1) >= bits ? std::nullopt : std::optional(whole(u(0) >> u(1), bits));
    case Operation::ashr:
      return u(1) >= bits ? std::nullopt
                          : std::optional(whole(static_cast<std::uint64_t>(s(0) >> u(1)), bits));
    case Operation::abs:
      return whole(s(0) < 0 ? -static_cast<std::uint64_t>(s(0)) : static_cast<std::uint64_t>(s(0)), bits);
    default:
      return std::nullopt;
  }
}

std::optional<bool> compared(const Node& node, const Numbers& v) {
  const std::string& how = node.name;
  const std::uint64_t a = static_cast<std::uint64_t>(v[0].whole) & mask(node.bits),
                      b = static_cast<std::uint64_t>(v[1].whole) & mask(node.bits);
  const std::int64_t c = v[0].whole, d = v[1].whole;
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  if (how == "ult") return a < b;
  if (how == "ule") return a <= b;
  if (how == "ugt") return a > b;
  if (how == "uge") return a >= b;
  if (how == "slt") return c < d;
  if (how == "sle") return c <= d;
  if (how == "sgt") return c > d;
  if (how == "sge") return c >= d;
  return std::nullopt;
}

std::optional<Value> to_whole(double value, unsigned bits, bool is_signed) {
  const double inside = std::trunc(value),
               limit = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0));
  if (!(inside < limit && inside >= (is_signed ? -limit : 0.0))) return std::nullopt;
  return whole(is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(inside))
                         : static_cast<std::uint64_t>(inside),
               bits);
}

std::optional<Value> converted(const Node& node, const Node& from, const Value& v) {
  const std::uint64_t unsigned_value =
      static_cast<std::uint64_t>(v.whole) & mask(from.operation == Operation::compare ? 1 : from.bits);
  switch (node.operation) {
    case Operation::trunc:
    case Operation::sext:
      return whole(static_cast<std::uint64_t>(v.whole), node.bits);
    case Operation::zext:
      return whole(unsigned_value, node.bits);
    case Operation::fptosi:
      return to_whole(v.real, node.bits, true);
    case Operation::fptoui:
      return to_whole(v.real, node.bits, false);
    case Operation::sitofp:
      return real(static_cast<double>(v.whole), node.bits);
    case Operation::uitofp:
      return real(static_cast<double>(unsigned_value), node.bits);
    case Operation::fpext:
    case Operation::fptrunc:
      return real(v.real, node.bits);
    case Operation::bitcast:
      if (v.is_real && node.bits == 64) return whole(std::bit_cast<std::uint64_t>(v.real), 64);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<double> of_reals(const Node& node, const Numbers& v) {
  const auto a = v[0].real, b = v.size() > 1 ? v[1].real : 0.0;
  switch (node.operation) {
    case Operation::fadd:
      return a + b;
    case Operation::fsub:
      return a - b;
    case Operation::fmul:
      return a * b;
    case Operation::fdiv:
      return a / b;
    case Operation::frem:
      return std::fmod(a, b);
    case Operation::fneg:
      return -a;
    case Operation::fmuladd:
      return a * b + v[2].real;
    case Operation::floor:
      return std::floor(a);
    case Operation::ceil:
      return std::ceil(a);
    case Operation::ftrunc:
      return std::trunc(a);
    case Operation::rint:
      return std::nearbyint(a);
    case Operation::round:
      return std::round(a);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::fabs:
      return std::fabs(a);
    case Operation::fmin:
      return std::fmin(a, b);
    case Operation::fmax:
      return std::fmax(a, b);
    case Operation::log:
      return std::log(a);
    case Operation::log2:
      return std::log2(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::pow:
      return std::pow(a, b);
    default:
      return std::nullopt;
  }
}

bool takes_reals(Operation operation) {
  return (operation >= Operation::fadd && operation <= Operation::pow) || operation == Operation::fptosi ||
         operation == Operation::fptoui || operation == Operation::fpext || operation == Operation::fptrunc;
}

class Evaluation {
 public:
  Evaluation(const Function& function, const Surroundings& surroundings)
      : function_(function), surroundings_(surroundings) {}

  std::optional<Value> of(NodeNumber number) {
    const auto found = known_.find(number);
    if (found != known_.end()) return found->second;
    return known_[number] = compute(number);
  }

 private:
  std::optional<Value> compute(NodeNumber number) {
    const Node& node = function_.nodes[number];
    switch (node.operation) {
      case Operation::integer:
        return whole(static_cast<std::uint64_t>(node.number), node.bits);
      case Operation::real:
        return real(node.value, 64);
      case Operation::argument:
      case Operation::load:
      case Operation::call:
      case Operation::unknown:
        return surroundings_.source ? surroundings_.source(number) : std::nullopt;
      case Operation::recurrence:
        return recurrence(node);
      default:
        break;
    }
    if (node.operation >= Operation::global) return std::nullopt;
    // only the selected side needs a value
    if (node.operation == Operation::select) {
      const std::optional<Value> condition = of(node.operands[0]);
      return condition ? of(node.operands[condition->whole != 0 ? 1 : 2]) : std::nullopt;
    }
    Numbers operands;
    for (const NodeNumber operand : node.operands) {
      const std::optional<Value> value = of(operand);
      if (!value) return std::nullopt;
      operands.push_back(*value);
    }
    const bool reals = takes_reals(node.operation);
    for (const Value& operand : operands)
      if (operand.is_real != reals && node.operation != Operation::freeze &&
          node.operation != Operation::bitcast)
        return std::nullopt;
    if (node.operation == Operation::freeze) return operands[0];
    if (node.operation == Operation::compare) {
      const std::optional<bool> holds = compared(node, operands);
      return holds ? std::optional(whole(*holds, 1)) : std::nullopt;
    }
    if (node.operation >= Operation::fadd) {
      const std::optional<double> value = of_reals(node, operands);
      return value ? std::optional(real(*value, node.bits)) : std::nullopt;
    }
    if (node.operation >= Operation::trunc)
      return converted(node, function_.nodes[node.operands[0]], operands[0]);
    return of_whole_numbers(node, operands);
  }

  // Returns the sum of operand k times binomial(round, k), modulo 2^bits. The binomials are exact in 128
  // bits.
  std::optional<Value> recurrence(const Node& node) {
    const std::optional<std::uint64_t> round =
        surroundings_.round ? surroundings_.round(static_cast<int>(node.number)) : std::nullopt;
    if (!round || node.operands.size() > 4) return std::nullopt;
    std::uint64_t sum = 0;
    Wide binomial = 1;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      if (k > 0) {
        if (*round < k) {
          binomial = 0;
        } else {
          if (binomial > (~static_cast<Wide>(0)) / (*round - k + 1)) return std::nullopt;
          binomial = binomial * (*round - k + 1) / k;
        }
      }
      const std::optional<Value> operand = of(node.operands[k]);
      if (!operand || operand->is_real) return std::nullopt;
      sum += static_cast<std::uint64_t>(operand->whole) * static_cast<std::uint64_t>(binomial);
    }
    return whole(sum, node.bits);
  }

  const Function& function_;
  const Surroundings& surroundings_;
  std::map<NodeNumber, std::optional<Value>> known_;
};

}  // namespace

std::optional<Value> evaluate(const Function& function, NodeNumber node, const Surroundings& surroundings) {
  return Evaluation(function, surroundings).of(node);
}

}  // namespace parcast::facts
