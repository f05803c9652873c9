// SPDX-License-Identifier: Apache-2.0
// Properties of random expressions: simplification preserves every value, text round-trips, bounds hold, and
// the flat program gives the doubles of the tree walk. Seeded; RC_PARAMS="seed=..." overrides.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "symbolic/program.h"
#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

// Must run before rapidcheck first reads its parameters.
const int kSeeded = setenv("RC_PARAMS", "seed=20240611 max_success=400 max_size=120", 0);

using Choices = std::vector<std::uint16_t>;

template <class Property>
void expect_holds(Property property) {
  EXPECT_TRUE(rc::check(property));
}

bool is_about_size(const Error& error) {
  return error.what.find("fit") != std::string::npos || error.what.find("real constant") != std::string::npos;
}

// Counts the cases of a property that reached the comparison.
struct Coverage {
  int reached = 0, all = 0;
  ~Coverage() {
    EXPECT_GT(reached * 10, all * 3) << "too few cases were compared: " << reached << " of " << all;
  }
};

TEST(Random, SimplificationKeepsEveryValue) {
  Coverage coverage;
  expect_holds([&](const Choices& choices, const Choices& where) {
    const Recipe recipe = decode(choices, Family::exact);
    const ExactBinding at = decode_point(where);
    ++coverage.all;
    const auto wanted = oracle_value(recipe, to_numeric(at));
    if (!wanted) return;
    const Expression e = build(recipe);
    const auto value = evaluate_exactly(e, at);
    RC_LOG() << recipe << "\n"
             << to_text(e) << "\n"
             << (value ? to_string(*value) : to_string(value.error())) << "\n";
    if (!value) RC_ASSERT(is_about_size(value.error()));
    if (!value) return;
    ++coverage.reached;
    RC_ASSERT(to_numeric(*value) == *wanted);
  });
}

TEST(Random, OrderOfOperandsDoesNotMatter) {
  expect_holds([](const Choices& choices) {
    const Recipe recipe = decode(choices, Family::exact);
    const Expression forward = build(recipe), backward = build(reversed(recipe));
    RC_LOG() << recipe << "\n" << to_text(forward) << "\n" << to_text(backward) << "\n";
    RC_ASSERT(forward == backward);
  });
}

TEST(Random, TextReadsBackAsTheSameExpression) {
  expect_holds([](const Choices& choices) {
    const Recipe recipe = decode(choices, Family::full);
    const Expression e = build(recipe);
    const auto back = parse(to_text(e), symbol_kinds());
    RC_LOG() << recipe << "\n"
             << to_text(e) << "\n"
             << (back ? to_text(*back) : to_string(back.error())) << "\n";
    RC_ASSERT(back.ok());
    RC_ASSERT(*back == e);
  });
}

TEST(Random, ExpansionKeepsEveryValueAndIsFinal) {
  expect_holds([](const Choices& choices, const Choices& where) {
    const Recipe recipe = decode(choices, Family::exact);
    const Expression e = build(recipe), expanded = expand(e);
    RC_LOG() << recipe << "\n" << to_text(e) << "\n" << to_text(expanded) << "\n";
    RC_ASSERT(expand(expanded) == expanded);
    const ExactBinding at = decode_point(where);
    const auto before = evaluate_exactly(e, at), after = evaluate_exactly(expanded, at);
    if (!before || (!after && is_about_size(after.error()))) return;
    RC_ASSERT(after.ok());
    RC_ASSERT(*after == *before);
  });
}

TEST(Random, SubstitutionCommutesWithEvaluation) {
  Coverage coverage;
  expect_holds([&](const Choices& choices, const Choices& for_n, const Choices& for_m, const Choices& where) {
    const Expression e = build(decode(choices, Family::exact));
    const Expression f = build(decode(for_n, Family::exact)), g = build(decode(for_m, Family::exact));
    const Expression substituted = substitute(e, {{"n", f}, {"m", g}});
    const ExactBinding at = decode_point(where);
    ++coverage.all;
    const auto n = evaluate_exactly(f, at), m = evaluate_exactly(g, at);
    if (!n || !m) return;
    ExactBinding inside = at;
    inside["n"] = *n;
    inside["m"] = *m;
    const auto wanted = evaluate_exactly(e, inside), value = evaluate_exactly(substituted, at);
    RC_LOG() << to_text(e) << "\nn = " << to_text(f) << "\nm = " << to_text(g) << "\n"
             << to_text(substituted) << "\n";
    if (!wanted || (!value && is_about_size(value.error()))) return;
    RC_ASSERT(value.ok());
    RC_ASSERT(*value == *wanted);
    ++coverage.reached;
  });
}

TEST(Random, BoundsHoldAtEveryPointInside) {
  Coverage coverage;
  expect_holds([&](const Choices& choices, const Choices& one, const Choices& other,
                   const std::vector<Choices>& steps) {
    const Expression e = build(decode(choices, Family::exact));
    const ExactBinding a = decode_point(one), b = decode_point(other);
    std::map<std::string, Interval, std::less<>> within;
    for (const auto& [name, value] : a) {
      // Rounded outward, so that a fraction that is no double is inside too.
      const double low = std::min(value, b.at(name)).to_double(),
                   high = std::max(value, b.at(name)).to_double();
      within[name] = {std::nextafter(low, -1e9), std::nextafter(high, 1e9)};
    }
    within["p"].low = std::ceil(within["p"].low);
    within["r"].low = std::ceil(within["r"].low);
    const auto bounds = bound(e, within);
    RC_LOG() << to_text(e) << "\n";
    for (const Choices& step : steps) {
      ExactBinding at;
      std::size_t i = 0;
      for (const auto& [name, value] : a) {
        // A point between the two corners, in quarters; an integer for p and r.
        const std::int64_t quarters = i < step.size() ? step[i] % 5 : 0;
        const Rational span = *subtract(b.at(name), value);
        Rational moved = *add(value, *multiply(span, Rational::of(quarters, 4)));
        if (name == "p" || name == "r") moved = Rational(moved.floor());
        at[name] = moved;
        ++i;
      }
      ++coverage.all;
      const auto value = evaluate_exactly(e, at);
      if (!value) continue;
      ++coverage.reached;
      RC_ASSERT(bounds.ok());
      RC_LOG() << to_string(*value) << " in [" << bounds->low << ", " << bounds->high << "]\n";
      RC_ASSERT(bounds->low <= value->to_double());
      RC_ASSERT(value->to_double() <= bounds->high);
    }
  });
}

TEST(Random, FlatProgramGivesTheDoublesOfTheTreeWalk) {
  Coverage coverage;
  expect_holds([&](const Choices& choices, const Choices& second, const std::vector<Choices>& where) {
    const std::vector<Expression> outputs{build(decode(choices, Family::full)),
                                          build(decode(second, Family::full))};
    std::vector<Expression> inputs;
    for (const std::string& name : symbol_names()) inputs.push_back(symbol_of(name));
    const auto program = FlatProgram::compile(outputs, inputs);
    RC_ASSERT(program.ok());
    std::vector<Binding> points;
    for (const Choices& choice : where) points.push_back(to_double(decode_point(choice)));
    std::vector<double> columns, results(outputs.size() * points.size());
    for (const std::string& name : symbol_names()) {
      for (const Binding& point : points) columns.push_back(point.at(name));
    }
    program->evaluate(columns, points.size(), results);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        ++coverage.all;
        const auto wanted = evaluate(outputs[o], points[i]);
        const double value = results[o * points.size() + i];
        RC_LOG() << to_text(outputs[o]) << ": " << value << " " << (wanted ? *wanted : std::nan("")) << "\n";
        RC_ASSERT(wanted.ok() == !std::isnan(value));
        if (!wanted) continue;
        ++coverage.reached;
        RC_ASSERT(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(*wanted));
      }
    }
  });
}

TEST(Random, DoubleEvaluationStaysInTheBoundOfThePoint) {
  Coverage coverage;
  expect_holds([&](const Choices& choices, const Choices& where) {
    const Expression e = build(decode(choices, Family::full));
    const ExactBinding at = decode_point(where);
    std::map<std::string, Interval, std::less<>> within;
    for (const auto& [name, value] : to_double(at)) within[name] = {value, value};
    ++coverage.all;
    const auto value = evaluate(e, to_double(at));
    if (!value) return;
    const auto bounds = bound(e, within);
    RC_LOG() << to_text(e) << " = " << *value << "\n";
    RC_ASSERT(bounds.ok());
    ++coverage.reached;
    // The enclosure contains the exact value. Rounding to the double is within 1e-9 of the largest part here.
    const double slack = 1e-9 * (1 + std::fabs(bounds->low) + std::fabs(bounds->high));
    RC_ASSERT(bounds->low - slack <= *value);
    RC_ASSERT(*value <= bounds->high + slack);
  });
}

TEST(Random, DamagedTextIsReadOrRefusedButNeverCrashes) {
  expect_holds([](const Choices& choices, const Choices& damage) {
    std::string text = to_text(build(decode(choices, Family::full)));
    for (std::size_t i = 0; i + 1 < damage.size() && !text.empty(); i += 2) {
      static constexpr std::string_view kCharacters = "()+-*/^,.'>= 019eknpxmsifloor\n";
      text[damage[i] % text.size()] = kCharacters[damage[i + 1] % kCharacters.size()];
    }
    const auto read = parse(text, symbol_kinds());
    RC_LOG() << text << "\n";
    if (!read) RC_ASSERT(read.error().where.starts_with("column "));
    if (read) RC_ASSERT(parse(to_text(*read), symbol_kinds()).value() == *read);
  });
}

}  // namespace
}  // namespace parcast::symbolic
