// SPDX-License-Identifier: Apache-2.0
#pragma once
// One linear model of ln t with errors of unknown size, whose properties are all known in closed form: tests
// compare beliefs with it. It obtains the same numbers as least squares on all rows in a second way: normal
// equations, updated row by row.

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "plan/belief.h"
#include "statistics/distribution.h"

namespace parcast::plan {

/// ln t = c0 + sum_j c_j x_j.
class Line : public Belief {
 public:
  Line(const std::vector<Point>& points, const std::vector<double>& logarithms)
      : points_(points), logarithms_(logarithms) {
    fit();
  }

  Interval at(const Point& point, double level) const override {
    const double middle = value_at(point), half = half_width(point, level);
    return {std::exp(middle), std::exp(middle - half), std::exp(middle + half)};
  }
  std::unique_ptr<const Belief> after(const Point& point, double value) const override {
    auto out = std::make_unique<Line>(*this);
    out->points_.push_back(point);
    out->logarithms_.push_back(std::log(value));
    out->fit();
    return out;
  }

  double degrees() const { return static_cast<double>(points_.size()) - static_cast<double>(size_); }
  double scale() const { return std::sqrt(squares_ / degrees()); }
  /// Returns g(a)' (G'G)^-1 g(b).
  double leverage(const Point& a, const Point& b) const {
    double sum = 0;
    const auto left = row(a), right = row(b);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j) sum += left[i] * inverse_[i][j] * right[j];
    return sum;
  }
  double half_width(const Point& point, double level) const {
    return statistics::student_t_quantile(0.5 + level / 2, degrees()) * scale() *
           std::sqrt(1 + leverage(point, point));
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::array<double, kMost> row(const Point& point) const {
    std::array<double, kMost> out{1};
    for (std::size_t j = 0; j < point.size(); ++j) out[j + 1] = point[j];
    return out;
  }
  double value_at(const Point& point) const {
    const auto g = row(point);
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += g[i] * coefficients_[i];
    return sum;
  }
  void fit() {
    size_ = points_[0].size() + 1;
    std::array<std::array<double, 2 * kMost>, kMost> work{};  // G'G, and the identity next to it
    std::array<double, kMost> right{};
    for (std::size_t r = 0; r < points_.size(); ++r) {
      const auto g = row(points_[r]);
      for (std::size_t i = 0; i < size_; ++i) {
        right[i] += g[i] * logarithms_[r];
        for (std::size_t j = 0; j < size_; ++j) work[i][j] += g[i] * g[j];
      }
    }
    for (std::size_t i = 0; i < size_; ++i) work[i][kMost + i] = 1;
    for (std::size_t k = 0; k < size_; ++k) {  // Gauss and Jordan
      const double pivot = work[k][k];
      for (double& entry : work[k]) entry /= pivot;
      for (std::size_t i = 0; i < size_; ++i) {
        const double factor = i == k ? 0 : work[i][k];
        for (std::size_t j = 0; j < 2 * kMost; ++j) work[i][j] -= factor * work[k][j];
      }
    }
    for (std::size_t i = 0; i < size_; ++i) {
      coefficients_[i] = 0;
      for (std::size_t j = 0; j < size_; ++j) {
        inverse_[i][j] = work[i][kMost + j];
        coefficients_[i] += inverse_[i][j] * right[j];
      }
    }
    squares_ = 0;
    for (std::size_t r = 0; r < points_.size(); ++r)
      squares_ += std::pow(logarithms_[r] - value_at(points_[r]), 2);
  }

  std::vector<Point> points_;
  std::vector<double> logarithms_;
  std::size_t size_ = 0;
  std::array<std::array<double, kMost>, kMost> inverse_{};
  std::array<double, kMost> coefficients_{};
  double squares_ = 0;
};

/// Returns the mean of `line`'s width at `asked` after a run at `run`, in closed form
/// (docs/models/next_run.md, equation 2).
inline double expected_width_of_line(const Line& line, const Point& run, const Point& asked, double level) {
  const double degrees = line.degrees();
  const auto log_beta = [](double a, double b) {
    return statistics::log_gamma(a) + statistics::log_gamma(b) - statistics::log_gamma(a + b);
  };
  const double scale = line.scale() * std::sqrt(degrees / (degrees + 1)) *
                       std::exp(log_beta(0.5, (degrees - 1) / 2) - log_beta(0.5, degrees / 2));
  const double across = line.leverage(asked, run);
  const double leverage = line.leverage(asked, asked) - across * across / (1 + line.leverage(run, run));
  return 2 * statistics::student_t_quantile(0.5 + level / 2, degrees + 1) * scale * std::sqrt(1 + leverage);
}

}  // namespace parcast::plan
