// SPDX-License-Identifier: Apache-2.0
#include "source/facts/scan_format.h"

#include <gmock/gmock.h>

namespace parcast::facts {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

MATCHER_P2(Reads, bits, is_real, "") {
  return arg.bits == static_cast<unsigned>(bits) && arg.is_real == is_real;
}

TEST(ScanFormat, OfNumbersSaysHowWideTheyAre) {
  EXPECT_THAT(conversions_of("%d"), Optional(ElementsAre(Reads(32, false))));
  EXPECT_THAT(conversions_of(" %u"), Optional(ElementsAre(Reads(32, false))));
  EXPECT_THAT(conversions_of("%ld"), Optional(ElementsAre(Reads(64, false))));
  EXPECT_THAT(conversions_of("%zu"), Optional(ElementsAre(Reads(64, false))));
  EXPECT_THAT(conversions_of("%lld"), Optional(ElementsAre(Reads(64, false))));
  EXPECT_THAT(conversions_of("%f"), Optional(ElementsAre(Reads(32, true))));
  EXPECT_THAT(conversions_of("%lf"), Optional(ElementsAre(Reads(64, true))));
  EXPECT_THAT(conversions_of("%dx%d,%lf"),
              Optional(ElementsAre(Reads(32, false), Reads(32, false), Reads(64, true))));
}

// These formats do not read "97" as 97, or only if it is short enough.
TEST(ScanFormat, OfOtherTextsIsNone) {
  for (const char* format : {"", "n", "%x", "%o", "%3d", "%*d", "%s", "%c", "%hd", "%hhu", "%Lf", "%llf",
                             "%d %d", "%d-%d", "%d%d", "%dx", "%d%n", "n=%d", "%"})
    EXPECT_FALSE(conversions_of(format)) << format;
}

}  // namespace
}  // namespace parcast::facts
