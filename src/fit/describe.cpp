// SPDX-License-Identifier: Apache-2.0
// Describes a model as text.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "fit/factored.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kConfirming = 2;  // points in addition to those that the coefficients need
constexpr std::size_t kFormulas = 5;
constexpr double kSomeWeight = 0.02;

// Returns each argument at four times its largest value, and all at once: there formulas differ.
Points beyond(const Points& points) {
  std::vector<double> largest = points[0];
  for (const auto& point : points)
    for (std::size_t j = 0; j < point.size(); ++j) largest[j] = std::max(largest[j], point[j]);
  Points out{largest};
  for (std::size_t j = 0; j < largest.size(); ++j) {
    out[0][j] = 4 * largest[j];
    out.push_back(largest);
    out.back()[j] *= 4;
  }
  return out;
}

Origin tier_of(const Model& model, const statistics::GrowthHypothesis& shown) {
  if (!model.exact) return Origin::fitted;
  return model.observations.observed.values.size() >= shown.factor.rows + kConfirming ? Origin::exact
                                                                                      : Origin::ambiguous;
}

// Returns the weight of the hypotheses with the same terms under all relations: an upper bound for hypotheses
// with the same displayed coefficients.
double weight_alike(const Mixture& mixture, const Mixture::Part& part) {
  double weight = 0;
  for (const Mixture::Part& each : mixture.parts())
    if (!each.law && each.terms == part.terms) weight += each.hypothesis.weight;
  return weight;
}

// Adds a formula per family of laws, its likeliest one, with the weight of the family.
void add_laws(KernelFit& out, const Mixture& mixture, const std::vector<std::string>& names) {
  std::map<std::size_t, std::size_t> place;  // of families
  for (const Mixture::Part& part : mixture.parts()) {
    if (!part.law) continue;
    const auto [at, is_new] = place.try_emplace(part.law->family, out.formulas.size());
    if (is_new) out.formulas.push_back({statistics::to_string(part.hypothesis, names), 0});
    out.formulas[at->second].weight += part.hypothesis.weight;
  }
}

void add_sums(KernelFit& out, const Mixture& mixture, const std::vector<std::string>& names) {
  for (const Mixture::Part& part : mixture.parts()) {
    if (part.law || weight_alike(mixture, part) < (1 - 1e-9) * kSomeWeight) continue;
    const std::string text = statistics::to_string(part.hypothesis, names);
    const auto same = std::find_if(out.formulas.begin(), out.formulas.end(),
                                   [&](const Formula& f) { return f.text == text; });
    if (same != out.formulas.end()) {
      same->weight += part.hypothesis.weight;
    } else {
      out.formulas.push_back({text, part.hypothesis.weight});
    }
  }
}

// Adds the plain forecasts, which share the weight with the mixture.
void add_plain(KernelFit& out, const Competition& competition, const std::vector<std::string>& names) {
  for (Formula& formula : out.formulas) formula.weight *= competition.own_weight();
  for (std::size_t k = 0; k < kPlainForecasts.size(); ++k)
    if (const auto& forecast = competition.forecasts()[k])
      out.formulas.push_back({statistics::to_string(*forecast, names), competition.plain_weights()[k]});
}

void add_formulas(KernelFit& out, const Model& model) {
  const Mixture& mixture = *model.mixture;
  const std::vector<std::string>& names = model.arguments.names;
  add_laws(out, mixture, names);
  add_sums(out, mixture, names);
  if (model.competition) add_plain(out, *model.competition, names);
  std::stable_sort(out.formulas.begin(), out.formulas.end(),
                   [](const Formula& a, const Formula& b) { return a.weight > b.weight; });
  std::erase_if(out.formulas, [](const Formula& f) { return f.weight < kSomeWeight; });
  if (out.formulas.size() > kFormulas) out.formulas.resize(kFormulas);
}

void describe_constant(KernelFit& out, const Model& model) {
  out.expression = model.observations.observed.values.size() == 1 ? format_significant(*model.constant, 4)
                                                                  : format_exact(*model.constant);
  const std::size_t points = model.observations.observed.values.size();
  out.tier = points >= 1 + kConfirming || model.observations.zero ? Origin::exact : Origin::constant;
  out.formulas = {{out.expression, 1}};
}

// Returns a note about the approximations for many points (docs/models/fit.md).
std::string note_of_many(const Layout& layout) {
  const auto number = [](std::size_t count) { return format_integer(static_cast<long long>(count)); };
  const PointSet& all = layout.all();
  std::string out = "of " + number(all.size()) + " points what a formula misses is carried on by " +
                    number(all.cells->count()) + " groups of neighbours";
  if (!layout.searched().empty())
    out += ", and terms are chosen on " + number(layout.searched().size()) + " of the points";
  return out + "; coefficients and weights rest on all";
}

std::string number(double value) {
  return format_significant(value, 4);
}

std::string note_of(const Superlinear& steep) {
  return "superlinear: from " + steep.parameter + " = " + number(steep.before) + " to " + number(steep.last) +
         " the values fall as " + steep.parameter + "^" + format_significant(steep.exponent, 3) +
         ", faster than the work of a process; this may go on or end, so the lower end is as wide as the "
         "upper one";
}

// Returns a note for each known change that lies between the data and a requested point.
std::vector<std::string> notes_of_changes(const Kernel& kernel, const std::vector<std::string>& parameters,
                                          const Options& options) {
  std::vector<std::string> out;
  for (const Change& change : options.changes) {
    const auto column =
        static_cast<std::size_t>(std::ranges::find(parameters, change.parameter) - parameters.begin());
    if (column == parameters.size()) continue;
    const auto is_after = [&](const auto& point) { return point[column] > change.at; };
    if (std::ranges::none_of(kernel.points, is_after) && std::ranges::any_of(options.asked, is_after))
      out.push_back("the growth changes at " + change.parameter + " = " + number(change.at) +
                    ", as given, and no value lies beyond: what holds there is unknown; measure beyond it");
  }
  return out;
}

constexpr double kWide = 10;

bool is_wide(const Predicted& predicted) {
  return predicted.value > 0 &&
         (predicted.high > kWide * predicted.value || predicted.low < predicted.value / kWide);
}

// Names the point of a wide interval, and the number of values that it rests on.
std::string note_of_wide(const Predicted& wide, const Model& model,
                         const std::vector<std::string>& parameters) {
  std::vector<std::string> at, values;
  for (std::size_t j = 0; j < parameters.size(); ++j)
    at.push_back(parameters[j] + " = " + number(wide.point[j]));
  for (std::size_t j = 0; j < model.arguments.names.size(); ++j) {
    const std::size_t count = distinct_values(model.observations.observed.points, j);
    values.push_back(std::to_string(count) + (count == 1 ? " value of " : " values of ") +
                     model.arguments.names[j]);
  }
  return "at " + join(at, ", ") +
         " the interval reaches beyond ten times its value: " + join(values, " and ") +
         " do not determine how the values go on so far; measure nearer to it";
}

}  // namespace

KernelFit describe(const Kernel& kernel, const Model& whole, const std::vector<std::string>& parameters,
                   const Options& options) {
  KernelFit out;
  const Model& model = whole.beyond ? *whole.beyond : whole;  // the model that extrapolates
  out.callpath = kernel.callpath;
  out.metric = kernel.metric;
  out.unit = kernel.unit;
  out.largest_of = kernel.largest_of;
  out.run_error = whole.observations.run_error;
  out.worst_repetition = whole.observations.worst;
  out.regime = whole.regime;
  out.warnings = whole.arguments.notes;
  out.warnings.insert(out.warnings.end(), whole.observations.notes.begin(), whole.observations.notes.end());
  const Observed& observed = model.observations.observed;
  if (model.constant) {
    describe_constant(out, model);
  } else if (model.mixture) {
    const auto& shown =
        (model.exact ? model.mixture->parts().front() : model.mixture->shown(beyond(observed.points)))
            .hypothesis;
    out.expression = statistics::to_string(shown, model.arguments.names);
    out.tier = tier_of(model, shown);
    out.validation_error = model.validation_error;
    out.relative_noise = model.mixture->relative_noise();
    add_formulas(out, model);
    if (!model.exact && !model.design.layout->all().cells->single())
      out.warnings.push_back(note_of_many(*model.design.layout));
  } else {
    out.warnings.push_back("there is nothing to fit: no value is positive");
    return out;
  }
  for (const auto& point : options.asked) out.predictions.push_back(whole.predict(point, options.level));
  if (std::ranges::any_of(out.predictions, [](const Predicted& p) { return p.cut; }))
    out.warnings.push_back(
        "a prediction or an end of its interval lies below 1e-30 or above 1e30, and that number replaces it: "
        "the data do not reach that far");
  if (const auto& steep = model.superlinear; steep && !model.exact && !is_count(kernel))
    out.warnings.push_back(note_of(*steep));
  for (std::string& note : notes_of_changes(kernel, parameters, options))
    out.warnings.push_back(std::move(note));
  if (const auto wide = std::ranges::find_if(out.predictions, is_wide); wide != out.predictions.end())
    out.warnings.push_back(note_of_wide(*wide, model, parameters));
  if (std::ranges::any_of(out.predictions, [](const Predicted& p) { return p.unidentified; }))
    out.warnings.push_back("a point is asked at a value of " + join(parameters, ", ") +
                           " without data: the answer is that of the measured value");
  return out;
}

}  // namespace parcast::fit
