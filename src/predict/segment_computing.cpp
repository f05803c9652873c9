// SPDX-License-Identifier: Apache-2.0
#include "predict/segment_computing.h"

#include <algorithm>

#include "predict/equation/compiled.h"
#include "predict/equation/growth_expression.h"

namespace parcast::predict {

using symbolic::Expression;

namespace {

constexpr std::size_t kStationsOfSegment = 4096;

Expression computing_of(const program::Segment& segment) {
  if (segment.cost.growth->hypotheses.empty()) return Expression(0);
  Expression executions = segment.executions.expression;
  if (segment.cost.first_excess > 0)
    executions = executions + conditional(executions - Expression(1),
                                          symbolic::real(segment.cost.first_excess), Expression(0));
  return executions * growth_expression(segment.cost.growth, segment.cost.arguments);
}

}  // namespace

std::vector<Expression> computing_by_segment(const program::Model& model) {
  std::vector<Expression> out;
  for (const program::Segment& segment : model.segments) out.push_back(computing_of(segment));
  return out;
}

Result<std::vector<double>> values_by_rank(const program::Model& model, const program::Point& point,
                                           std::span<const Expression> expressions) {
  PARCAST_ASSIGN(const Compiled compiled, Compiled::compile(model, expressions, {}));
  const GridExtents extents = grid_extents(model, point);
  std::vector<double> parameters;
  for (const program::Parameter& parameter : model.parameters)
    parameters.push_back(point.parameters.at(parameter.name));
  const auto ranks = static_cast<std::size_t>(point.processes);
  std::vector<double> out(expressions.size() * ranks);
  for (std::size_t first = 0; first < ranks; first += kStationsOfSegment) {
    const std::size_t count = std::min(kStationsOfSegment, ranks - first);
    std::vector<Station> stations;
    for (std::size_t i = 0; i < count; ++i)
      stations.push_back({point.processes, static_cast<std::int32_t>(first + i), &extents, parameters});
    const std::vector<double> values = compiled.evaluate(stations);
    for (std::size_t e = 0; e < expressions.size(); ++e)
      for (std::size_t i = 0; i < count; ++i) out[e * ranks + first + i] = values[e * count + i];
  }
  return out;
}

}  // namespace parcast::predict
