// SPDX-License-Identifier: Apache-2.0
// The measures of work that times may grow with: parameters, processes, and the data of one process.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fit_counts/costs.h"
#include "model/binding.h"

namespace parcast::program {
namespace {

/// Returns the points of a process's block of a grid whose one side is known: with the same parameter along
/// all dimensions, and with different ones in each order.
std::vector<std::vector<Factor>> blocks_of(const Factor& side, const std::vector<std::size_t>& parameters) {
  const int dimensions = side.axis.dimensions;
  if (dimensions < 2 || dimensions > 3) return {};
  const auto along = [&](int dimension, int parameter) {
    Factor f = side;
    f.axis.dimension = dimension;
    f.parameter = parameter;
    return f;
  };
  std::vector<std::vector<Factor>> blocks;
  std::vector<Factor> same;
  for (int k = 0; k < dimensions; ++k) same.push_back(along(k, side.parameter));
  if (side.axis.dimension == 0) blocks.push_back(std::move(same));
  std::vector<std::vector<int>> orders{{}};
  for (int k = 0; k < dimensions; ++k) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& order : orders)
      for (const std::size_t v : parameters) {
        const int parameter = static_cast<int>(v);
        if (std::ranges::find(order, parameter) != order.end()) continue;
        if ((k == side.axis.dimension) != (parameter == side.parameter)) continue;
        longer.push_back(order);
        longer.back().push_back(parameter);
      }
    orders = std::move(longer);
  }
  for (const std::vector<int>& order : orders) {
    blocks.emplace_back();
    for (int k = 0; k < dimensions; ++k)
      blocks.back().push_back(along(k, order[static_cast<std::size_t>(k)]));
  }
  return blocks;
}

}  // namespace

double CostBuilder::value(std::size_t measure, const Place& place) const {
  const Measure& m = measures_[measure];
  if (m.alone_or_not) return static_cast<double>(std::min<std::int64_t>(2, place.p));
  const auto whole = value_at(m.feature, place);
  return whole ? static_cast<double>(*whole) * std::pow(static_cast<double>(place.p), m.power_of_p) : 0;
}

void CostBuilder::make_measures(const std::vector<Factor>& distributions) {
  const std::size_t count = parameters_.size();
  const auto add = [&](std::vector<int> degrees, std::vector<Factor> factors, int power) {
    Measure m{{std::move(degrees), std::move(factors)}, power};
    m.feature.uses_rank = std::any_of(m.feature.factors.begin(), m.feature.factors.end(),
                                      [](const Factor& f) { return program::depends_on_rank(f.kind); });
    measures_.push_back(std::move(m));
  };
  const auto monomial = [&](std::size_t v, int degree) {
    std::vector<int> degrees(count, 0);
    if (degree > 0) degrees[v] = degree;
    return degrees;
  };
  for (std::size_t v = 0; v < count; ++v) add(monomial(v, 1), {}, 0);
  add(monomial(0, 0), {Factor{Factor::Kind::extent}}, 0);
  std::vector<std::size_t> varied;
  for (std::size_t v = 0; v < count; ++v) {
    std::set<double> values;
    for (const RunInfo& run : runs_) values.insert(run.run.parameters[v]);
    if (values.size() > 1 && *values.begin() >= 0) varied.push_back(v);
  }
  for (const Factor& f : distributions)
    for (std::vector<Factor>& block : blocks_of(f, varied)) {
      // A dimension of the data that is not divided.
      if (static_cast<std::size_t>(f.axis.dimensions) < varied.size())
        for (const std::size_t v : varied)
          if (std::ranges::none_of(block,
                                   [&](const Factor& part) { return part.parameter == static_cast<int>(v); }))
            add(monomial(v, 1), block, 0);
      add(monomial(0, 0), std::move(block), 0);
    }
  for (const Factor& f : distributions) {
    for (const std::size_t v : varied) add(monomial(v, 1), {f}, 0);
    add(monomial(0, 0), {f}, 0);
    add(monomial(static_cast<std::size_t>(f.parameter), 2), {f}, 0);
  }
  for (const int power : {-1, 0}) {
    for (const std::size_t v : varied)
      for (const int degree : {2, 3, 1})
        if (power != 0 || degree > 1) add(monomial(v, degree), {}, power);
    for (std::size_t i = 0; i < varied.size(); ++i)
      for (std::size_t j = i + 1; j < varied.size(); ++j) {
        std::vector<int> degrees = monomial(varied[i], 1);
        degrees[varied[j]] = 1;
        add(std::move(degrees), {}, power);
      }
  }
  measures_.push_back({{}, 0, true});
}

symbolic::Expression CostBuilder::argument(std::size_t measure) const {
  const Measure& m = measures_[measure];
  return m.alone_or_not
             ? symbolic::min(2, processes_symbol())
             : expression_of(m.feature, parameters_) * symbolic::power(processes_symbol(), m.power_of_p);
}

int CostBuilder::degree(std::size_t measure) const {
  const Feature& feature = measures_[measure].feature;
  return std::accumulate(feature.degrees.begin(), feature.degrees.end(), 0) +
         static_cast<int>(feature.factors.size());
}

/// Returns the exponent of p in the measure; each extent of a process grid is the same part of p.
double CostBuilder::degree_of_processes(std::size_t measure) const {
  if (measure == parameters_.size()) return 1;
  const Measure& m = measures_[measure];
  double degree = m.power_of_p;
  for (const Factor& factor : m.feature.factors)
    if (factor.kind != Factor::Kind::extent) degree -= 1.0 / std::max(1, factor.axis.dimensions);
  return degree;
}

double CostBuilder::degree_of_data(std::size_t measure) const {
  const Feature& feature = measures_[measure].feature;
  double degree = 0;
  for (std::size_t v = 0; v < feature.degrees.size(); ++v)
    if (sized_.contains(parameters_[v])) degree += feature.degrees[v];
  for (const Factor& factor : feature.factors)
    if (factor.kind != Factor::Kind::extent &&
        sized_.contains(parameters_[static_cast<std::size_t>(factor.parameter)]))
      ++degree;
  return degree;
}

double CostBuilder::usual_degree(std::size_t measure) const {
  const Feature& feature = measures_[measure].feature;
  // Some sides of a block are no more than what they are: the work is that of the whole block.
  const bool of_sides = !feature.factors.empty() &&
                        std::ranges::all_of(feature.degrees, [](int degree) { return degree == 0; }) &&
                        static_cast<int>(feature.factors.size()) < feature.factors.front().axis.dimensions;
  return of_sides ? std::min(usual_degree_, degree_of_data(measure)) : usual_degree_;
}

// Returns whether the feature grows with a parameter that never varied here; nothing shows that the time
// does.
bool CostBuilder::takes_unvaried(const Feature& feature, const std::vector<std::size_t>& distinct) const {
  for (std::size_t v = 0; v < parameters_.size(); ++v)
    if (distinct[v] < 2 && feature.involves(v)) return true;
  return false;
}

}  // namespace parcast::program
