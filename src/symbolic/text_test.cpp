// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

using Kinds = std::map<std::string, SymbolKind, std::less<>>;

const Kinds kKinds{
    {"n", SymbolKind::parameter},       {"m", SymbolKind::parameter},
    {"p", SymbolKind::processes},       {"r", SymbolKind::rank},
    {"k", SymbolKind::parameter},       {"links.node.latency", SymbolKind::machine_cost},
    {"my-size", SymbolKind::parameter}, {"it's", SymbolKind::parameter},
    {"min", SymbolKind::parameter},     {"patterns.allreduce.0.startup", SymbolKind::machine_cost}};

Expression read(std::string_view text) {
  const auto result = parse(text, kKinds);
  EXPECT_TRUE(result.ok()) << text << ": " << (result ? "" : to_string(result.error()));
  return result ? *result : Expression();
}

void expect_text(std::string_view text) {
  EXPECT_EQ(to_text(read(text)), text);
}

TEST(Text, IsAsOneWouldWriteIt) {
  for (const char* const text : {"3*n^2 + ceil(n/p)",
                                 "-n",
                                 "n - 1",
                                 "2*n - n^2 - 3",
                                 "n/2",
                                 "-3*n/2",
                                 "n/(2*p)",
                                 "1/n",
                                 "-1/n",
                                 "7/2",
                                 "-7/2",
                                 "n^(1/2)",
                                 "1/n^(3/2)",
                                 "(n + 1)^2",
                                 "n*(n + p)/p",
                                 "m*(n + 1)",
                                 "2.5e-06*n",
                                 "2.0 - 0.5*n",
                                 "log2(n)",
                                 "mod(n, 3)",
                                 "min(n, p)",
                                 "max(m, n, p)",
                                 "if(n >= 2, n, 2)",
                                 "if(n <= 2, n, 2)",
                                 "if(n + p >= m + 1, n, 2)",
                                 "if(n == 2, n, 2)",
                                 "if(2 == n, n, 2)",
                                 "if(n == m, if(p <= 4, 1, 0), 2)",
                                 "sum(k1, 1, n, log2(k + k1))",
                                 "n*patterns.allreduce.0.startup + links.node.latency",
                                 "2*n^(1/2)",
                                 "(n*p)^(1/2)",
                                 "((n + 1)^2)^(1/2)",
                                 "10^30",
                                 "1/10^30",
                                 "2^(1/2)",
                                 "'my-size'*n",
                                 "'it''s'",
                                 "min(m, min)",
                                 "1/0",
                                 "(-2)^(1/2)",
                                 "1e999",
                                 "-1e999",
                                 "floor((n - 1)/p)",
                                 "0",
                                 "2.0*(m + n)"}) {
    expect_text(text);
  }
}

TEST(Text, DerivedExampleOfTheHeader) {
  const Expression n = symbol("n", SymbolKind::parameter), p = symbol("p", SymbolKind::processes);
  const Expression t = 3 * n * n + ceil(n / p);
  EXPECT_EQ(to_text(t), "3*n^2 + ceil(n/p)");
  EXPECT_EQ(evaluate(t, {{"n", 10}, {"p", 4}}).value(), 303);
}

TEST(Text, OtherWaysOfWritingAreRead) {
  EXPECT_EQ(read(" ( n ) "), read("n"));
  EXPECT_EQ(read("n^-2"), read("1/n^2"));
  EXPECT_EQ(read("2*-n"), read("-2*n"));
  EXPECT_EQ(read("--n"), read("n"));
  EXPECT_EQ(read("-n^2"), -power(read("n"), 2));
  EXPECT_EQ(read("n/p*m"), read("n*m/p"));
  EXPECT_EQ(read("2*n/sqrt(p + 1)"), read("2*n/(p + 1)^(1/2)"));
  EXPECT_EQ(read("n - (m - p)"), read("n - m + p"));
  EXPECT_EQ(read("if(n >= m, n, m)"), read("if(n - m >= 0, n, m)"));
  EXPECT_EQ(read("if(n <= m, n, m)"), read("if(m - n >= 0, n, m)"));
  EXPECT_EQ(read("if(n == m, p, 2)"), read("if(n >= m, if(n <= m, p, 2), 2)"));
  EXPECT_EQ(to_text(read("if(-n >= 0, 1, 0)")), "if(n <= 0, 1, 0)");
  EXPECT_EQ(to_text(read("if(-2*n + m - 1 >= 0, 1, 0)")), "if(m >= 2*n + 1, 1, 0)");
  EXPECT_EQ(read("sum(i, 0, p - 1, i)"), read("(p^2 - p)/2"));
  EXPECT_EQ(read("sum(k, 1, p, k)"), read("(p^2 + p)/2"));  // the index hides the parameter k
  EXPECT_EQ(read("sum(k, 1, k, floor(n/k))"), series(symbol("i", SymbolKind::loop_index), 1, read("k"),
                                                     floor(read("n") / symbol("i", SymbolKind::loop_index))));
  EXPECT_EQ(read("'n'"), read("n"));
  EXPECT_EQ(read("min(n)"), read("n"));
  EXPECT_EQ(read(".5"), real(0.5));
  EXPECT_EQ(read("5."), real(5));
  EXPECT_EQ(read("1E3"), real(1000));
  EXPECT_EQ(read("-9223372036854775807"), Expression(-9223372036854775807));
}

TEST(Text, SmallestWholeNumberRoundTrips) {
  const Expression least = std::numeric_limits<std::int64_t>::min();
  const Expression n = symbol("n", SymbolKind::parameter);
  EXPECT_EQ(read(to_text(least)), least);
  EXPECT_EQ(read(to_text(least * n)), least * n);
  EXPECT_EQ(read(to_text(n + least)), n + least);
  EXPECT_EQ(read("- 9223372036854775808/n"), least / n);
  EXPECT_FALSE(parse("-9223372036854775808^2", kKinds).ok());  // the sign does not belong to the power
  EXPECT_FALSE(parse("9223372036854775808", kKinds).ok());
}

TEST(Text, RealConstantsRoundTripToTheBit) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    ASSERT_EQ(read(to_text(real(value))), real(value)) << value;
  }
  for (const double value : {5e-324, std::numeric_limits<double>::max(), 1e22, 2.3e-6, 1e15, 123456789.0}) {
    EXPECT_EQ(read(to_text(real(value))), real(value));
  }
}

TEST(Text, ForPeopleNumbersThatNobodyReadsAreRounded) {
  const auto readable = [](std::string_view text) { return readable_text(read(text)); };
  EXPECT_EQ(readable("408069876607*n^(1649/1500)/549755813888"), "0.7423*n^1.099");
  EXPECT_EQ(readable("-408069876607*n/549755813888 + m"), readable("m - 408069876607*n/549755813888"));
  EXPECT_EQ(readable("n + 1.23456789e-6*m"), readable("1.2346e-6*m + n"));
  EXPECT_EQ(readable("1/n^(1649/1500)"), "1/n^1.099");
  EXPECT_EQ(readable("8*(n*m + 2*m)"), "8*m*(n + 2)");
  EXPECT_EQ(readable("n^2/2 - n/2"), "n*(n - 1)/2");
  EXPECT_EQ(readable("m*if(r >= 1, 1, 0)"), "m where r >= 1");
  EXPECT_EQ(readable("if(r >= 1, m, 0)*if(n >= p, 1, 0)*2"), "2*m where n >= p and r >= 1");
  EXPECT_EQ(readable("2*if(r >= 1, if(r <= 1, n, 0), 0)"), "2*n where r == 1");
  EXPECT_EQ(readable("-m*(if(r <= 0, 1, 0) - 1)"), "m where r >= 1");
  EXPECT_EQ(readable("-m*(if(n <= 0, 1, 0) - 1)"), "-m*(if(n <= 0, 1, 0) - 1)");  // n may be a fraction
  EXPECT_EQ(readable("16*if(p >= 2, 1, 0)*(if(p >= 2, 1, 0) + 3)"), "64 where p >= 2");
  EXPECT_EQ(readable("if(p >= 2, 1, 0)*(if(r >= 2, 1, 0) + 3)"), "if(r >= 2, 1, 0) + 3 where p >= 2");
  // a condition of one term
  EXPECT_EQ(readable("n + m*if(r >= 1, 1, 0)"), "m*if(r >= 1, 1, 0) + n");
  EXPECT_EQ(readable("9.094947017729282e-13*p*(3038921704856*m + 1099511627776*n)"), "p*(2.764*m + n)");
  EXPECT_EQ(readable("4e-09*(n + 1)*(m + 1)"), "4e-09*(m + 1)*(n + 1)");
  // The parts of a formula are printed exactly.
  for (const char* text : {"3*n^2/2 - n/3", "n^(3/2)", "123456789*n", "floor((n + 1)/12)", "n^(2/3)/999"})
    EXPECT_EQ(readable(text), to_text(read(text))) << text;
}

void expect_error(std::string_view text, std::size_t column, std::string_view part) {
  const auto result = parse(text, kKinds);
  ASSERT_FALSE(result.ok()) << text;
  EXPECT_EQ(result.error().where, "column " + std::to_string(column)) << text << ": " << result.error().what;
  EXPECT_THAT(result.error().what + " " + result.error().hint, testing::HasSubstr(std::string(part))) << text;
}

TEST(Text, ErrorsSayTheColumn) {
  expect_error("", 1, "the end");
  expect_error("n +", 4, "the end");
  expect_error("n + * m", 5, "'*'");
  expect_error("(n + m", 7, "expected ')'");
  expect_error("n m", 3, "'m'");
  expect_error("2n", 2, "*");
  expect_error("n + lnks.node.latency", 5, "links.node.latency");
  expect_error("flor(n)", 1, "floor");
  expect_error("floor(n, m)", 1, "takes 1 argument");
  expect_error("mod(n)", 1, "takes 2 arguments");
  expect_error("sqrt(n, m)", 1, "takes 1 argument");
  expect_error("sqr(n)", 1, "sqrt");
  expect_error("n^m", 3, "exact number");
  expect_error("n^0.5", 3, "1/2");
  expect_error("n^2^3", 4, "'^'");
  expect_error("if(n, 1, 2)", 5, "'>=', '<=' or '=='");
  expect_error("if(n < 1, 1, 2)", 6, "'>=', '<=' or '=='");
  expect_error("sum(1, 1, 2, n)", 5, "index");
  expect_error("99999999999999999999", 1, "64 bits");
  expect_error("'abc", 1, "does not end");
  expect_error("n $ m", 3, "'$'");
  expect_error(".", 1, "no number");
}

TEST(Text, DeepNestingIsRefused) {
  const std::string deep = std::string(100'000, '(') + "n" + std::string(100'000, ')');
  EXPECT_FALSE(parse(deep, kKinds).ok());
  std::string sums = "n", functions = "n";
  for (int i = 0; i < 40; ++i) sums = "sum(i, 1, n, log2(" + sums + " + i))";
  for (int i = 0; i < 190; ++i) functions = "log2(" + functions + " + 1)";
  EXPECT_FALSE(parse(sums, kKinds).ok());
  EXPECT_TRUE(parse(functions, kKinds).ok());
}

TEST(Text, HugeExponentsAreHarmless) {
  for (const char* const text :
       {"2^9223372036854775807", "(n + m)^9223372036854775807", "sum(i, 1, n, (i + 1)^1000000)",
        "(2/3)^(9223372036854775807/2)", "1.5^9223372036854775807", "(n^9223372036854775807)^3"}) {
    const Expression e = read(text);
    EXPECT_EQ(read(to_text(e)), e) << text;
  }
}

}  // namespace
}  // namespace parcast::symbolic
