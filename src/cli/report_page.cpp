// SPDX-License-Identifier: Apache-2.0
#include "cli/report_page.h"

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

void find_sources(const std::vector<std::string>& folders, Report& report) {
  for (const predict::RegionTime& region : report.prediction.regions)
    if (auto found = excerpt(region.where, folders)) report.excerpts.emplace(region.where, *std::move(found));
}

}  // namespace

void complete_report(Report& report, const predict::Engine& engine,
                     const std::vector<std::int32_t>& processes, const std::vector<std::string>& folders,
                     const ShowDone& show) {
  predict_scaling(engine, processes, show, report);
  add_live(processes, report);
  add_traffic(report);
  find_sources(folders, report);
}

}  // namespace parcast::cli
