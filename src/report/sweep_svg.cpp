// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/text.h"
#include "report/svg.h"
#include "report/sweep_axes.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::Prediction;
using svg::Axis;
using svg::kColors;
using svg::line;
using svg::number;
using svg::text_at;

constexpr double kWidth = 720, kHeight = 440, kLeft = 76, kRight = 24, kTop = 44, kBottom = 56,
                 kLegendLine = 16;
/// Returns the parameter with the most distinct values; p in a tie.
std::string abscissa_of(const std::vector<Prediction>& points) {
  const auto all = distinct_values(points);
  std::string best = "p";
  for (const auto& [name, values] : all)
    if (values.size() > all.at(best).size()) best = name;
  return best;
}

struct Curve {
  std::string name;  // e.g. "N = 512", empty if there is only one
  std::vector<const Prediction*> points;
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

std::string axes(const Axis& x, const Axis& y, const std::vector<double>& x_ticks, const Prediction& point,
                 const std::string& abscissa) {
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  std::string out;
  for (const double value : x_ticks) {
    out += line(x.place(value), kTop, x.place(value), bottom, "grid");
    out += text_at(x.place(value), bottom + 18, "middle", tick_text(point, abscissa, value));
  }
  for (const double value : y.ticks()) {
    out += line(kLeft, y.place(value), right, y.place(value), "grid");
    out += text_at(kLeft - 8, y.place(value) + 4, "end", format_seconds(value));
  }
  out += line(kLeft, bottom, right, bottom, "axis") + line(kLeft, kTop, kLeft, bottom, "axis");
  out += text_at((kLeft + right) / 2, kHeight - 14, "middle", axis_title(abscissa));
  const std::string turn = " transform=\"rotate(-90 16 " + number((kTop + bottom) / 2) + ")\"";
  return out + text_at(16, (kTop + bottom) / 2, "middle", "predicted time", turn);
}

std::string curve_shape(const Curve& curve, const std::string& color, const Axis& x, const Axis& y,
                        const std::string& abscissa, double lowest) {
  std::string band, back, path, dots;
  const auto spot = [&](double at, double seconds) {
    return number(x.place(at)) + "," + number(y.place(std::max(seconds, lowest))) + " ";
  };
  for (const Prediction* point : curve.points) {
    const double at = values_of(*point).at(abscissa);
    const auto& s = point->seconds;
    band += spot(at, s.high);
    back = spot(at, s.low) + back;
    path += spot(at, s.value);
    dots += "<circle cx=\"" + number(x.place(at)) + "\" cy=\"" + number(y.place(std::max(s.value, lowest))) +
            "\" r=\"3\" fill=\"" + color + "\"><title>" + xml(answer_text(*point)) + "</title></circle>\n";
  }
  return "<polygon points=\"" + band + back + "\" fill=\"" + color +
         "\" fill-opacity=\"0.18\"/>\n<polyline points=\"" + path + "\" fill=\"none\" stroke=\"" + color +
         "\" stroke-width=\"1.8\"/>\n" + dots;
}

}  // namespace

std::string sweep_svg(const std::vector<Prediction>& points) {
  std::string out = svg::opening(kWidth, kHeight);
  if (points.empty()) return out + "</svg>\n";
  const std::string abscissa = abscissa_of(points);
  const auto xs = distinct_values(points).at(abscissa);
  double lowest = 0, highest = 0;
  for (const Prediction& point : points) {
    const auto& s = point.seconds;
    const double low = s.low > 0 ? s.low : s.value;  // an interval down to 0 ends at the lower edge
    if (low > 0) lowest = lowest == 0 ? low : std::min(lowest, low);
    highest = std::max(highest, s.high);
  }
  const Axis x(*xs.begin(), *xs.rbegin(), kLeft + 14, kWidth - kRight - 14);
  const Axis y(lowest / 1.1, highest * 1.1, kHeight - kBottom, kTop);
  const std::set<std::string> programs = programs_of(points);
  out += text_at(kLeft, 24, "start", join(std::vector<std::string>(programs.begin(), programs.end()), ", ") + " on " + join(machines_of(points), ", "),
                 " font-weight=\"bold\"");
  out += axes(x, y, ticks_of(xs, x, 34), points.front(), abscissa);
  const auto curves = curves_of(points, abscissa);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string color = kColors[i % std::size(kColors)];
    out += curve_shape(curves[i], color, x, y, abscissa, lowest / 1.1);
    if (!curves[i].name.empty())
      out += text_at(kWidth - kRight - 8, kTop + kLegendLine * static_cast<double>(i + 1), "end",
                     curves[i].name, " fill=\"" + color + "\"");
  }
  const std::string level = with_intervals(points) ? format_significant(100 * points.front().seconds.level, 2) + " % interval shaded" : "";
  return out + text_at(kWidth - kRight, 24, "end", level, " fill=\"#666666\"") + "</svg>\n";
}

}  // namespace parcast::report
