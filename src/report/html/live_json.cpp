// SPDX-License-Identifier: Apache-2.0
// The only file of this folder that includes JSON.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "predict/corrections.h"
#include "predict/forward_evidence.h"
#include "report/html/live.h"
#include "statistics/distribution.h"
#include "symbolic/languages.h"

namespace parcast::report::html {
namespace {

using Json = nlohmann::ordered_json;
using predict::ExportedCase;
using predict::ExportedEquation;
using predict::ExportedTerm;
using symbolic::Expression;

constexpr double kFurther = 4;        // times the largest recorded value
constexpr double kFurtherByHand = 8;  // of a parameter without recordings

/// Outputs of a case's second function, each expression once.
class Details {
 public:
  std::size_t add(const Expression& value) {
    const auto [found, is_new] = numbers_.try_emplace(value, all_.size());
    if (is_new) all_.push_back(value);
    return found->second;
  }
  Json add(const std::vector<Expression>& values) {
    Json out = Json::array();
    for (const Expression& value : values) out.push_back(add(value));
    return out;
  }
  const std::vector<Expression>& all() const { return all_; }

 private:
  std::vector<Expression> all_;
  std::map<Expression, std::size_t> numbers_;
};

const char* name_of(predict::Term::Part part) {
  switch (part) {
    case predict::Term::Part::compute:
      return "compute";
    case predict::Term::Part::memory:
      return "memory";
    case predict::Term::Part::message_startup:
      return "startup";
    case predict::Term::Part::transfer:
      return "transfer";
    case predict::Term::Part::wait:
      break;
  }
  return "wait";
}

Json count_json(const predict::ExportedCount& count, Details& details) {
  Json out{{"value", details.add(count.expression)}, {"number", count.number}};
  if (count.relative_error > 0) out["error"] = count.relative_error;
  if (count.alternatives.empty()) return out;
  out["once"] = details.add(count.per_count);
  out["alternatives"] = details.add(count.alternatives);
  out["settlings"] = count.settlings;
  return out;
}

Json term_json(const ExportedTerm& term, Details& details) {
  Json out{
      {"part", name_of(term.part)}, {"leaf", term.leaf}, {"interval", term.interval}, {"phase", term.phase}};
  if (term.segment >= 0) out["segment"] = term.segment;
  if (term.at_most) out["most"] = details.add(*term.at_most);
  if (term.count) out["count"] = count_json(*term.count, details);
  if (term.table_error > 0) out["table"] = {term.table, term.table_error};
  for (const auto& [name, slope] : term.slopes) out["slopes"][name] = details.add(slope);
  return out;
}

/// Segments whose terms have the interval of a growth model.
std::set<std::int32_t> segments_of(const ExportedCase& each) {
  std::set<std::int32_t> out;
  for (const ExportedTerm& term : each.terms)
    if (term.segment >= 0) out.insert(term.segment);
  return out;
}

std::vector<std::string> symbols_of(const std::vector<Expression>& seconds,
                                    const std::vector<Expression>& details) {
  std::set<std::string> names;
  for (const auto* all : {&seconds, &details})
    for (const Expression& value : *all)
      for (const Expression& symbol : free_symbols(value)) names.insert(symbol.name());
  return {names.begin(), names.end()};
}

Json case_json(const ExportedEquation& equation, const ExportedCase& each, std::string& functions) {
  Details details;
  Json out{{"grids", each.grids}, {"ranks", each.depends_on_rank}};
  out["terms"] = Json::array();
  std::vector<Expression> seconds;
  for (const ExportedTerm& term : each.terms) {
    out["terms"].push_back(term_json(term, details));
    seconds.push_back(term.seconds);
  }
  for (const std::int32_t segment : segments_of(each)) {
    const program::Cost& cost = equation.model.segments[static_cast<std::size_t>(segment)].cost;
    Json arguments{{"arguments", details.add(cost.arguments)}};
    if (!cost.alternatives.empty()) arguments["rivals"] = details.add(cost.alternatives);
    out["segments"][std::to_string(segment)] = std::move(arguments);
  }
  const std::vector<std::string> symbols = symbols_of(seconds, details.all());
  out["symbols"] = symbols;
  out["details"] = details.all().size();
  functions += (functions.empty() ? "[" : ",\n[") + symbolic::javascript_of_many(seconds, symbols) + ",\n" +
               symbolic::javascript_of_many(details.all(), symbols) + "]";
  return out;
}

/// Weight, noise, degrees of freedom, whether the exponents are fitted, columns and values of the factor,
/// terms.
Json hypothesis_json(const statistics::GrowthHypothesis& h) {
  Json terms = Json::array();
  for (const statistics::GrowthTerm& term : h.terms)
    terms.push_back({term.coefficient, term.exponents, term.log_powers});
  return {h.weight,
          h.relative_noise,
          h.degrees_of_freedom,
          h.fitted_exponents ? 1 : 0,
          h.factor.columns,
          h.factor.values,
          terms};
}

Json growth_json(const statistics::GrowthModel& growth) {
  Json out{{"per_doubling", growth.relative_error_per_doubling}};
  out["ranges"] = Json::array(), out["hypotheses"] = Json::array();
  for (std::size_t j = 0; j < growth.ranges.size(); ++j) {
    const statistics::ArgumentRange& range = growth.ranges[j];
    out["ranges"].push_back({range.lowest, range.highest, range.distinct, range.given,
                             j < growth.arguments.size() && growth.arguments[j] == "p"});
  }
  for (const auto& h : growth.hypotheses) out["hypotheses"].push_back(hypothesis_json(h));
  return out;
}

Json growth_json(const program::Cost& cost) {
  const statistics::GrowthModel& growth = *cost.growth;
  Json out = growth_json(growth);
  std::vector<double> recorded;
  for (const statistics::ArgumentRange& range : growth.ranges) recorded.push_back(range.highest);
  if (cost.unsure > 0 && !growth.ranges.empty() && !growth.hypotheses.empty())
    out["unsure"] = std::min(cost.unsure, 1.0) * std::max(0.0, growth.predict(recorded));
  return out;
}

Json lattice_json(const program::Lattice& lattice) {
  Json out{{"powers", lattice.powers_of_two},
           {"several", lattice.several},
           {"whole", lattice.whole},
           {"not_negative", lattice.not_negative}};
  out["residues"] = Json::array(), out["divided"] = Json::array();
  for (const auto& rule : lattice.residues)
    out["residues"].push_back({rule.variable, rule.modulus, rule.remainder});
  for (const auto& rule : lattice.divided) out["divided"].push_back({rule.parameter, rule.offset});
  return out;
}

Json layer_json(const predict::ExportedLayer& layer) {
  Json out{{"p", layer.processes}, {"nodes", layer.nodes}, {"case", layer.which}, {"extents", layer.extents}};
  if (layer.of_difference != 0) out["of_difference"] = layer.of_difference;
  if (layer.of_chain != 0) out["of_chain"] = layer.of_chain;
  if (layer.stand_in != predict::ExportedLayer::StandIn::nothing)
    out["stand_in"] = layer.stand_in == predict::ExportedLayer::StandIn::all ? "all" : "messages";
  return out;
}

/// Recorded and given seconds: of the run where it was predicted on this machine, and of its computing.
Json checks_json(const program::Model& model, const std::string& machine, double level) {
  const program::Checks& checks = model.checks;
  Json out{{"runs", Json::array()}, {"ranges", Json::array()}};
  for (const program::RunCheck& run : checks.given_back) {
    if (run.slowed) continue;
    Json each{{"p", run.processes},
              {"parameters", run.parameters},
              {"computing", {run.computing.recorded, run.computing.given}}};
    if (run.total && checks.machine == machine) each["total"] = {run.total->recorded, run.total->given};
    out["runs"].push_back(std::move(each));
  }
  const predict::ForwardEvidence forward(model);
  for (const predict::CheckedRange& range : forward.ranges()) {
    Json each{{"name", range.name}, {"smallest", range.smallest}, {"largest", range.largest}};
    if (range.remaining > 0) {
      each["remaining"] = range.remaining;
      if (std::isfinite(range.growth_missed)) each["missed"] = 1 + range.growth_missed;
      if (range.growth) each["growth"] = *range.growth;
    }
    if (range.in_costs) each["in_costs"] = true;
    out["ranges"].push_back(std::move(each));
  }
  if (const auto quantile = forward.quantile(level))
    out["together"] = {{"quantile", *quantile}, {"noise", forward.noise()}};
  return out;
}

Json parameters_json(const ExportedEquation& equation, const std::map<std::string, SliderRange>& sliders,
                     const predict::Prediction& prediction) {
  Json out = Json::array();
  for (const program::Parameter& parameter : equation.model.parameters) {
    const SliderRange& range = sliders.at(parameter.name);
    out.push_back({{"name", parameter.name},
                   {"value", prediction.question.point.parameters.at(parameter.name)},
                   {"recorded", parameter.values},
                   {"low", range.low},
                   {"high", range.high},
                   {"whole", range.whole}});
  }
  return out;
}

Json machine_json(const ExportedEquation& equation) {
  Json out = Json::object();
  for (const auto& [name, parameter] : equation.machine)
    out[name] = {parameter.value, parameter.standard_error};
  return out;
}

/// Quantiles of Student's distribution at both ends of an interval, by degrees of freedom.
Json quantiles_json(const program::Model& model, double level) {
  std::set<double> degrees;
  const auto add = [&](const statistics::GrowthModel& growth) {
    for (const auto& h : growth.hypotheses) degrees.insert(h.degrees_of_freedom);
  };
  for (const program::Segment& segment : model.segments) add(*segment.cost.growth);
  for (const program::Forecast& forecast : model.forecasts) add(forecast.growth);
  Json out = Json::array();
  for (const double each : degrees)
    out.push_back({each, statistics::student_t_quantile(0.5 - level / 2, each),
                   statistics::student_t_quantile(0.5 + level / 2, each)});
  return out;
}

Json corrected_json(const ExportedEquation& equation, std::size_t number, Details& details) {
  const program::Segment& segment = equation.model.segments[number];
  Json out{{"segment", number},
           {"executions", details.add(segment.executions.expression)},
           {"first", segment.cost.first_excess},
           {"arguments", details.add(segment.cost.arguments)}};
  if (segment.executions.origin == Origin::fitted) out["error"] = segment.executions.relative_error;
  return out;
}

Json group_json(const predict::Group& group, const program::Forecast& forecast, Details& details) {
  Json out{{"parts", group.parts}, {"groups", group.groups}};
  if (predict::is_better_as_a_whole(forecast.error, forecast.error_of_parts))
    out["whole"] = {{"error", forecast.error},
                    {"error_of_parts", forecast.error_of_parts},
                    {"arguments", details.add(forecast.arguments)},
                    {"growth", growth_json(forecast.growth)}};
  return out;
}

/// What corrects segments at each point, and the function of its expressions.
Json forecasts_json(const ExportedEquation& equation, std::string& function) {
  Details details;
  Json out{{"level", predict::kWeighedLevel},
           {"quantiles", quantiles_json(equation.model, predict::kWeighedLevel)},
           {"segments", Json::array()},
           {"groups", Json::array()}};
  for (std::size_t f = 0; f < equation.groups.size(); ++f) {
    out["groups"].push_back(group_json(equation.groups[f], equation.model.forecasts[f], details));
    for (const std::size_t segment : equation.groups[f].parts)
      out["segments"].push_back(corrected_json(equation, segment, details));
  }
  const std::vector<std::string> symbols = symbols_of({}, details.all());
  out["symbols"] = symbols;
  out["details"] = details.all().size();
  function = symbolic::javascript_of_many(details.all(), symbols);
  return out;
}

/// Segments whose growth the page needs.
std::set<std::int32_t> segments_of(const ExportedEquation& equation) {
  std::set<std::int32_t> out;
  for (const ExportedCase& each : equation.cases) out.merge(segments_of(each));
  for (const predict::Group& group : equation.groups)
    for (const std::size_t segment : group.parts) out.insert(static_cast<std::int32_t>(segment));
  return out;
}

}  // namespace

std::map<std::string, SliderRange> slider_ranges(const program::Model& model,
                                                 const predict::Question& question) {
  std::map<std::string, SliderRange> out;
  for (const program::Parameter& parameter : model.parameters) {
    const double asked = question.point.parameters.at(parameter.name);
    SliderRange range{asked, asked, asked == std::floor(asked)};
    for (const double value : parameter.values) {
      range.low = std::min(range.low, value), range.high = std::max(range.high, value);
      range.whole = range.whole && value == std::floor(value);
    }
    if (parameter.values.empty())
      range.low /= kFurtherByHand, range.high *= kFurtherByHand;
    else
      range.high *= kFurther;
    if (range.whole) range.low = std::ceil(range.low), range.high = std::floor(range.high);
    if (range.low > range.high) std::swap(range.low, range.high);
    out[parameter.name] = range;
  }
  return out;
}

Live live(const ExportedEquation& equation, const predict::Prediction& prediction,
          const std::map<std::string, SliderRange>& sliders) {
  Json out{{"schema", "parcast.page/1"},
           {"program", prediction.program},
           {"machine_name", prediction.machine},
           {"engine", prediction.engine},
           {"p", prediction.question.point.processes},
           {"seconds", prediction.seconds.value},
           {"low", prediction.seconds.low},
           {"high", prediction.seconds.high},
           {"level", equation.level},
           {"quantile", equation.quantile},
           {"noise", equation.run_deviation},
           {"spread", equation.processor_spread},
           {"related", equation.model.between_runs.related},
           {"recorded_p",
            equation.model.written_in.empty() ? equation.model.processes : std::vector<std::int32_t>()}};
  out["parameters"] = parameters_json(equation, sliders, prediction);
  out["machine"] = machine_json(equation);
  if (!equation.model.checks.given_back.empty())
    out["checks"] = checks_json(equation.model, prediction.machine, equation.level);
  out["covariance"] = Json::array();
  for (const auto& [names, value] : equation.covariance)
    out["covariance"].push_back({names.first, names.second, value});
  out["grids"] = Json::array();
  for (const program::ProcessGrid& grid : equation.model.grids)
    if (!grid.parameters.empty()) out["grids"].push_back({grid.dimensions, grid.parameters});
  out["domain"] = lattice_json(equation.domain);
  out["settlings"] = Json::array();
  for (const program::Settling& each : equation.settlings)
    out["settlings"].push_back(
        {{"variables", each.variables}, {"values", each.values}, {"lattice", lattice_json(each.lattice)}});
  out["leaves"] = Json::array();
  for (const predict::ExportedLeaf& leaf : equation.leaves) out["leaves"].push_back({leaf.path, leaf.where});
  out["layers"] = Json::array();
  for (const predict::ExportedLayer& layer : equation.layers) out["layers"].push_back(layer_json(layer));
  out["quantiles"] = quantiles_json(equation.model, equation.level);
  std::string functions, of_forecasts;
  out["cases"] = Json::array();
  for (const ExportedCase& each : equation.cases)
    out["cases"].push_back(case_json(equation, each, functions));
  if (!equation.groups.empty()) out["forecasts"] = forecasts_json(equation, of_forecasts);
  out["growth"] = Json::object();
  for (const std::int32_t segment : segments_of(equation))
    out["growth"][std::to_string(segment)] =
        growth_json(equation.model.segments[static_cast<std::size_t>(segment)].cost);
  return {out.dump(-1, ' ', false, Json::error_handler_t::replace),
          "var parcastEquation = [" + functions + "];\n" +
              (of_forecasts.empty() ? "" : "var parcastForecasts = " + of_forecasts + ";\n")};
}

}  // namespace parcast::report::html
