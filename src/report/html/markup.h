// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pieces of HTML that all sections of a page share. Text from models, machines and files enters a page only
// through text(), which escapes it.

#include <string>
#include <string_view>
#include <vector>

#include "report/words.h"

namespace parcast::report::html {

/// Escapes text for element content and for quoted attributes; control characters become visible.
inline std::string text(std::string_view plain) {
  return xml(plain);
}

/// Returns "<name class="classes">content</name>"; `content` is HTML.
std::string element(const std::string& name, const std::string& classes, const std::string& content);

/// A cell of a table: HTML, and the plain value that a copy as CSV or LaTeX contains instead.
struct Cell {
  std::string html;
  std::string value = {};  // empty: the text of the cell
};

/// Returns a cell with escaped text.
inline Cell plain(std::string_view content) {
  return {text(content)};
}
/// Returns a cell that shows a time and is copied as seconds.
Cell seconds_cell(double seconds);
/// Returns e.g. "8.97 .. 331 ms", "14.2 us .. 16.8 ms".
std::string span_text(double low, double high);
/// Returns a cell with a share and a bar, copied as a fraction.
Cell share_cell(double share, const std::string& part = "total");

/// A table with a header row. Columns of numbers are aligned to the right.
class Table {
 public:
  struct Column {
    std::string title;  // plain text
    bool number = false;
  };
  /// `name`: the caption, and the name of copied files.
  Table(std::string name, std::vector<Column> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}
  /// Adds a row; `attributes` are those of its element, e.g. " data-depth=\"2\"".
  void add(const std::vector<Cell>& cells, const std::string& attributes = {});
  bool empty() const { return rows_.empty(); }
  std::string html() const;

 private:
  std::string name_;
  std::vector<Column> columns_;
  std::string rows_;
};

/// Returns a table that is closed until the reader opens it, under a chart that shows the same values.
std::string folded(const std::string& title, const std::string& content);

/// Returns a short text with a number in large letters, for a row of such tiles.
std::string tile(const std::string& title, const std::string& number, const std::string& note = {});

}  // namespace parcast::report::html
