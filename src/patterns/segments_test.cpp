// SPDX-License-Identifier: Apache-2.0
#include "patterns/segments.h"

#include <gtest/gtest.h>

#include "patterns/testing/generated_segments.h"
#include "trace/builder.h"

namespace parcast::program {
namespace {

MessagePattern found_in(const trace::Trace& trace) {
  const auto segments = message_segments(trace);
  if (segments.empty()) return MessagePattern::none;
  return segments.size() == 1 ? segments.front().found.pattern : MessagePattern::irregular;
}

TEST(Segments, GeneratedOnesAreWhatTheyWereWrittenAs) {
  int wrong = 0;
  constexpr int kSegments = 1600;
  for (std::uint64_t number = 0; number < kSegments; ++number) {
    const GeneratedSegment segment = generated_segment(number);
    ASSERT_TRUE(trace::check(segment.trace)) << number << ": " << segment.how;
    const MessagePattern found = found_in(segment.trace);
    if (found == segment.pattern) continue;
    ++wrong;
    std::printf("%d: %s: %s, found %s\n", static_cast<int>(number), segment.how.c_str(),
                std::string(name_of(segment.pattern)).c_str(), std::string(name_of(found)).c_str());
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace parcast::program
