// SPDX-License-Identifier: Apache-2.0
#include "symbolic/languages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/text.h"
#include "symbolic/other_programs_for_tests.h"
#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression k = symbol("k", SymbolKind::loop_index);

std::string in(Language language, const Expression& a) {
  return define("f", a, language).text;
}

TEST(Languages, AreWrittenAsTheirsAre) {
  const Expression a =
      floor(n / p) * log2(n) + Expression(Rational::of(1, 3)) * power(n, Rational::of(1, 2)) - 2;
  EXPECT_EQ(in(Language::maple, a), "f := (n, p) -> n^(1/2)/3 + floor(n/p)*(ln(n)/ln(2)) - 2:\n");
  EXPECT_EQ(in(Language::cpp, a),
            "double f(double n, double p) { return std::pow(n, (1.0/2.0))/3.0 + std::floor(n/p)*std::log2(n) "
            "- 2.0; }\n");
  EXPECT_EQ(in(Language::javascript, a),
            "function f(n, p) { return Math.pow(n, (1.0/2.0))/3.0 + Math.floor(n/p)*Math.log2(n) - 2.0; }\n");
  EXPECT_EQ(in(Language::latex, a),
            "\\mathrm{f} = \\frac{n^{\\frac{1}{2}}}{3} + \\left\\lfloor \\frac{n}{p} \\right\\rfloor \\, "
            "\\log_2 \\left(n\\right) - 2\n");
  EXPECT_EQ(in(Language::text, n + 1), "f = n + 1\n");
}

TEST(Languages, ConditionsAndSeries) {
  const Expression a = conditional(n - p, 1, 0) + series(k, 0, p, log2(k + 2));
  EXPECT_EQ(in(Language::maple, a),
            "f := (n, p) -> piecewise(n - p >= 0, 1, 0) + piecewise(p >= 0, add([seq((ln(k + 2)/ln(2)), "
            "k=0..p)]), 0):\n");
  EXPECT_EQ(in(Language::latex, a),
            "\\mathrm{f} = \\begin{cases} 1 & n - p \\ge 0 \\\\ 0 & \\text{otherwise} \\end{cases} + "
            "\\sum_{k=0}^{p} \\log_2 \\left(k + 2\\right)\n");
}

TEST(Languages, NamesThatAreNoneThereAreChangedAndTold) {
  const Expression a = symbol("while", SymbolKind::parameter) +
                       symbol("my size", SymbolKind::parameter) * symbol("my_size", SymbolKind::parameter);
  const Definition definition = define("time of 2", a, Language::cpp);
  EXPECT_EQ(definition.text,
            "double time_of_2(double my_size, double my_size_, double while_) { return my_size*my_size_ + "
            "while_; }\n");
  const std::vector<std::pair<std::string, std::string>> expected{{"my_size", "my_size_"},
                                                                  {"while", "while_"}};
  EXPECT_EQ(std::vector(definition.renamed.begin() + 1, definition.renamed.end()), expected);
  EXPECT_EQ(definition.renamed.front(), (std::pair<std::string, std::string>("my size", "my_size")));
  EXPECT_EQ(define("f", symbol("my size", SymbolKind::parameter), Language::latex).text,
            "\\mathrm{f} = \\mathrm{my size}\n");
}

TEST(Languages, WordsOfTheLanguagesAreNoNames) {
  for (const auto& [language, words] :
       {std::pair(Language::maple, std::vector<std::string>{"stop", "ln", "D", "error", "read", "infinity"}),
        std::pair(Language::cpp,
                  std::vector<std::string>{"register", "compl", "co_await", "typename", "NULL"}),
        std::pair(Language::javascript, std::vector<std::string>{"super", "debugger", "instanceof", "NaN"})})
    for (const std::string& word : words) {
      const Definition definition = define("f", log2(symbol(word, SymbolKind::parameter)), language);
      EXPECT_EQ(definition.arguments, std::vector{word + "_"});
      EXPECT_EQ(definition.symbols, std::vector{word});
    }
}

TEST(Languages, ManyOutputsShareTheirParts) {
  const Expression part = floor(n / p) + 1;
  const std::vector<Expression> outputs{power(part, 2), conditional(n - p, log2(part), part),
                                        series(k, 0, p, part * log2(k + 2)), n};
  const std::vector<std::string> symbols{"n", "p"};
  const std::string written = javascript_of_many(outputs, symbols);
  EXPECT_EQ(written.find("Math.floor"), written.rfind("Math.floor")) << written;
  std::vector<std::string> calls;
  for (std::size_t i = 0; i < outputs.size(); ++i) calls.push_back("out[" + std::to_string(i) + "]");
  const std::vector<double> values =
      values_by(Language::javascript, "var out = [], f = " + written + ";\nf([17, 3], out);\n", calls);
  ASSERT_EQ(values.size(), outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    EXPECT_NEAR(values[i], evaluate(outputs[i], {{"n", 17}, {"p", 3}}).value(), 1e-12) << written;
}

TEST(Languages, LatexCanBeReadInOneWay) {
  EXPECT_EQ(in(Language::latex, modulo(n + 3, p)),
            "\\mathrm{f} = \\left(\\left(n + 3\\right) \\bmod p\\right)\n");
  EXPECT_EQ(in(Language::latex, power(log2(n), 2)),
            "\\mathrm{f} = \\left(\\log_2 \\left(n\\right)\\right)^{2}\n");
  EXPECT_EQ(define("f", symbol("steps", SymbolKind::parameter) * n, Language::latex).symbols,
            (std::vector<std::string>{"n", "steps"}));
}

TEST(Languages, AreKnownByName) {
  EXPECT_EQ(language_named("maple"), Language::maple);
  EXPECT_EQ(language_named("c++"), Language::cpp);
  EXPECT_FALSE(language_named("fortran"));
}

// Values by other programs: definitions of random expressions, and calls at random points, compared with
// evaluate().
struct Other {
  const char* name;
  Language language;
  Family family;
};
void PrintTo(const Other& other, std::ostream* out) {
  *out << other.name;
}

class ByAnother : public testing::TestWithParam<Other> {};

TEST_P(ByAnother, ProgramGivesTheSameValues) {
  const Language language = GetParam().language;
  std::mt19937 numbers(7);
  std::string definitions;
  std::vector<std::string> calls;
  std::vector<std::pair<double, std::string>> expected;
  constexpr int kExpressions = 150, kPoints = 3;
  for (int i = 0; i < kExpressions; ++i) {
    std::vector<std::uint16_t> choices(12 + numbers() % 30);
    for (auto& choice : choices) choice = static_cast<std::uint16_t>(numbers());
    const Expression a = build(decode(choices, GetParam().family));
    const Definition definition = define("f" + std::to_string(i), a, language);
    std::vector<std::string> symbols;
    for (const Expression& each : free_symbols(a)) symbols.push_back(each.name());
    std::ranges::sort(symbols);
    if (language == Language::maple && symbols.empty()) continue;  // Giac has no functions without arguments
    bool used = false;
    for (int j = 0; j < kPoints; ++j) {
      std::vector<std::uint16_t> point(16);
      for (auto& choice : point) choice = static_cast<std::uint16_t>(numbers());
      const ExactBinding exact = decode_point(point);
      const Binding at = to_double(exact);
      const auto value = evaluate(a, at);
      if (!value || !std::isfinite(*value) || std::abs(*value) > 1e200) continue;
      const auto exactly = evaluate_exactly(a, exact);
      // doubles do not resolve it
      if (exactly && std::abs(exactly->to_double() - *value) > 1e-13 * std::abs(*value)) continue;
      std::vector<std::string> arguments;
      for (const std::string& symbol : symbols) arguments.push_back(format_exact(at.find(symbol)->second));
      const std::string call = "f" + std::to_string(i) + "(" + join(arguments, ", ") + ")";
      expected.emplace_back(*value, call + " of " + to_text(a));
      calls.push_back(call);
      used = true;
    }
    if (used) definitions += definition.text;
  }
  ASSERT_GT(expected.size(), 200u);
  const std::vector<double> answers = values_by(language, definitions, calls);
  ASSERT_EQ(answers.size(), expected.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_NEAR(answers[i], expected[i].first, 1e-12 * std::max(1.0, std::abs(expected[i].first)))
        << expected[i].second;
}

INSTANTIATE_TEST_SUITE_P(Programs, ByAnother,
                         testing::Values(Other{"cpp", Language::cpp, Family::exact},
                                         Other{"javascript", Language::javascript, Family::exact},
                                         Other{"maple", Language::maple, Family::exact}),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace parcast::symbolic
