// SPDX-License-Identifier: Apache-2.0
#include "sine_transform.h"

#include <numbers>
#include <utility>

SineTransform::SineTransform(std::size_t n) : roots_(n + 1), room_(2 * (n + 1)) {
  for (std::size_t k = 0; k < roots_.size(); ++k)
    roots_[k] =
        std::polar(1.0, -std::numbers::pi * static_cast<double>(k) / static_cast<double>(roots_.size()));
}

/// Cooley and Tukey's radix 2, in place.
static void fourier_transform(std::vector<std::complex<double>>& x,
                              const std::vector<std::complex<double>>& roots) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t begin = 0; begin < n; begin += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> even = x[begin + k], odd = x[begin + k + half] * roots[k * (n / 2 / half)];
        x[begin + k] = even + odd;
        x[begin + k + half] = even - odd;
      }
}

void SineTransform::operator()(std::span<double> values) {
  const std::size_t n = values.size();
  room_[0] = room_[n + 1] = 0;
  for (std::size_t j = 0; j < n; ++j) {
    room_[j + 1] = values[j];
    room_[2 * n + 1 - j] = -values[j];
  }
  fourier_transform(room_, roots_);
  for (std::size_t l = 0; l < n; ++l) values[l] = -0.5 * room_[l + 1].imag();
}
