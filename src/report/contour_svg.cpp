// SPDX-License-Identifier: Apache-2.0
#include "report/contour_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "report/contours.h"
#include "report/svg.h"
#include "report/sweep_axes.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using contours::Cell;
using contours::Segment;
using contours::Spot;
using predict::Prediction;
using svg::Axis;
using svg::line;
using svg::number;
using svg::text_at;

constexpr double kPlotWidth = 420, kPlotHeight = 330, kLeft = 76, kRight = 24, kTop = 62, kBottom = 56;
constexpr double kPanelWidth = kLeft + kPlotWidth + kRight, kPanelHeight = kTop + kPlotHeight + kBottom;
constexpr double kInset = 10;  // distance of the first and last values from the axes
constexpr double kLegendWidth = 190, kLegendLine = 18;
constexpr double kLabelWidth = 56, kLabelHeight = 16;  // size of a line's label
constexpr double kLargestDot = 2.4, kSmallestDot = 0.4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kColumns = 2;

bool is_drawn(const Prediction& point) {
  return point.seconds.value > 0 && std::isfinite(point.seconds.value);
}

/// Round times and their texts.
struct Levels {
  std::vector<double> seconds;  // ascending
  std::vector<std::string> texts;
};

/// Returns e.g. "20 ms", in the largest unit in which `like` is at least one.
std::string level_text(double seconds, double like) {
  static constexpr std::pair<const char*, double> kUnits[] = {
      {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  const auto* unit = std::begin(kUnits);
  while (unit + 1 != std::end(kUnits) && like < unit->second) ++unit;
  char text[48];
  std::snprintf(text, sizeof text, "%.10g %s", seconds / unit->second, unit->first);
  return text;
}

/// Returns levels that are round in hours if all times are long, else in seconds. Times within three decades
/// share a unit.
Levels levels_of(double low, double high) {
  constexpr double kHour = 3600;
  Levels out;
  if (low >= kHour / 10 && high >= 2 * kHour) {
    for (const double hours : contours::round_levels(low / kHour, high / kHour)) {
      out.seconds.push_back(hours * kHour);
      out.texts.push_back(format_exact(hours) + " h");
    }
    return out;
  }
  out.seconds = contours::round_levels(low, high);
  for (const double level : out.seconds)
    out.texts.push_back(
        level_text(level, out.seconds.back() < 1000 * out.seconds.front() ? out.seconds.back() : level));
  return out;
}

/// Returns colours from nearly white, for the shortest times, to the first colour of curves.
std::string shade(std::size_t band, std::size_t bands) {
  constexpr double kLight[] = {0xf2, 0xf8, 0xfc}, kDark[] = {0x00, 0x72, 0xb2};
  const double part = bands < 2 ? 0 : static_cast<double>(band) / static_cast<double>(bands - 1);
  std::string out = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    char text[8];
    std::snprintf(text, sizeof text, "%02x",
                  static_cast<unsigned>(std::lround(kLight[i] + part * (kDark[i] - kLight[i]))));
    out += text;
  }
  return out;
}

/// Shared by all panels.
struct Scene {
  std::string across, up;  // the two parameters
  std::set<double> across_values, up_values;
  SweepValues constant;
  Levels levels;
  std::size_t bands() const { return levels.seconds.size() + 1; }
};

class Panel {
 public:
  Panel(const Scene& scene, const std::vector<const Prediction*>& points, std::string title, double x,
        double y)
      : scene_(scene),
        points_(points),
        title_(std::move(title)),
        left_(x + kLeft),
        right_(left_ + kPlotWidth),
        top_(y + kTop),
        bottom_(top_ + kPlotHeight),
        x_(*scene.across_values.begin(), *scene.across_values.rbegin(), left_ + kInset, right_ - kInset),
        y_(*scene.up_values.begin(), *scene.up_values.rbegin(), bottom_ - kInset, top_ + kInset) {
    for (const Prediction* point : points_) {
      const SweepValues values = values_of(*point);
      at_[{values.at(scene_.across), values.at(scene_.up)}] = point;
    }
    find_cells();
  }

  std::string text() const {
    std::string out = text_at(left_, top_ - 28, "start", title_, " font-weight=\"bold\"");
    out += text_at(left_, top_ - 10, "start", values_text(*points_.front(), scene_.constant),
                   " font-size=\"11\" fill=\"#666666\"");
    for (std::size_t band = 0; band < scene_.bands(); ++band) out += area(band);
    std::string labels;
    std::vector<Spot> labelled;
    for (std::size_t level = 0; level < scene_.levels.seconds.size(); ++level) {
      const std::vector<Segment> pieces = pieces_of(level);
      out += curve(pieces, scene_.levels.texts[level]);
      labels += label(pieces, scene_.levels.texts[level], labelled);
    }
    return out + axes() + dots() + labels;
  }

 private:
  /// Returns nothing if there is no time: the simulation deadlocks, or the time is 0.
  std::optional<Spot> spot(double across, double up) const {
    const auto found = at_.find({across, up});
    if (found == at_.end() || !is_drawn(*found->second)) return std::nullopt;
    return Spot{x_.place(across), y_.place(up), std::log(found->second->seconds.value)};
  }

  /// Finds the cells between four neighbours that all have a time.
  void find_cells() {
    for (auto x = scene_.across_values.begin(); std::next(x) != scene_.across_values.end(); ++x)
      for (auto y = scene_.up_values.begin(); std::next(y) != scene_.up_values.end(); ++y) {
        const auto a = spot(*x, *y), b = spot(*std::next(x), *y), c = spot(*std::next(x), *std::next(y)),
                   d = spot(*x, *std::next(y));
        if (a && b && c && d) cells_.push_back({*a, *b, *c, *d});
      }
  }

  static std::string place(const Spot& spot) { return number(spot.x) + "," + number(spot.y); }

  std::string area(std::size_t band) const {
    const auto& levels = scene_.levels.seconds;
    const double from = band == 0 ? -kInfinity : std::log(levels[band - 1]),
                 to = band == levels.size() ? kInfinity : std::log(levels[band]);
    std::string path;
    for (const Cell& cell : cells_)
      for (const contours::Polygon& piece : contours::band_in(cell, from, to)) {
        for (std::size_t i = 0; i < piece.size(); ++i) path += (i == 0 ? "M" : "L") + place(piece[i]);
        path += "Z";
      }
    return path.empty()
               ? ""
               : "<path class=\"band\" d=\"" + path + "\" fill=\"" + shade(band, scene_.bands()) + "\"/>\n";
  }

  std::vector<Segment> pieces_of(std::size_t level) const {
    std::vector<Segment> out;
    for (const Cell& cell : cells_)
      for (Segment& piece : contours::line_in(cell, std::log(scene_.levels.seconds[level])))
        out.push_back(std::move(piece));
    return out;
  }

  static std::string curve(const std::vector<Segment>& pieces, const std::string& name) {
    std::string path;
    for (const auto& [from, to] : pieces) path += "M" + place(from) + "L" + place(to);
    return path.empty() ? ""
                        : "<path class=\"level\" d=\"" + path +
                              "\" fill=\"none\" stroke=\"#333333\" stroke-linecap=\"round\"><title>" +
                              xml(name) + "</title></path>\n";
  }

  /// Labels the segment that is farthest from the edges and from earlier labels; adds no label if there is no
  /// room.
  std::string label(const std::vector<Segment>& pieces, const std::string& name,
                    std::vector<Spot>& labelled) const {
    std::optional<Spot> best;
    double most = 1;
    for (const auto& [from, to] : pieces) {
      const Spot middle{(from.x + to.x) / 2, (from.y + to.y) / 2, from.height};
      double room = std::min(std::min(middle.x - left_, right_ - middle.x) / (kLabelWidth / 2),
                             std::min(middle.y - top_, bottom_ - middle.y) / (kLabelHeight / 2));
      for (const Spot& other : labelled)
        room = std::min(room, std::max(std::fabs(middle.x - other.x) / kLabelWidth,
                                       std::fabs(middle.y - other.y) / kLabelHeight));
      if (room > most) most = room, best = middle;
    }
    if (!best) return "";
    labelled.push_back(*best);
    return text_at(
        best->x, best->y + 4, "middle", name,
        " class=\"label\" font-size=\"11\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"");
  }

  std::string axes() const {
    std::string out;
    for (const double value : ticks_of(scene_.across_values, x_, 34)) {
      out += line(x_.place(value), bottom_, x_.place(value), bottom_ + 5, "axis");
      out +=
          text_at(x_.place(value), bottom_ + 18, "middle", tick_text(*points_.front(), scene_.across, value));
    }
    for (const double value : ticks_of(scene_.up_values, y_, 14)) {
      out += line(left_ - 5, y_.place(value), left_, y_.place(value), "axis");
      out += text_at(left_ - 8, y_.place(value) + 4, "end", tick_text(*points_.front(), scene_.up, value));
    }
    out += line(left_, bottom_, right_, bottom_, "axis") + line(left_, top_, left_, bottom_, "axis");
    out += text_at((left_ + right_) / 2, bottom_ + 42, "middle", axis_title(scene_.across));
    const double x = left_ - 60, y = (top_ + bottom_) / 2;
    return out + text_at(x, y, "middle", axis_title(scene_.up),
                         " transform=\"rotate(-90 " + number(x) + " " + number(y) + ")\"");
  }

  /// Returns at most a quarter of the distance to the nearest neighbour.
  double dot_radius() const {
    double least = 4 * kLargestDot;
    for (const auto& [values, axis] :
         {std::pair(&scene_.across_values, &x_), std::pair(&scene_.up_values, &y_)})
      for (auto value = values->begin(); std::next(value) != values->end(); ++value)
        least = std::min(least, std::fabs(axis->place(*std::next(value)) - axis->place(*value)));
    return std::max(least / 4, kSmallestDot);
  }

  std::string dots() const {
    std::string out;
    const std::string radius = number(dot_radius());
    for (const auto& [values, point] : at_)
      out += "<circle cx=\"" + number(x_.place(values.first)) + "\" cy=\"" + number(y_.place(values.second)) +
             "\" r=\"" + radius + "\" fill=\"#222222\"><title>" + xml(answer_text(*point)) +
             "</title></circle>\n";
    return out;
  }

  const Scene& scene_;
  std::vector<const Prediction*> points_;
  std::string title_;
  double left_, right_, top_, bottom_;
  Axis x_, y_;
  std::map<std::pair<double, double>, const Prediction*> at_;
  std::vector<Cell> cells_;
};

/// Returns the bands with the slowest on top, as on an axis.
std::string legend(const Scene& scene, double x, double low, bool gaps) {
  std::string out = text_at(x, kTop - 10, "start", "predicted time");
  const auto& texts = scene.levels.texts;
  double y = kTop;
  for (std::size_t i = low > 0 ? scene.bands() : 0; i > 0; --i, y += kLegendLine) {
    const std::size_t band = i - 1;
    const std::string text = texts.empty()          ? format_seconds(low)
                             : band == 0            ? "below " + texts.front()
                             : band == texts.size() ? "above " + texts.back()
                                                    : texts[band - 1] + " .. " + texts[band];
    out += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"16\" height=\"14\" fill=\"" +
           shade(band, scene.bands()) + "\" stroke=\"#333333\" stroke-width=\"0.5\"/>\n" +
           text_at(x + 24, y + 11, "start", text);
  }
  out += "<circle cx=\"" + number(x + 8) + "\" cy=\"" + number(y + 13) + "\" r=\"" + number(kLargestDot) +
         "\" fill=\"#222222\"/>\n" + text_at(x + 24, y + 17, "start", "predicted");
  const std::string small = " font-size=\"11\" fill=\"#666666\"";
  out += text_at(x, y + 38, "start", "between: straight in logarithms", small);
  return out + (gaps ? text_at(x, y + 54, "start", "blank: a neighbour has no time", small) : "");
}

using Points = std::vector<const Prediction*>;

/// Groups the points by program and machine, in order of appearance.
std::vector<std::pair<std::string, Points>> runs_of(const std::vector<Prediction>& points) {
  std::vector<std::pair<std::string, Points>> out;
  for (const Prediction& point : points) {
    const std::string title = point.program + " on " + point.machine;
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& each) { return each.first == title; });
    if (at == out.end()) at = out.insert(out.end(), {title, {}});
    at->second.push_back(&point);
  }
  return out;
}

}  // namespace

std::string contour_svg(const std::vector<Prediction>& points, const std::string& across,
                        const std::string& up) {
  const auto runs = runs_of(points);
  const std::size_t columns = std::clamp(runs.size(), std::size_t{1}, kColumns),
                    rows = std::max<std::size_t>((runs.size() + columns - 1) / columns, 1);
  std::string out = svg::opening(static_cast<double>(columns) * kPanelWidth + kLegendWidth,
                                 static_cast<double>(rows) * kPanelHeight);
  if (points.empty()) return out + "</svg>\n";
  const auto all = distinct_values(points);
  Scene scene{across, up, all.at(across), all.at(up), {}, {}};
  for (const auto& [name, values] : all)
    if (values.size() == 1 && name != across && name != up) scene.constant[name] = *values.begin();
  double low = 0, high = 0;
  std::size_t drawn = 0;
  for (const Prediction& point : points) {
    if (!is_drawn(point)) continue;
    const double seconds = point.seconds.value;
    low = drawn++ == 0 ? seconds : std::min(low, seconds);
    high = std::max(high, seconds);
  }
  scene.levels = levels_of(low, high);
  for (std::size_t i = 0; i < runs.size(); ++i)
    out += Panel(scene, runs[i].second, runs[i].first, kPanelWidth * static_cast<double>(i % columns),
                 kPanelHeight * static_cast<double>(i / columns))
               .text();
  const bool gaps = drawn < runs.size() * scene.across_values.size() * scene.up_values.size();
  return out + legend(scene, static_cast<double>(columns) * kPanelWidth + 8, low, gaps) + "</svg>\n";
}

}  // namespace parcast::report
