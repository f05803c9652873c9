// SPDX-License-Identifier: Apache-2.0
// Compares polynomials and rational functions with GiNaC: expansion, substitution, derivatives.

#include <ginac/ginac.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "symbolic/random_expression.h"

// GiNaC and its number library do not free memory before the process ends.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcln\nleak:libginac\nleak:GiNaC::";
}

namespace parcast::symbolic {
namespace {

using Choices = std::vector<std::uint16_t>;

template <class Property>
void expect_holds(Property property) {
  EXPECT_TRUE(rc::check(property));
}

class Oracle : public testing::Test {
 protected:
  Oracle() {
    for (const std::string& name : symbol_names()) {
      symbols_.emplace(name, GiNaC::symbol(name));
      table_[name] = symbols_.at(name);
    }
  }

  GiNaC::ex oracle(const Recipe& recipe) const { return build_oracle(recipe, symbols_); }
  /// Our text of polynomials is valid for GiNaC too.
  GiNaC::ex read(const Expression& a) const { return GiNaC::parser(table_)(to_text(a)); }

  static std::size_t term_count(const GiNaC::ex& a) { return GiNaC::is_a<GiNaC::add>(a) ? a.nops() : 1; }

  std::map<std::string, GiNaC::symbol> symbols_;
  GiNaC::symtab table_;
};

bool has_real(const Expression& a) {
  if (a.operation() == Operation::real) return true;
  return std::any_of(a.operands().begin(), a.operands().end(), has_real);
}

TEST_F(Oracle, ExpandsPolynomialsTermByTerm) {
  int compared = 0;
  expect_holds([&](const Choices& choices) {
    const Recipe recipe = decode(choices, Family::polynomial);
    const Expression ours = expand(build(recipe));
    if (has_real(ours)) return;  // a coefficient exceeded 64 bits
    const GiNaC::ex theirs = oracle(recipe).expand();
    RC_LOG() << to_text(ours) << "\n";
    RC_ASSERT((read(ours) - theirs).expand().is_zero());
    RC_ASSERT((ours.operation() == Operation::sum ? ours.operands().size() : 1) == term_count(theirs));
    ++compared;
  });
  EXPECT_GT(compared, 200);
}

TEST_F(Oracle, SubstitutesLikeGinac) {
  expect_holds([&](const Choices& choices, const Choices& for_n, const Choices& for_p) {
    const Recipe recipe = decode(choices, Family::polynomial);
    const Recipe f = decode(
        {for_n.begin(), for_n.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(for_n.size(), 8))},
        Family::polynomial);
    const Recipe g = decode(
        {for_p.begin(), for_p.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(for_p.size(), 8))},
        Family::polynomial);
    const Expression ours = substitute(build(recipe), {{"n", build(f)}, {"p", build(g)}});
    if (has_real(ours)) return;
    const GiNaC::ex theirs =
        oracle(recipe).subs(GiNaC::lst{symbols_.at("n") == oracle(f), symbols_.at("p") == oracle(g)},
                            GiNaC::subs_options::no_pattern);
    // Compared at points, since expanding after the substitution may take long.
    for (int i = 1; i <= 3; ++i) {
      GiNaC::exmap at;
      for (const auto& [name, symbol] : symbols_)
        at[symbol] = GiNaC::numeric(i + static_cast<int>(name[0]) % 7, 3);
      RC_ASSERT((read(ours).subs(at) - theirs.subs(at)).is_zero());
    }
  });
}

TEST_F(Oracle, DifferentiatesLikeGinac) {
  int compared = 0;
  expect_holds([&](const Choices& choices, std::uint8_t which) {
    const Recipe recipe = decode(choices, Family::rational);
    const std::string name = symbol_names()[which % symbol_names().size()];
    GiNaC::ex theirs;
    try {
      theirs = oracle(recipe).diff(symbols_.at(name));
    } catch (const std::exception&) {
      return;  // a division by zero while building
    }
    const Expression ours = differentiate(build(recipe), symbol_of(name));
    if (has_real(ours)) return;
    RC_LOG() << recipe << "\n" << to_text(ours) << "\n";
    for (int i = 1; i <= 3; ++i) {
      GiNaC::exmap at;
      for (const auto& [symbol_name, symbol] : symbols_)
        at[symbol] = GiNaC::numeric(1 + 2 * i * static_cast<int>(symbol_name[0]), 17);
      GiNaC::ex wanted, value;
      try {
        wanted = theirs.subs(at);
        value = read(ours).subs(at);
      } catch (const std::exception&) {
        continue;
      }
      RC_ASSERT((value - wanted).is_zero());
      ++compared;
    }
  });
  EXPECT_GT(compared, 500);
}

TEST_F(Oracle, EvaluatesToTheNearestDoubles) {
  int compared = 0;
  expect_holds([&](const Choices& choices, const Choices& where) {
    const Recipe recipe = decode(choices, Family::rational);
    const ExactBinding at = decode_point(where);
    const auto wanted = oracle_value(recipe, to_numeric(at));
    if (!wanted) return;
    const Expression e = build(recipe);
    std::map<std::string, Interval, std::less<>> within;
    for (const auto& [name, value] : to_double(at))
      within[name] = {std::nextafter(value, -1e9), std::nextafter(value, 1e9)};
    const auto value = evaluate(e, to_double(at));
    const auto bounds = bound(e, within);
    RC_ASSERT(bounds.ok());
    if (!value) return;
    // The width of the enclosure shows the amount of cancellation.
    const double tolerance = 4 * (bounds->high - bounds->low) + 1e-12 * std::fabs(wanted->to_double());
    RC_LOG() << to_text(e) << " " << *value << " " << wanted->to_double() << "\n";
    RC_ASSERT(std::fabs(*value - wanted->to_double()) <= tolerance);
    compared += tolerance < 1e-6 * std::fabs(wanted->to_double());
  });
  EXPECT_GT(compared, 100);
}

TEST_F(Oracle, SumsOfPolynomialsInTheIndexMatchAddition) {
  // The sum over i0 of a random polynomial, with GiNaC's numbers term by term. Some ranges are empty.
  const Expression index = symbol("i", SymbolKind::loop_index);
  expect_holds([&](const Choices& choices, std::int8_t first, std::int8_t last, const Choices& where) {
    const std::int64_t low = first % 12, high = last % 12;
    const Recipe recipe = decode(choices, Family::polynomial);
    const Expression body = substitute(build(recipe), {{"n", index}});
    const Expression a = symbol("a", SymbolKind::parameter), b = symbol("b", SymbolKind::parameter);
    const Expression sum = series(index, a, b, body);
    ExactBinding at = decode_point(where);
    at["a"] = low;
    at["b"] = high;
    const auto value = evaluate_exactly(sum, at);
    RC_LOG() << to_text(sum) << "\n";
    if (!value) return;  // does not fit
    GiNaC::numeric wanted = 0;
    OracleBinding inside = to_numeric(at);
    for (std::int64_t i = low; i <= high; ++i) {
      inside["n"] = to_numeric(Rational(i));
      wanted = wanted + oracle_value(recipe, inside).value();
    }
    RC_ASSERT(to_numeric(*value) == wanted);
  });
}

}  // namespace
}  // namespace parcast::symbolic
