// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/footprint.h"

#include <algorithm>
#include <vector>

#include "predict/equation/growth_expression.h"

namespace parcast::predict {
namespace {

constexpr double kShown = 2;  // data must exceed the residual error of resident memory so many times

// Returns the fit at the largest recorded arguments.
double at_largest(const statistics::GrowthModel& growth) {
  std::vector<double> largest;
  for (const statistics::ArgumentRange& range : growth.ranges) largest.push_back(range.highest);
  return statistics::evaluate(growth.hypotheses.front(), largest);
}

// Memory that does not grow with the problem is the program and, with p, its MPI library: for data, a term
// grows with a parameter and does not grow with p.
bool is_of_data(const statistics::GrowthTerm& term, const std::vector<std::string>& arguments) {
  bool grows = false;
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    if (arguments[j] != "p")
      grows = grows || term.exponents[j] != 0 || term.log_powers[j] != 0;
    else if (term.exponents[j] > 0 || term.log_powers[j] > 0)
      return false;
  }
  return grows;
}

std::optional<symbolic::Expression> data_of(const program::Residence& bytes) {
  if (bytes.growth.hypotheses.empty()) return std::nullopt;
  statistics::GrowthModel data = bytes.growth;
  std::erase_if(data.hypotheses.front().terms,
                [&](const statistics::GrowthTerm& term) { return !is_of_data(term, data.arguments); });
  if (data.hypotheses.front().terms.empty()) return std::nullopt;
  const bool known_ranges = data.ranges.size() == data.arguments.size();
  if (known_ranges && at_largest(data) < kShown * data.residual_relative_error * at_largest(bytes.growth))
    return std::nullopt;
  return growth_expression(data, bytes.arguments);
}

}  // namespace

std::optional<symbolic::Expression> footprint_of(const program::Model& model) {
  if (model.footprint) return model.footprint;
  const auto grown = data_of(model.grown);
  return grown ? grown : data_of(model.residence);
}

}  // namespace parcast::predict
