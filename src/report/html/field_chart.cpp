// SPDX-License-Identifier: Apache-2.0
#include "report/html/field_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/contours.h"
#include "report/html/bar_chart.h"
#include "report/html/markup.h"
#include "report/svg.h"

namespace parcast::report::html {
namespace {

using contours::Cell;
using contours::Spot;

constexpr double kWidth = 480, kHeight = 330, kLeft = 66, kRight = 462, kTop = 14, kBottom = 268;
constexpr double kFaintest = 0.06, kStrongest = 0.72;  // opacity of the bands
constexpr double kLabel = 30;                          // least distance of two labels

class Plot {
 public:
  explicit Plot(const FieldChart& chart)
      : chart_(chart),
        x_(chart.x.front(), chart.x.back(), kLeft, kRight),
        y_(chart.y.front(), chart.y.back(), kBottom, kTop) {
    for (std::size_t row = 0; row + 1 < chart.y.size(); ++row)
      for (std::size_t column = 0; column + 1 < chart.x.size(); ++column) add_cell(row, column);
  }

  bool empty() const { return cells_.empty(); }

  std::string svg() const {
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" +
                      text(chart_.name) + "\" viewBox=\"0 0 " + svg::number(kWidth) + " " +
                      svg::number(kHeight) + "\"><title>" + text(chart_.name) + "</title>\n";
    for (std::size_t band = 0; band <= chart_.levels.size(); ++band) out += area(band);
    std::vector<Spot> labelled;
    std::string labels;
    for (const double level : chart_.levels) out += line(level, labels, labelled);
    return out + axes() + marks() + labels + points() + "</svg>\n";
  }

 private:
  double scaled(double value) const { return chart_.is_logarithmic ? std::log(value) : value; }

  std::optional<Spot> spot(std::size_t row, std::size_t column) const {
    const auto& value = chart_.values[row * chart_.x.size() + column];
    if (!value || !std::isfinite(*value) || (chart_.is_logarithmic && !(*value > 0))) return std::nullopt;
    return Spot{x_.place(chart_.x[column]), y_.place(chart_.y[row]), scaled(*value)};
  }

  void add_cell(std::size_t row, std::size_t column) {
    const std::optional<Spot> corners[] = {spot(row, column), spot(row, column + 1),
                                           spot(row + 1, column + 1), spot(row + 1, column)};
    if (std::ranges::all_of(corners, [](const auto& each) { return each.has_value(); }))
      cells_.push_back({*corners[0], *corners[1], *corners[2], *corners[3]});
  }

  std::string area(std::size_t band) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double from = band == 0 ? -kInfinity : scaled(chart_.levels[band - 1]);
    const double to = band == chart_.levels.size() ? kInfinity : scaled(chart_.levels[band]);
    std::string d;
    for (const Cell& cell : cells_)
      for (const contours::Polygon& polygon : contours::band_in(cell, from, to)) {
        if (polygon.size() < 3) continue;
        for (std::size_t i = 0; i < polygon.size(); ++i)
          d += (i == 0 ? "M" : "L") + svg::number(polygon[i].x) + " " + svg::number(polygon[i].y);
        d += "Z";
      }
    if (d.empty()) return "";
    const double part =
        chart_.levels.empty() ? 0.5 : static_cast<double>(band) / static_cast<double>(chart_.levels.size());
    return "<path class=\"field\" fill-opacity=\"" +
           svg::number(kFaintest + part * (kStrongest - kFaintest)) + "\" d=\"" + d + "\"/>\n";
  }

  /// Labels a line where it is nearest to the middle, unless another label is near.
  std::string line(double level, std::string& labels, std::vector<Spot>& labelled) const {
    std::string d;
    const Spot middle{(kLeft + kRight) / 2, (kTop + kBottom) / 2, 0};
    const auto distance = [](const Spot& a, const Spot& b) { return std::hypot(a.x - b.x, a.y - b.y); };
    std::optional<Spot> place;
    for (const Cell& cell : cells_)
      for (const auto& [from, to] : contours::line_in(cell, scaled(level))) {
        d += "M" + svg::number(from.x) + " " + svg::number(from.y) + "L" + svg::number(to.x) + " " +
             svg::number(to.y);
        const Spot here{(from.x + to.x) / 2, (from.y + to.y) / 2, 0};
        const bool inside =
            here.x > kLeft + 22 && here.x < kRight - 22 && here.y > kTop + 10 && here.y < kBottom - 8;
        const bool free =
            std::ranges::none_of(labelled, [&](const Spot& other) { return distance(other, here) < kLabel; });
        if (inside && free && (!place || distance(here, middle) < distance(*place, middle))) place = here;
      }
    if (d.empty()) return "";
    if (place) {
      labelled.push_back(*place);
      labels +=
          svg::text_at(place->x, place->y + 4, "middle", axis_text(level, chart_.unit), " class=\"level\"");
    }
    return "<path class=\"level-line\" d=\"" + d + "\"/>\n";
  }

  std::string axes() const {
    std::string out =
        svg::line(kLeft, kBottom, kRight, kBottom, "axis") + svg::line(kLeft, kTop, kLeft, kBottom, "axis");
    double before = -100;
    for (const double x : chart_.x) {
      if (x_.place(x) - before < 36) continue;
      before = x_.place(x);
      out += svg::text_at(before, kBottom + 18, "middle", format_plain(x), " class=\"tick\"");
    }
    before = 1000;
    for (const double y : chart_.y) {
      if (before - y_.place(y) < 17) continue;
      before = y_.place(y);
      out += svg::text_at(kLeft - 8, before + 4, "end", axis_text(y, Unit::ratio), " class=\"tick\"");
    }
    const std::string turned =
        " class=\"axis-title\" transform=\"rotate(-90 14 " + svg::number((kTop + kBottom) / 2) + ")\"";
    return out +
           svg::text_at((kLeft + kRight) / 2, kBottom + 40, "middle", chart_.x_title,
                        " class=\"axis-title\"") +
           svg::text_at(14, (kTop + kBottom) / 2, "middle", chart_.y_title, turned);
  }

  /// The question, and the corner of the recorded values.
  std::string marks() const {
    std::string out;
    const auto inside = [](double value, const std::vector<double>& axis) {
      return value >= axis.front() && value <= axis.back();
    };
    if (chart_.recorded_x > 0 && chart_.recorded_y > 0) {
      const double x = x_.place(std::clamp(chart_.recorded_x, chart_.x.front(), chart_.x.back())),
                   y = y_.place(std::clamp(chart_.recorded_y, chart_.y.front(), chart_.y.back()));
      out += "<path class=\"data-end\" fill=\"none\" d=\"M" + svg::number(kLeft) + " " + svg::number(y) +
             "H" + svg::number(x) + "V" + svg::number(kBottom) +
             "\"><title>end of the recordings</title></path>\n";
    }
    if (inside(chart_.asked_x, chart_.x) && inside(chart_.asked_y, chart_.y))
      out += "<circle class=\"dot-asked\" cx=\"" + svg::number(x_.place(chart_.asked_x)) + "\" cy=\"" +
             svg::number(y_.place(chart_.asked_y)) + "\" r=\"5\"><title>the question</title></circle>\n";
    return out;
  }

  /// Invisible points with the values, for readers who point at them or hear them.
  std::string points() const {
    std::string out;
    for (std::size_t row = 0; row < chart_.y.size(); ++row)
      for (std::size_t column = 0; column < chart_.x.size(); ++column) {
        const auto& value = chart_.values[row * chart_.x.size() + column];
        if (!value) continue;
        out += "<circle class=\"spot\" cx=\"" + svg::number(x_.place(chart_.x[column])) + "\" cy=\"" +
               svg::number(y_.place(chart_.y[row])) + "\" r=\"1.6\"><title>" +
               text("p = " + format_plain(chart_.x[column]) + ", " + chart_.y_title + " = " +
                    format_plain(chart_.y[row]) + ": " + axis_text(*value, chart_.unit)) +
               "</title></circle>\n";
      }
    return out;
  }

  const FieldChart& chart_;
  svg::Axis x_, y_;
  std::vector<Cell> cells_;
};

}  // namespace

std::string field_chart(const FieldChart& chart) {
  if (chart.x.size() < 2 || chart.y.size() < 2) return "";
  const Plot plot(chart);
  if (plot.empty()) return "";
  std::string legend;
  if (chart.recorded_x > 0) legend += legend_key("end of the recordings", "data-end");
  legend += legend_key("the question", "dot-asked");
  return "<figure data-chart=\"" + text(chart.name) + "\"><figcaption><b>" + text(chart.name) + "</b>" +
         legend + "</figcaption>\n" + plot.svg() + "</figure>\n";
}

}  // namespace parcast::report::html
