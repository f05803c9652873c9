// SPDX-License-Identifier: Apache-2.0
#include "model/work.h"

#include <algorithm>
#include <array>

namespace parcast::program {
namespace {

using symbolic::Expression;
using symbolic::Rational;

// The weights only divide work among blocks that grow differently; the cost of a segment is measured.
struct Weight {
  std::string_view name;
  int tenths;
};
constexpr std::array kWeights{Weight{"integer_add", 5},
                              Weight{"integer_multiply", 10},
                              Weight{"integer_divide", 80},
                              Weight{"double_add", 10},
                              Weight{"double_multiply", 10},
                              Weight{"double_multiply_add", 15},
                              Weight{"double_divide", 50},
                              Weight{"double_square_root", 60},
                              Weight{"load", 10},
                              Weight{"store", 15},
                              Weight{"atomic", 200},
                              Weight{"branch", 10},
                              Weight{"call", 30}};

int tenths_of(std::string_view operation) {
  const auto found = std::ranges::find(kWeights, operation, &Weight::name);
  return found == kWeights.end() ? 0 : found->tenths;
}

}  // namespace

Rational weight_of(std::string_view operation) {
  return Rational::of(tenths_of(operation), 10);
}

double weight_of(const std::map<std::string, std::int64_t>& operations) {
  double sum = 0;
  for (const auto& [name, count] : operations) sum += static_cast<double>(count) * tenths_of(name) / 10;
  return sum;
}

Expression weighted_work(const std::map<std::string, Expression>& operations) {
  std::vector<Expression> terms;
  for (const auto& [name, count] : operations)
    if (const int tenths = tenths_of(name); tenths > 0)
      terms.push_back(Expression(Rational::of(tenths, 10)) * count);
  return symbolic::sum_of(terms);
}

std::vector<Work::Executions> executions_in(const Model& model, std::size_t segment) {
  const NodeId from = model.segments[segment].from;
  const auto work = std::ranges::find(model.work, from, &Work::from);
  if (work == model.work.end()) return {};
  double all = 0;
  std::size_t ways = 0;
  for (const Segment& other : model.segments)
    if (other.from == from) {
      all += other.share;
      ++ways;
    }
  const double part = ways == 1 ? 1 : all > 0 ? model.segments[segment].share / all : 0;
  std::vector<Work::Executions> out = work->blocks;
  if (part != 1)
    for (Work::Executions& each : out) each.count = symbolic::real(part) * each.count;
  return out;
}

namespace {

// Returns the sums over blocks: each class's amount per execution times the block's executions.
template <class Amount>
std::map<std::string, Expression> summed(const Model& model, std::size_t segment, const Amount& amount) {
  std::map<std::string, std::vector<Expression>> terms;
  for (const Work::Executions& each : executions_in(model, segment)) {
    const Block& block = model.blocks[static_cast<std::size_t>(each.block)];
    for (const auto& [name, count] : block.operations)
      terms[name].push_back(amount(block, name, count) * each.count);
  }
  std::map<std::string, Expression> sums;
  for (const auto& [name, of] : terms) sums[name] = symbolic::sum_of(of);
  return sums;
}

}  // namespace

std::map<std::string, Expression> operations_in(const Model& model, std::size_t segment) {
  return summed(model, segment,
                [](const Block&, const std::string&, std::int64_t count) { return Expression(count); });
}

std::map<std::string, Expression> instructions_in(const Model& model, std::size_t segment) {
  return summed(model, segment, [](const Block& block, const std::string& name, std::int64_t count) {
    const auto packed = block.packed.find(name);
    return packed == block.packed.end()
               ? Expression(count)
               : Expression(count) *
                     Expression(Rational::of(packed->second.instructions, packed->second.operations));
  });
}

}  // namespace parcast::program
