// SPDX-License-Identifier: Apache-2.0
#include "known_flows.h"

#include <cmath>

namespace ocean {
namespace {

constexpr double kPi = 3.14159265358979323846;

}  // namespace

// psi = X(x) sin(k y) with X'' - k^2 X + (beta / r) X' = -stress k / r, X(0) = X(length) = 0.
StommelGyre::StommelGyre(const Setting& s) : wave_number_(kPi / s.width), amplitude_(s.stress / (s.friction * wave_number_)) {
  const double half = s.beta / (2 * s.friction), root = std::sqrt(half * half + wave_number_ * wave_number_);
  roots_[0] = -half + root, roots_[1] = -half - root;
  const double east[2] = {std::exp(roots_[0] * s.length), std::exp(roots_[1] * s.length)};
  shares_[0] = (1 - east[1]) / (east[0] - east[1]), shares_[1] = (east[0] - 1) / (east[0] - east[1]);
}

double StommelGyre::northward(double x, double y) const {
  double sum = 0;
  for (int i = 0; i < 2; ++i) sum += shares_[i] * roots_[i] * std::exp(roots_[i] * x);
  return -amplitude_ * sum * std::sin(wave_number_ * y);
}

Tilt tilt_at(const Setting& s, double x) {
  const double surface = s.stress / (s.gravity * s.upper) * (x - s.length / 2);
  return {surface, -s.gravity / s.reduced * surface};
}

InternalWave::InternalWave(const Setting& s, double dx, double dy, double dt)
    : along_x_(kPi * dx / s.length), along_y_(kPi * dy / s.width) {
  const double half = (s.gravity * (s.upper + s.lower) + s.reduced * s.lower) / 2, product = s.gravity * s.reduced * s.upper * s.lower;
  const double c2 = product / (half + std::sqrt(half * half - product));  // the smaller root, without cancellation
  const double by_x = std::sin(along_x_ / 2) / dx, by_y = std::sin(along_y_ / 2) / dy;
  turn_ = 2 * std::asin(dt * std::sqrt(c2 * (by_x * by_x + by_y * by_y)));
  surface_share_ = s.lower * s.reduced / (c2 - s.gravity * (s.upper + s.lower));
}

double InternalWave::interface_at(int column, int row, long steps) const {
  const double shape = std::cos(along_x_ * (column + 0.5)) * std::cos(along_y_ * (row + 0.5));
  return shape * std::cos(turn_ * (static_cast<double>(steps) - 0.5)) / std::cos(turn_ / 2);
}

}  // namespace ocean
