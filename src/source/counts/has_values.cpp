// SPDX-License-Identifier: Apache-2.0
#include "source/counts/has_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

constexpr double kSmallestSize =
    8;  // smallest parameter that is a size; smaller numbers may be sides of a grid
constexpr double kLargerSize = 3;  // factor for sizes

bool has_value(const symbolic::Expression& expression, const Inputs& inputs,
               const std::vector<double>& parameters, std::int32_t processes) {
  for (const std::int32_t rank : std::set<std::int32_t>{0, std::min(1, processes - 1), processes / 2,
                                                        std::max(0, processes - 2), processes - 1}) {
    const auto value = symbolic::evaluate(
        expression,
        binding_of(place_at(parameters, processes, rank, inputs.grids), inputs.parameters, parameters));
    if (!value || !std::isfinite(*value)) return false;
  }
  return true;
}

}  // namespace

bool has_values(const symbolic::Expression& expression, const Inputs& inputs) {
  if (!has_value(expression, inputs, std::vector<double>(inputs.parameters.size(), 1), 1)) return false;
  for (const std::size_t run : std::set<std::size_t>{inputs.order.front(), inputs.order.back()}) {
    const std::vector<double>& recorded = inputs.runs[run].parameters;
    std::vector<double> larger = recorded;
    for (double& value : larger)
      if (value >= kSmallestSize) value *= kLargerSize;
    std::set<std::int32_t> processes{1, 2, 3, 4, 6, 8, 16};
    processes.insert(inputs.runs[run].processes);
    for (const std::int32_t p : processes)
      if (!has_value(expression, inputs, recorded, p) || !has_value(expression, inputs, larger, p))
        return false;
  }
  return true;
}

}  // namespace parcast::program
