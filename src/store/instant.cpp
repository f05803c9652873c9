// SPDX-License-Identifier: Apache-2.0
#include "store/instant.h"

#include <chrono>
#include <cstdio>
#include <optional>

#include "base/checked.h"
#include "base/text.h"

namespace parcast::store {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

/// Takes parts off the front of a text; a missing part leaves the text unchanged.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_one_of(std::string_view set) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = 10 * value + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  /// Returns the digits after the point as microseconds; digits after the sixth are ignored.
  std::optional<std::int64_t> fraction() {
    std::int64_t value = 0, unit = kSecond / 10;
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return std::nullopt;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1), unit /= 10)
      value += unit * (rest_.front() - '0');
    return value;
  }
  bool done() const { return rest_.empty(); }
  char front() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> date(Cursor& at) {
  const auto year = at.digits(4);
  if (!year || !at.take('-')) return std::nullopt;
  const auto month = at.digits(2);
  if (!month || !at.take('-')) return std::nullopt;
  const auto day = at.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day calendar{std::chrono::year(*year),
                                             std::chrono::month(static_cast<unsigned>(*month)),
                                             std::chrono::day(static_cast<unsigned>(*day))};
  if (!calendar.ok()) return std::nullopt;
  return std::chrono::sys_days(calendar).time_since_epoch().count() * 86400 * kSecond;
}

struct Clock {
  std::int64_t microseconds = 0;
  std::int64_t width = 0;  // length of the interval that the text denotes
};

std::optional<Clock> clock(Cursor& at) {
  const auto hours = at.digits(2);
  if (!hours || *hours > 23 || !at.take(':')) return std::nullopt;
  const auto minutes = at.digits(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  Clock out{(*hours * 3600 + *minutes * 60) * kSecond, 0};
  if (!at.take(':')) return out;
  const auto seconds = at.digits(2);
  if (!seconds || *seconds > 60) return std::nullopt;
  out.microseconds += *seconds * kSecond;
  out.width = kSecond - 1;
  if (!at.take_one_of(".,")) return out;
  const auto fraction = at.fraction();
  if (!fraction) return std::nullopt;
  return Clock{out.microseconds + *fraction, 0};
}

/// Returns the microseconds to subtract for UTC.
std::optional<std::int64_t> zone(Cursor& at) {
  if (at.take_one_of("Zz")) return 0;
  const std::int64_t sign = at.front() == '-' ? -1 : 1;
  if (!at.take_one_of("+-")) return std::nullopt;
  const auto hours = at.digits(2);
  if (!hours || *hours > 15) return std::nullopt;
  at.take(':');
  const int minutes = at.digits(2).value_or(0);
  if (minutes > 59) return std::nullopt;
  return sign * (*hours * 3600 + minutes * 60) * kSecond;
}

std::optional<WrittenTime> written_time(Cursor at) {
  const auto day = date(at);
  if (!day) return std::nullopt;
  if (at.done()) return WrittenTime{{*day}, {*day}, false};
  if (!at.take_one_of("Tt ")) return std::nullopt;
  const auto time = clock(at);
  if (!time) return std::nullopt;
  const Instant utc{*day + time->microseconds};
  if (at.done()) return WrittenTime{utc, {utc.microseconds + time->width}, false};
  const auto offset = zone(at);
  if (!offset || !at.done()) return std::nullopt;
  const Instant start{utc.microseconds - *offset};
  return WrittenTime{start, {start.microseconds + time->width}, true};
}

}  // namespace

std::string to_string(Instant instant) {
  const std::int64_t days = floor_divide(instant.microseconds, 86400 * kSecond);
  const std::int64_t rest = floor_modulo(instant.microseconds, 86400 * kSecond);
  const std::chrono::year_month_day calendar{std::chrono::sys_days(std::chrono::days(days))};
  const auto part = [&](std::int64_t unit, std::int64_t modulus) {
    return static_cast<int>(rest / unit % modulus);
  };
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(calendar.year()),
                static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
                part(3600 * kSecond, 24), part(60 * kSecond, 60), part(kSecond, 60), part(1, kSecond));
  return text;
}

Instant now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
}

Result<WrittenTime> parse_time(std::string_view text) {
  if (const auto time = written_time(Cursor(trim(text)))) return *time;
  return Error{"\"" + std::string(text) + "\" is not a time", "", "write it as 2026-11-21T08:35:47Z"};
}

std::string sortable(std::string_view written) {
  const auto time = parse_time(written);
  return time ? to_string(time->earliest) : "";
}

}  // namespace parcast::store
