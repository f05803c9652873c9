// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers that carry their dimension in the type: Bytes / BytesPerSecond is Seconds, and Seconds + Bytes does
// not compile. The value is stored in base units: seconds, bytes, operations.

#include <compare>

namespace parcast {

template <int Time, int Data, int Work>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  /// Value in seconds, bytes and operations, each raised to this quantity's power.
  constexpr double value() const { return value_; }

  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity o) { return value_ += o.value_, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value_ -= o.value_, *this; }
  constexpr Quantity& operator*=(double f) { return value_ *= f, *this; }
  constexpr Quantity& operator/=(double f) { return value_ /= f, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double f) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator*(double f, Quantity a) { return Quantity(f * a.value_); }
  friend constexpr Quantity operator/(Quantity a, double f) { return Quantity(a.value_ / f); }
  friend constexpr auto operator<=>(Quantity a, Quantity b) = default;

 private:
  double value_ = 0;
};

namespace detail {
template <int T, int D, int W>
struct QuantityOf {
  static constexpr Quantity<T, D, W> make(double v) { return Quantity<T, D, W>(v); }
};
template <>
struct QuantityOf<0, 0, 0> {
  static constexpr double make(double v) { return v; }
};
}  // namespace detail

template <int T1, int D1, int W1, int T2, int D2, int W2>
constexpr auto operator*(Quantity<T1, D1, W1> a, Quantity<T2, D2, W2> b) {
  return detail::QuantityOf<T1 + T2, D1 + D2, W1 + W2>::make(a.value() * b.value());
}
template <int T1, int D1, int W1, int T2, int D2, int W2>
constexpr auto operator/(Quantity<T1, D1, W1> a, Quantity<T2, D2, W2> b) {
  return detail::QuantityOf<T1 - T2, D1 - D2, W1 - W2>::make(a.value() / b.value());
}
template <int T, int D, int W>
constexpr auto operator/(double a, Quantity<T, D, W> b) {
  return detail::QuantityOf<-T, -D, -W>::make(a / b.value());
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Operations = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using SecondsPerByte = Quantity<1, -1, 0>;
using OperationsPerSecond = Quantity<-1, 0, 1>;
using Hertz = Quantity<-1, 0, 0>;

}  // namespace parcast
