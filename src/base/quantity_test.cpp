// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace parcast {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Assignable = requires(A a, B b) {
  a = b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};

// Misuse does not compile.
static_assert(Addable<Seconds, Seconds>);
static_assert(!Addable<Seconds, Bytes>);
static_assert(!Addable<Seconds, double>);
static_assert(!Assignable<Seconds&, double>);
static_assert(!Assignable<Bytes&, Operations>);
static_assert(!Comparable<Seconds, Bytes>);
static_assert(!std::is_convertible_v<Seconds, double>);
static_assert(!std::is_convertible_v<double, Bytes>);
static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
static_assert(std::is_same_v<decltype(Bytes(1) * SecondsPerByte(1)), Seconds>);
static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(1)), double>);
static_assert(std::is_same_v<decltype(1.0 / Seconds(1)), Hertz>);

TEST(Quantity, BytesOverRateIsTime) {
  EXPECT_EQ((Bytes(3e9) / BytesPerSecond(1.5e9)).value(), 2.0);
}

TEST(Quantity, OrdersAndAccumulates) {
  Seconds total;
  total += Seconds(2);
  total *= 3;
  EXPECT_EQ(total, Seconds(6));
  EXPECT_LT(Seconds(1), total);
  EXPECT_EQ(-total, Seconds(-6));
}

}  // namespace
}  // namespace parcast
