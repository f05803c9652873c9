// SPDX-License-Identifier: Apache-2.0
#include "symbolic/factor.h"

#include <gtest/gtest.h>

#include <random>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

using Kinds = std::map<std::string, SymbolKind, std::less<>>;

Expression read(std::string_view text) {
  static const Kinds kinds{{"n", SymbolKind::parameter},
                           {"m", SymbolKind::parameter},
                           {"p", SymbolKind::processes},
                           {"r", SymbolKind::rank}};
  const auto result = parse(text, kinds);
  EXPECT_TRUE(result) << text;
  return *result;
}

std::string factors(std::string_view text) {
  return to_text(factored(read(text)));
}

TEST(Factored, TakesOutWhatAllTermsShare) {
  EXPECT_EQ(factors("8*(n*m + 2*m)"), "8*m*(n + 2)");
  EXPECT_EQ(factors("n^3*m + n^2"), "n^2*(m*n + 1)");
  EXPECT_EQ(factors("m*floor(n/p) + n*floor(n/p)"), "(m + n)*floor(n/p)");
  EXPECT_EQ(factors("max(n*m + m, p) + 1"), "max(m*(n + 1), p) + 1");
  EXPECT_EQ(factors("n + m"), "m + n");
  // in the denominator: not a factor
  EXPECT_EQ(factors("1/n + m/n^2"), to_text(read("1/n + m/n^2")));
}

TEST(Quotient, IsWhatIsLeftOfOneTime) {
  const auto divided = [](std::string_view a, std::string_view b) -> std::string {
    const auto found = quotient(read(a), read(b));
    return found ? to_text(*found) : "none";
  };
  EXPECT_EQ(divided("8*n*m + 16*m", "m"), "8*n + 16");
  EXPECT_EQ(divided("8*(n*m + 2*m)*if(r >= 1, 1, 0)", "m*if(r >= 1, 1, 0)"), "8*n + 16");
  EXPECT_EQ(divided("6*n", "2*n"), "3");
  EXPECT_EQ(divided("6*n", "n"), "6");
  EXPECT_EQ(divided("12*n + 12*m", "3*n + 3*m"), "4");
  EXPECT_EQ(divided("2236743625119*n^3*(n + m)/(137438953472*p)", "3*n + 3*m"),
            "745581208373*n^3/(137438953472*p)");
  EXPECT_EQ(divided("5*n^3*(n + m)/p", "3*n + 3*m"), "5*n^3/(3*p)");
  EXPECT_EQ(
      divided("5*n^3*(if(n >= 2, 1, 0) + if(m >= 2, 1, 0))/p", "3*if(n >= 2, 1, 0) + 3*if(m >= 2, 1, 0)"),
      "5*n^3/(3*p)");
  EXPECT_EQ(divided("n^2", "n^3"), "none");
  EXPECT_EQ(divided("n + 1", "m"), "none");
  EXPECT_EQ(divided("n", "0"), "none");
}

TEST(Factored, IsEqualEverywhere) {
  std::mt19937_64 random(7);
  const auto choices = [&] {
    std::vector<std::uint16_t> all(60);
    for (std::uint16_t& each : all) each = static_cast<std::uint16_t>(random());
    return all;
  };
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const Expression a = build(decode(choices(), Family::exact)), b = factored(a);
    for (int k = 0; k < 5; ++k) {
      const ExactBinding at = decode_point(choices());
      const auto x = evaluate_exactly(a, at), y = evaluate_exactly(b, at);
      // a division by zero may be gone, or a result may not fit
      if (!x || !y) continue;
      ++compared;
      EXPECT_EQ(to_string(*x), to_string(*y)) << to_text(a) << " and " << to_text(b);
    }
  }
  EXPECT_GT(compared, 5000);
}

}  // namespace
}  // namespace parcast::symbolic
