// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments of one action of a time-independent trace. The first problem found is kept. Functions called
// after it return 0, so the caller must check good() before using the values.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "interchange/time_independent_rank.h"

namespace parcast::interchange {

class TiArguments {
 public:
  TiArguments(std::string_view action, std::span<const std::string_view> arguments, std::int32_t ranks,
              std::uint64_t default_bytes)
      : action_(action), arguments_(arguments), ranks_(ranks), default_bytes_(default_bytes) {}

  bool good() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  std::size_t size() const { return arguments_.size(); }
  std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
  bool has(std::size_t i) const { return i < arguments_.size(); }

  void fail(const std::string& what) {
    if (good()) problem_ = std::string(action_) + ": " + what;
  }

  bool is_negative(std::size_t i) const { return has(i) && parse_double(arguments_[i]).value_or(0) < 0; }

  /// Returns a number that is not negative.
  double amount(std::size_t i, const std::string& what) {
    const double out = number(i, what);
    if (out < 0) fail(what + " is negative: " + text(i));
    return good() ? out : 0;
  }

  std::int32_t whole(std::size_t i, const std::string& what) {
    const auto out = has(i) ? parse_integer(arguments_[i]) : std::nullopt;
    if (!out) return fail(what + " is no whole number: " + text(i)), 0;
    if (*out < INT32_MIN || *out > INT32_MAX) return fail(what + " is too large: " + text(i)), 0;
    return good() ? static_cast<std::int32_t>(*out) : 0;
  }

  std::int32_t rank(std::size_t i, const std::string& what) {
    const std::int32_t out = whole(i, what);
    if (good() && (out < 0 || out >= ranks_))
      fail(what + " is none of the " + std::to_string(ranks_) + " ranks: " + text(i));
    return good() ? out : 0;
  }
  std::int32_t rank_or_any(std::size_t i, const std::string& what) {
    const std::int32_t out = whole(i, what);
    return out == -1 || out == kTiAnySource || out == kTiTracedAnySource ? trace::kAny : rank(i, what);
  }
  std::int32_t root(std::size_t i) { return has(i) ? rank(i, "the root") : 0; }

  std::int32_t tag(std::size_t i, bool any) {
    const std::int32_t out = whole(i, "the tag");
    if (any && (out == -1 || out == kTiAnyTag)) return trace::kAny;
    if (out < 0) fail("the tag is negative: " + text(i));
    return good() ? out : 0;
  }

  /// Returns the bytes per element; the type may be left out.
  std::uint64_t type(std::size_t i) {
    if (!has(i)) {
      if (default_bytes_ == 0) fail("without init the size of an element is unknown");
      return default_bytes_;
    }
    const std::int32_t number = whole(i, "the type");
    if (good() && (number < 0 || static_cast<std::size_t>(number) >= kTiTypeBytes.size()))
      fail("there is no type " + text(i));
    return good() ? kTiTypeBytes[static_cast<std::size_t>(number)] : 0;
  }

  std::uint64_t bytes_of(double elements, std::uint64_t each) {
    const double out = elements * static_cast<double>(each);
    if (!(out <= 0x1p62)) return fail("the size is too large"), 0;
    return static_cast<std::uint64_t>(std::llround(out));
  }
  std::uint64_t bytes(std::size_t count, std::size_t type_at) {
    return bytes_of(amount(count, "the size"), type(type_at));
  }

  double sum(std::size_t first, std::size_t count) {
    double out = 0;
    for (std::size_t i = first; i < first + count; ++i) out += amount(i, "a size");
    return out;
  }

 private:
  double number(std::size_t i, const std::string& what) {
    const auto out = has(i) ? parse_double(arguments_[i]) : std::nullopt;
    if (!out) fail(what + " is no number: " + text(i));
    return out.value_or(0);
  }
  std::string text(std::size_t i) const {
    return has(i) ? std::string(arguments_[i].substr(0, 40)) : "nothing";
  }

  std::string_view action_;
  std::span<const std::string_view> arguments_;
  std::int32_t ranks_;
  std::uint64_t default_bytes_;
  std::string problem_;
};

}  // namespace parcast::interchange
