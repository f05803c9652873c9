// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/causes_text.h"
#include "report/svg.h"

namespace parcast::report {
namespace {

using svg::line;
using svg::number;
using svg::text_at;

constexpr double kWidth = 720, kLeft = 150, kRight = 24, kTop = 44, kRow = 22, kLegendLine = 18;

/// Returns the colour of a phase by its index in the order of the overheads.
std::string color_of(std::size_t index) {
  return svg::kColors[index % std::size(svg::kColors)];
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

std::string bars(const std::string& title, const std::vector<Bar>& rows, std::string (*value)(double)) {
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
  out += line(kLeft, kTop, kLeft, bottom, "axis") + text_at(kWidth - kRight, bottom + 14, "end", value(most));
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
  return bars("time of each process, " + causes::point_text(run), rows, format_seconds);
}

std::string ratio(double value) {
  return format_significant(value, 3);
}

std::string overhead_view(const Reasons& reasons) {
  std::vector<Bar> rows;
  for (std::size_t i = 0; i < reasons.runs.runs.size(); ++i) {
    const auto& overheads = reasons.analysis.runs[i].overheads;
    if (!overheads) continue;
    rows.push_back({causes::point_text(reasons.runs.runs[i]), {}});
    for (const auto& phase : overheads->phases) rows.back().parts.emplace_back(phase.phase, phase.ratio);
  }
  return bars("overheads: processor time per sequential time", rows, ratio);
}

constexpr double kPlot = 260;

/// Returns a plot of times against work, with the relation as a line and the break as a dashed line.
std::string relation_plot(const causes::PhaseRelation& relation, double top) {
  double least = 0, most = 0, fastest = 0, slowest = 0;
  for (const causes::Sample& sample : relation.samples) {
    if (sample.work > 0) least = least == 0 ? sample.work : std::min(least, sample.work);
    most = std::max(most, sample.work);
    fastest = fastest == 0 ? sample.seconds : std::min(fastest, sample.seconds);
    slowest = std::max(slowest, sample.seconds);
  }
  const double bottom = top + kPlot - 56;
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

std::string causal_view(const Reasons& reasons) {
  constexpr double kColumn = 250, kNode = 38, kLetter = 6.4;
  const causes::Graph& graph = reasons.graph;
  // Events share the column of work: both lead to times.
  const auto column_layer = [](causes::Layer layer) {
    return layer == causes::Layer::event ? causes::Layer::work : layer;
  };
  std::map<causes::Layer, std::size_t> rows, columns;
  for (const causes::Node& node : graph.nodes) columns.try_emplace(column_layer(node.layer), columns.size());
  std::vector<std::pair<double, double>> spots;
  std::size_t deepest = 1;
  for (const causes::Node& node : graph.nodes) {
    const std::size_t row = rows[column_layer(node.layer)]++;
    deepest = std::max(deepest, row + 1);
    spots.emplace_back(12 + kColumn * static_cast<double>(columns.at(column_layer(node.layer))),
                       kTop + kNode * static_cast<double>(row));
  }
  std::string out = svg::opening(kColumn * static_cast<double>(std::max<std::size_t>(columns.size(), 1)),
                                 kTop + kNode * static_cast<double>(deepest)) +
                    text_at(12, 20, "start", "causes", " font-weight=\"bold\"");
  for (const causes::Edge& edge : graph.edges) {
    const bool linear = edge.form == causes::Form::linear;
    const double x1 = spots[edge.from].first +
                      kLetter * static_cast<double>(graph.nodes[edge.from].name.size()) + 4,
                 y1 = spots[edge.from].second - 4;
    const double x2 = spots[edge.to].first - 4, y2 = spots[edge.to].second - 4;
    const std::string label = linear ? format_seconds(edge.delta) + " each" : edge.formula;
    out += "<line stroke=\"" + std::string(linear ? svg::kColors[1] : "#bbbbbb") + "\" x1=\"" + number(x1) +
           "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"><title>" +
           xml(label) + "</title></line>\n";
    if (linear)
      out += text_at(x2 - 4, y2 + (y1 > y2 ? 14 : -4), "end", label, " font-size=\"10\" fill=\"#666666\"");
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    out += text_at(spots[i].first, spots[i].second, "start", graph.nodes[i].name,
                   graph.nodes[i].layer == causes::Layer::event ? " font-weight=\"bold\"" : "");
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
      return causal_view(reasons);
  }
  return "";
}

}  // namespace parcast::report
