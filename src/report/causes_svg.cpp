// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/causal_svg.h"
#include "report/causes_text.h"
#include "report/svg.h"

namespace parcast::report {
namespace {

using svg::line;
using svg::number;
using svg::text_at;

constexpr double kWidth = 720, kLeft = 150, kRight = 24, kTop = 44, kRow = 22, kLegendLine = 18;

/// Returns the colour of a phase by its index in the order of the overheads: lighter ones when all are used.
std::string color_of(std::size_t index) {
  constexpr const char* kLighter[] = {"#8fc1e3", "#f0b48a", "#8fd6c1", "#ecd0df", "#f6d998", "#c4e5f7"};
  constexpr std::size_t kCount = std::size(svg::kColors);
  return index / kCount % 2 == 0 ? svg::kColors[index % kCount] : kLighter[index % kCount];
}

std::string box(double x, double y, double width, double height, const std::string& color,
                const std::string& title) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(std::max(width, 0.0)) +
         "\" height=\"" + number(height) + "\" fill=\"" + color + "\"><title>" + xml(title) +
         "</title></rect>\n";
}

/// One bar per row: parts one after the other.
struct Bar {
  std::string name;
  std::vector<std::pair<causes::PhaseClass, double>> parts;
};

std::string bars(const std::string& title, const std::vector<Bar>& rows, std::string (*value)(double),
                 const std::string& unit) {
  std::vector<causes::PhaseClass> phases;
  double most = 0;
  for (const Bar& bar : rows) {
    double sum = 0;
    for (const auto& [phase, amount] : bar.parts) {
      sum += amount;
      if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
    }
    most = std::max(most, sum);
  }
  std::sort(phases.begin(), phases.end());
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  std::string out = svg::opening(kWidth, bottom + 40 + kLegendLine * static_cast<double>(phases.size())) +
                    text_at(12, 24, "start", title, " font-weight=\"bold\"");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = kTop + kRow * static_cast<double>(i);
    double x = kLeft;
    out += text_at(kLeft - 8, y + 14, "end", rows[i].name);
    for (const auto& [phase, amount] : rows[i].parts) {
      const double width = most > 0 ? amount / most * (kWidth - kLeft - kRight) : 0;
      const auto at =
          static_cast<std::size_t>(std::find(phases.begin(), phases.end(), phase) - phases.begin());
      out += box(x, y, width, kRow - 4, color_of(at), to_string(phase) + " " + value(amount));
      x += width;
    }
  }
  out += line(kLeft, kTop, kLeft, bottom, "axis") +
         text_at(kWidth - kRight, bottom + 14, "end", value(most) + unit);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double y = bottom + 24 + kLegendLine * static_cast<double>(i);
    out += box(kLeft, y, 12, 12, color_of(i), to_string(phases[i])) +
           text_at(kLeft + 18, y + 11, "start", to_string(phases[i]));
  }
  return out + "</svg>\n";
}

std::string time_view(const Reasons& reasons) {
  const causes::Run& run = reasons.runs.runs[reasons.run];
  // Only seconds are drawn, so any sequential time will do.
  const causes::Overheads overheads = causes::overheads(run, {1, causes::Sequential::Basis::measured, 0});
  std::vector<Bar> rows;
  for (std::int32_t process = 0; process < run.processes; ++process) {
    rows.push_back({"process " + std::to_string(process), {}});
    for (const auto& phase : overheads.phases)
      rows.back().parts.emplace_back(phase.phase, phase.by_process[static_cast<std::size_t>(process)]);
  }
  return bars("time of each process, " + causes::point_text(run), rows, format_seconds, "");
}

std::string ratio(double value) {
  return format_significant(value, 3);
}

std::string overhead_view(const Reasons& reasons) {
  const std::vector<causes::Run>& runs = reasons.runs.runs;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (reasons.analysis.runs[i].overheads) order.push_back(i);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::pair(runs[i].parameters, runs[i].processes); });
  std::vector<Bar> rows;
  for (const std::size_t i : order) {
    const auto& overheads = reasons.analysis.runs[i].overheads;
    rows.push_back({causes::point_text(runs[i]), {}});
    for (const auto& phase : overheads->phases) rows.back().parts.emplace_back(phase.phase, phase.ratio);
  }
  return bars("overheads: processor time per sequential time", rows, ratio, " x the time on one process");
}

constexpr double kPlot = 300;

/// Returns the names of the causes in the relation, "swapped and faults".
std::string causes_in(const causes::PhaseRelation& relation) {
  std::string out;
  for (const causes::Cause& cause : relation.refinement->causes)
    out += (out.empty() ? "" : " and ") + relation.refinement->tried[cause.variable].name;
  return out;
}

/// Returns the times by the relation with its causes, as a line over the samples; empty without causes.
std::string refined_curve(const causes::PhaseRelation& relation, const svg::Axis& x, const svg::Axis& y) {
  if (relation.refinement->causes.empty()) return "";
  std::map<std::pair<double, double>, double> seconds;  // by processes and work
  for (std::size_t i = 0; i < relation.samples.size(); ++i) {
    const causes::Sample& sample = relation.samples[i];
    double known = 0;
    for (const causes::Term& term :
         causes::terms_of(relation, relation.runs[i], static_cast<std::int32_t>(sample.processes)))
      if (!term.cause.empty()) known += term.seconds;
    if (sample.work > 0 && known > 0) seconds[{sample.processes, sample.work}] = known / sample.processes;
  }
  std::string out, path;
  double processes = 0;
  for (const auto& [at, value] : seconds) {
    path += (path.empty() || at.first != processes ? "M" : "L") + number(x.place(at.second)) + "," +
            number(y.place(value)) + " ";
    processes = at.first;
  }
  return "<path fill=\"none\" stroke-width=\"1.5\" stroke=\"" + color_of(1) + "\" d=\"" + path +
         "\"><title>" + xml("with " + causes_in(relation)) + "</title></path>\n";
}

/// Returns the meaning of the plot's marks.
std::string key_of(const causes::PhaseRelation& relation, double y) {
  const std::string causes = causes_in(relation);
  const double step = (kWidth - kLeft - kRight) / 3;
  std::string out = "<circle cx=\"" + number(kLeft + 6) + "\" cy=\"" + number(y - 4) + "\" r=\"3\" fill=\"" +
                    color_of(0) + "\"/>\n" + text_at(kLeft + 16, y, "start", "measured") +
                    line(kLeft + step, y - 4, kLeft + step + 18, y - 4, "axis") +
                    text_at(kLeft + step + 24, y, "start", "in proportion to " + relation.work);
  if (!causes.empty())
    out += "<line stroke-width=\"1.5\" stroke=\"" + color_of(1) + "\" x1=\"" + number(kLeft + 2 * step) +
           "\" y1=\"" + number(y - 4) + "\" x2=\"" + number(kLeft + 2 * step + 18) + "\" y2=\"" +
           number(y - 4) + "\"/>\n" + text_at(kLeft + 2 * step + 24, y, "start", "refined by " + causes);
  return out;
}

/// Returns a plot of times against work, with the relation as a line and the break as a dashed line.
std::string relation_plot(const causes::PhaseRelation& relation, double top) {
  double least = 0, most = 0, fastest = 0, slowest = 0;
  for (const causes::Sample& sample : relation.samples) {
    if (sample.work > 0) least = least == 0 ? sample.work : std::min(least, sample.work);
    most = std::max(most, sample.work);
    fastest = fastest == 0 ? sample.seconds : std::min(fastest, sample.seconds);
    slowest = std::max(slowest, sample.seconds);
  }
  const double bottom = top + kPlot - 84;
  const svg::Axis x(least, most, kLeft, kWidth - kRight), y(fastest / 1.1, slowest * 1.1, bottom, top + 28);
  std::string out =
      text_at(12, top + 16, "start",
              "time of " + to_string(relation.phase) + " against " + relation.work + ", per process",
              " font-weight=\"bold\"");
  for (const double tick : y.ticks())
    out += line(kLeft, y.place(tick), kWidth - kRight, y.place(tick), "grid") +
           text_at(kLeft - 8, y.place(tick) + 4, "end", format_seconds(tick));
  for (const double tick : x.ticks())
    out += line(x.place(tick), top + 28, x.place(tick), bottom, "grid") +
           text_at(x.place(tick), bottom + 16, "middle", format_significant(tick, 3));
  out += text_at((kLeft + kWidth - kRight) / 2, bottom + 34, "middle", relation.work + " of a process") +
         text_at(0, 0, "middle", "time of a process",
                 " transform=\"translate(" + number(kLeft - 84) + " " + number((top + 28 + bottom) / 2) +
                     ") rotate(-90)\"");
  const causes::Linearity& first = relation.refinement->first_order;
  const auto straight = [&](double work) {
    return std::clamp(y.place(first.delta * work), top + 28, bottom);
  };
  out += line(x.place(least), straight(least), x.place(most), straight(most), "axis");
  const auto mark = [&](const causes::Linearity& broken, const char* title) {
    if (broken.shape != causes::Shape::bend && broken.shape != causes::Shape::step) return;
    if (broken.last_linear > 0)
      out += "<line class=\"axis\" stroke-dasharray=\"4 3\" x1=\"" + number(x.place(broken.last_linear)) +
             "\" y1=\"" + number(top + 28) + "\" x2=\"" + number(x.place(broken.last_linear)) + "\" y2=\"" +
             number(bottom) + "\"><title>" + title + "</title></line>\n";
  };
  if (const auto& twice = relation.refinement->twice) {
    mark(twice->earlier, "up to here in proportion");
    mark(twice->later, "here it breaks again");
  } else {
    mark(first, "up to here in proportion");
  }
  out += refined_curve(relation, x, y) + key_of(relation, bottom + 52);
  for (const causes::Sample& sample : relation.samples)
    if (sample.work > 0)
      out += "<circle cx=\"" + number(x.place(sample.work)) + "\" cy=\"" + number(y.place(sample.seconds)) +
             "\" r=\"3\" fill=\"" + color_of(0) + "\"><title>" +
             xml("p = " + format_exact(sample.processes) + ": " + format_significant(sample.work, 4) + ", " +
                 format_seconds(sample.seconds)) +
             "</title></circle>\n";
  return out;
}

std::string functional_view(const Reasons& reasons) {
  std::vector<const causes::PhaseRelation*> shown;
  for (const auto& relation : reasons.analysis.relations)
    if (relation.refinement) shown.push_back(&relation);
  if (reasons.analysis.delay && reasons.analysis.delay->refinement) shown.push_back(&*reasons.analysis.delay);
  std::string out = svg::opening(kWidth, std::max(60.0, kPlot * static_cast<double>(shown.size())));
  if (shown.empty())
    return out + text_at(12, 24, "start", "no phase has work to compare its time with") + "</svg>\n";
  for (std::size_t i = 0; i < shown.size(); ++i)
    out += relation_plot(*shown[i], kPlot * static_cast<double>(i));
  return out + "</svg>\n";
}

}  // namespace

std::string reasons_svg(const Reasons& reasons, View view) {
  switch (view) {
    case View::time:
      return time_view(reasons);
    case View::overhead:
      return overhead_view(reasons);
    case View::functional:
      return functional_view(reasons);
    case View::causal:
      return causal_svg(reasons.graph);
  }
  return "";
}

}  // namespace parcast::report
