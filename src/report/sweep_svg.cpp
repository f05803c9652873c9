// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "report/svg.h"
#include "report/sweep_axes.h"
#include "report/sweep_text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::Prediction;
using svg::Axis;
using svg::kColors;
using svg::line;
using svg::number;
using svg::text_at;

constexpr double kWidth = 720, kHeight = 440, kLeft = 76, kRight = 24, kTop = 60,
                 kBottom = 56;  // of the plot
constexpr double kLegendLine = 18, kLegendMark = 26, kPerCharacter = 6.7;

/// Returns the parameter with the most distinct values; p in a tie.
std::string abscissa_of(const std::vector<Prediction>& points) {
  const auto all = distinct_values(points);
  std::string best = "p";
  for (const auto& [name, values] : all)
    if (values.size() > all.at(best).size()) best = name;
  return best;
}

/// A point as drawn: the quantity with its interval, and its value in a recording at this point, if any.
struct Spot {
  double at = 0, value = 0, low = 0, high = 0;
  std::optional<double> recorded, ideal;
  const Prediction* point = nullptr;
};

struct Curve {
  std::string name;  // e.g. "N = 512", empty if there is only one
  std::vector<const Prediction*> points;
  std::vector<Spot> spots;
};

std::set<std::string> programs_of(const std::vector<Prediction>& points) {
  std::set<std::string> out;
  for (const Prediction& point : points) out.insert(point.program);
  return out;
}

/// Returns one curve per program, machine and combination of the other varied parameters, unless those follow
/// from the abscissa (weak scaling).
std::vector<Curve> curves_of(const std::vector<Prediction>& points, const std::string& abscissa) {
  std::vector<std::string> others = varied_names(points);
  std::erase(others, abscissa);
  const auto all = distinct_values(points);
  const std::size_t programs = programs_of(points).size(), machines = machines_of(points).size();
  if (all.at(abscissa).size() * programs * machines == points.size()) others.clear();
  std::map<std::tuple<std::string, std::string, std::vector<double>>, Curve> curves;
  for (const Prediction& point : points) {
    const auto values = values_of(point);
    std::vector<double> key;
    std::map<std::string, double> shown;
    for (const auto& name : others)
      if (const auto at = values.find(name); at != values.end()) key.push_back(shown[name] = at->second);
    Curve& curve = curves[{point.program, point.machine, key}];
    std::vector<std::string> name;
    if (programs > 1) name.push_back(point.program);
    if (machines > 1) name.push_back(point.machine);
    if (!shown.empty()) name.push_back(values_text(point, shown));
    curve.name = join(name, ", ");
    curve.points.push_back(&point);
  }
  std::vector<Curve> out;
  for (auto& [key, curve] : curves) {
    std::stable_sort(curve.points.begin(), curve.points.end(), [&](const Prediction* a, const Prediction* b) {
      return values_of(*a).at(abscissa) < values_of(*b).at(abscissa);
    });
    out.push_back(std::move(curve));
  }
  return out;
}

/// Returns whether the points solve one problem on different numbers of processes.
bool is_strong(const Curve& curve) {
  const auto same = [&](const Prediction* point) {
    return point->question.point.parameters == curve.points.front()->question.point.parameters;
  };
  return std::ranges::all_of(curve.points, same);
}

double processes_of(const Prediction& point) {
  return point.question.point.processes;
}

/// Returns the quantity of a run that takes `seconds` at the point. Speedups are over the curve's first
/// point, which counts as perfect.
double quantity_of(Quantity quantity, double seconds, const Prediction& point, const Prediction& first) {
  if (quantity == Quantity::time) return seconds;
  const double speedup = seconds > 0 ? first.seconds.value * processes_of(first) / seconds : 0;
  return quantity == Quantity::speedup ? speedup : speedup / processes_of(point);
}

/// Sets what is drawn. The ideal line is that of perfect scaling: p times faster on p processes, or equally
/// long where the problem grows with them.
void add_spots(Curve& curve, Quantity quantity, const std::string& abscissa) {
  const Prediction& first = *curve.points.front();
  const bool strong = is_strong(curve);
  for (const Prediction* point : curve.points) {
    const auto of = [&](double seconds) { return quantity_of(quantity, seconds, *point, first); };
    Spot spot;
    spot.point = point, spot.at = values_of(*point).at(abscissa);
    const auto [low, high] = std::minmax({of(point->seconds.low), of(point->seconds.high)});
    spot.value = of(point->seconds.value), spot.low = low, spot.high = high;
    // A run is as fast as itself, however long it takes.
    if (quantity != Quantity::time && point == &first) spot.low = spot.high = spot.value;
    if (point->recorded) spot.recorded = of(*point->recorded);
    if (abscissa == "p" && curve.points.size() > 1)
      spot.ideal =
          of(strong ? first.seconds.value * processes_of(first) / processes_of(*point) : first.seconds.value);
    curve.spots.push_back(spot);
  }
}

std::string quantity_text(Quantity quantity, double value) {
  if (quantity == Quantity::time) return format_seconds(value);
  return format_exact(*parse_double(format_significant(value, 3)));
}

std::string value_title(Quantity quantity, const std::vector<Curve>& curves) {
  if (quantity == Quantity::time) return "predicted time";
  const double first = processes_of(*curves.front().points.front());
  const std::string name = quantity == Quantity::speedup ? "speedup" : "efficiency";
  return first == 1 ? name : name + ", over p = " + format_exact(first);
}

std::string axes(const Axis& x, const Axis& y, const std::vector<double>& x_ticks, const Prediction& point,
                 const std::string& abscissa, Quantity quantity, const std::string& title) {
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  std::string out;
  for (const double value : x_ticks) {
    out += line(x.place(value), kTop, x.place(value), bottom, "grid");
    out += text_at(x.place(value), bottom + 18, "middle", tick_text(point, abscissa, value));
  }
  for (const double value : y.ticks()) {
    out += line(kLeft, y.place(value), right, y.place(value), "grid");
    out += text_at(kLeft - 8, y.place(value) + 4, "end", quantity_text(quantity, value));
  }
  out += line(kLeft, bottom, right, bottom, "axis") + line(kLeft, kTop, kLeft, bottom, "axis");
  out += text_at((kLeft + right) / 2, kHeight - 14, "middle", axis_title(abscissa));
  const std::string turn = " transform=\"rotate(-90 16 " + number((kTop + bottom) / 2) + ")\"";
  return out + text_at(16, (kTop + bottom) / 2, "middle", title, turn);
}

std::string curve_shape(const Curve& curve, const std::string& color, const Axis& x, const Axis& y,
                        double lowest) {
  std::string band, back, path, ideal, dots;
  const auto spot_at = [&](double at, double value) {
    return number(x.place(at)) + "," + number(y.place(std::max(value, lowest))) + " ";
  };
  for (const Spot& spot : curve.spots) {
    const std::string place = "cx=\"" + number(x.place(spot.at)) + "\" cy=\"";
    band += spot_at(spot.at, spot.high);
    back = spot_at(spot.at, spot.low) + back;
    path += spot_at(spot.at, spot.value);
    if (spot.ideal) ideal += spot_at(spot.at, *spot.ideal);
    dots += "<circle " + place + number(y.place(std::max(spot.value, lowest))) + "\" r=\"3\" fill=\"" +
            color + "\"><title>" + xml(answer_text(*spot.point)) + "</title></circle>\n";
    if (spot.recorded)
      dots += "<circle " + place + number(y.place(std::max(*spot.recorded, lowest))) +
              "\" r=\"5\" fill=\"none\" stroke=\"#000000\"><title>recorded: " +
              xml(format_seconds(*spot.point->recorded)) + "</title></circle>\n";
  }
  const std::string dashed = ideal.empty() ? "" : "<path d=\"M" + ideal + "\" class=\"ideal\"/>\n";
  return "<polygon points=\"" + band + back + "\" fill=\"" + color + "\" fill-opacity=\"0.18\"/>\n" + dashed +
         "<polyline points=\"" + path + "\" fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.8\"/>\n" +
         dots;
}

/// Returns the ends of the recorded values of the abscissa that some points lie beyond.
std::set<double> recorded_ends(const std::vector<Prediction>& points, const std::string& abscissa) {
  std::set<double> out;
  for (const Prediction& point : points)
    if (const auto factor = point.extrapolation.find(abscissa);
        factor != point.extrapolation.end() && factor->second > 0)
      out.insert(
          parse_double(format_significant(values_of(point).at(abscissa) / factor->second, 9)).value_or(0));
  return out;
}

std::string ends_shape(const std::set<double>& ends, const Axis& x, const std::set<double>& xs) {
  std::string out;
  for (const double end : ends)
    if (end >= *xs.begin() && end <= *xs.rbegin())
      out += line(x.place(end), kTop, x.place(end), kHeight - kBottom, "recorded");
  return out;
}

/// A line of the legend: a mark and its meaning.
struct Entry {
  std::string mark;  // SVG, around the origin
  std::string text;
};

std::string stroke_mark(const std::string& style) {
  return "<line x1=\"-10\" y1=\"0\" x2=\"10\" y2=\"0\" " + style + "/>";
}

std::vector<Entry> legend_of(const std::vector<Curve>& curves, const std::vector<Prediction>& points,
                             const std::set<double>& ends, const std::string& abscissa) {
  std::vector<Entry> out;
  for (std::size_t i = 0; i < curves.size(); ++i)
    if (!curves[i].name.empty())
      out.push_back({stroke_mark("stroke=\"" + std::string(kColors[i % std::size(kColors)]) +
                                 "\" stroke-width=\"1.8\""),
                     curves[i].name});
  const auto any = [&](auto member) {
    return std::ranges::any_of(curves, [&](const Curve& curve) {
      return std::ranges::any_of(curve.spots, [&](const Spot& spot) { return (spot.*member).has_value(); });
    });
  };
  if (with_intervals(points))
    out.push_back(
        {"<rect x=\"-10\" y=\"-5\" width=\"20\" height=\"10\" fill=\"#555555\" fill-opacity=\"0.18\"/>",
         format_significant(100 * points.front().seconds.level, 2) + " % interval"});
  if (any(&Spot::ideal)) out.push_back({stroke_mark("class=\"ideal\""), "perfect scaling"});
  if (any(&Spot::recorded))
    out.push_back({"<circle cx=\"0\" cy=\"0\" r=\"5\" fill=\"none\" stroke=\"#000000\"/>", "recorded"});
  for (const double end : ends)
    out.push_back({stroke_mark("class=\"recorded\""),
                   "recorded to " + abscissa + " = " + tick_text(points.front(), abscissa, end)});
  return out;
}

std::string legend_shape(const std::vector<Entry>& entries) {
  std::string out;
  double y = kTop + 8;
  for (const Entry& entry : entries) {
    out +=
        "<g transform=\"translate(" + number(kWidth + 4) + " " + number(y) + ")\">" + entry.mark + "</g>\n";
    out += text_at(kWidth + kLegendMark - 6, y + 4, "start", entry.text);
    y += kLegendLine;
  }
  return out;
}

double legend_width(const std::vector<Entry>& entries) {
  std::size_t longest = 0;
  for (const Entry& entry : entries) longest = std::max(longest, columns_of(entry.text));
  return entries.empty() ? 0 : kLegendMark + kPerCharacter * static_cast<double>(longest) + 8;
}

/// Returns the parameters with one value, "N = 512, steps = 100".
std::string fixed_text(const std::vector<Prediction>& points) {
  SweepValues fixed;
  for (const auto& [name, values] : distinct_values(points))
    if (values.size() == 1) fixed[name] = *values.begin();
  return values_text(points.front(), fixed);
}

Axis axis_of(const std::vector<Curve>& curves, Quantity quantity, double& lowest) {
  double highest = 0;
  lowest = 0;
  for (const Curve& curve : curves)
    for (const Spot& spot : curve.spots) {
      double low = spot.low > 0 ? spot.low : spot.value;  // an interval down to 0 ends at the lower edge
      for (const auto& other : {spot.recorded, spot.ideal})
        if (other && *other > 0) low = std::min(low, *other), highest = std::max(highest, *other);
      if (low > 0) lowest = lowest == 0 ? low : std::min(lowest, low);
      highest = std::max(highest, spot.high);
    }
  if (quantity == Quantity::efficiency)
    return lowest = 0, Axis(0, std::max(highest, 1.0) * 1.05, kHeight - kBottom, kTop);
  lowest /= 1.1;
  return Axis(lowest, highest * 1.1, kHeight - kBottom, kTop);
}

}  // namespace

std::optional<Quantity> quantity_named(std::string_view name) {
  if (name == "time") return Quantity::time;
  if (name == "speedup") return Quantity::speedup;
  if (name == "efficiency") return Quantity::efficiency;
  return std::nullopt;
}

std::string sweep_svg(const std::vector<Prediction>& points, Quantity quantity) {
  if (points.empty()) return svg::opening(kWidth, kHeight) + "</svg>\n";
  const std::string abscissa = quantity == Quantity::time ? abscissa_of(points) : "p";
  const auto xs = distinct_values(points).at(abscissa);
  auto curves = curves_of(points, abscissa);
  for (Curve& curve : curves) add_spots(curve, quantity, abscissa);
  double lowest = 0;
  const Axis x(*xs.begin(), *xs.rbegin(), kLeft + 14, kWidth - kRight - 14),
      y = axis_of(curves, quantity, lowest);
  const std::set<double> ends = recorded_ends(points, abscissa);
  const std::vector<Entry> legend = legend_of(curves, points, ends, abscissa);
  const std::set<std::string> programs = programs_of(points);
  std::string out = svg::opening(kWidth + legend_width(legend), kHeight);
  out +=
      "<style>.ideal{stroke:#555555;stroke-dasharray:6 "
      "4;fill:none}.recorded{stroke:#000000;stroke-dasharray:1 4}</style>\n";
  out += text_at(kLeft, 24, "start",
                 join(std::vector<std::string>(programs.begin(), programs.end()), ", ") + " on " +
                     join(machines_of(points), ", "),
                 " font-weight=\"bold\"");
  out += text_at(kLeft, 44, "start", fixed_text(points), " fill=\"#444444\"");
  out += axes(x, y, ticks_of(xs, x, 34), points.front(), abscissa, quantity, value_title(quantity, curves)) +
         ends_shape(ends, x, xs);
  for (std::size_t i = 0; i < curves.size(); ++i)
    out += curve_shape(curves[i], kColors[i % std::size(kColors)], x, y, lowest);
  return out + legend_shape(legend) + "</svg>\n";
}

}  // namespace parcast::report
