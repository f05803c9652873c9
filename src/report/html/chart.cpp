// SPDX-License-Identifier: Apache-2.0
#include "report/html/chart.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html/markup.h"
#include "report/svg.h"

namespace parcast::report::html {
namespace {

constexpr double kWidth = 480, kHeight = 292, kLeft = 62, kRight = 470, kTop = 14, kBottom = 246;

std::string short_number(double value) {
  return format_exact(parse_double(format_significant(value, 3)).value_or(value));
}

/// Returns e.g. "10 ms", without zeros at its end.
std::string short_seconds(double seconds) {
  const std::string text = format_seconds(seconds);
  const auto blank = text.find(' ');
  const auto number = parse_double(text.substr(0, blank));
  return number ? format_exact(*number) + text.substr(blank) : text;
}

std::string tick_text(double value, Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return short_seconds(value);
    case Unit::percent:
      return short_number(100 * value) + " %";
    case Unit::ratio:
      break;
  }
  return short_number(value);
}

std::string opening(const std::string& name, double height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + text(name) +
         "\" viewBox=\"0 0 " + svg::number(kWidth) + " " + svg::number(height) + "\"><title>" + text(name) +
         "</title>\n";
}

std::string label(double x, double y, const std::string& anchor, const std::string& content,
                  const std::string& style = "tick") {
  return svg::text_at(x, y, anchor, content, " class=\"" + style + "\"");
}

std::string title_of(const std::string& content) {
  return "<title>" + text(content) + "</title>";
}

std::string figure(const std::string& name, const std::string& legend, const std::string& picture) {
  return "<figure data-chart=\"" + text(name) + "\"><figcaption><b>" + text(name) + "</b>" + legend +
         "</figcaption>\n" + picture + "</figure>\n";
}

std::string key(const std::string& name, const std::string& style) {
  return " <span class=\"key\"><i class=\"key-" + style + "\"></i>" + text(name) + "</span>";
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
};

/// Returns the values, leaving out those whose labels would overlap with the one before.
std::vector<double> apart(const std::vector<double>& values, const svg::Axis& axis, double least) {
  std::vector<double> out;
  for (const double value : values)
    if (out.empty() || std::abs(axis.place(value) - axis.place(out.back())) >= least) out.push_back(value);
  return out;
}

class LinePlot {
 public:
  LinePlot(const LineChart& chart, const Range& x, const Range& y)
      : chart_(chart), x_(x.low, x.high, kLeft + 10, kRight - 14), y_(y.low, y.high, kBottom, kTop) {
    for (const Line& line : chart.lines)
      for (const ChartPoint& point : line.points) values_.push_back(point.x);
    std::ranges::sort(values_);
    values_.erase(std::ranges::unique(values_).begin(), values_.end());
  }

  std::string svg() const {
    std::string out = opening(chart_.name, kHeight) + grid() + limits();
    for (const Line& line : chart_.lines) out += band(line);
    for (const Line& line : chart_.lines) out += line.marks ? marks(line) : path(line) + dots(line);
    return out + "</svg>\n";
  }

 private:
  std::string grid() const {
    std::string out;
    for (const double tick : y_.ticks()) {
      out += svg::line(kLeft, y_.place(tick), kRight, y_.place(tick), "grid");
      out += label(kLeft - 8, y_.place(tick) + 4, "end", tick_text(tick, chart_.unit));
    }
    for (const double x : apart(values_, x_, 34))
      out += label(x_.place(x), kBottom + 18, "middle", short_number(x));
    return out + svg::line(kLeft, kBottom, kRight, kBottom, "axis") +
           label((kLeft + kRight) / 2, kBottom + 38, "middle", chart_.x_title, "axis-title");
  }

  std::string limits() const {
    std::string out;
    const double end = chart_.data_end;
    if (end > 0 && end < values_.back()) {
      const double x = x_.place(std::max(end, values_.front()));
      out += "<rect class=\"beyond\" x=\"" + svg::number(x) + "\" y=\"" + svg::number(kTop) + "\" width=\"" +
             svg::number(kRight - x) + "\" height=\"" + svg::number(kBottom - kTop) + "\"/>\n";
      out += svg::line(x, kTop, x, kBottom, "data-end") +
             label(x + 5, kTop + 11, "start", "beyond the recordings", "note");
    }
    if (chart_.asked > 0)
      out += svg::line(x_.place(chart_.asked), kTop, x_.place(chart_.asked), kBottom, "asked");
    return out;
  }

  std::string at(double x, double y) const {
    return svg::number(x_.place(x)) + " " + svg::number(y_.place(y));
  }

  std::string band(const Line& line) const {
    std::string there, back;
    for (const ChartPoint& point : line.points) {
      if (!(point.high > point.low)) continue;
      there += (there.empty() ? "M" : "L") + at(point.x, point.high);
      back = "L" + at(point.x, point.low) + back;
    }
    return there.empty() ? "" : "<path class=\"band\" d=\"" + there + back + "Z\"/>\n";
  }

  std::string path(const Line& line) const {
    std::string d;
    for (const ChartPoint& point : line.points) d += (d.empty() ? "M" : "L") + at(point.x, point.y);
    return "<path class=\"" + line.style + "\" d=\"" + d + "\"/>\n";
  }

  std::string spoken(const Line& line, const ChartPoint& point) const {
    const std::string x = chart_.x_title == "processes" ? "p" : chart_.x_title;
    std::string out =
        line.name + ", " + x + " = " + short_number(point.x) + ": " + tick_text(point.y, chart_.unit);
    return point.high > point.low ? out + " (" + tick_text(point.low, chart_.unit) + " .. " +
                                        tick_text(point.high, chart_.unit) + ")"
                                  : out;
  }

  std::string dots(const Line& line) const {
    if (line.style == "line-ideal") return "";
    std::string out;
    for (const ChartPoint& point : line.points)
      out += "<circle class=\"dot-" + line.style.substr(5) + "\" cx=\"" + svg::number(x_.place(point.x)) +
             "\" cy=\"" + svg::number(y_.place(point.y)) + "\" r=\"" + (point.x == chart_.asked ? "5" : "3") +
             "\">" + title_of(spoken(line, point)) + "</circle>\n";
    return out;
  }

  std::string marks(const Line& line) const {
    std::string out;
    for (const ChartPoint& point : line.points)
      out += "<path class=\"" + line.style + "\" transform=\"translate(" + svg::number(x_.place(point.x)) +
             " " + svg::number(y_.place(point.y)) + ")\" d=\"M0-5L5 0L0 5L-5 0Z\">" +
             title_of(spoken(line, point)) + "</path>\n";
    return out;
  }

  const LineChart& chart_;
  svg::Axis x_, y_;
  std::vector<double> values_;
};

}  // namespace

std::string line_chart(const LineChart& chart) {
  Range x, y;
  for (const Line& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      x.add(point.x), y.add(point.y);
      if (point.high > point.low)
        y.add(point.high), y.add(point.low > 0 || !chart.logarithmic ? point.low : point.y);
    }
  if (!(x.high >= x.low) || !(y.high >= y.low)) return "";
  constexpr double kQuarters =
      0.4;  // of which the axis is a multiple above 100 %, so that its ticks are round
  if (!chart.logarithmic) y.low = 0, y.high = y.high > 1 ? kQuarters * std::ceil(y.high / kQuarters) : y.high;
  std::string legend;
  for (const Line& line : chart.lines)
    if (!line.points.empty()) legend += key(line.name, line.style);
  return figure(chart.name, legend, LinePlot(chart, x, y).svg());
}

std::string stacked_chart(const std::string& name, const std::string& x_title,
                          const std::vector<std::pair<std::string, std::string>>& parts,
                          const std::vector<Stack>& bars) {
  if (bars.empty()) return "";
  constexpr double left = 46, bottom = 226;
  const double each = (kRight - left) / static_cast<double>(bars.size()), width = std::min(0.82 * each, 60.0);
  std::string out = opening(name, 272);
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double y = bottom - share * (bottom - kTop);
    out += svg::line(left, y, kRight, y, share == 0 ? "axis" : "grid") +
           label(left - 6, y + 4, "end", short_number(100 * share) + " %");
  }
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double x = left + (static_cast<double>(b) + 0.5) * each - width / 2;
    double below = 0;
    out += "<g class=\"stack" + std::string(bars[b].marked ? " marked" : "") + "\" data-bar=\"" +
           std::to_string(b) + "\">";
    for (std::size_t k = 0; k < parts.size() && k < bars[b].shares.size(); ++k) {
      const double height = std::max(0.0, bars[b].shares[k]) * (bottom - kTop);
      if (!(height > 0)) continue;
      out += "<rect class=\"fill-" + parts[k].second + "\" x=\"" + svg::number(x) + "\" y=\"" +
             svg::number(bottom - below - height) + "\" width=\"" + svg::number(width) + "\" height=\"" +
             svg::number(height) + "\">" +
             title_of(parts[k].first + ", p = " + bars[b].name + ": " + in_percent(bars[b].shares[k])) +
             "</rect>";
      below += height;
    }
    out +=
        label(x + width / 2, bottom + 17, "middle", bars[b].name, bars[b].marked ? "tick strong" : "tick") +
        "</g>\n";
  }
  std::string legend;
  for (const auto& [part, style] : parts) legend += key(part, "fill-" + style);
  return figure(name, legend,
                out + label((left + kRight) / 2, bottom + 38, "middle", x_title, "axis-title") + "</svg>\n");
}

std::string tornado_chart(const std::string& name, const std::vector<Bar>& bars) {
  if (bars.empty()) return "";
  constexpr double names = 196, row = 24, room = 60;
  double right = 0, left = 0;
  for (const Bar& bar : bars) right = std::max(right, bar.value), left = std::max(left, -bar.value);
  if (!(right + left > 0)) return "";
  const double unit = (kWidth - names - room - (left > 0 ? room : 0)) / (right + left),
               zero = names + (left > 0 ? room : 0) + left * unit;
  const double height = row * static_cast<double>(bars.size()) + 12;
  std::string out = opening(name, height);
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double y = 6 + row * static_cast<double>(b), length = std::max(1.0, std::abs(bars[b].value) * unit);
    const bool grows = bars[b].value >= 0;
    const std::string shown =
        bars[b].name.size() > 26 ? "…" + bars[b].name.substr(bars[b].name.size() - 25) : bars[b].name;
    out += label(names - 8, y + 16, "end", shown, "bar-name");
    out += "<rect class=\"" + std::string(grows ? "grows" : "falls") + "\" x=\"" +
           svg::number(grows ? zero : zero - length) + "\" y=\"" + svg::number(y + 4) + "\" width=\"" +
           svg::number(length) + "\" height=\"16\" rx=\"2\">" +
           title_of(bars[b].name + ": " + bars[b].shown) + "</rect>";
    out +=
        label(grows ? zero + length + 6 : zero - length - 6, y + 16, grows ? "start" : "end", bars[b].shown);
  }
  return figure(name, "", out + svg::line(zero, 2, zero, height - 2, "axis") + "</svg>\n");
}

std::string diagonal_chart(const std::string& name, const std::string& x_title, const std::string& y_title,
                           const std::vector<Pair>& pairs) {
  Range both;
  for (const Pair& pair : pairs) both.add(pair.x), both.add(pair.y);
  if (pairs.empty() || !(both.low > 0)) return "";
  const double low = both.low / 1.3, high = both.high * 1.3;
  const svg::Axis x(low, high, kLeft, kRight), y(low, high, kBottom, kTop);
  std::string out = opening(name, kHeight);
  for (const double tick : y.ticks())
    out += svg::line(kLeft, y.place(tick), kRight, y.place(tick), "grid") +
           label(kLeft - 8, y.place(tick) + 4, "end", short_seconds(tick));
  for (const double tick : apart(x.ticks(), x, 44))
    out += svg::line(x.place(tick), kTop, x.place(tick), kBottom, "grid") +
           label(x.place(tick), kBottom + 18, "middle", short_seconds(tick));
  out += svg::line(x.place(low), y.place(low), x.place(high), y.place(high), "line-ideal");
  for (const Pair& pair : pairs)
    out += "<circle class=\"dot-time\" cx=\"" + svg::number(x.place(pair.x)) + "\" cy=\"" +
           svg::number(y.place(pair.y)) + "\" r=\"4\">" +
           title_of(pair.name + ": " + short_seconds(pair.x) + " and " + short_seconds(pair.y)) +
           "</circle>\n";
  out += svg::line(kLeft, kBottom, kRight, kBottom, "axis") +
         label((kLeft + kRight) / 2, kBottom + 38, "middle", x_title, "axis-title") +
         label(kLeft + 6, kTop + 10, "start", y_title, "axis-title");
  return figure(name, key("equal", "line-ideal"), out + "</svg>\n");
}

std::string heat_chart(const std::string& name, std::int32_t side, std::int32_t each,
                       const std::vector<Heat>& cells) {
  constexpr double left = 52, top = 26, room = 380;
  Range values;
  for (const Heat& cell : cells) values.add(cell.value);
  if (cells.empty() || side < 1) return "";
  const double width = room / side, gap = side > 40 ? 0 : 1;
  std::string out = opening(name, top + room + 24) + "<rect class=\"heat-frame\" x=\"" + svg::number(left) +
                    "\" y=\"" + svg::number(top) + "\" width=\"" + svg::number(room) + "\" height=\"" +
                    svg::number(room) + "\"/>\n";
  for (const Heat& cell : cells) {
    const double strength =
        values.high > values.low ? std::log(cell.value / values.low) / std::log(values.high / values.low) : 1;
    out += "<rect class=\"heat\" x=\"" + svg::number(left + cell.column * width) + "\" y=\"" +
           svg::number(top + cell.row * width) + "\" width=\"" + svg::number(width - gap) + "\" height=\"" +
           svg::number(width - gap) + "\" fill-opacity=\"" + svg::number(0.25 + 0.75 * strength) + "\">" +
           title_of(cell.name) + "</rect>\n";
  }
  const std::int32_t step = std::max(1, (side + 7) / 8);
  for (std::int32_t k = 0; k < side; k += step) {
    const std::string rank = std::to_string(k * each);
    out += label(left + (k + 0.5) * width, top - 6, "middle", rank) +
           label(left - 6, top + (k + 0.5) * width + 4, "end", rank);
  }
  const std::string legend =
      key(values.high > values.low ? format_bytes(values.low) + " .. " + format_bytes(values.high)
                                   : format_bytes(values.high),
          "heat");
  return figure(
      name, legend,
      out + label(left + room / 2, top + room + 18, "middle", "rows send, columns receive", "axis-title") +
          "</svg>\n");
}

std::string interval_strip(double low, double value, double high) {
  if (!(low > 0) || !(high > low) || !std::isfinite(high)) return "";
  constexpr double left = 10, right = 470, y = 20;
  const double room = std::pow(high / low, 0.06);
  const svg::Axis axis(low / room, high * room, left, right);
  std::string out = opening("the interval of the time", 50) + svg::line(left, y, right, y, "axis");
  for (const double tick : apart(axis.ticks(), axis, 52))
    out += svg::line(axis.place(tick), y - 4, axis.place(tick), y + 4, "axis") +
           label(axis.place(tick), y + 22, "middle", short_seconds(tick));
  out += "<rect class=\"interval\" x=\"" + svg::number(axis.place(low)) + "\" y=\"" + svg::number(y - 7) +
         "\" width=\"" + svg::number(axis.place(high) - axis.place(low)) + "\" height=\"14\" rx=\"7\"/>";
  out += "<circle class=\"dot-time\" cx=\"" + svg::number(axis.place(value)) + "\" cy=\"" + svg::number(y) +
         "\" r=\"7\"/>";
  return "<div class=\"strip\">" + out + "</svg></div>\n";
}

}  // namespace parcast::report::html
