// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace parcast {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Returns whether a line is blank or a comment.
bool says_nothing(std::string_view line) {
  const std::string_view content = trim(line);
  return content.empty() || content.front() == '#';
}

/// Returns whether a spreadsheet would read the text as a formula, after any number of apostrophes.
bool begins_as_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  return text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

std::string guarded(std::string_view text) {
  const bool guards = begins_as_formula(text) && !parse_double(text);
  return (guards ? "'" : "") + std::string(text);
}

void take_guard_away(std::string& field) {
  if (field.starts_with('\'') && begins_as_formula(field)) field.erase(0, 1);
}

}  // namespace

CsvReader::CsvReader(std::string_view text, const std::string& where, char separator)
    : text_(without_mark(text)), where_(where), separator_(separator) {}

Result<CsvReader> CsvReader::open(std::string_view text, const std::string& where, char separator) {
  CsvReader reader(text, where, separator);
  if (reader.done()) return Error{"the file is empty", where, "the first line names the columns"};
  CsvRow header;
  PARCAST_TRY(reader.record(header));
  reader.columns_ = std::move(header.fields);
  PARCAST_TRY(reader.check_columns(header.line));
  return reader;
}

Result<void> CsvReader::check_columns(int line) const {
  std::vector<std::string> sorted = columns_;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
      twin != sorted.end() && !twin->empty())
    return Error{"column " + *twin + " is named twice", here(line), "rename one of them"};
  if (const auto empty = std::find(columns_.begin(), columns_.end(), ""); empty != columns_.end())
    return Error{"column " + std::to_string(empty - columns_.begin() + 1) + " has no name", here(line),
                 "the first line names the columns"};
  return {};
}

Result<bool> CsvReader::next(CsvRow& row) {
  if (done()) return false;
  PARCAST_TRY(record(row));
  if (repeats_header(row))
    return Error{"line " + std::to_string(row.line) + " repeats the header", place(row),
                 "leave this line out: the header is the first line alone"};
  if (row.fields.size() == columns_.size()) return true;
  return Error{"the row has " + std::to_string(row.fields.size()) + " fields, the header " +
                   std::to_string(columns_.size()),
               place(row),
               std::string("put fields that hold a ") +
                   (separator_ == ','   ? "comma"
                    : separator_ == ';' ? "semicolon"
                                        : "tab") +
                   " in quotes"};
}

/// A header of numbers may legitimately have an equal row, so only headers with a name are compared.
bool CsvReader::repeats_header(const CsvRow& row) const {
  return row.fields == columns_ &&
         std::ranges::any_of(columns_, [](const std::string& name) { return !parse_double(name); });
}

Result<void> CsvReader::record(CsvRow& row) {
  row.line = line_;
  for (std::size_t n = 0;; ++n) {
    if (n == row.fields.size()) row.fields.emplace_back();
    PARCAST_TRY(field(row.fields[n]));
    take_guard_away(row.fields[n]);
    if (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
      continue;
    }
    end_line();
    row.fields.resize(n + 1);
    return {};
  }
}

bool CsvReader::done() {
  while (at_ < text_.size()) {
    const std::string_view line = text_.substr(at_, text_.find_first_of("\r\n", at_) - at_);
    if (!says_nothing(line)) return false;
    at_ += line.size();
    end_line();
  }
  return true;
}

void CsvReader::end_line() {
  if (at_ == text_.size()) return;
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
}

void CsvReader::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] == '\t' && separator_ != '\t'))) ++at_;
}

Result<void> CsvReader::field(std::string& out) {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '"') return quoted(out);
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\r' && text_[at_] != '\n') ++at_;
  out = trim(text_.substr(begin, at_ - begin));
  return {};
}

Result<void> CsvReader::quoted(std::string& out) {
  const int opened = line_;
  out.clear();
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') ++line_;
    if (text_[at_] != '"') {
      out += text_[at_];
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      out += text_[at_++];
    } else {
      ++at_;
      return after_quote();
    }
  }
  return Error{"a quote is opened and never closed", here(opened), "add the closing \""};
}

Result<void> CsvReader::after_quote() {
  skip_blanks();
  if (at_ == text_.size() || text_[at_] == separator_ || text_[at_] == '\r' || text_[at_] == '\n') return {};
  return Error{"text follows a closing quote", here(line_), "write a quote inside a quoted field twice"};
}

std::optional<std::size_t> Csv::column(std::string_view name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns.begin());
}

Result<Csv> parse_csv(std::string_view text, const std::string& where) {
  PARCAST_ASSIGN(CsvReader reader, CsvReader::open(text, where));
  Csv csv{where, reader.columns(), {}};
  for (CsvRow row;;) {
    PARCAST_ASSIGN(const bool more, reader.next(row));
    if (!more) return csv;
    csv.rows.push_back(row);
  }
}

char csv_separator(std::string_view text) {
  text = without_mark(text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    if (!says_nothing(text.substr(0, end))) break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  constexpr std::array kSeparators{',', ';', '\t'};
  std::array<int, kSeparators.size()> found{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '\r' || c == '\n')) break;
    for (std::size_t i = 0; i < kSeparators.size(); ++i) found[i] += !quoted && c == kSeparators[i];
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(found.begin(), found.end()) - found.begin())];
}

std::string csv_field(std::string_view field) {
  const std::string text = guarded(field);
  const bool plain = text.find_first_of(",;\t\"\r\n") == std::string_view::npos && trim(text) == text &&
                     !text.starts_with('#');
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

}  // namespace parcast
