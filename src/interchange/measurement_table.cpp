// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurement_table.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::interchange {
namespace {

constexpr std::size_t kKeys = static_cast<std::size_t>(-1);

bool holds_keys(const std::string& column) {
  return column == "parameters" || column == "params";
}

}  // namespace

Result<MeasurementTable> MeasurementTable::open(std::string_view text, const std::string& where) {
  PARCAST_ASSIGN(CsvReader reader, CsvReader::open(text, where, csv_separator(text)));
  MeasurementTable table(text, where, std::move(reader));
  for (const std::string& column : table.reader_.columns()) {
    table.column_of_.push_back(holds_keys(column) ? kKeys : table.names_.size());
    if (!holds_keys(column)) table.names_.push_back(column);
  }
  table.first_key_ = table.names_.size();
  return table;
}

Result<void> MeasurementTable::rewind() {
  PARCAST_ASSIGN(reader_, CsvReader::open(text_, where_, csv_separator(text_)));
  return {};
}

Result<bool> MeasurementTable::next() {
  PARCAST_ASSIGN(const bool more, reader_.next(row_));
  if (!more) return false;
  cells_.resize(names_.size());
  for (const auto& [key, name] : keys_) cells_[name].clear();
  for (std::size_t i = 0; i < row_.fields.size(); ++i)
    if (column_of_[i] != kKeys) cells_[column_of_[i]] = row_.fields[i];
  for (std::size_t i = 0; i < row_.fields.size(); ++i)
    if (column_of_[i] == kKeys) PARCAST_TRY(take_apart(row_.fields[i]));
  return true;
}

Result<void> MeasurementTable::take_apart(std::string_view parameters) {
  if (trim(parameters).empty()) return {};
  for (const std::string& part : split(parameters, ';')) {
    if (trim(part).empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string key(trim(std::string_view(part).substr(0, equals)));
    if (equals == std::string::npos || key.empty())
      return Error{"\"" + std::string(trim(part)) + "\" in the column of parameters is not key=value",
                   place(), "write for example size=30;steps=10"};
    const auto [at, is_new] = keys_.try_emplace(key, names_.size());
    if (is_new) {
      if (std::ranges::find(names_, key) != names_.end())
        return Error{key + " is a column and a parameter too", place(), "leave one of them out"};
      names_.push_back(key);
      cells_.emplace_back();
    }
    if (!cells_[at->second].empty())
      return Error{key + " occurs twice among the parameters", place(), "leave one of them out"};
    cells_[at->second] = std::string(trim(std::string_view(part).substr(equals + 1)));
  }
  return {};
}

}  // namespace parcast::interchange
