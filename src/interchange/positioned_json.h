// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads JSON piece by piece, with the place of each piece. Only the reader keeps data.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_nesting.h"
#include "base/number_range.h"
#include "base/result.h"
#include "interchange/measurement_forms.h"

namespace parcast::interchange {

/// Returns the text as a JSON string, with quotes.
inline std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump();
}

/// A value that is neither object nor array.
struct JsonScalar {
  std::optional<double> number;
  std::optional<std::string> text;  // neither set: null, true or false
};

/// Where the current piece begins.
struct JsonPlace {
  std::string_view text;     // content of the file
  const std::string* where;  // its name
  std::size_t token = 0;     // offset in `text`

  std::string given() const { return place_in(text, *where, token); }
  Error error(const std::string& what, const std::string& hint = "") const { return {what, given(), hint}; }
};

/// Iterates over the bytes of a text and notes how far they were read.
class NotingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  NotingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  NotingIterator& operator++() { return *furthest_ = ++at_, *this; }
  NotingIterator operator++(int) {
    const NotingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const NotingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// Passes the pieces to a Reader, which has begin(bool array), end(), key(const std::string&) and
/// scalar(const JsonScalar&), all returning Result<void>. An error from one of these stops the parsing.
template <class Reader>
class JsonPieces {
 public:
  JsonPieces(Reader& reader, JsonPlace& place, std::size_t begin, std::size_t end)
      : reader_(reader), place_(place), last_(begin), end_(end), furthest_(place.text.data() + begin) {}

  Result<void> parse() {
    const NotingIterator first(furthest_, &furthest_), last(place_.text.data() + end_, &furthest_);
    if (!nlohmann::json::sax_parse(first, last, this) && !error_)
      error_ = Error{"this is not JSON", place_.given(), ""};
    if (error_) return *error_;
    return {};
  }

  // The functions that nlohmann::json::sax_parse calls.
  bool null() { return step(0), done(reader_.scalar({})); }
  bool boolean(bool) { return step(0), done(reader_.scalar({})); }
  bool number_integer(std::int64_t value) { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) { return number(value); }
  bool string(std::string& value) { return step(0), done(reader_.scalar({{}, std::move(value)})); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return opened(false); }
  bool start_array(std::size_t) { return opened(true); }
  bool end_object() { return closed(); }
  bool end_array() { return closed(); }
  bool key(std::string& value) { return step(0), done(reader_.key(value)); }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& problem) {
    step(0);
    constexpr int kNumberOverflow = 406;
    if (problem.id == kNumberOverflow) {
      error_ = place_.error(token.substr(0, 40) + " is " + std::string(kTooLarge), kRangeHint);
      return false;
    }
    const std::size_t begin = place_.token;
    const bool closing = begin < end_ && (place_.text[begin] == '}' || place_.text[begin] == ']');
    const bool ended = begin >= end_ || (furthest_ == place_.text.data() + end_ && !closing);
    const bool word = token.find_first_of("NI") != std::string::npos;
    if (ended) place_.token = end_;
    error_ =
        ended ? place_.error("the JSON ends too early", "the file was cut, or is still being written")
              : place_.error("this is not JSON",
                             word ? "NaN and Infinity are none: leave such values out, or write null" : "");
    return false;
  }

 private:
  // a number ends one byte before the furthest byte read
  bool number(double value) { return step(1), done(reader_.scalar({value, {}})); }
  void step(std::size_t beyond) {
    place_.token = std::min(place_.text.find_first_not_of(" \t\r\n,:", last_), place_.text.size());
    last_ = static_cast<std::size_t>(furthest_ - place_.text.data()) - beyond;
  }
  bool opened(bool array) {
    step(0);
    if (++levels_ > kMostJsonLevels)
      return done(
          place_.error("the JSON is nested more than " + std::to_string(kMostJsonLevels) + " levels deep"));
    return done(reader_.begin(array));
  }
  bool closed() {
    --levels_;
    return step(0), done(reader_.end());
  }
  bool done(const Result<void>& result) {
    if (!result) error_ = result.error();
    return result.ok();
  }

  Reader& reader_;
  JsonPlace& place_;
  std::size_t last_, end_;  // end of the previous piece; end of the text
  const char* furthest_;
  std::size_t levels_ = 0;  // number of open brackets and braces
  std::optional<Error> error_;
};

/// Reads [begin, end) of `place.text`; `place` follows the pieces.
template <class Reader>
Result<void> read_json(Reader& reader, JsonPlace& place, std::size_t begin, std::size_t end) {
  return JsonPieces<Reader>(reader, place, begin, end).parse();
}

}  // namespace parcast::interchange
