// SPDX-License-Identifier: Apache-2.0
// Regressions and our fits of them, as JSON with all digits: parcast_regress_solve
//
// The cases are the NIST reference sets, these with weights, random designs of conditions from about 1 to 1e6
// with and without weights, and designs with dependent columns. bench/regress/against_r.py fits the same with
// another program.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "statistics/diagnostics.h"
#include "statistics/least_squares.h"
#include "statistics/random.h"
#include "statistics/reference_data.h"

namespace {

using namespace parcast;
using statistics::Matrix;
using statistics::Random;

constexpr double kLevel = 0.9;

struct Case {
  std::string name, kind;
  Matrix design;
  std::vector<double> response, weights, asked;
};

void print(const char* name, const std::vector<double>& values) {
  std::printf(",\n  \"%s\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::printf(std::isfinite(values[i]) ? "%s%.17g" : "%snull", i ? ", " : "", values[i]);
  std::printf("]");
}

std::vector<double> indices(const std::vector<std::size_t>& values) {
  return {values.begin(), values.end()};
}

bool answer(const Case& given) {
  const statistics::LeastSquaresOptions options{.weights = given.weights};
  const auto fit = statistics::fit_least_squares(given.design, given.response, options);
  if (!fit) return std::fprintf(stderr, "%s: %s\n", given.name.c_str(), fit.error().what.c_str()), false;
  const auto mean = statistics::mean_interval(*fit, given.asked, kLevel),
             observation = statistics::observation_interval(*fit, given.asked, kLevel);
  if (!mean || !observation) return std::fprintf(stderr, "%s: no interval\n", given.name.c_str()), false;
  const statistics::Diagnostics diagnostics = statistics::diagnose(*fit, given.design, options);
  std::vector<double> fitted;
  for (std::size_t i = 0; i < given.response.size(); ++i)
    fitted.push_back(given.response[i] - fit->residuals[i]);
  std::printf(
      "{\"name\": \"%s\", \"kind\": \"%s\", \"columns\": %zu, \"rank\": %zu, \"condition\": %.6g, \"level\": "
      "%g",
      given.name.c_str(), given.kind.c_str(), given.design.columns, fit->rank, fit->condition, kLevel);
  print("design", given.design.values);
  print("response", given.response);
  print("weights", given.weights);
  print("asked", given.asked);
  print("coefficients", fit->coefficients);
  print("standard_errors", fit->standard_errors);
  print("sigma", {fit->residual_standard_error});
  print("fitted", fitted);
  print("leverage", fit->leverage);
  print("standardized", diagnostics.standardized);
  print("cooks_distance", diagnostics.cooks_distance);
  print("correlation", diagnostics.correlation.values);
  print("mean", {mean->value, mean->low, mean->high});
  print("observation", {observation->low, observation->high});
  print("aliased", indices(fit->aliased));
  std::printf(",\n  \"aliases\": [");
  for (std::size_t k = 0; k < fit->aliases.size(); ++k) {
    std::printf("%s{\"column\": %zu", k ? ", " : "", fit->aliases[k].column);
    print("columns", indices(fit->aliases[k].columns));
    print("factors", fit->aliases[k].factors);
    std::printf("}");
  }
  std::printf("]}");
  return true;
}

std::vector<double> weights_of(Random& random, std::size_t rows) {
  std::vector<double> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(std::pow(10, 2 * random.uniform() - 1));
  return out;
}

/// Columns that are equal except for a part `apart`; the response has noise of 5 %.
Case made(Random& random, const std::string& name, double apart, bool weighted) {
  const std::size_t columns = 2 + random.below(4), rows = columns + 5 + random.below(30);
  Case out{name, weighted ? "weighted" : "random", Matrix(rows, columns), {}, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double common = random.normal();
    double response = 0.05 * random.normal();
    for (std::size_t j = 0; j < columns; ++j) {
      out.design(i, j) = common + apart * random.normal();
      response += (1 + static_cast<double>(j)) * out.design(i, j);
    }
    out.response.push_back(response);
  }
  if (weighted) out.weights = weights_of(random, rows);
  for (std::size_t j = 0; j < columns; ++j) out.asked.push_back(1 + 0.5 * random.normal());
  return out;
}

/// The last columns are sums of others. They are integers, so that they are exact; the requested row follows
/// the same relation.
Case dependent(Random& random, const std::string& name) {
  Case out{name, "dependent", Matrix(16, 5), {}, {}, {}};
  const auto fill = [&](const auto& put) {
    const double a = static_cast<double>(1 + random.below(50)), b = static_cast<double>(1 + random.below(50)),
                 c = static_cast<double>(1 + random.below(50));
    put(std::vector<double>{a, b, c, a + 2 * b, 3 * c});
    return 2 * a + b + 0.5 * c;
  };
  for (std::size_t i = 0; i < out.design.rows; ++i)
    out.response.push_back(random.normal() + fill([&](const std::vector<double>& row) {
                             for (std::size_t j = 0; j < row.size(); ++j) out.design(i, j) = row[j];
                           }));
  fill([&](const std::vector<double>& row) { out.asked = row; });
  return out;
}

}  // namespace

int main() {
  Random random(1);
  std::vector<Case> cases;
  for (const auto& set : statistics::reference::all()) {
    std::vector<double> asked;
    for (std::size_t j = 0; j < set.design.columns; ++j)
      asked.push_back((set.design(0, j) + set.design(1, j)) / 2);
    cases.push_back({set.name, "NIST", set.design, set.response, {}, asked});
    // Integer weights leave the rest of the published set unchanged. Filip is separate: its condition of 1e10
    // leaves no 10 digits to either program.
    std::vector<double> weights;
    for (std::size_t i = 0; i < set.response.size(); ++i) weights.push_back(static_cast<double>(1 + i % 4));
    cases.push_back({set.name + " weighted", "NIST", set.design, set.response, weights, asked});
  }
  for (const double apart : {1.0, 1e-2, 1e-4, 1e-6})
    for (int i = 0; i < 10; ++i)
      cases.push_back(made(random,
                           "columns apart by " + std::to_string(static_cast<int>(-std::log10(apart))) +
                               " digits, " + std::to_string(i),
                           apart, i % 2 == 1));
  for (int i = 0; i < 10; ++i) cases.push_back(dependent(random, "dependent " + std::to_string(i)));
  std::printf("[");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::printf("%s\n", i ? "," : "");
    if (!answer(cases[i])) return 1;
  }
  std::printf("\n]\n");
  return 0;
}
