// SPDX-License-Identifier: Apache-2.0
#pragma once
// Student's distribution for an integer number of degrees of freedom, as a table: intervals of many points
// need it thousands of times.

#include <cmath>
#include <cstddef>
#include <vector>

namespace parcast::statistics {

/// At a value: the probability below, the density, and the density's derivative.
struct StudentValue {
  double probability = 0, density = 0, slope = 0;
};

/// Returns the value by a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4).
/// `degrees`: 1 .. StudentTable::kMostDegrees.
StudentValue student_by_sum(double x, int degrees);

/// Quintic Hermite polynomials between values of the sum. Probabilities are within 1e-10, densities within
/// 1e-8 of it. Values far out are computed by the sum.
class StudentTable {
 public:
  static constexpr int kMostDegrees = 60;

  /// Returns the table, made once. Safe for concurrent use. `degrees`: 1 .. kMostDegrees.
  static const StudentTable& of(int degrees);

  StudentValue at(double x) const {
    const double distance = std::abs(x);
    if (!(distance < kEnd)) return student_by_sum(x, degrees_);
    const double position = distance * kPiecesPerUnit;
    const auto i = static_cast<std::size_t>(position);
    const double u = position - static_cast<double>(i);
    const double* c = pieces_[i].coefficient;
    const double probability = ((((c[5] * u + c[4]) * u + c[3]) * u + c[2]) * u + c[1]) * u + c[0];
    const double density = (((5 * c[5] * u + 4 * c[4]) * u + 3 * c[3]) * u + 2 * c[2]) * u + c[1];
    const double slope = ((20 * c[5] * u + 12 * c[4]) * u + 6 * c[3]) * u + 2 * c[2];
    const bool is_below = x < 0;
    return {is_below ? 1 - probability : probability, density * kPiecesPerUnit,
            (is_below ? -slope : slope) * kPiecesPerUnit * kPiecesPerUnit};
  }

 private:
  static constexpr double kPiecesPerUnit = 16;
  static constexpr double kEnd = 16;  // of the table; the sum holds beyond

  explicit StudentTable(int degrees);

  struct Piece {
    double coefficient[6];  // of powers of the position in the piece, 0 .. 1
  };
  int degrees_;
  std::vector<Piece> pieces_;
};

}  // namespace parcast::statistics
