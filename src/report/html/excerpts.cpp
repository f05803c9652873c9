// SPDX-License-Identifier: Apache-2.0
#include "report/html/excerpts.h"

#include "report/words.h"

namespace parcast::report::html {
namespace {

/// Returns the line with blanks for tabs, and without the end of a line from Windows.
std::string code_line(std::string line) {
  constexpr std::size_t kTab = 8;
  if (line.ends_with('\r')) line.pop_back();
  for (std::size_t at = line.find('\t'); at != std::string::npos; at = line.find('\t'))
    line.replace(at, 1, std::string(kTab - at % kTab, ' '));
  return text(line);
}

std::string excerpt_html(const std::string& where, const Excerpt& excerpt, std::size_t number) {
  std::string lines;
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    const int line = excerpt.first + static_cast<int>(i);
    const bool marked = line >= excerpt.marked && line <= excerpt.last_marked;
    lines += std::string(marked ? "<mark>" : "<span>") + "<i>" + std::to_string(line) + "</i> " +
             code_line(excerpt.lines[i]) + (marked ? "</mark>" : "</span>") + "\n";
  }
  return "<details class=\"source\" id=\"source-" + std::to_string(number) + "\"><summary>" + text(where) +
         " <small>" + text(excerpt.file) + "</small></summary><pre tabindex=\"0\">" + lines +
         "</pre></details>\n";
}

}  // namespace

Cell place_cell(const std::string& where, const Excerpts& excerpts) {
  if (where.empty()) return {};
  const auto excerpt = excerpts.find(where);
  if (excerpt == excerpts.end()) return {"<span class=\"place\">" + text(where) + "</span>", where};
  const auto number = std::distance(excerpts.begin(), excerpt);
  return {"<a class=\"place\" href=\"#source-" + std::to_string(number) + "\">" + text(where) + "</a>",
          where};
}

std::string excerpts_html(const Excerpts& excerpts) {
  std::string sources;
  std::size_t number = 0;
  for (const auto& [where, excerpt] : excerpts) sources += excerpt_html(where, excerpt, number++);
  if (sources.empty()) return "";
  return folded("Source at " + counted(static_cast<std::int64_t>(excerpts.size()), "place"), sources);
}

}  // namespace parcast::report::html
