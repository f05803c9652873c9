// SPDX-License-Identifier: Apache-2.0
#pragma once
// The discrete sine transform of n = 2^k - 1 values,
//
//     X_l = sum over j = 1 .. n of x_j sin(pi j l / (n + 1)),  l = 1 .. n,
//
// by a fast Fourier transform of the odd extension to 2 (n + 1) values. Applied twice it multiplies by (n +
// 1) / 2.

#include <complex>
#include <span>
#include <vector>

class SineTransform {
 public:
  explicit SineTransform(std::size_t n);
  void operator()(std::span<double> values);

 private:
  std::vector<std::complex<double>> roots_, room_;
};
