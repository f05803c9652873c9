// SPDX-License-Identifier: Apache-2.0
// Measures how many generated segments are found to have the pattern that they were generated with, and the
// time of a segment:
//   parcast_patterns_bench [SEGMENTS [FIRST]]
//              none exchange    shift broadcast ... | right
//   none        500        0        0         0     | 100.0 %
// Then lists each segment with a wrong pattern. docs/models/patterns.md.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "patterns/segments.h"
#include "patterns/testing/generated_segments.h"

using namespace parcast::program;

namespace {

/// Processor time, since other processes may use the processor meanwhile.
double now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

MessagePattern found_in(const parcast::trace::Trace& trace) {
  const auto segments = message_segments(trace);
  if (segments.empty()) return MessagePattern::none;
  return segments.size() == 1 ? segments.front().found.pattern : MessagePattern::irregular;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t segments = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000,
                      first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::array<std::array<std::uint64_t, kMessagePatterns>, kMessagePatterns> matrix{};
  std::vector<std::string> wrong;
  std::uint64_t right = 0;
  double seconds = 0;
  for (std::uint64_t number = first; number < first + segments; ++number) {
    const GeneratedSegment segment = generated_segment(number);
    const double start = now();
    const MessagePattern found = found_in(segment.trace);
    seconds += now() - start;
    ++matrix[static_cast<std::size_t>(segment.pattern)][static_cast<std::size_t>(found)];
    if (found == segment.pattern)
      ++right;
    else
      wrong.push_back(std::to_string(number) + " " + segment.how + ": " +
                      std::string(name_of(segment.pattern)) + ", found " + std::string(name_of(found)));
  }
  std::printf("%-11s", "written");
  for (int i = 0; i < kMessagePatterns; ++i)
    std::printf("%10s", std::string(name_of(static_cast<MessagePattern>(i))).c_str());
  std::printf("  right\n");
  for (int i = 0; i < kMessagePatterns; ++i) {
    const auto& row = matrix[static_cast<std::size_t>(i)];
    std::uint64_t all = 0;
    std::printf("%-11s", std::string(name_of(static_cast<MessagePattern>(i))).c_str());
    for (const std::uint64_t count : row)
      std::printf("%10llu", static_cast<unsigned long long>(count)), all += count;
    std::printf("  %5.1f %%\n", all > 0 ? 100.0 * static_cast<double>(row[static_cast<std::size_t>(i)]) /
                                              static_cast<double>(all)
                                        : 0.0);
  }
  std::printf("\n%llu of %llu right (%.2f %%), %.0f us each\n", static_cast<unsigned long long>(right),
              static_cast<unsigned long long>(segments),
              100.0 * static_cast<double>(right) / static_cast<double>(segments),
              1e6 * seconds / static_cast<double>(segments));
  for (const std::string& each : wrong) std::printf("%s\n", each.c_str());
  return wrong.empty() ? 0 : 1;
}
