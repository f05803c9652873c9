// SPDX-License-Identifier: Apache-2.0
#include "model/binding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/plain_number.h"
#include "base/shell.h"
#include "base/text.h"
#include "model/lattice.h"
#include "model/place.h"
#include "model/prices.h"
#include "model/resolved.h"

namespace parcast::program {
namespace {

using symbolic::Binding;
using symbolic::Expression;
using symbolic::SymbolKind;

std::string grid_name(char what, int dimensions, int dimension) {
  return std::string(1, what) + std::to_string(dimensions) + "_" + std::to_string(dimension);
}

std::vector<std::int32_t> prime_factors(std::int32_t n) {
  std::vector<std::int32_t> factors;
  for (std::int32_t d = 2; d <= n / d; ++d)
    for (; n % d == 0; n /= d) factors.push_back(d);
  if (n > 1) factors.push_back(n);
  return factors;
}

Error unlike_grid(const Model& model, const ProcessGrid& grid, const Point& point) {
  std::string names, values;
  for (const std::size_t v : grid.parameters) {
    const std::string& name = model.parameters[v].name;
    names += (names.empty() ? "" : " x ") + name;
    values += (values.empty() ? "" : " x ") + format_plain(point.parameters.at(name));
  }
  return {"the processes form a grid of " + names + ", but " + values +
              " is not p = " + std::to_string(point.processes),
          model.program, "give values with -s that multiply to p"};
}

// Returns the exact value if every input is a whole number, otherwise in floating point: n * (1 / p) is not n
// / p.
Result<double> value_at(const Expression& expression, const Binding& binding) {
  symbolic::ExactBinding exact;
  for (const auto& [name, value] : binding) {
    if (value != std::floor(value) || std::abs(value) > 9e15) return symbolic::evaluate(expression, binding);
    exact.emplace(name, symbolic::Rational(static_cast<std::int64_t>(value)));
  }
  const auto result = symbolic::evaluate_exactly(expression, exact);
  return result ? Result<double>(result->to_double()) : symbolic::evaluate(expression, binding);
}

bool is_whole_number(Origin origin) {
  return origin == Origin::exact || origin == Origin::ambiguous || origin == Origin::symbolic ||
         origin == Origin::run_constant;
}

bool counts_as_call(const Node& node) {
  return node.kind == NodeKind::call && node.call_class != recording::CallClass::region_begin &&
         node.call_class != recording::CallClass::region_end;
}

void add(CountValue& total, const CountValue& part) {
  if (part.value == 0 && part.low == 0 && part.high == 0 && part.origin <= Origin::exact) return;
  total.value += part.value;
  total.low += part.low;
  total.high += part.high;
  total.origin = weaker(total.origin, part.origin);
}

Result<PredictedCounts> predict_rank(const Model& model, const Point& point, std::int32_t rank) {
  PARCAST_ASSIGN(const Binding binding, bind(model, point, rank));
  PredictedCounts counts;
  counts.rank = rank;
  // No other calls happen if p was recorded, or if there are enough values of p.
  constexpr std::size_t kEnough = 3;
  const bool seen =
      std::find(model.processes.begin(), model.processes.end(), point.processes) != model.processes.end();
  const bool known = seen || !model.written_in.empty() ||
                     (model.processes.size() >= kEnough && lattice_of(model).contains(point));
  const CountValue nothing{0, 0, 0, known ? Origin::exact : Origin::ambiguous};
  counts.messages_sent = counts.bytes_sent = counts.collective_bytes = nothing;
  const auto add_to = [&](CountValue& total, const Count& count) -> Result<void> {
    PARCAST_ASSIGN(const CountValue value, value_of(count, binding));
    add(total, value);
    return {};
  };
  for (const Node& node : model.nodes) {
    if (!counts_as_call(node)) continue;
    auto& total = counts.calls.try_emplace(node.label, nothing).first->second;
    PARCAST_TRY(add_to(total, node.executions));
    PARCAST_TRY(add_to(counts.messages_sent, node.messages));
    PARCAST_TRY(add_to(counts.bytes_sent, node.bytes));
    PARCAST_TRY(add_to(counts.collective_bytes, node.collective_bytes));
  }
  for (const auto& [name, count] : model.unfollowed) {
    auto& total = counts.calls.try_emplace(name, nothing).first->second;
    PARCAST_TRY(add_to(total, count));
  }
  std::erase_if(counts.calls,
                [](const auto& entry) { return entry.second.value == 0 && entry.second.high == 0; });
  return counts;
}

}  // namespace

Expression parameter_symbol(std::string_view name) {
  return symbolic::symbol(name, SymbolKind::parameter);
}
Expression processes_symbol() {
  return symbolic::symbol("p", SymbolKind::processes);
}
Expression rank_symbol() {
  return symbolic::symbol("r", SymbolKind::rank);
}
Expression extent_symbol(int dimensions, int dimension) {
  return symbolic::symbol(grid_name('g', dimensions, dimension), SymbolKind::processes);
}
Expression coordinate_symbol(int dimensions, int dimension) {
  return symbolic::symbol(grid_name('c', dimensions, dimension), SymbolKind::rank);
}

std::map<std::string, SymbolKind, std::less<>> symbol_kinds(const std::vector<Parameter>& parameters) {
  std::map<std::string, SymbolKind, std::less<>> kinds{{"p", SymbolKind::processes}, {"r", SymbolKind::rank}};
  for (int d = 1; d <= kMostDimensions; ++d)
    for (int k = 0; k < d; ++k) {
      kinds.emplace(grid_name('g', d, k), SymbolKind::processes);
      kinds.emplace(grid_name('c', d, k), SymbolKind::rank);
    }
  for (const Parameter& parameter : parameters) kinds.emplace(parameter.name, SymbolKind::parameter);
  for (const std::string& price : price_names()) kinds.emplace(price, SymbolKind::machine_cost);
  return kinds;
}

std::vector<std::int32_t> balanced_dimensions(std::int32_t processes, int dimensions) {
  std::vector<std::int32_t> extents(static_cast<std::size_t>(dimensions), 1);
  auto factors = prime_factors(processes);
  std::reverse(factors.begin(), factors.end());
  // Open MPI's rule: the largest prime factor first, each multiplied into the smallest extent so far.
  for (const std::int32_t factor : factors) *std::min_element(extents.begin(), extents.end()) *= factor;
  std::sort(extents.begin(), extents.end(), std::greater<>());
  return extents;
}

std::vector<double> ordered_parameters(const Model& model, const Point& point) {
  std::vector<double> out;
  for (const Parameter& parameter : model.parameters) {
    const auto at = point.parameters.find(parameter.name);
    out.push_back(at == point.parameters.end() ? std::numeric_limits<double>::quiet_NaN() : at->second);
  }
  return out;
}

Result<Binding> bind(const Model& model, const Point& point, std::int32_t rank) {
  if (point.processes < 1)
    return Error{"the process count is " + std::to_string(point.processes), "",
                 "ask for at least one process"};
  if (rank < 0 || rank >= point.processes)
    return Error{
        "rank " + std::to_string(rank) + " is not one of " + std::to_string(point.processes) + " processes",
        "", "ranks are 0 to p - 1"};
  Binding binding{{"p", point.processes}, {"r", rank}};
  for (const Parameter& parameter : model.parameters) {
    const auto given = point.parameters.find(parameter.name);
    if (given == point.parameters.end())
      return Error{"the parameter " + parameter.name + " has no value", model.program,
                   "give it with -s " + shell_quoted(parameter.name) + "=..."};
    binding.emplace(parameter.name, given->second);
  }
  const std::vector<double> parameters = ordered_parameters(model, point);
  for (const ProcessGrid& grid : model.grids)
    if (!grid.parameters.empty() && !extents_of_parameters(grid, point.processes, parameters))
      return unlike_grid(model, grid, point);
  const Place place = place_at(parameters, point.processes, rank, model.grids);
  for (int d = 1; d <= kMostDimensions; ++d)
    for (int k = 0; k < d; ++k) {
      binding.emplace(grid_name('g', d, k), static_cast<double>(place.extents[d][k]));
      binding.emplace(grid_name('c', d, k), static_cast<double>(place.coordinates[d][k]));
    }
  return binding;
}

Result<CountValue> value_of(const Count& count, const Binding& binding) {
  PARCAST_ASSIGN(double value, value_at(count.expression, binding));
  if (is_whole_number(count.origin)) value = std::round(value);
  value = std::max(value, 0.0);  // a count cannot be negative
  CountValue result{value, value, value, count.origin};
  for (const Expression& alternative : count.alternatives) {
    const auto other = value_at(alternative, binding);
    if (!other) continue;  // an alternative without a value here is skipped
    const double whole = std::max(0.0, std::round(*other));
    result.low = std::min(result.low, whole);
    result.high = std::max(result.high, whole);
  }
  if (count.origin == Origin::fitted) {
    result.low = std::max(0.0, value * (1 - count.relative_error));
    result.high = value * (1 + count.relative_error);
  }
  return result;
}

Result<std::vector<PredictedCounts>> predict_counts(const Model& as_built, const Point& point) {
  const Model model = resolved(as_built, point);
  std::vector<PredictedCounts> all;
  for (std::int32_t rank = 0; rank < std::max(point.processes, 1); ++rank) {
    PARCAST_ASSIGN(PredictedCounts counts, predict_rank(model, point, rank));
    all.push_back(std::move(counts));
  }
  return all;
}

}  // namespace parcast::program
