// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/text.h"

namespace parcast::report {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;
constexpr std::string_view kCut = "...";

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
  const auto starts = starts_of(cell);
  const std::size_t keep = width - kCut.size();
  if (shrink == Column::Shrink::cut_front)
    return std::string(kCut) + cell.substr(starts[starts.size() - 1 - keep]);
  return cell.substr(0, starts[keep]) + std::string(kCut);
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

std::string wrapped(const Style& style, std::string_view whole, int indent) {
  constexpr std::size_t kMostWrapped = 10'000;  // bytes
  const std::string text = visible(whole, kMostWrapped);
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out, line(first, ' ');
  bool begun = false;
  for (const std::string& word : split(std::string_view(text).substr(first), ' ')) {
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
  while (line() > static_cast<std::size_t>(style.width)) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns_[i].shrink != Column::Shrink::never &&
          widths[i] > std::max(kNarrowest, columns_of(columns_[i].title)) && (!widest || widths[i] > *widest))
        widest = &widths[i];
    if (!widest) break;
    --*widest;
  }
  return widths;
}

std::string Table::text(const Style& style) const {
  const auto width = widths(style);
  const std::string margin(static_cast<std::size_t>(indent_), ' ');
  std::string head = margin, out;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    head += (i ? std::string(kGap, ' ') : "") + aligned(columns_[i].title, width[i], columns_[i].align);
  if (head.find_first_not_of(' ') != std::string::npos)
    out += bold(style, without_trailing_blanks(head)) + "\n";
  for (const auto& row : rows_) {
    std::string line = margin;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      line += (i ? std::string(kGap, ' ') : "") +
              aligned(fitted(row[i], width[i], columns_[i].shrink), width[i], columns_[i].align);
    out += without_trailing_blanks(line) + "\n";
  }
  return out;
}

}  // namespace parcast::report
