// SPDX-License-Identifier: Apache-2.0
#include "report/html/markup.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/svg.h"

namespace parcast::report::html {

std::string element(const std::string& name, const std::string& classes, const std::string& content) {
  return "<" + name + (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" + content + "</" + name +
         ">";
}

Cell seconds_cell(double seconds) {
  if (!std::isfinite(seconds)) return {"&ndash;", ""};
  return {text(duration(seconds)), format_exact(seconds)};
}

std::string span_text(double low, double high) {
  const std::string from = duration(low), to = duration(high);
  const auto blank = from.find(' ');
  const bool same_unit = blank != std::string::npos && to.find(' ') != std::string::npos &&
                         from.substr(blank) == to.substr(to.find(' '));
  return (same_unit ? from.substr(0, blank) : from) + " .. " + to;
}

Cell share_cell(double share, const std::string& part) {
  if (!std::isfinite(share)) return {"&ndash;", ""};
  const double width = 100 * std::clamp(share, 0.0, 1.0);
  return {"<span class=\"bar\"><i class=\"fill-" + part + "\" style=\"width:" + svg::number(width) +
              "%\"></i></span><span class=\"share\">" + text(in_percent(share)) + "</span>",
          format_significant(share, 6)};
}

void Table::add(const std::vector<Cell>& cells, const std::string& attributes) {
  rows_ += "<tr" + attributes + ">";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string kind = i == 0 ? "th scope=\"row\"" : "td";
    const bool number = i < columns_.size() && columns_[i].number;
    rows_ += "<" + kind + (number ? " class=\"number\"" : "") +
             (cells[i].value.empty() ? "" : " data-value=\"" + text(cells[i].value) + "\"") + ">" +
             cells[i].html + (i == 0 ? "</th>" : "</td>");
  }
  rows_ += "</tr>\n";
}

std::string Table::html() const {
  std::string head;
  for (const Column& column : columns_)
    head += "<th scope=\"col\"" + std::string(column.number ? " class=\"number\"" : "") + ">" +
            text(column.title) + "</th>";
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + text(name_) +
         "\"><table data-copy=\"" + text(name_) + "\"><thead><tr>" + head + "</tr></thead><tbody>\n" + rows_ +
         "</tbody></table></div>\n";
}

std::string folded(const std::string& title, const std::string& content) {
  return "<details><summary>" + text(title) + "</summary>\n" + content + "</details>\n";
}

std::string tile(const std::string& title, const std::string& number, const std::string& note) {
  return "<div class=\"tile\"><span class=\"tile-title\">" + text(title) + "</span><strong>" + text(number) +
         "</strong>" + (note.empty() ? "" : "<span class=\"tile-note\">" + text(note) + "</span>") +
         "</div>\n";
}

}  // namespace parcast::report::html
