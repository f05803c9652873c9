// SPDX-License-Identifier: Apache-2.0
#include "calibrate/sizes.h"

#include <bit>
#include <cmath>

#include "statistics/random.h"

namespace parcast::calibrate {
namespace {

constexpr double kNoiseFloor = 0.005;            // relative: resolution of a median
constexpr double kDisagree = 3;                  // standard errors, sum over both ends
constexpr double kClosest = 1.0905077326652577;  // 2^(1/8): closer neighbours are not divided
constexpr double kWhole = 8;                     // bytes

double error_of(const Observation& o) {
  return o.seconds * std::hypot(kNoiseFloor, o.relative_error);
}

/// Returns by how many standard errors the slopes left and right of an inner point differ.
double disagreement(const Observation& left, const Observation& middle, const Observation& right) {
  const double a = middle.bytes - left.bytes, b = right.bytes - middle.bytes;
  const double difference = (right.seconds - middle.seconds) / b - (middle.seconds - left.seconds) / a;
  const double error =
      std::hypot(error_of(right) / b, error_of(middle) * (1 / a + 1 / b), error_of(left) / a);
  return std::fabs(difference) / error;
}

}  // namespace

std::optional<double> least_sure_size(std::span<const Observation> curve) {
  if (curve.size() < 3) return std::nullopt;
  std::vector<double> bend(curve.size(), 0);
  for (std::size_t i = 1; i + 1 < curve.size(); ++i)
    bend[i] = disagreement(curve[i - 1], curve[i], curve[i + 1]);
  std::optional<double> found;
  double most = kDisagree, widest = 0;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const double low = curve[i].bytes, high = curve[i + 1].bytes;
    const double middle = kWhole * std::round((low > 0 ? std::sqrt(low * high) : high / 2) / kWhole);
    const double width = low > 0 ? high / low : HUGE_VAL, unsure = bend[i] + bend[i + 1];
    if (width < kClosest || !(middle > low && middle < high)) continue;
    if (unsure < most || (unsure == most && width <= widest)) continue;
    found = middle, most = unsure, widest = width;
  }
  return found;
}

std::vector<int> sizes_kept_out(std::string_view name, int count, int largest) {
  std::uint64_t seed = 0;
  for (const char c : name) seed = seed * 131 + static_cast<unsigned char>(c);
  statistics::Random random(seed);
  std::vector<int> out;
  for (int i = 0; i < count; ++i) {
    const double ratio = std::pow(largest / kWhole, (i + random.uniform()) / count);
    const int bytes = static_cast<int>(kWhole * std::floor(ratio));
    if (!std::has_single_bit(static_cast<unsigned>(bytes)) && (out.empty() || out.back() < bytes))
      out.push_back(bytes);
  }
  return out;
}

}  // namespace parcast::calibrate
