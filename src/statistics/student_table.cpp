// SPDX-License-Identifier: Apache-2.0
#include "statistics/student_table.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numbers>

#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

/// What the finite sums for integer degrees share.
struct Constants {
  static constexpr std::size_t kSize = StudentTable::kMostDegrees + 2;
  std::array<double, kSize> ratio{};    // (k - 1) / k
  std::array<double, kSize> root{};     // 1 / sqrt(k)
  std::array<double, kSize> density{};  // at 0 for k degrees / product of the sum's ratios

  Constants() {
    for (int k = 1; k < static_cast<int>(kSize); ++k) {
      const auto i = static_cast<std::size_t>(k);
      ratio[i] = (k - 1.0) / k;
      root[i] = 1 / std::sqrt(static_cast<double>(k));
      density[i] =
          std::exp(log_gamma((k + 1) / 2.0) - log_gamma(k / 2.0)) * root[i] * std::numbers::inv_sqrtpi;
      for (int j = k % 2 ? 3 : 2; j < k; j += 2) density[i] /= ratio[static_cast<std::size_t>(j)];
    }
  }
};

}  // namespace

StudentValue student_by_sum(double x, int degrees) {
  static const Constants constants;
  if (std::isinf(x)) return {x > 0 ? 1.0 : 0.0, 0, 0};
  const auto n = static_cast<std::size_t>(degrees);
  const double tangent = x * constants.root[n];
  const double square = 1 / (1 + tangent * tangent), cosine = std::sqrt(square);
  double term = degrees % 2 ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (std::size_t k = degrees % 2 ? 3 : 2; k < n; k += 2) {
    term *= square * constants.ratio[k];
    sum += term;
  }
  const double inside = tangent * cosine * sum;
  // cosine^(degrees + 1)
  const double density = constants.density[n] * (degrees == 1 ? square : term * cosine * square);
  return {0.5 + 0.5 * (degrees % 2 ? (std::atan(tangent) + inside) * 2 * std::numbers::inv_pi : inside),
          density, -density * (degrees + 1) * x * square / degrees};
}

StudentTable::StudentTable(int degrees) : degrees_(degrees) {
  constexpr double kStep = 1 / kPiecesPerUnit;
  const auto scaled = [&](double x) {  // derivatives with respect to the position in a piece
    StudentValue out = student_by_sum(x, degrees);
    out.density *= kStep, out.slope *= kStep * kStep;
    return out;
  };
  StudentValue a = scaled(0);
  for (int i = 0; i < static_cast<int>(kEnd * kPiecesPerUnit); ++i) {
    const StudentValue b = scaled((i + 1) * kStep);
    // What the ends still need after the value, slope and curvature at the beginning.
    const double value = b.probability - a.probability - a.density - a.slope / 2,
                 slope = b.density - a.density - a.slope, curvature = b.slope - a.slope;
    pieces_.push_back({{a.probability, a.density, a.slope / 2, 10 * value - 4 * slope + curvature / 2,
                        -15 * value + 7 * slope - curvature, 6 * value - 3 * slope + curvature / 2}});
    a = b;
  }
}

const StudentTable& StudentTable::of(int degrees) {
  static std::array<std::once_flag, kMostDegrees + 1> made;
  static std::array<std::unique_ptr<const StudentTable>, kMostDegrees + 1> tables;
  const auto i = static_cast<std::size_t>(degrees);
  std::call_once(made.at(i), [&] { tables[i].reset(new StudentTable(degrees)); });
  return *tables[i];
}

}  // namespace parcast::statistics
