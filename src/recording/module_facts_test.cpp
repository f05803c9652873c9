// SPDX-License-Identifier: Apache-2.0
#include "recording/module_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/debug_file.h"
#include "recording/sample_rank.h"

// The data that two object files compiled with the pass would add to this executable, the second one twice.
#define RECORD_A "parcast-facts 1 00000000000000AB 14\n{\"source\":\"a\"}\n"
#define RECORD_B "parcast-facts 1 CD 2\n{}\n"
__attribute__((section("parcast_facts"), used)) static const char facts_here[] =
    RECORD_B "\0\0\0" RECORD_A RECORD_B;

namespace parcast::recording {
namespace {

using testing::ElementsAre;
using testing::Pair;

const std::string kOne = "parcast-facts 1 AB 2\n{}\n", kTwo = "parcast-facts 1 8000000000000001 7\n[1,2,3]\n";

TEST(Facts, AreReadRecordByRecord) {
  EXPECT_TRUE(facts_in("").empty());
  EXPECT_THAT(facts_in(kTwo + std::string(5, '\0') + kOne + kTwo + '\0'),
              ElementsAre(Pair(0xab, kOne), Pair(0x8000000000000001, kTwo)));
}

TEST(Facts, AreReadUpToWhatIsDamaged) {
  for (const std::string broken :
       {"parcast-facts 2 AB 2\n{}\n", "parcast-facts 1 XY 2\n{}\n", "parcast-facts 1 AB 3\n{}\n",
        "parcast-facts 1 AB 1\n{}\n", "parcast-facts 1 AB -1\n{}\n",
        "parcast-facts 1 AB 18446744073709551615\n{}\n", "parcast-facts 1 AB", "?"})
    EXPECT_THAT(facts_in(kTwo + broken + kOne), ElementsAre(Pair(0x8000000000000001, kTwo))) << broken;
  for (std::size_t length = 0; length < kOne.size(); ++length)
    EXPECT_TRUE(facts_in(kOne.substr(0, length)).empty());
}

Recording of_this_executable(std::vector<std::uint64_t> modules) {
  Recording recording;
  recording.ranks.resize(2);
  const std::string path = "/proc/self/exe";
  for (RankRecording& rank : recording.ranks) {
    rank.modules = {{"/nowhere/at/all", "00"}, {path, DebugFile(path).build_id()}};
    rank.counted.kept = true;
    for (const std::uint64_t id : modules) rank.counted.modules.push_back({id, 1, 0});
  }
  return recording;
}

TEST(Facts, AreFoundInTheFilesOfTheRun) {
  const FactsFound found = find_facts(of_this_executable({0xcd, 0xab, 0x77}));
  EXPECT_EQ(found.text, RECORD_A RECORD_B);
  EXPECT_THAT(found.absent, ElementsAre(0x77));
  EXPECT_EQ(facts_here[0], 'p');
}

TEST(Facts, OfAnotherBuildAreNot) {
  Recording recording = of_this_executable({0xab});
  for (RankRecording& rank : recording.ranks) rank.modules[1].build_id += "00";
  const FactsFound found = find_facts(recording);
  EXPECT_EQ(found.text, "");
  EXPECT_THAT(found.absent, ElementsAre(0xab));
}

TEST(Facts, AreStoredOnceWhereSomethingCounted) {
  const Scratch scratch;
  const auto absent = store_facts(scratch.path(), of_this_executable({0xab, 0xcd}));
  ASSERT_TRUE(absent);
  EXPECT_TRUE(absent->empty());
  EXPECT_EQ(slurp(scratch / "facts"), RECORD_A RECORD_B);
  Recording without = of_this_executable({});
  ASSERT_TRUE(store_facts(scratch / "none", without)) << "no folder is needed where nothing is written";
  EXPECT_FALSE(store_facts(scratch / "none", of_this_executable({0xab})));
}

}  // namespace
}  // namespace parcast::recording
