// SPDX-License-Identifier: Apache-2.0
#pragma once
// Result<T> holds a value, or one Error that the user can act on. Functions that may fail because of input
// return it. Exceptions are reserved for bugs and exhausted memory.

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace parcast {

/// What is wrong in one sentence, where (file:line:column, or rank and event), and what to try next.
struct Error {
  std::string what;
  std::string where;
  std::string hint;
};

/// Returns "where: error: what" and, on a second line, the hint.
std::string to_string(const Error& error);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }
  T& value() & { return assert(ok()), std::get<0>(state_); }
  const T& value() const& { return assert(ok()), std::get<0>(state_); }
  T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return assert(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  bool ok() const { return !error_; }
  const Error& error() const { return assert(error_), *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace parcast

/// Returns the error of `expression` from the enclosing function; continues when there is none.
#define PARCAST_TRY(expression)                                                    \
  do {                                                                             \
    if (auto try_result_ = (expression); !try_result_) return try_result_.error(); \
  } while (false)

#define PARCAST_CONCAT_(a, b) a##b
#define PARCAST_CONCAT(a, b) PARCAST_CONCAT_(a, b)
/// PARCAST_ASSIGN(auto text, read_file(path)) declares `text`, or returns the error from the enclosing
/// function.
#define PARCAST_ASSIGN(declaration, expression)                                             \
  auto PARCAST_CONCAT(assign_, __LINE__) = (expression);                                    \
  if (!PARCAST_CONCAT(assign_, __LINE__)) return PARCAST_CONCAT(assign_, __LINE__).error(); \
  declaration = std::move(PARCAST_CONCAT(assign_, __LINE__)).value()
