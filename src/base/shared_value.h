// SPDX-License-Identifier: Apache-2.0
#pragma once
// A value whose copies share one object. Use it for large values that are replaced but never edited in place.

#include <memory>
#include <utility>

namespace parcast {

template <class T>
class SharedValue {
 public:
  SharedValue() = default;  // a default-constructed T
  // NOLINT(google-explicit-constructor): a T
  SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return value_ ? *value_ : empty(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor): reads like a T

 private:
  static const T& empty() {
    static const T none{};
    return none;
  }

  std::shared_ptr<const T> value_;
};

}  // namespace parcast
