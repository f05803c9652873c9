// SPDX-License-Identifier: Apache-2.0
#include "calibrate/partial.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "base/files.h"

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Basis kBasis{{"host", "node1"}, {"launcher", "mpirun -n {p}"}, {"process_counts", "1,2"}};

class PartialTest : public testing::Test {
 protected:
  PartialTest() { fs::remove_all(folder_); }
  ~PartialTest() override { fs::remove_all(folder_); }

  static std::string measured(double speed) {
    Measurements m;
    m.processes = 2;
    m.values = {{"core_speed", speed, 1, 9}};
    return to_text(m);
  }

  fs::path folder_ =
      fs::temp_directory_path() / ("parcast-partial-" + std::to_string(::getpid()) + ".machine.toml.partial");
};

TEST_F(PartialTest, WhatIsDoneIsFoundAgainAndGoneInTheEnd) {
  {
    auto first = Partial::open(folder_, kBasis, false);
    ASSERT_TRUE(first) << to_string(first.error());
    EXPECT_FALSE(first->any());
    ASSERT_TRUE(write_file(first->result(2, 0), measured(2e9)));
  }
  auto again = Partial::open(folder_, kBasis, false);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->misfits(), IsEmpty());
  ASSERT_TRUE(again->finished(2, 0));
  EXPECT_EQ(again->finished(2, 0)->values[0].value, 2e9);
  EXPECT_FALSE(again->finished(2, 1));
  EXPECT_FALSE(again->finished(1, 0));
  again->remove();
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(PartialTest, AnotherBasisIsNamedAndItsLaunchesAreNotUsed) {
  ASSERT_TRUE(write_file(Partial::open(folder_, kBasis, false)->result(2, 0), measured(2e9)));
  Basis other = kBasis;
  other["host"] = "node2", other["launcher"] = "srun -n {p}";
  const auto opened = Partial::open(folder_, other, false);
  ASSERT_TRUE(opened);
  EXPECT_THAT(opened->misfits(), ElementsAre("the host (node1, and now node2)",
                                             "the launcher (mpirun -n {p}, and now srun -n {p})"));
  EXPECT_FALSE(opened->finished(2, 0));
}

TEST_F(PartialTest, FreshForgetsWhatIsDone) {
  ASSERT_TRUE(write_file(Partial::open(folder_, kBasis, false)->result(2, 0), measured(2e9)));
  const auto opened = Partial::open(folder_, kBasis, true);
  EXPECT_FALSE(opened->finished(2, 0));
  EXPECT_THAT(opened->misfits(), IsEmpty());
}

TEST_F(PartialTest, AResultThatIsNotWholeDoesNotCount) {
  const auto opened = Partial::open(folder_, kBasis, false);
  const std::string whole = measured(2e9);
  std::ofstream(opened->result(2, 0)) << whole.substr(0, whole.size() / 2);
  EXPECT_FALSE(opened->finished(2, 0));
}

TEST_F(PartialTest, AResultOfAnotherNumberOfProcessesDoesNotCount) {
  const auto opened = Partial::open(folder_, kBasis, false);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(write_file(opened->result(4, 0), measured(2e9)));  // measurements of two processes
  EXPECT_FALSE(opened->finished(4, 0));
}

// A launch that was killed during one-sided calls left the results that it had written before them.
TEST_F(PartialTest, AResultThatSaysWhatIsStillToComeDoesNotCount) {
  const auto opened = Partial::open(folder_, kBasis, false);
  ASSERT_TRUE(opened);
  Measurements m;
  m.processes = 2;
  m.notes.emplace_back(kWithoutOneSided);
  ASSERT_TRUE(write_file(opened->result(2, 0), to_text(m)));
  EXPECT_FALSE(opened->finished(2, 0));
  m.notes.emplace_back(kEndedEarly);
  ASSERT_TRUE(write_file(opened->result(2, 0), to_text(m)));
  EXPECT_TRUE(opened->finished(2, 0));  // nothing more will be written
}

TEST_F(PartialTest, WhoWaitedForTheLockOfAFolderThatIsGoneMakesAnother) {
  auto first = std::make_optional(*Partial::open(folder_, kBasis, false));
  std::optional<Result<Partial>> second;
  std::thread waits([&] { second.emplace(Partial::open(folder_, kBasis, false)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  first->remove();
  first.reset();
  waits.join();
  ASSERT_TRUE(*second) << to_string(second->error());
  EXPECT_TRUE(write_file((*second)->result(2, 0), measured(2e9)));
  EXPECT_FALSE(Partial::open(folder_, kBasis, false)) << "its lock has the name that others look for";
}

TEST_F(PartialTest, TwoAtOnceAreRefused) {
  const auto first = Partial::open(folder_, kBasis, false);
  ASSERT_TRUE(first);
  const auto second = Partial::open(folder_, kBasis, false);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().what, HasSubstr("still works here"));
}

TEST_F(PartialTest, WhatSomeoneElsePutThereStays) {
  auto opened = Partial::open(folder_, kBasis, false);
  std::ofstream(folder_ / "mine.txt") << "1";
  opened->remove();
  EXPECT_TRUE(fs::exists(folder_ / "mine.txt"));
}

TEST_F(PartialTest, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(folder_) << "a file";
  const auto opened = Partial::open(folder_, kBasis, false);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, folder_.string());
}

}  // namespace
}  // namespace parcast::calibrate
