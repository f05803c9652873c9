// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

#include "base/text.h"

namespace parcast::report {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrow = 16, kNarrowest = 8;
constexpr std::string_view kCutMark = "...";

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Returns the byte offsets of the characters of `text`, and its size at the end.
std::vector<std::size_t> starts_of(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!continues(text[i])) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

std::string fitted(const std::string& cell, std::size_t width, Column::Shrink shrink) {
  if (columns_of(cell) <= width) return cell;
  if (shrink == Column::Shrink::below) return std::string(kCutMark);
  const auto starts = starts_of(cell);
  const std::size_t keep = width - kCutMark.size();
  if (shrink == Column::Shrink::cut_front)
    return std::string(kCutMark) + cell.substr(starts[starts.size() - 1 - keep]);
  return cell.substr(0, starts[keep]) + std::string(kCutMark);
}

/// Returns the cell without its middle; `front` of the kept characters are those before the gap.
std::string without_middle(const std::string& cell, std::size_t width, std::size_t front) {
  if (columns_of(cell) <= width) return cell;
  const auto starts = starts_of(cell);
  const std::size_t back = width - kCutMark.size() - front;
  return cell.substr(0, starts[front]) + std::string(kCutMark) +
         cell.substr(starts[starts.size() - 1 - back]);
}

bool are_distinct(const std::vector<std::string>& cut, const std::vector<std::string>& cells) {
  std::map<std::string, std::string> whole;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (const auto [at, fresh] = whole.emplace(cut[i], cells[i]); !fresh && at->second != cells[i])
      return false;
  return true;
}

/// Cuts the cells of a column in the middle. Of all ways that keep them different, it takes the one that
/// keeps the most of their beginnings, up to two thirds. If there is none, equal cells get numbers.
std::vector<std::string> cut_in_the_middle(const std::vector<std::string>& cells, std::size_t width) {
  const std::size_t kept = width - kCutMark.size();
  std::vector<std::string> cut;
  const auto cut_with = [&](std::size_t front) {
    cut.clear();
    for (const std::string& cell : cells) cut.push_back(without_middle(cell, width, front));
    return are_distinct(cut, cells);
  };
  const std::size_t most = 2 * kept / 3;
  for (std::size_t front = most + 1; front-- > 0;)
    if (cut_with(front)) return cut;
  for (std::size_t front = most; front <= kept; ++front)
    if (cut_with(front)) return cut;
  cut_with(most);
  std::map<std::string, std::map<std::string, std::size_t>> numbers;  // of cells that look alike when cut
  for (std::size_t i = 0; i < cells.size(); ++i)
    numbers[cut[i]].emplace(cells[i], numbers[cut[i]].size() + 1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (numbers[cut[i]].size() < 2) continue;
    const std::string number = "#" + std::to_string(numbers[cut[i]][cells[i]]);
    cut[i] = without_middle(cells[i], width - std::min(width - kCutMark.size(), number.size()),
                            std::min(most, width - kCutMark.size() - number.size())) +
             number;
  }
  return cut;
}

std::string aligned(const std::string& cell, std::size_t width, Column::Align align) {
  const std::string blanks(width - std::min(width, columns_of(cell)), ' ');
  return align == Column::Align::right ? blanks + cell : cell + blanks;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string bold(const Style& style, std::string_view text) {
  return style.color ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}
std::string dim(const Style& style, std::string_view text) {
  return style.color ? "\033[2m" + std::string(text) + "\033[0m" : std::string(text);
}
std::string alert(const Style& style, std::string_view text) {
  return style.color ? "\033[33m" + std::string(text) + "\033[0m" : std::string(text);
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string padded(std::string_view text, std::size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, columns_of(text)), ' ');
}

namespace {

/// Returns the words; a percent sign belongs to its number: "23 %".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::string& word : split(text, ' ')) {
    if (word.starts_with('%') && !out.empty())
      out.back() += " " + word;
    else
      out.push_back(std::move(word));
  }
  return out;
}

}  // namespace

std::string wrapped(const Style& style, std::string_view whole, int indent) {
  constexpr std::size_t kMostWrapped = 10'000;  // bytes
  const std::string text = visible(whole, kMostWrapped);
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out, line(first, ' ');
  bool begun = false;
  for (const std::string& word : words_of(std::string_view(text).substr(first))) {
    if (begun && columns_of(line) + 1 + columns_of(word) > static_cast<std::size_t>(style.width)) {
      out += line + "\n";
      line = margin + word;
    } else {
      line += (begun ? " " : "") + word;
    }
    begun = true;
  }
  return out + line;
}

Table::Table(std::vector<Column> columns, int indent) : columns_(std::move(columns)), indent_(indent) {
  for (Column& column : columns_) column.title = visible(column.title);
}

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = visible(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(const Style& style) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_of(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[i]));
    widths.push_back(width);
  }
  const auto line = [&] {
    return std::accumulate(widths.begin(), widths.end(),
                           static_cast<std::size_t>(indent_) + kGap * (widths.size() - 1));
  };
  using Shrink = Column::Shrink;
  const auto least = [&](std::size_t i, std::size_t narrowest) {  // a title of names may be cut as well
    return columns_[i].shrink == Shrink::cut_middle ? narrowest
                                                    : std::max(narrowest, columns_of(columns_[i].title));
  };
  const auto widest = [&](std::initializer_list<Shrink> which, std::size_t narrowest) {
    std::size_t* out = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (std::ranges::find(which, columns_[i].shrink) != which.end() && widths[i] > least(i, narrowest) &&
          (!out || widths[i] > *out))
        out = &widths[i];
    return out;
  };
  while (line() > static_cast<std::size_t>(style.width)) {
    // What goes below is whole there, and names, which are cut in the middle, come last.
    std::size_t* one = widest({Shrink::below}, kNarrow);
    if (!one) one = widest({Shrink::cut_end, Shrink::cut_front}, kNarrow);
    if (!one) one = widest({Shrink::below}, kNarrowest);
    if (!one) one = widest({Shrink::cut_end, Shrink::cut_front}, kNarrowest);
    if (!one) one = widest({Shrink::cut_middle}, kNarrowest);
    if (!one) break;
    --*one;
  }
  return widths;
}

std::vector<std::vector<std::string>> Table::fitted_rows(const std::vector<std::size_t>& width) const {
  std::vector<std::vector<std::string>> rows = rows_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].shrink != Column::Shrink::cut_middle) {
      for (auto& row : rows) row[i] = fitted(row[i], width[i], columns_[i].shrink);
      continue;
    }
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row[i]);
    cells = cut_in_the_middle(cells, width[i]);
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r][i] = cells[r];
  }
  return rows;
}

std::string Table::text(const Style& style) const {
  const auto width = widths(style);
  const std::vector<std::vector<std::string>> rows = fitted_rows(width);
  const std::string margin(static_cast<std::size_t>(indent_), ' ');
  const auto line_of = [&](const auto& cell_of) {
    std::string line = margin;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      line += (i ? std::string(kGap, ' ') : "") + aligned(cell_of(i), width[i], columns_[i].align);
    return without_trailing_blanks(line);
  };
  std::string out;
  const std::string head =
      line_of([&](std::size_t i) { return fitted(columns_[i].title, width[i], Column::Shrink::cut_end); });
  if (!head.empty()) out += bold(style, head) + "\n";
  for (std::size_t r = 0; r < rows.size(); ++r)
    out += line_of([&](std::size_t i) { return rows[r][i]; }) + "\n" + below(rows_[r], width, style);
  return out;
}

std::string Table::below(const std::vector<std::string>& row, const std::vector<std::size_t>& width,
                         const Style& style) const {
  constexpr int kFurther = 4;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].shrink == Column::Shrink::below && columns_of(row[i]) > width[i])
      parts.push_back(columns_[i].title + " " + row[i]);
  if (parts.empty()) return "";
  const auto own = static_cast<int>(std::min(row.front().find_first_not_of(' '), row.front().size()));
  const std::string margin(static_cast<std::size_t>(indent_ + own + kFurther), ' ');
  return wrapped(style, margin + join(parts, "; "), indent_ + own + 2 * kFurther) + "\n";
}

std::string headline(const Style& style, const std::string& first, const std::string& rest) {
  constexpr std::size_t kIndent = 2;
  const std::string gap(6, ' ');
  std::string out = wrapped(style, std::string(kIndent, ' ') + first + gap + rest, 4);
  return out.replace(kIndent, first.size(), bold(style, first));
}

std::string title_line(const std::string& left, const std::string& right, const Style& style) {
  const std::size_t used = columns_of(left) + columns_of(right),
                    width = static_cast<std::size_t>(style.width);
  if (used + 2 > width) return bold(style, wrapped(style, left, 4)) + "\n  " + dim(style, right) + "\n";
  return bold(style, left) + std::string(width - used, ' ') + dim(style, right) + "\n";
}

}  // namespace parcast::report
