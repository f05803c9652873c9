// SPDX-License-Identifier: Apache-2.0
#include "cli/report_page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/report_inputs.h"
#include "cli/unanswered.h"
#include "patterns/matrix.h"
#include "predict/auto_engine.h"
#include "predict/equation/equation.h"
#include "predict/equation/exported.h"
#include "structure/generate.h"

namespace parcast::cli {
namespace {

using report::html::Report;

/// Returns the engine of the charts: the one that answers, unless there are so many points that not each is
/// checked.
const predict::Engine& chart_engine(const predict::Engine& asked, const Report& report,
                                    const std::vector<predict::Question>& questions) {
  if (asked.name() != predict::kDefaultEngine) return asked;
  return predict::choose_for_many(report.model, report.machine, questions).by_equation
             ? predict::equation_engine()
             : asked;
}

void predict_scaling(const predict::Engine& asked, const std::vector<std::int32_t>& processes,
                     const ShowDone& show, Report& report) {
  std::vector<predict::Question> questions(processes.size(), report.prediction.question);
  for (std::size_t i = 0; i < processes.size(); ++i) questions[i].point.processes = processes[i];
  const predict::Engine& engine = chart_engine(asked, report, questions);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    show(static_cast<double>(i) / static_cast<double>(questions.size()));
    const bool is_asked = processes[i] == report.prediction.question.point.processes;
    auto point = is_asked ? Result<predict::Prediction>(report.prediction)
                          : engine.predict(report.model, report.machine, questions[i]);
    if (point && !point->hang)
      report.scaling.push_back(*std::move(point));
    else
      report.unscaled.push_back(point ? hang_sentence(*point)
                                      : "p = " + std::to_string(processes[i]) +
                                            " is left out: " + point.error().what + ".");
  }
}

/// Returns the process counts of the slider: those of the charts and one between each two.
std::vector<std::int32_t> slider_processes(const std::vector<std::int32_t>& charted) {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < charted.size(); ++i) {
    if (i > 0 && charted[i] - charted[i - 1] > 1)
      out.push_back(charted[i - 1] + (charted[i] - charted[i - 1]) / 2);
    out.push_back(charted[i]);
  }
  return out;
}

/// Adds the closed form for the sliders. A report without them is complete, so an error is a remark.
void add_live(const std::vector<std::int32_t>& charted, Report& report) {
  const predict::Question& question = report.prediction.question;
  const auto sliders = report::html::slider_ranges(report.model, question);
  std::map<std::string, double> low, high;
  for (const auto& [name, range] : sliders) low[name] = range.low, high[name] = range.high;
  const std::vector<std::int32_t> processes = slider_processes(charted);
  const auto equation =
      predict::export_equation(report.model, report.machine, question, processes, low, high);
  if (equation)
    report.live = report::html::live(*equation, report.prediction, sliders);
  else
    report.unscaled.push_back("The page has no sliders: " + equation.error().what + ".");
}

constexpr double kLeastElasticity = 0.05;
constexpr std::int32_t kMostRanks = 1024;  // of a matrix of who sends to whom

/// Adds who sends to whom where the order of the ranks' operations is known.
void add_traffic(Report& report) {
  const program::Point& point = report.prediction.question.point;
  if (point.processes < 2 || point.processes > kMostRanks || !report.model.structure ||
      !report.model.structure->found())
    return;
  const auto trace = program::generate(report.model, point);
  if (!trace) return;
  report.traffic = program::traffic_of_run(*trace);
  report.segments = program::message_segments(*trace);
}

constexpr std::size_t kFieldProcesses = 9, kFieldSizes = 8, kLeastOfField = 3;
// Points x segments of a model: a point takes 2 to 3 ms for each segment.
constexpr std::size_t kMostOfField = 2000;

/// Returns by how much a field has fewer points along each of its axes.
double thinning_of_field(const program::Model& model) {
  const std::size_t all = kFieldProcesses * kFieldSizes * std::max<std::size_t>(model.segments.size(), 1);
  return std::min(1.0, std::sqrt(static_cast<double>(kMostOfField) / static_cast<double>(all)));
}

std::size_t thinned(std::size_t count, double by) {
  return std::max(kLeastOfField, static_cast<std::size_t>(by * static_cast<double>(count)));
}

/// Returns `count` of the values at equal steps, the ends among them. The asked one replaces the nearest
/// inner one if it is none of them.
template <class Value>
std::vector<Value> chosen(const std::vector<Value>& values, std::size_t count, Value asked) {
  std::vector<Value> out;
  count = std::min(count, values.size());
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(values[count < 2 ? 0 : i * (values.size() - 1) / (count - 1)]);
  if (std::ranges::find(out, asked) == out.end()) {
    const auto distance = [&](Value value) {
      return std::abs(std::log(static_cast<double>(value) / static_cast<double>(asked)));
    };
    if (out.size() > 2)
      *std::min_element(out.begin() + 1, out.end() - 1,
                        [&](Value a, Value b) { return distance(a) < distance(b); }) = asked;
    else
      out.push_back(asked);
  }
  std::ranges::sort(out);
  return out;
}

/// Returns the parameter of the problem on which the time depends most, of those that the recordings vary.
std::string size_of_problem(const Report& report) {
  std::string out;
  double most = kLeastElasticity;
  for (const explain::Growth& each : report.explanation.growth) {
    const auto parameter =
        std::ranges::find(report.model.parameters, each.parameter, &program::Parameter::name);
    if (parameter == report.model.parameters.end()) continue;
    const bool varies = !report.model.written_in.empty() || parameter->values.size() > 1;
    if (varies && each.value > 0 && std::abs(each.elasticity) > most)
      most = std::abs(each.elasticity), out = each.parameter;
  }
  return out;
}

/// Returns `count` values from low to high at equal ratios, the asked one among them; integers if the
/// parameter has only integers.
std::vector<double> sizes_in(const report::html::SliderRange& range, std::size_t count, double asked) {
  std::set<double> out;
  if (!(range.low > 0) || !(range.high > range.low)) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const double value =
        range.low * std::pow(range.high / range.low, static_cast<double>(i) / static_cast<double>(count - 1));
    out.insert(range.whole ? std::round(value) : value);
  }
  return chosen(std::vector<double>(out.begin(), out.end()), count, asked);
}

/// Returns why a large model has fewer points; empty where it has all.
std::string thinned_sentence(const Report& report, const report::html::Field& field, double by) {
  if (by >= 1) return "";
  return "The model has " + std::to_string(report.model.segments.size()) + " segments, so that only " +
         std::to_string(field.processes.size()) + " process counts and " +
         std::to_string(field.sizes.size()) + " values of " + field.parameter +
         " are predicted here; parcast sweep predicts others.";
}

/// Adds predictions over p and the size of the problem. Points without an answer are holes.
void add_field(const predict::Engine& asked, const std::vector<std::int32_t>& charted, const ShowDone& show,
               Report& report) {
  const std::string name = size_of_problem(report);
  if (name.empty() || charted.size() < 2) return;
  const predict::Question& question = report.prediction.question;
  const auto sliders = report::html::slider_ranges(report.model, question);
  const double by = thinning_of_field(report.model);
  report::html::Field field;
  field.parameter = name;
  field.sizes = sizes_in(sliders.at(name), thinned(kFieldSizes, by), question.point.parameters.at(name));
  field.processes = chosen(charted, thinned(kFieldProcesses, by), question.point.processes);
  field.note = thinned_sentence(report, field, by);
  std::vector<predict::Question> questions;
  for (const double size : field.sizes)
    for (const std::int32_t processes : field.processes) {
      questions.push_back(question);
      questions.back().point.processes = processes;
      questions.back().point.parameters[name] = size;
    }
  if (field.sizes.size() < 2 || field.processes.size() < 2) return;
  const predict::Engine& engine = chart_engine(asked, report, questions);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    show(static_cast<double>(i) / static_cast<double>(questions.size()));
    auto point = engine.predict(report.model, report.machine, questions[i]);
    field.points.push_back(point && !point->hang ? std::optional(*std::move(point)) : std::nullopt);
  }
  report.field = std::move(field);
}

}  // namespace

void find_sources(const std::vector<std::string>& folders, Report& report) {
  for (const predict::RegionTime& region : report.prediction.regions)
    if (auto found = excerpt(region.where, folders)) report.excerpts.emplace(region.where, *std::move(found));
}

void complete_report(Report& report, const predict::Engine& engine,
                     const std::vector<std::int32_t>& processes, const std::vector<std::string>& folders,
                     const ShowDone& show) {
  predict_scaling(
      engine, processes, [&](double done) { show(0.5 * done); }, report);
  add_field(
      engine, processes, [&](double done) { show(0.5 + 0.5 * done); }, report);
  add_live(processes, report);
  add_traffic(report);
  find_sources(folders, report);
}

}  // namespace parcast::cli
