// SPDX-License-Identifier: Apache-2.0
#include "report/html/bar_chart.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html/markup.h"
#include "report/svg.h"

namespace parcast::report::html {
namespace {

constexpr double kWidth = 720, kRight = 700, kTop = 6, kBelow = 40, kLetter = 6.6;

double sum_of(const BarRow& row) {
  double sum = 0;
  for (const double value : row.values) sum += std::max(0.0, value);
  return sum;
}

std::string title_of(const BarRow& row, std::size_t part, const std::string& name, Unit unit) {
  return "<title>" +
         text((row.title.empty() ? row.name : row.title) + ", " + name + ": " +
              axis_text(row.values[part], unit)) +
         "</title>";
}

}  // namespace

std::vector<double> even_ticks(double high, int most) {
  std::vector<double> out;
  if (!(high > 0) || !std::isfinite(high)) return out;
  double step = std::pow(10, std::floor(std::log10(high / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (high / (factor * step) <= most) {
      step *= factor;
      break;
    }
  for (int i = 0; i * step <= high * (1 + 1e-9); ++i) out.push_back(i * step);
  return out;
}

std::string axis_text(double value, Unit unit) {
  const auto shortened = [](const std::string& number) {
    const auto parsed = parse_double(number);
    return parsed ? format_exact(*parsed) : number;
  };
  if (unit == Unit::percent) return shortened(format_significant(100 * value, 3)) + " %";
  if (unit == Unit::ratio) return shortened(format_significant(value, 3));
  if (value == 0) return "0";
  const std::string seconds = format_seconds(value);
  const auto blank = seconds.find(' ');
  return shortened(seconds.substr(0, blank)) + seconds.substr(blank);
}

std::string legend_key(const std::string& name, const std::string& style) {
  return " <span class=\"key\"><i class=\"key-" + style + "\"></i>" + text(name) + "</span>";
}

std::string bar_chart(const std::string& name, const std::string& x_title, Unit unit,
                      const std::vector<std::pair<std::string, std::string>>& parts,
                      const std::vector<BarRow>& rows) {
  double most = 0;
  std::size_t letters = 4;
  for (const BarRow& row : rows)
    most = std::max(most, sum_of(row)), letters = std::max(letters, row.name.size());
  if (rows.empty() || !(most > 0)) return "";
  const double each = rows.size() <= 16 ? 22 : rows.size() <= 32 ? 15 : 11, gap = each > 12 ? 4 : 2;
  const double left = std::min(260.0, 14 + kLetter * static_cast<double>(letters));
  const double bottom = kTop + each * static_cast<double>(rows.size());
  const auto place = [&](double value) { return left + value / most * (kRight - left); };
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + text(name) +
                    "\" viewBox=\"0 0 " + svg::number(kWidth) + " " + svg::number(bottom + kBelow) +
                    "\"><title>" + text(name) + "</title>\n";
  for (const double tick : even_ticks(most, 6))
    out += svg::line(place(tick), kTop, place(tick), bottom, tick == 0 ? "axis" : "grid") +
           svg::text_at(place(tick), bottom + 16, "middle", axis_text(tick, unit), " class=\"tick\"");
  std::vector<bool> occurs(parts.size(), false);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = kTop + each * static_cast<double>(r) + gap / 2;
    double from = 0;
    if (each > 12 || r % 4 == 0)
      out += svg::text_at(left - 8, y + (each - gap) / 2 + 4, "end", rows[r].name, " class=\"tick\"");
    for (std::size_t k = 0; k < parts.size() && k < rows[r].values.size(); ++k) {
      const double value = std::max(0.0, rows[r].values[k]);
      if (!(value > 0)) continue;
      occurs[k] = true;
      out += "<rect class=\"fill-" + parts[k].second + "\" x=\"" + svg::number(place(from)) + "\" y=\"" +
             svg::number(y) + "\" width=\"" + svg::number(place(from + value) - place(from)) +
             "\" height=\"" + svg::number(each - gap) + "\">" + title_of(rows[r], k, parts[k].first, unit) +
             "</rect>\n";
      from += value;
    }
  }
  std::string legend;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (occurs[k]) legend += legend_key(parts[k].first, "fill-" + parts[k].second);
  out +=
      svg::text_at((left + kRight) / 2, bottom + 34, "middle", x_title, " class=\"axis-title\"") + "</svg>\n";
  return "<figure data-chart=\"" + text(name) + "\"><figcaption><b>" + text(name) + "</b>" + legend +
         "</figcaption>\n" + out + "</figure>\n";
}

}  // namespace parcast::report::html
