// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "report/pattern_text.h"
#include "report/svg.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using machine::CostPoint;
using machine::PatternCurve;
using svg::Axis;
using svg::line;
using svg::number;
using svg::text_at;

constexpr double kPanelWidth = 420, kPanelHeight = 290, kLeft = 68, kRight = 16, kTop = 44, kBottom = 46,
                 kHead = 46;
constexpr int kColumns = 2;
constexpr std::size_t kMostCurves = 6;  // the number of colours
constexpr int kSteps = 24;              // points of a line between two breaks
constexpr double kOnwards = 4;          // a fit is drawn up to this factor of the largest size
constexpr double kInterval = 1.96;      // standard errors, 95 %
constexpr double kZero = 4;  // a message without bytes is drawn at this factor below the smallest size
constexpr const char* kGrey = "#888888";

/// Returns the process counts that get a curve: all, or the fewest, the most and some between.
std::vector<std::int32_t> shown_counts(const std::vector<std::int32_t>& all) {
  if (all.size() <= kMostCurves) return all;
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < kMostCurves; ++i) out.push_back(all[i * (all.size() - 1) / (kMostCurves - 1)]);
  return out;
}

/// One pattern's panel: cost against size, or against processes if there is only one size.
class Panel {
 public:
  Panel(const PatternCurve& curve, std::span<const std::int32_t> asked, double x, double y)
      : curve_(curve),
        shown_(shown_counts(curve.measured().processes)),
        asked_(asked.begin(), asked.end()),
        left_(x + kLeft),
        right_(x + kPanelWidth - kRight),
        top_(y + kTop),
        bottom_(y + kPanelHeight - kBottom) {
    std::erase_if(asked_, [&](std::int32_t each) { return each < 2 || curve_.beyond_processes(each) == 1; });
    for (const CostPoint& point : curve.table().points)
      if (point.processes > 1) sizes_.insert(point.bytes);
  }

  std::string text() const {
    const Axis x = abscissa(), y = ordinate();
    std::string out = text_at(left_, top_ - 24, "start", curve_.table().name, " font-weight=\"bold\"") +
                      axes(x, y) + breaks(x);
    if (by_size()) {
      for (std::size_t i = 0; i < shown_.size(); ++i) out += one_count(x, y, shown_[i], svg::kColors[i]);
      for (const std::int32_t processes : asked_)
        out += dashed(path(x, y, first_size(), last_size() * kOnwards,
                           [&](double m) { return curve_.fitted(processes, m); }),
                      kGrey);
      if (!shown_.empty()) out += messages(x, y);
    } else {
      out += over_processes(x, y);
    }
    return out + legend();
  }

 private:
  bool by_size() const { return sizes_.size() > 1; }
  double smallest_positive() const {
    for (const double size : sizes_)
      if (size > 0) return size;
    return 1;
  }
  bool with_zero() const { return !sizes_.empty() && *sizes_.begin() <= 0; }
  double first_size() const { return with_zero() ? smallest_positive() / kZero : smallest_positive(); }
  double last_size() const { return sizes_.empty() ? 1 : std::max(*sizes_.rbegin(), smallest_positive()); }
  double last_count() const {
    double most = curve_.measured().processes.empty() ? 2 : curve_.measured().processes.back();
    for (const std::int32_t each : asked_) most = std::max(most, static_cast<double>(each));
    return most;
  }
  double size_of(double bytes) const { return bytes > 0 ? bytes : first_size(); }

  Axis abscissa() const {
    if (by_size()) return {first_size(), last_size() * kOnwards, left_, right_};
    const auto& counts = curve_.measured().processes;
    return {counts.empty() ? 1.0 : counts.front(), last_count(), left_, right_};
  }

  Axis ordinate() const {
    double low = 0, high = 0;
    const auto take = [&](double seconds) {
      if (!(seconds > 0) || !std::isfinite(seconds)) return;
      low = low == 0 ? seconds : std::min(low, seconds), high = std::max(high, seconds);
    };
    for (const CostPoint& point : curve_.table().points)
      if (point.processes > 1) take(point.seconds), take(point.seconds + kInterval * point.standard_error);
    for (const auto* counts : {&shown_, &asked_})
      for (const std::int32_t processes : *counts)
        for (const double bytes : {*sizes_.begin(), last_size() * (by_size() ? kOnwards : 1)})
          take(curve_.fitted(processes, bytes));
    if (low == 0) low = high = 1e-6;
    return {low / 1.3, high * 1.3, bottom_, top_};
  }

  std::vector<double> size_ticks() const {
    std::vector<double> out;
    for (double size = 1; size <= last_size() * kOnwards; size *= 32)
      if (size >= first_size()) out.push_back(size);
    return out;
  }

  std::string axes(const Axis& x, const Axis& y) const {
    std::string out;
    std::vector<double> counts(curve_.measured().processes.begin(), curve_.measured().processes.end());
    counts.insert(counts.end(), asked_.begin(), asked_.end());
    for (const double value : by_size() ? size_ticks() : counts) {
      out += line(x.place(value), top_, x.place(value), bottom_, "grid");
      out +=
          text_at(x.place(value), bottom_ + 16, "middle", by_size() ? size_text(value) : format_exact(value));
    }
    if (by_size() && with_zero()) out += text_at(x.place(first_size()), bottom_ + 16, "middle", "0");
    for (const double value : y.ticks()) {
      out += line(left_, y.place(value), right_, y.place(value), "grid");
      out += text_at(left_ - 6, y.place(value) + 4, "end", format_seconds(value));
    }
    out += line(left_, bottom_, right_, bottom_, "axis") + line(left_, top_, left_, bottom_, "axis");
    return out + text_at((left_ + right_) / 2, bottom_ + 34, "middle",
                         by_size() ? "bytes per process" : "processes", " fill=\"#666666\"");
  }

  /// Returns powers of two that fit under a tick: 32, 1 Ki, 32 Ki, 1 Mi.
  static std::string size_text(double bytes) {
    static constexpr const char* kUnits[] = {"", " Ki", " Mi", " Gi", " Ti"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(kUnits)) bytes /= 1024, ++unit;
    return format_exact(bytes) + kUnits[unit];
  }

  std::string breaks(const Axis& x) const {
    std::string out;
    if (!by_size()) return out;
    for (const machine::PatternCost::Piece& piece : curve_.table().pieces)
      if (piece.from_bytes > first_size() && piece.from_bytes < last_size() * kOnwards)
        out += "<line class=\"break\" x1=\"" + number(x.place(piece.from_bytes)) + "\" y1=\"" + number(top_) +
               "\" x2=\"" + number(x.place(piece.from_bytes)) + "\" y2=\"" + number(bottom_) +
               "\" stroke=\"#333333\" stroke-dasharray=\"1 3\"><title>" +
               xml("another piece from " + format_bytes(piece.from_bytes)) + "</title></line>\n";
    return out;
  }

  /// Returns the points of a function between two values of a logarithmic axis; values outside the panel are
  /// clipped.
  template <class Value>
  std::string path(const Axis& x, const Axis& y, double from, double to, Value value) const {
    std::string out;
    if (!(to > from)) return out;
    for (int i = 0; i <= kSteps; ++i) {
      const double at = from * std::pow(to / from, static_cast<double>(i) / kSteps), seconds = value(at);
      if (!(seconds > 0) || !std::isfinite(seconds)) continue;
      out += number(x.place(at)) + "," + number(std::clamp(y.place(seconds), top_, bottom_)) + " ";
    }
    return out;
  }

  static std::string polyline(const std::string& points, const std::string& color, const std::string& more) {
    return points.empty()
               ? ""
               : "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + color + "\"" + more + "/>\n";
  }
  static std::string solid(const std::string& points, const std::string& color) {
    return polyline(points, color, " stroke-width=\"1.6\"");
  }
  static std::string dashed(const std::string& points, const std::string& color) {
    return polyline(points, color, " class=\"beyond\" stroke-width=\"1.4\" stroke-dasharray=\"5 4\"");
  }

  std::string marks(const Axis& x, const Axis& y, const CostPoint& point, double at,
                    const std::string& color) const {
    if (!(point.seconds > 0)) return "";
    const double half = kInterval * point.standard_error,
                 low = point.seconds - half > 0 ? y.place(point.seconds - half) : bottom_;
    std::string out;
    if (half > 0)
      out += "<line x1=\"" + number(x.place(at)) + "\" y1=\"" + number(std::min(low, bottom_)) + "\" x2=\"" +
             number(x.place(at)) + "\" y2=\"" + number(std::max(y.place(point.seconds + half), top_)) +
             "\" stroke=\"" + color + "\"/>\n";
    return out + "<circle cx=\"" + number(x.place(at)) + "\" cy=\"" + number(y.place(point.seconds)) +
           "\" r=\"2.4\" fill=\"" + color + "\"><title>" +
           xml(curve_.table().name + ", p = " + std::to_string(point.processes) + ", " +
               format_bytes(point.bytes) + ": " + format_seconds(point.seconds) + ", fit " +
               format_seconds(curve_.fitted(point.processes, point.bytes))) +
           "</title></circle>\n";
  }

  /// Draws the fit on a number of processes, a line for each piece, and the points on top.
  std::string one_count(const Axis& x, const Axis& y, std::int32_t processes,
                        const std::string& color) const {
    std::string out;
    const auto fitted = [&](double bytes) { return curve_.fitted(processes, bytes); };
    const auto& pieces = curve_.table().pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const double from = std::max(first_size(), pieces[i].from_bytes);
      const double to =
          i + 1 < pieces.size() ? std::nextafter(pieces[i + 1].from_bytes, 0) : last_size() * kOnwards;
      out += solid(path(x, y, from, std::min(to, last_size()), fitted), color);
      out += dashed(path(x, y, std::max(from, last_size()), to, fitted), color);
    }
    for (const CostPoint& point : curve_.table().points)
      if (point.processes == processes) out += marks(x, y, point, size_of(point.bytes), color);
    return out;
  }

  std::string messages(const Axis& x, const Axis& y) const {
    const std::int32_t most = shown_.back();
    return polyline(path(x, y, first_size(), last_size(),
                         [&](double bytes) { return curve_.from_messages(most, bytes).value_or(0); }),
                    kGrey, " class=\"messages\" stroke-width=\"0.8\"");
  }

  std::string over_processes(const Axis& x, const Axis& y) const {
    const double bytes = sizes_.empty() ? 0 : *sizes_.begin();
    const auto& counts = curve_.measured().processes;
    std::string out;
    if (counts.empty()) return out;
    const auto fitted = [&](double processes) { return curve_.fitted(std::round(processes), bytes); };
    out += solid(path(x, y, counts.front(), counts.back(), fitted), svg::kColors[0]) +
           dashed(path(x, y, counts.back(), last_count(), fitted), svg::kColors[0]);
    for (const CostPoint& point : curve_.table().points)
      if (point.processes > 1) out += marks(x, y, point, point.processes, svg::kColors[0]);
    return out;
  }

  std::string legend() const {
    std::string out;
    double at = left_;
    const auto add = [&](const std::string& text, const std::string& color) {
      out += text_at(at, top_ - 8, "start", text, " font-size=\"11\" fill=\"" + color + "\"");
      at += 10 + 6.2 * static_cast<double>(text.size());
    };
    if (!by_size()) return out;
    for (std::size_t i = 0; i < shown_.size(); ++i) add("p = " + std::to_string(shown_[i]), svg::kColors[i]);
    for (const std::int32_t each : asked_) add("p = " + std::to_string(each) + ", not measured", kGrey);
    return out;
  }

  const PatternCurve& curve_;
  std::vector<std::int32_t> shown_, asked_;
  std::set<double> sizes_;
  double left_, right_, top_, bottom_;
};

}  // namespace

std::string patterns_svg(const std::string& machine, const std::vector<PatternCurve>& curves,
                         std::span<const std::int32_t> asked) {
  std::vector<const PatternCurve*> measured;
  for (const PatternCurve& curve : curves)
    if (!curve.measured().processes.empty()) measured.push_back(&curve);
  const double rows = std::ceil(static_cast<double>(measured.size()) / kColumns);
  std::string out = svg::opening(kColumns * kPanelWidth, kHead + rows * kPanelHeight);
  out +=
      text_at(12, 20, "start", "what patterns of communication cost on " + machine, " font-weight=\"bold\"");
  out += text_at(12, 37, "start",
                 "points: measured, 95 % intervals; solid: fit; dashed: beyond the measurements; dotted: "
                 "breaks; grey: messages alone (LogGPS), most processes",
                 " font-size=\"11\" fill=\"#666666\"");
  for (std::size_t i = 0; i < measured.size(); ++i)
    out += Panel(*measured[i], asked, kPanelWidth * static_cast<double>(i % kColumns),
                 kHead + kPanelHeight * static_cast<double>(i / kColumns))
               .text();
  return out + "</svg>\n";
}

}  // namespace parcast::report
