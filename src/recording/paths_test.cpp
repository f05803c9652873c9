// SPDX-License-Identifier: Apache-2.0
// Regions that are functions on the stack: reading their paths, damage to them, and finding their names.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "recording/debug_file.h"
#include "recording/sample_rank.h"
#include "recording/sites_sample.h"

namespace parcast::recording {
namespace {

class Paths : public testing::Test {
 protected:
  void frame(std::uint32_t id, std::uint32_t parent, std::uint32_t module, std::uint64_t offset) {
    parcast_put_frame(&rank_.writer, &rank_.stream, id, parent, module, offset);
  }
  void named(std::uint32_t id, std::uint32_t parent, const char* name) {
    parcast_put_region(&rank_.writer, &rank_.stream, id, parent, name);
  }

  RankRecording read() {
    rank_.finish();
    std::vector<Call> calls;
    auto rank = read_rank(slurp(scratch_ / "rank-0.rec"), "rank-0.rec", calls, losses_);
    EXPECT_TRUE(rank);
    return rank ? std::move(*rank) : RankRecording{};
  }

  Scratch scratch_;
  SampleRank rank_{scratch_ / "rank-0.rec"};
  std::vector<Loss> losses_;
};

using List = std::vector<std::string>;

TEST_F(Paths, FunctionsAreNamedByTheirPlaceUntilTheyAreLookedUp) {
  frame(1, 0, 0, 0x1000);
  named(2, 1, "step");
  frame(3, 2, 0, 0xabc0);
  parcast_add_live(&rank_.writer, PARCAST_LIVE_WITHOUT_PATH, 7);
  const RankRecording rank = read();
  EXPECT_TRUE(losses_.empty());
  EXPECT_EQ(rank.regions, (List{"", "app+0x1000", "app+0x1000/step", "app+0x1000/step/app+0xabc0"}));
  ASSERT_EQ(rank.path_parts.size(), 4u);
  EXPECT_EQ(rank.path_parts[2].module, kNoModule);
  EXPECT_EQ(rank.path_parts[3].module, 0u);
  EXPECT_EQ(rank.path_parts[3].offset, 0xabc0u);
  EXPECT_EQ(rank.path_parts[3].parent, 2u);
  EXPECT_EQ(rank.without_path, 7u);
}

TEST_F(Paths, WithoutFunctionsHaveNoParts) {
  named(1, 0, "step");
  EXPECT_TRUE(read().path_parts.empty());
}

TEST_F(Paths, AModuleThatIsMissingIsSaid) {
  frame(1, 0, 9, 0x10);
  const RankRecording rank = read();
  EXPECT_EQ(rank.regions, (List{"", "?+0x10"}));
  EXPECT_EQ(rank.path_parts[1].module, kNoModule);
  ASSERT_EQ(losses_.size(), 1u);
  EXPECT_NE(losses_[0].what.find("the modules of 1 functions"), std::string::npos) << losses_[0].what;
}

TEST_F(Paths, ParentsThatComeLaterOrLeadInACircleAreCutOff) {
  frame(1, 2, 0, 0x10);
  frame(2, 1, 0, 0x20);
  frame(3, 3, 0, 0x30);
  frame(4, 77, 0, 0x40);
  const RankRecording rank = read();
  EXPECT_EQ(rank.regions, (List{"", "app+0x10", "app+0x10/app+0x20", "app+0x30", "app+0x40"}));
  for (std::size_t i = 1; i < rank.path_parts.size(); ++i) EXPECT_LT(rank.path_parts[i].parent, i);
  ASSERT_EQ(losses_.size(), 1u);
  EXPECT_NE(losses_[0].what.find("outer parts of the paths of 3 regions"), std::string::npos)
      << losses_[0].what;
}

TEST_F(Paths, OfTwoRegionsWithOneNumberTheFirstCounts) {
  named(1, 0, "named");
  frame(1, 0, 0, 0x10);
  frame(2, 0, 0, 0x20);
  named(2, 0, "again");
  EXPECT_EQ(read().regions, (List{"", "named", "app+0x20"}));
}

TEST_F(Paths, TheEmptyPathIsNoFunctionAndAShortRecordIsNone) {
  frame(0, 0, 0, 0x10);
  frame(1, 0, 0, 0x20);
  auto* room = static_cast<parcast_record*>(parcast_reserve(&rank_.writer, &rank_.stream, 16));
  *room = {};
  room->kind = PARCAST_FRAME;
  parcast_commit(&rank_.stream, room, 16);
  EXPECT_EQ(read().regions, (List{"", "app+0x20"}));
  ASSERT_EQ(losses_.size(), 1u);
  EXPECT_NE(losses_[0].what.find("2 records do not hold"), std::string::npos) << losses_[0].what;
}

[[gnu::noinline]] void* here() {
  return __builtin_return_address(0);
}

TEST_F(Paths, FunctionsGetTheirNamesAndASlashInOneSeparatesNothing) {
  Dl_info library{};
  ASSERT_NE(dladdr(sample_plain(here), &library), 0);
  const auto offset = [&](const void* address) {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                      static_cast<const char*>(library.dli_fbase));
  };
  Recording recording;
  RankRecording& rank = recording.ranks.emplace_back();
  rank.modules = {{library.dli_fname, DebugFile(library.dli_fname).build_id()}, {"/no/such.so", ""}};
  const auto add = [&](std::uint32_t parent, std::uint32_t module, const void* at, const std::string& name) {
    rank.path_parts.push_back({parent, module, at ? offset(at) : 0x10, name});
    rank.regions.push_back("before");
  };
  rank.path_parts.emplace_back();
  rank.regions.emplace_back();
  add(0, 0, dlsym(RTLD_DEFAULT, "sample_solve"), "x");
  add(1, kNoModule, nullptr, "by/user");
  add(2, 0, dlsym(RTLD_DEFAULT, "f"), "x");
  add(3, 1, nullptr, "such.so+0x10");
  add(3, 0, dlsym(RTLD_DEFAULT, "_ZN6sampledVENS_5RatioES0_"), "x");
  resolve_sites(recording);
  EXPECT_EQ(rank.regions, (List{"", "sample_solve", "sample_solve/by/user", "sample_solve/by/user/f",
                                "sample_solve/by/user/f/such.so+0x10",
                                "sample_solve/by/user/f/sample::operator\u2215"
                                "=(sample::Ratio, sample::Ratio)"}));
}

}  // namespace
}  // namespace parcast::recording
