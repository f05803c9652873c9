// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/compiled.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/place.h"

namespace parcast::predict {

using symbolic::Expression;
using symbolic::SymbolKind;

namespace {

constexpr std::string_view kFactor = "factor ";

}  // namespace

Expression factor_symbol(std::size_t segment) {
  return symbolic::symbol(std::string(kFactor) + std::to_string(segment), SymbolKind::parameter);
}

GridExtents grid_extents(const program::Model& model, const program::Point& point) {
  GridExtents out;
  const std::vector<double> parameters = program::ordered_parameters(model, point);
  for (int d = 1; d <= 3; ++d)
    out[static_cast<std::size_t>(d)] = program::extents_at(model.grids, d, point.processes, parameters);
  return out;
}

bool Compiled::classify(const program::Model& model, const Expression& symbol, const symbolic::Binding& costs,
                        Input& input) {
  const std::string& name = symbol.name();
  if (const auto cost = costs.find(name); symbol.kind() == SymbolKind::machine_cost && cost != costs.end()) {
    input.value = cost->second;
    return true;
  }
  const auto parameter = std::find_if(model.parameters.begin(), model.parameters.end(),
                                      [&](const program::Parameter& p) { return p.name == name; });
  if (parameter != model.parameters.end()) {
    input.kind = Kind::parameter;
    input.parameter = static_cast<std::size_t>(parameter - model.parameters.begin());
    return true;
  }
  if (name.starts_with(kFactor)) {
    const auto segment = parse_integer(name.substr(kFactor.size()));
    if (!segment || *segment < 0 || *segment >= static_cast<std::int64_t>(model.segments.size()))
      return false;
    input.kind = Kind::factor;
    input.segment = static_cast<std::size_t>(*segment);
    return true;
  }
  if (name == "p" || name == "r") {
    input.kind = name == "p" ? Kind::processes : Kind::rank;
    return true;
  }
  const bool grid = name.size() == 4 && (name[0] == 'g' || name[0] == 'c') && name[1] >= '1' &&
                    name[1] <= '3' && name[2] == '_' && name[3] >= '0' && name[3] < name[1];
  if (!grid) return false;
  input.kind = name[0] == 'g' ? Kind::extent : Kind::coordinate;
  input.grid = static_cast<std::size_t>(name[1] - '0');
  input.dimension = static_cast<std::size_t>(name[3] - '0');
  return true;
}

bool Compiled::accepts(const program::Model& model, const Expression& output,
                       const symbolic::Binding& costs) {
  return std::ranges::all_of(free_symbols(output), [&](const Expression& symbol) {
    Input input;
    return classify(model, symbol, costs, input);
  });
}

Result<Compiled> Compiled::compile(const program::Model& model, std::span<const Expression> outputs,
                                   const symbolic::Binding& costs) {
  std::set<Expression> symbols;
  for (const Expression& output : outputs)
    for (const Expression& symbol : free_symbols(output)) symbols.insert(symbol);
  std::vector<Input> columns;
  for (const Expression& symbol : symbols) {
    Input input;
    if (!classify(model, symbol, costs, input))
      return Error{"nothing gives a value for " + symbol.name(), "model of " + model.program, ""};
    columns.push_back(input);
  }
  const std::vector<Expression> inputs(symbols.begin(), symbols.end());
  PARCAST_ASSIGN(symbolic::FlatProgram program, symbolic::FlatProgram::compile(outputs, inputs));
  return Compiled(std::move(columns), std::move(program));
}

double Compiled::value_of(const Input& input, const Station& station) {
  switch (input.kind) {
    case Kind::constant:
      return input.value;
    case Kind::parameter:
      return station.parameters[input.parameter];
    case Kind::factor:
      return station.factors.empty() ? 1 : station.factors[input.segment];
    case Kind::processes:
      return station.processes;
    case Kind::rank:
      return station.rank;
    case Kind::extent:
      return (*station.extents)[input.grid][input.dimension];
    case Kind::coordinate:
      break;
  }
  const std::vector<std::int32_t>& extents = (*station.extents)[input.grid];
  std::int32_t rest = station.rank;
  for (std::size_t d = extents.size() - 1; d > input.dimension; --d) rest /= extents[d];
  return rest % extents[input.dimension];
}

std::vector<double> Compiled::evaluate(std::span<const Station> stations) const {
  std::vector<double> points(inputs_.size() * stations.size());
  auto next = points.begin();
  for (const Input& input : inputs_)
    for (const Station& station : stations) *next++ = value_of(input, station);
  std::vector<double> results(outputs() * stations.size());
  program_.evaluate(points, stations.size(), results);
  return results;
}

}  // namespace parcast::predict
