// SPDX-License-Identifier: Apache-2.0
// The search finds all forms in its range: compared with trying every choice of features, at the prices of
// docs/models/counts.md.
#include "fit_counts/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "fit_counts/testing/test_designs.h"

namespace parcast::program {
namespace {

using symbolic::Rational;
using testing::full_design;
using testing::observe;

constexpr double kSlack = 6, kFractions = 8;  // bits
constexpr std::array<std::int64_t, 18> kLargerDenominators{25, 30,  32,  40,  48,  50,  60,  64,  80,
                                                           96, 100, 120, 128, 200, 250, 256, 500, 1000};

bool is_written(const Rational& value) {
  return value.denominator() <= 24 ||
         std::ranges::find(kLargerDenominators, value.denominator()) != kLargerDenominators.end();
}

double price(const FeatureTable& table, const Form& form) {
  std::vector<Rational> numbers = form.coefficients;
  if (!(form.constant == Rational(0))) numbers.push_back(form.constant);
  std::int64_t common = 0;
  for (const Rational& number : numbers)
    common = std::gcd(common, number.is_integer() ? number.numerator() : 1);
  double bits = .5 * std::log2(static_cast<double>(common)) + (form.constant == Rational(0) ? 0 : 1);
  for (const Rational& number : numbers) {
    const Rational reduced = symbolic::divide(number, Rational(common)).value();
    bits += .5 + .6 * std::log2(std::abs(static_cast<double>(reduced.numerator()))) +
            2 * std::log2(static_cast<double>(reduced.denominator()));
  }
  for (const std::size_t feature : form.features) bits += table.feature(feature).bits;
  return bits;
}

double with_fractions(const Form& form) {
  return form.bits + (std::ranges::all_of(form.coefficients, &Rational::is_integer) ? 0 : kFractions);
}

// Tries every choice of features, by Cramer's rule. It uses differences from the first cell, which eliminates
// the constant.
class EveryChoice {
 public:
  EveryChoice(const FeatureTable& table, std::vector<std::int64_t> values)
      : table_(table), values_(std::move(values)) {
    for (std::size_t f = 0; f < table.size(); ++f) {
      std::vector<std::int64_t>& column = columns_.emplace_back();
      for (const Cell& cell : table.design().cells)
        column.push_back(value_at(table.feature(f), cell.place).value());
    }
  }

  // Returns choices of one feature, of two with at most `of_two` bits together, and of three with at most
  // `each_of_three` bits each.
  std::map<std::vector<std::size_t>, Form> found(double of_two, double each_of_three) {
    const auto bits = [&](std::size_t f) { return table_.feature(f).bits; };
    for (std::size_t i = 0; i < table_.size(); ++i) {
      attempt({i});
      for (std::size_t j = i + 1; j < table_.size() && bits(i) + bits(j) <= of_two; ++j) attempt({i, j});
      for (std::size_t j = i + 1; j < table_.size() && bits(j) <= each_of_three; ++j)
        for (std::size_t k = j + 1; k < table_.size() && bits(k) <= each_of_three; ++k) attempt({i, j, k});
    }
    return std::move(found_);
  }

 private:
  Wide step(std::size_t feature, std::size_t cell) const {
    return static_cast<Wide>(columns_[feature][cell]) - columns_[feature][0];
  }

  // Returns the determinant of the features' differences at the cells. In column `by_values` the values'
  // differences replace a feature's.
  Wide determinant(const std::vector<std::size_t>& features, const std::vector<std::size_t>& cells,
                   std::size_t by_values = 9) const {
    const auto at = [&](std::size_t row, std::size_t column) {
      return column == by_values ? static_cast<Wide>(values_[cells[row]]) - values_[0]
                                 : step(features[column], cells[row]);
    };
    if (cells.size() == 1) return at(0, 0);
    if (cells.size() == 2) return at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
    Wide sum = 0;
    for (std::size_t a = 0; a < 3; ++a)
      sum += at(0, a) * (at(1, (a + 1) % 3) * at(2, (a + 2) % 3) - at(1, (a + 2) % 3) * at(2, (a + 1) % 3));
    return sum;
  }

  void attempt(const std::vector<std::size_t>& features) {
    std::vector<std::size_t> cells;
    for (std::size_t cell = 1; cell < values_.size() && cells.size() < features.size(); ++cell) {
      cells.push_back(cell);
      if (determinant(features, cells) == 0) cells.pop_back();
    }
    if (cells.size() < features.size()) return;
    const Wide whole = determinant(features, cells);
    std::vector<Wide> parts;
    for (std::size_t i = 0; i < features.size(); ++i) parts.push_back(determinant(features, cells, i));
    if (std::ranges::find(parts, Wide{0}) != parts.end()) return;  // fewer features hold
    for (std::size_t cell = 1; cell < values_.size(); ++cell) {
      Wide sum = 0;
      for (std::size_t i = 0; i < features.size(); ++i) sum += parts[i] * step(features[i], cell);
      if (sum != whole * (static_cast<Wide>(values_[cell]) - values_[0])) return;
    }
    Form form{features, {}, Rational(values_[0])};
    for (std::size_t i = 0; i < features.size(); ++i) {
      form.coefficients.push_back(fraction(parts[i], whole));
      form.constant =
          symbolic::subtract(
              form.constant,
              symbolic::multiply(form.coefficients.back(), Rational(columns_[features[i]][0])).value())
              .value();
    }
    if (!is_written(form.constant) || !std::ranges::all_of(form.coefficients, is_written)) return;
    form.bits = price(table_, form);
    found_.emplace(features, form);
  }

  static Rational fraction(Wide numerator, Wide denominator) {
    Wide a = numerator < 0 ? -numerator : numerator, b = denominator < 0 ? -denominator : denominator;
    while (b != 0) std::swap(a %= b, b);
    return Rational::make(static_cast<std::int64_t>(numerator / a),
                          static_cast<std::int64_t>(denominator / a))
        .value();
  }

  const FeatureTable& table_;
  std::vector<std::int64_t> values_;
  std::vector<std::vector<std::int64_t>> columns_;  // [feature][cell]
  std::map<std::vector<std::size_t>, Form> found_;
};

struct Tried {
  // forms found by trying every choice, and those of them with more than one feature
  std::size_t forms = 0, longer = 0;
};

Tried compare(const FeatureTable& table, const Form& truth) {
  std::vector<std::int64_t> values;
  for (const Cell& cell : table.design().cells)
    values.push_back(static_cast<std::int64_t>(value_at(truth, table, cell.place)->numerator));
  std::map<std::vector<std::size_t>, Form> forms;
  double best = 1e9;
  for (const Form& form : table.search(values, 1'000'000)) {
    EXPECT_TRUE(table.confirms(form, values));
    EXPECT_NEAR(form.bits, price(table, form), 1e-9);
    EXPECT_TRUE(forms.emplace(form.features, form).second) << "found twice";
    best = std::min(best, with_fractions(form));
  }
  const auto expected = EveryChoice(table, values).found(12, 4.5);
  for (const auto& [features, form] : expected) best = std::min(best, with_fractions(form));
  Tried tried;
  for (const auto& [features, form] : expected) {
    if (form.bits > best + kSlack) continue;
    ++tried.forms;
    tried.longer += features.size() > 1;
    const auto at = forms.find(features);
    EXPECT_NE(at, forms.end()) << "a form of " << features.size() << " features and " << form.bits
                               << " bits is missing; the shortest has " << best;
    if (at == forms.end()) continue;
    EXPECT_EQ(at->second.coefficients, form.coefficients);
    EXPECT_EQ(at->second.constant, form.constant);
  }
  return tried;
}

// Compares sums of short features with whole coefficients.
Tried compare_random_ones(const Design& design, bool with_rank, int count, std::uint32_t seed) {
  const FeatureTable table(design, with_rank);
  std::mt19937 random(seed);
  const auto one_of = [&](const auto& all) { return all[random() % all.size()]; };
  constexpr std::array<std::int64_t, 7> coefficients{1, 1, 2, 3, 5, 8, 12}, constants{0, 0, 0, 1, 2, 7, 40};
  Tried all;
  for (int i = 0; i < count; ++i) {
    const std::size_t terms = 1 + random() % 3;
    Form truth;
    truth.constant = Rational(one_of(constants));
    while (truth.features.size() < terms) {
      const std::size_t feature = random() % table.size();
      if (table.feature(feature).bits > (terms == 3 ? 4.5 : 7) ||
          std::ranges::find(truth.features, feature) != truth.features.end())
        continue;
      truth.features.push_back(feature);
      truth.coefficients.emplace_back(one_of(coefficients));
    }
    SCOPED_TRACE("form " + std::to_string(i));
    const Tried tried = compare(table, truth);
    all.forms += tried.forms;
    all.longer += tried.longer;
  }
  return all;
}

TEST(Search, FindsWhatTryingEveryChoiceFinds) {
  const Tried tried = compare_random_ones(full_design({"n"}, {{21, 32, 45, 64}}, {1, 2, 3, 4}), true, 16, 1);
  EXPECT_GE(tried.forms, 12u);
  EXPECT_GE(tried.longer, 10u);
}

TEST(Search, FindsItInTwoParametersWithoutRanks) {
  const Tried tried =
      compare_random_ones(full_design({"m", "n"}, {{10, 17, 30}, {21, 32}}, {1, 2, 4}), false, 12, 2);
  EXPECT_GE(tried.longer, 10u);
}

// Sizes that share divisors give classes of many members, which only all cells together distinguish.
TEST(Search, FindsItWhereFeaturesAreAlike) {
  const Tried tried = compare_random_ones(full_design({"n"}, {{40, 80, 160, 240}}, {1, 2, 4}), true, 12, 3);
  EXPECT_GE(tried.longer, 10u);
}

}  // namespace
}  // namespace parcast::program
