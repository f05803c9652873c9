// SPDX-License-Identifier: Apache-2.0
#include "source/facts/formula.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace parcast::facts {
namespace {

using symbolic::Expression;
using symbolic::SymbolKind;

const Input kN{InputKind::word, 1, 0}, kProcesses{InputKind::processes, 0, 0}, kRank{InputKind::rank, 0, 0};

Formula make(Operation what, std::vector<Formula> operands, unsigned bits = 32, std::string name = {},
             std::int64_t number = 0) {
  Node node;
  node.operation = what;
  node.bits = bits;
  node.name = std::move(name);
  node.number = number;
  return operation(node, std::move(operands));
}

Names names() {
  return {[](const Input& input) -> std::optional<Expression> {
            if (input == kN) return symbolic::symbol("n", SymbolKind::parameter);
            if (input == kProcesses) return symbolic::symbol("p", SymbolKind::processes);
            if (input == kRank) return symbolic::symbol("r", SymbolKind::rank);
            return std::nullopt;
          },
          [](int loop) -> std::optional<Expression> {
            if (loop != 0) return std::nullopt;
            return symbolic::symbol("i", SymbolKind::loop_index);
          }};
}

// rows of a block: n / p + (r < n % p), as computed in C
Formula block_rows() {
  const Formula n = input(kN, 32), p = input(kProcesses, 32), r = input(kRank, 32);
  const Formula less = make(Operation::compare, {r, make(Operation::srem, {n, p})}, 32, "slt");
  return make(Operation::add, {make(Operation::sdiv, {n, p}),
                               make(Operation::select, {less, integer(1, 32), integer(0, 32)})});
}

TEST(Formula, GivesWhatTheProgramComputesAndSoDoesItsExpression) {
  const Formula rows = block_rows();
  const auto expression = to_expression(rows, names());
  ASSERT_TRUE(expression);
  for (std::int64_t n = 1; n <= 40; ++n)
    for (std::int64_t p = 1; p <= 7; ++p) {
      std::int64_t all = 0;
      for (std::int64_t r = 0; r < p; ++r) {
        const std::int64_t truth = n / p + (r < n % p);
        const auto value =
            evaluate(rows, {{kN, {false, n, 0}}, {kProcesses, {false, p, 0}}, {kRank, {false, r, 0}}});
        ASSERT_TRUE(value);
        EXPECT_EQ(value->whole, truth);
        const auto symbolic =
            symbolic::evaluate(expression->value, {{"n", double(n)}, {"p", double(p)}, {"r", double(r)}});
        ASSERT_TRUE(symbolic);
        EXPECT_EQ(*symbolic, double(truth)) << symbolic::to_text(expression->value);
        all += value->whole;
      }
      EXPECT_EQ(all, n);
    }
}

TEST(Formula, WrapsWhereTheProgramDoesAndTheExpressionDoesNot) {
  const Formula square = make(Operation::mul, {input(kN, 32), input(kN, 32)});
  EXPECT_EQ(evaluate(square, {{kN, {false, 65536, 0}}})->whole, 0);
  EXPECT_EQ(*symbolic::evaluate(to_expression(square, names())->value, {{"n", 65536.0}}), 4294967296.0);
}

TEST(Formula, BitsThatAreArithmeticBecomeArithmetic) {
  const Formula n = input(kN, 32);
  const auto text = [&](const Formula& formula) {
    const auto expression = to_expression(formula, names());
    return expression ? symbolic::to_text(expression->value) : "none";
  };
  EXPECT_EQ(text(make(Operation::shl, {n, integer(3, 32)})), "8*n");
  EXPECT_EQ(text(make(Operation::lshr, {n, integer(1, 32)})), "floor(n/2)");
  EXPECT_EQ(text(make(Operation::bit_and, {n, integer(7, 32)})), "mod(n, 8)");
  EXPECT_EQ(text(make(Operation::bit_and, {n, integer(-8, 32)})), "n - mod(n, 8)");
  for (const auto& [bits, expected] : {std::pair(1u, "mod(n, 2)"),
                                       {2u, "mod(n, 4)"},
                                       {13u, "mod(n, 8192)"},
                                       {8u, "mod(n, 256)"},
                                       {16u, "mod(n, 65536)"},
                                       {33u, "n"}})
    EXPECT_EQ(text(make(Operation::trunc, {n}, bits)), expected) << bits;
  EXPECT_EQ(text(make(Operation::zext, {make(Operation::compare, {n, integer(3, 32)}, 1, "slt")}, 32)),
            text(make(Operation::compare, {n, integer(3, 32)}, 1, "slt")));
  // Products in two bits wrap when they are widened or compared, also as signed numbers.
  const Formula low = make(Operation::trunc, {n}, 2), square = make(Operation::mul, {low, low}, 2);
  const auto at = [&](const Formula& formula, double value) {
    return *symbolic::evaluate(to_expression(formula, names())->value, {{"n", value}});
  };
  for (const std::int64_t value : {0, 1, 2, 3, 6, 7}) {
    const std::int64_t wraps = (value % 4) * (value % 4) % 4, as_signed = wraps >= 2 ? wraps - 4 : wraps;
    EXPECT_EQ(at(make(Operation::zext, {square}, 32), static_cast<double>(value)),
              static_cast<double>(wraps));
    EXPECT_EQ(at(make(Operation::sext, {square}, 32), static_cast<double>(value)),
              static_cast<double>(as_signed));
    EXPECT_EQ(at(make(Operation::compare, {square, integer(1, 2)}, 1, "slt"), static_cast<double>(value)),
              as_signed < 1 ? 1 : 0);
    EXPECT_EQ(at(make(Operation::compare, {square, integer(1, 2)}, 1, "ugt"), static_cast<double>(value)),
              wraps > 1 ? 1 : 0);
  }
  EXPECT_EQ(text(make(Operation::bit_xor, {n, integer(-1, 32)})), "-n - 1");
  EXPECT_EQ(text(make(Operation::bit_xor, {n, integer(6, 32)})), "none");
  for (const std::int64_t bit : {1, 8}) {
    const auto flipped = to_expression(make(Operation::bit_xor, {n, integer(bit, 32)}), names());
    ASSERT_TRUE(flipped);
    for (const std::int64_t value : {0, 1, 5, 8, 13, 24, 31})
      EXPECT_EQ(*symbolic::evaluate(flipped->value, {{"n", static_cast<double>(value)}}),
                static_cast<double>(value ^ bit));
  }
  EXPECT_EQ(text(make(Operation::recurrence, {n, integer(-1, 32)}, 32, {}, 0)), "n - i");
  EXPECT_EQ(text(make(Operation::recurrence, {n, integer(-1, 32)}, 32, {}, 1)), "none");
  EXPECT_EQ(text(input({InputKind::grid_extent, 0, 2}, 32)), "none");
}

// Random terms over n, p and r, checked against the program's own arithmetic to the bit.
class RandomTerms {
 public:
  explicit RandomTerms(unsigned seed) : random_(seed) {}

  Formula of(unsigned bits, int depth) {
    if (depth == 0) return leaf(bits);
    const auto operand = [&] { return of(bits, depth - 1); };
    const auto positive = [&] { return integer(1 + pick(9), bits); };
    const auto either_sign = [&] { return integer((1 + pick(9)) * (pick(2) ? 1 : -1), bits); };
    const auto compared = [&] {
      static const std::vector<std::string> kHow{"eq",  "ne",  "slt", "sle", "sgt",
                                                 "sge", "ult", "ule", "ugt", "uge"};
      return make(Operation::compare, {operand(), operand()}, bits, kHow[static_cast<std::size_t>(pick(10))]);
    };
    switch (pick(21)) {
      case 0:
        return make(Operation::add, {operand(), operand()}, bits);
      case 1:
      case 2:
        return make(Operation::sub, {operand(), operand()}, bits);
      case 3:
        return make(Operation::mul, {operand(), integer(pick(7) - 3, bits)}, bits);
      case 4:
        return make(Operation::sdiv, {operand(), either_sign()}, bits);
      case 5:
        return make(Operation::srem, {operand(), either_sign()}, bits);
      case 6:
        return make(Operation::udiv, {operand(), positive()}, bits);
      case 7:
        return make(Operation::urem, {operand(), positive()}, bits);
      case 8:
        return make(Operation::lshr, {operand(), integer(1 + pick(static_cast<int>(bits) - 1), bits)}, bits);
      case 9:
        return make(Operation::ashr, {operand(), integer(1 + pick(4), bits)}, bits);
      case 10:
        return make(Operation::umin, {operand(), operand()}, bits);
      case 11:
        return make(Operation::umax, {operand(), operand()}, bits);
      case 12:
        return make(Operation::smin, {operand(), operand()}, bits);
      case 13:
        return make(Operation::smax, {operand(), operand()}, bits);
      case 14: {
        const Formula condition = compared();
        return make(Operation::select, {condition, operand(), operand()}, bits);
      }
      case 15: {
        const unsigned narrow = bits == 64 ? 32 : 8;
        const Formula wide = make(pick(2) ? Operation::zext : Operation::sext, {of(narrow, depth - 1)}, bits);
        return bits == 8 ? operand() : wide;
      }
      case 16: {
        static const std::vector<Operation> kCuts{Operation::fptosi, Operation::fptoui};
        static const std::vector<Operation> kWholes{Operation::floor, Operation::ceil, Operation::ftrunc,
                                                    Operation::round};
        const Formula real = make(Operation::fmul,
                                  {make(pick(2) ? Operation::sitofp : Operation::uitofp, {operand()}, 64),
                                   real_number(pick(2) ? 0.25 : -0.5)},
                                  64);
        return make(kCuts[static_cast<std::size_t>(pick(2))],
                    {pick(2) ? real : make(kWholes[static_cast<std::size_t>(pick(4))], {real}, 64)}, bits);
      }
      case 17:
        return pick(2)
                   ? make(pick(2) ? Operation::zext : Operation::sext, {compared()}, bits)
                   : make(Operation::fptosi,
                          {make(pick(2) ? Operation::sitofp : Operation::uitofp, {compared()}, 64)}, bits);
      case 18:
        return make(pick(2) ? Operation::bit_and : Operation::bit_xor,
                    {operand(), integer(pick(2) ? 15 : -16, bits)}, bits);
      case 19:
        return make(Operation::recurrence, {operand(), integer(pick(9) - 4, bits)}, bits, {}, 0);
      default: {
        if (bits == 64) return operand();
        return make(Operation::trunc, {of(64, depth - 1)}, bits);
      }
    }
  }

 private:
  static Formula real_number(double value) {
    Node node;
    node.operation = Operation::real;
    node.bits = 64;
    node.value = value;
    return operation(node, {});
  }
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Formula leaf(unsigned bits) {
    switch (pick(6)) {
      case 0:
        return integer(pick(60) - 20, bits);
      case 1:
        return narrowed(kProcesses, bits);
      case 2:
        return narrowed(kRank, bits);
      default:
        return narrowed(kN, bits);
    }
  }
  static Formula narrowed(const Input& of, unsigned bits) {
    const Formula number = input(of, 32);
    return bits == 32 ? number : make(bits < 32 ? Operation::trunc : Operation::sext, {number}, bits);
  }
  std::mt19937 random_;
};

TEST(Formula, RoundsAndWrapsAsTheProgramDoes) {
  RandomTerms random(2026);
  int compared = 0, everywhere = 0, all = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const unsigned bits = trial % 3 == 0 ? 64 : trial % 3 == 1 ? 32 : 8;
    const Formula term = make(Operation::sitofp, {random.of(bits, 1 + trial % 4)}, 64);
    Names all_sizes = names();
    all_sizes.smallest = [](const Input&) { return 0; };
    const auto expression = to_expression(term, all_sizes);
    if (!expression) continue;
    ++all;
    if (!expression->everywhere) continue;
    ++everywhere;
    for (const std::int64_t n : {0, 1, 2, 9, 13, 30, 77, 200, 301})
      for (const std::int64_t p : {1, 2, 5})
        for (std::int64_t r = 0; r < p; ++r) {
          const std::int64_t round = (n + r) % 7;
          const auto truth =
              evaluate(term, {{kN, {false, n, 0}}, {kProcesses, {false, p, 0}}, {kRank, {false, r, 0}}},
                       [&](int) { return static_cast<std::uint64_t>(round); });
          if (!truth) continue;
          const auto value = symbolic::evaluate(
              expression->value,
              {{"n", double(n)}, {"p", double(p)}, {"r", double(r)}, {"i", double(round)}});
          ASSERT_TRUE(value) << to_string(value.error()) << ": " << symbolic::to_text(expression->value);
          ASSERT_EQ(*value, truth->real) << "trial " << trial << ", n = " << n << ", p = " << p
                                         << ", r = " << r << ": " << symbolic::to_text(expression->value);
          ++compared;
        }
  }
  EXPECT_GT(everywhere, all / 2);
  EXPECT_GT(compared, 40'000);
}

TEST(Formula, SaysWhatIsBelowZeroOnlyWhereThatMayBe) {
  const auto text = [](const Formula& formula) {
    return symbolic::to_text(to_expression(formula, names())->value);
  };
  const Formula n = input(kN, 32), p = input(kProcesses, 32), r = input(kRank, 32);
  const auto constant = [](std::int64_t value) { return integer(value, 32); };
  const auto sub = [](const Formula& a, const Formula& b) { return make(Operation::sub, {a, b}); };
  const auto halved = [&](const Formula& a) { return make(Operation::sdiv, {a, constant(2)}); };
  EXPECT_EQ(text(halved(sub(n, constant(3)))), "floor(n/2 + 1/2) - 2") << "of a size";
  EXPECT_EQ(text(halved(sub(make(Operation::sdiv, {n, p}), constant(2)))), "floor(floor(n/p)/2) - 1")
      << "of what a process has of it";
  EXPECT_THAT(text(halved(sub(r, constant(1)))), ::testing::HasSubstr("if")) << "of a rank, which may be 0";
  EXPECT_THAT(text(halved(sub(constant(100), n))), ::testing::HasSubstr("if"));
  EXPECT_EQ(text(halved(sub(sub(p, constant(1)), r))), "floor(p/2 - r/2 + 1/2) - 1")
      << "no rank is beyond the last";
  const Formula rest = make(Operation::srem, {n, constant(4)});
  EXPECT_THAT(text(halved(sub(n, rest))), ::testing::Not(::testing::HasSubstr("if"))) << "no rest is more";
  EXPECT_THAT(text(halved(sub(make(Operation::smax, {n, r}), r))),
              ::testing::Not(::testing::HasSubstr("if")));
  EXPECT_THAT(text(halved(sub(n, make(Operation::smin, {n, r})))),
              ::testing::Not(::testing::HasSubstr("if")));
  EXPECT_THAT(text(halved(sub(make(Operation::smin, {n, r}), n))), ::testing::HasSubstr("if"));
}

// for (row = first; row < n; row += p) with first = r, or (n / 2 - r) / p rounds further where r <= n / 2.
TEST(Formula, RoundsOfALoopOverOwnRowsAreShort) {
  const Formula n = input(kN, 32), p = input(kProcesses, 32), r = input(kRank, 32), one = integer(1, 32);
  const auto sub = [](const Formula& a, const Formula& b) { return make(Operation::sub, {a, b}); };
  const Formula beyond = sub(make(Operation::sdiv, {n, integer(2, 32)}), r);
  const Formula is_beyond = make(Operation::compare, {beyond, integer(0, 32)}, 32, "sge");
  const Formula skipped =
      make(Operation::select, {is_beyond, make(Operation::sdiv, {beyond, p}), integer(0, 32)});
  const Formula first = make(Operation::add, {r, make(Operation::mul, {p, skipped})});
  const Formula rows = sub(make(Operation::smax, {n, first}), first);
  const Formula least = make(Operation::umin, {one, rows});
  const Formula rounds = make(Operation::add, {least, make(Operation::udiv, {sub(rows, least), p})});
  const auto expression = to_expression(rounds, names());
  ASSERT_TRUE(expression);
  const std::string text = symbolic::to_text(expression->value);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("mod(")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("min(")));
  EXPECT_LT(text.size(), 140U) << text;
  for (std::int64_t size = 1; size <= 40; ++size)
    for (std::int64_t processes = 1; processes <= 7; ++processes)
      for (std::int64_t rank = 0; rank < processes; ++rank) {
        std::int64_t row = rank, counted = 0;
        if (size / 2 >= rank) row += (size / 2 - rank) / processes * processes;
        for (; row < size; row += processes) ++counted;
        EXPECT_EQ(*symbolic::evaluate(expression->value, {{"n", static_cast<double>(size)},
                                                          {"p", static_cast<double>(processes)},
                                                          {"r", static_cast<double>(rank)}}),
                  counted)
            << text << " at n = " << size << ", p = " << processes << ", rank " << rank;
      }
}

// Knuth's hash: an unsigned 32-bit product wraps at nearly every size, and a 64-bit one loses its last
// digits.
TEST(Formula, ProductsWrapWhereTheyMustAtUsualSizes) {
  const Formula n = input(kN, 32), hash = make(Operation::mul, {n, integer(-1640531535, 32)});
  const Formula high = make(Operation::lshr, {hash, integer(24, 32)}),
                low = make(Operation::zext, {make(Operation::urem, {hash, integer(1000, 32)})}, 64);
  for (const std::int64_t size : {1, 2, 3, 100, 12345, 99999})
    for (const Formula& formula : {high, low}) {
      const auto expression = to_expression(formula, names());
      EXPECT_TRUE(expression->everywhere);
      EXPECT_EQ(*symbolic::evaluate(expression->value, {{"n", static_cast<double>(size)}}),
                static_cast<double>(evaluate(formula, {{kN, {false, size, 0}}})->whole))
          << size;
    }
  const Formula wide = make(Operation::sext, {n}, 64),
                generator = make(Operation::mul, {wide, integer(6364136223846793005, 64)}, 64);
  EXPECT_FALSE(to_expression(make(Operation::lshr, {generator, integer(33, 64)}, 64), names())->everywhere);
  EXPECT_FALSE(to_expression(make(Operation::bit_and, {generator, integer(7, 64)}, 64), names())->everywhere);
  EXPECT_FALSE(to_expression(make(Operation::ashr, {generator, integer(50, 64)}, 64), names())->everywhere);
  EXPECT_FALSE(to_expression(make(Operation::select,
                                  {make(Operation::compare, {generator, wide}, 64, "ult"), wide, wide}, 64),
                             names())
                   ->everywhere);
  // The product of two usual sizes does not wrap.
  EXPECT_EQ(symbolic::to_text(
                to_expression(make(Operation::sext, {make(Operation::mul, {n, n})}, 64), names())->value),
            "n^2");
}

Formula number(double value) {
  Node node;
  node.operation = Operation::real;
  node.bits = 64;
  node.value = value;
  return operation(node, {});
}

// (int)(0.29 * 100) is 28 in C, and floor(29/100 * 100) is 29.
TEST(Formula, SaysWhereItsExpressionMayBeOffByOne) {
  const Formula n = make(Operation::sitofp, {input(kN, 32)}, 64),
                p = make(Operation::sitofp, {input(kProcesses, 32)}, 64);
  const auto whole = [](const Formula& of, Operation how = Operation::fptosi) {
    return make(how, {of}, 32)->off_by_one;
  };
  const Formula part = make(Operation::fptosi, {make(Operation::fmul, {number(0.29), n}, 64)}, 32);
  EXPECT_TRUE(part->off_by_one);
  EXPECT_EQ(evaluate(part, {{kN, {false, 100, 0}}})->whole, 28);
  EXPECT_EQ(*symbolic::evaluate(to_expression(part, names())->value, {{"n", 100.0}}), 29);
  EXPECT_TRUE(make(Operation::add, {part, integer(1, 32)})->off_by_one);
  EXPECT_FALSE(whole(make(Operation::fmul, {number(0.25), n}, 64)));
  EXPECT_FALSE(whole(make(Operation::fdiv, {n, p}, 64))) << "a quotient is rounded once";
  EXPECT_TRUE(whole(make(Operation::fmul, {make(Operation::fdiv, {n, p}, 64), p}, 64)));
  EXPECT_FALSE(whole(make(Operation::fadd, {make(Operation::fdiv, {n, number(4)}, 64), number(0.5)}, 64)))
      << "quarters are exact";
  EXPECT_FALSE(whole(make(Operation::log2, {n}, 64), Operation::ceil));
  EXPECT_TRUE(whole(make(Operation::fdiv, {make(Operation::log2, {n}, 64), number(std::log2(3))}, 64)));
  EXPECT_TRUE(whole(make(Operation::sitofp, {input(kN, 32)}, 32))) << "a float has 24 binary digits";
  // Halves are rounded to even.
  const Formula nearest = make(Operation::rint, {make(Operation::fmul, {number(0.5), n}, 64)}, 64);
  EXPECT_TRUE(nearest->off_by_one);
  EXPECT_EQ(evaluate(nearest, {{kN, {false, 5, 0}}})->real, 2);
}

// Sixty steps of x += x >> 40 share their operands. As a tree they would be 2^60 terms.
TEST(Formula, SharedTermsAreGoneThroughOnce) {
  const auto chain = [] {
    Formula x = input(kN, 64);
    for (int i = 0; i < 60; ++i)
      x = make(Operation::add, {x, make(Operation::lshr, {x, integer(40, 64)}, 64)}, 64);
    return x;
  };
  EXPECT_EQ(inputs_of(chain()).size(), 1u);
  EXPECT_TRUE(same(chain(), chain()));
  EXPECT_EQ(evaluate(chain(), {{kN, {false, 9, 0}}})->whole, 9);
}

TEST(Formula, AreTheSameWherePutTogetherAlike) {
  EXPECT_TRUE(same(block_rows(), block_rows()));
  EXPECT_FALSE(same(block_rows(), input(kN, 32)));
  EXPECT_FALSE(same(input(kN, 32), input(kN, 64)));
  EXPECT_FALSE(same(integer(3, 32), integer(4, 32)));
  EXPECT_FALSE(same(make(Operation::sub, {integer(3, 32), integer(4, 32)}),
                    make(Operation::sub, {integer(4, 32), integer(3, 32)})));
}

TEST(Formula, NamesItsInputs) {
  EXPECT_THAT(inputs_of(block_rows()), ::testing::ElementsAre(kN, kRank, kProcesses));
}

}  // namespace
}  // namespace parcast::facts
