// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table for a terminal: columns as wide as their content. If the lines would be too long, the columns that
// may shrink are truncated.
//
//   region           seconds  share  found
//   pair/compute       27.10    66%  exact
//   ...rs/rebuild       4.95    12%  fitted

#include <string>
#include <string_view>
#include <vector>

#include "base/visible.h"
#include "report/style.h"

namespace parcast::report {

struct Column {
  enum class Align { left, right };
  /// The part that is left out of long cells: the end, the front as of long paths, or the middle. Cells that
  /// are cut in the middle stay different from each other. Cells that go below are "..." where they do not
  /// fit, and whole under their row, as "title cell; title cell".
  enum class Shrink { never, cut_end, cut_front, cut_middle, below };

  std::string title;
  Align align = Align::left;
  Shrink shrink = Shrink::never;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns, int indent = 2);
  /// Adds a row with one cell, a single line, per column. Titles and cells are made visible (base/visible.h).
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string text(const Style& style) const;

 private:
  std::vector<std::size_t> widths(const Style& style) const;
  /// Returns the lines under a row, of the cells that do not fit and go below.
  std::string below(const std::vector<std::string>& row, const std::vector<std::size_t>& width,
                    const Style& style) const;
  /// Returns the rows with cells that fit the widths.
  std::vector<std::vector<std::string>> fitted_rows(const std::vector<std::size_t>& width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  int indent_;
};

/// Returns the terminal columns that a text takes: its characters, not its bytes.
std::size_t columns_of(std::string_view text);
/// Returns the text, filled with blanks up to `columns`.
std::string padded(std::string_view text, std::size_t columns);
/// Returns the text, made visible, as lines of at most `style.width` columns; those after the first are
/// indented by `indent` blanks.
std::string wrapped(const Style& style, std::string_view text, int indent);

/// Returns "  FIRST      rest" with `first` in bold, wrapped.
std::string headline(const Style& style, const std::string& first, const std::string& rest);

/// Returns a bold line that ends with `right` at the edge of the page. Where both do not fit, `right` is on a
/// line of its own.
std::string title_line(const std::string& left, const std::string& right, const Style& style);
}  // namespace parcast::report
