// SPDX-License-Identifier: Apache-2.0
#include "machine/memory_sharing.h"

#include <algorithm>
#include <limits>

namespace parcast::machine {
namespace {

constexpr std::string_view kPrefix = "memory_sharing.", kSuffix = ".bandwidth";
constexpr int kHalvings = 64;  // of an interval of ratios, down to the last bit of a double

std::string where_of(const MemorySharing::Point& point) {
  return std::string(kPrefix) + std::to_string(point.cores) + std::string(kSuffix);
}

Result<void> check_point(const MemorySharing::Point& point, std::int32_t before) {
  if (point.cores <= before)
    return Error{"the memory that " + std::to_string(point.cores) + " cores share comes after that of " +
                     std::to_string(before),
                 where_of(point), "write each number of cores once, the fewest first"};
  if (point.bandwidth.origin == Origin::unknown)
    return Error{"the memory that " + std::to_string(point.cores) + " cores share has no bandwidth",
                 where_of(point), "add bandwidth = \"20GB/s\", of all these cores together"};
  return {};
}

}  // namespace

Result<void> check_memory_sharing(const Machine& machine) {
  if (!machine.memory_sharing) return {};
  const MemorySharing& sharing = *machine.memory_sharing;
  if (sharing.points.empty() || sharing.points.front().cores != 1)
    return Error{"memory_sharing has no point for one core alone", "memory_sharing",
                 "add memory_sharing.1.bandwidth, for example 12GB/s"};
  std::int32_t before = 0;
  for (const MemorySharing::Point& point : sharing.points) {
    PARCAST_TRY(check_point(point, before));
    before = point.cores;
  }
  return {};
}

double shared_streams(const MemorySharing& sharing, double cores) {
  if (cores <= 1) return cores;
  const double alone = sharing.points.front().bandwidth.value;
  double left = 1, low = 1;
  for (std::size_t i = 1; i < sharing.points.size(); ++i) {
    const double right = sharing.points[i].cores;
    const double high = std::clamp(sharing.points[i].bandwidth.value / alone, low, low * right / left);
    if (cores <= right) return low + (high - low) * ((cores - left) / (right - left));
    left = right, low = high;
  }
  return low;
}

double shared_speed(const MemorySharing& sharing, double bound, std::int32_t computing) {
  if (computing <= 1 || bound <= 0) return 1;
  const double demand = bound * computing;
  // Number of ranks in their memory time if all take `longer` times as long as alone.
  const auto at_memory = [&](double longer) { return computing * (1 - (1 - bound) / longer); };
  const auto enough = [&](double longer) {
    return longer * shared_streams(sharing, at_memory(longer)) >= demand;
  };
  if (enough(1)) return 1;
  double low = 1, high = 1 - bound + demand / shared_streams(sharing, computing);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return 1 / high;
}

std::int32_t cores_of_shared_bandwidth(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) ||
      name.size() <= kPrefix.size() + kSuffix.size())
    return 0;
  const auto cores =
      parse_integer(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
  return cores && *cores >= 1 && *cores <= std::numeric_limits<std::int32_t>::max()
             ? static_cast<std::int32_t>(*cores)
             : 0;
}

MemorySharing::Point& shared_bandwidth_of(Machine& machine, std::int32_t cores) {
  if (!machine.memory_sharing) machine.memory_sharing.emplace();
  auto& points = machine.memory_sharing->points;
  const auto at = std::lower_bound(
      points.begin(), points.end(), cores,
      [](const MemorySharing::Point& point, std::int32_t wanted) { return point.cores < wanted; });
  return at != points.end() && at->cores == cores ? *at : *points.insert(at, {cores, {}});
}

}  // namespace parcast::machine
