// SPDX-License-Identifier: Apache-2.0
#include "store/csv.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::store {
namespace {

std::string at_line(const std::string& where, int line) {
  return where + ":" + std::to_string(line);
}

/// One record after the other; a quoted field may span lines.
class Reader {
 public:
  Reader(std::string_view text, const std::string& where) : text_(text), where_(where) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  bool done() {
    skip_blank();
    return at_ == text_.size();
  }

  Result<CsvRow> next() {
    CsvRow row{line_, {}};
    for (;;) {
      PARCAST_ASSIGN(std::string field, this->field());
      row.fields.push_back(std::move(field));
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      end_line();
      return row;
    }
  }

 private:
  void skip_blank() {
    while (at_ < text_.size()) {
      const std::string_view line = text_.substr(at_, text_.find_first_of("\r\n", at_) - at_);
      const std::string_view content = trim(line);
      if (!content.empty() && content.front() != '#') return;
      at_ += line.size();
      end_line();
    }
  }

  void end_line() {
    if (at_ == text_.size()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  Result<std::string> field() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    at_ = std::min(text_.find_first_of(",\r\n", begin), text_.size());
    return std::string(trim(text_.substr(begin, at_ - begin)));
  }

  Result<std::string> quoted() {
    const int opened = line_;
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        out += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        out += text_[at_++];
      } else {
        ++at_;
        return after_quote(std::move(out));
      }
    }
    return Error{"a quote is opened and never closed", at_line(where_, opened), "add the closing \""};
  }

  Result<std::string> after_quote(std::string field) {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    if (!trim(text_.substr(at_, end - at_)).empty())
      return Error{"text follows a closing quote", at_line(where_, line_),
                   "write a quote inside a quoted field twice"};
    at_ = end;
    return field;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  int line_ = 1;
};

Result<void> check_columns(const Csv& csv, int line) {
  for (std::size_t i = 0; i < csv.columns.size(); ++i) {
    if (csv.columns[i].empty())
      return Error{"column " + std::to_string(i + 1) + " has no name", at_line(csv.where, line),
                   "the first line names the columns"};
    if (std::find(csv.columns.begin(), csv.columns.begin() + static_cast<std::ptrdiff_t>(i),
                  csv.columns[i]) != csv.columns.begin() + static_cast<std::ptrdiff_t>(i))
      return Error{"column " + csv.columns[i] + " is named twice", at_line(csv.where, line),
                   "rename one of them"};
  }
  return {};
}

}  // namespace

std::optional<std::size_t> Csv::column(std::string_view name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns.begin());
}

Result<Csv> parse_csv(std::string_view text, const std::string& where) {
  Reader reader(text, where);
  if (reader.done()) return Error{"the file is empty", where, "the first line names the columns"};
  PARCAST_ASSIGN(CsvRow header, reader.next());
  Csv csv{where, std::move(header.fields), {}};
  PARCAST_TRY(check_columns(csv, header.line));
  while (!reader.done()) {
    PARCAST_ASSIGN(CsvRow row, reader.next());
    if (row.fields.size() != csv.columns.size())
      return Error{"the row has " + std::to_string(row.fields.size()) + " fields, the header " +
                       std::to_string(csv.columns.size()),
                   csv.place(row), "put fields that hold a comma in quotes"};
    csv.rows.push_back(std::move(row));
  }
  return csv;
}

}  // namespace parcast::store
