// SPDX-License-Identifier: Apache-2.0
// How launches are made, resumed and skipped. A launcher of three lines replaces MPI.
#include "calibrate/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "base/text.h"

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CalibrateTest : public testing::Test {
 protected:
  CalibrateTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const int p : {1, 2, 3}) std::ofstream(folder_ / ("measured-" + std::to_string(p))) << measured(p);
    options_.launcher = "sh " + (folder_ / "launcher").string() + " {p}";
    options_.program = folder_ / "program";
    options_.partial = folder_ / "x.machine.toml.partial";
    options_.processes = {1, 2};
    options_.budget_seconds = 2 * 4 * 2;  // two launches of each count
    options_.say = [this](const Error& sentence) { said_.push_back(sentence.what + " | " + sentence.hint); };
    std::ofstream(options_.program) << "not run";
    launcher("");
  }
  ~CalibrateTest() override { fs::remove_all(folder_); }

  /// Writes the launcher. It is called with p, the program, its output and seconds. It records p and leaves
  /// prepared measurements.
  void launcher(const std::string& before) const {
    const std::string here = folder_.string();
    std::ofstream(folder_ / "launcher")
        << "echo $1 >> " << here << "/launched\n"
        << before << "\ncp " << here << "/measured-$1 $3.new && mv $3.new $3\n";
  }
  std::vector<std::string> launched() const {
    const auto text = read_file(folder_ / "launched");
    auto lines = text ? split(*text, '\n') : std::vector<std::string>();
    if (!lines.empty()) lines.pop_back();
    return lines;
  }

  static std::string measured(int p) {
    Measurements m;
    m.processes = p, m.cores = 4, m.memory = 8e9;
    m.caches = {{"L1", 32768}};
    for (int r = 0; r < p; ++r) m.places.push_back({0, 0, 0});
    if (p == 1) m.values = {{"core_speed", 2e9, 1e6, 9}};
    for (double bytes = 8; bytes <= 65536; bytes *= 2)
      if (p == 2) m.points.push_back({"message-core", 2, bytes, 1e-6 + bytes * 1e-9, 1e-9, 99});
    return to_text(m);
  }

  fs::path folder_ = fs::temp_directory_path() / ("parcast-calibrate-test-" + std::to_string(::getpid()));
  Options options_;
  std::vector<std::string> said_;
};

TEST_F(CalibrateTest, EachCountIsLaunchedInEachPass) {
  const auto machine = calibrate(options_);
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_THAT(launched(), ElementsAre("1", "2", "1", "2"));
  EXPECT_EQ(machine->core_speed.samples, 18);
  EXPECT_NEAR(machine->links.at("core").gap_per_byte.value, 1e-9, 1e-14);
  EXPECT_EQ(machine->placements, (std::vector<machine::MeasuredPlacement>{{2, 1, 2}}));
  EXPECT_FALSE(fs::exists(options_.partial));
}

TEST_F(CalibrateTest, AfterAKillTheSameCommandGoesOn) {
  launcher("[ $1 = 1 ] || sleep 1");
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(calibrate(options_));
    ::_exit(0);
  }
  for (int i = 0; i < 1000 && launched().size() < 2; ++i) ::usleep(10'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_THAT(launched(), ElementsAre("1", "2"));
  launcher("");
  const auto machine = calibrate(options_);
  ASSERT_TRUE(machine) << to_string(machine.error());
  // The first launch of one process is not repeated. The launch of two processes outlived the kill, and may
  // have finished.
  const auto all = launched();
  EXPECT_EQ(std::count(all.begin(), all.end(), "1"), 2);  // two passes
  EXPECT_THAT(said_,
              Contains(AllOf(HasSubstr("going on with an unfinished calibration"), HasSubstr("--fresh"))));
  EXPECT_FALSE(fs::exists(options_.partial));
}

TEST_F(CalibrateTest, AnotherLauncherOrFreshBeginsAnew) {
  options_.written = [](const machine::Machine&, const std::vector<Measurements>&) -> Result<void> {
    return Error{"no space", "", ""};
  };
  ASSERT_FALSE(calibrate(options_));
  // a file that cannot be written loses no measurements
  EXPECT_TRUE(fs::exists(options_.partial / "launch-2-1"));
  options_.launcher += " again";
  std::ofstream(folder_ / "launcher") << "cp " << folder_.string() << "/measured-$1 $4\n";
  ASSERT_FALSE(calibrate(options_));
  EXPECT_THAT(said_, Contains(AllOf(HasSubstr("does not fit and is not used"), HasSubstr("the launcher ("))));
  said_.clear();
  options_.fresh = true, options_.written = {};
  ASSERT_TRUE(calibrate(options_));
  EXPECT_THAT(said_, Not(Contains(HasSubstr("going on"))));
}

TEST_F(CalibrateTest, ACountThatFailsIsSaidWithWhatWasPrintedAndTheRestCounts) {
  options_.processes = {1, 2, 3};
  launcher("[ $1 = 3 ] && { echo no third place >&2; exit 1; }");
  const auto machine = calibrate(options_);
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_THAT(launched(), ElementsAre("1", "2", "3"));  // 16 s for three counts: one launch each
  EXPECT_THAT(said_, Contains(AllOf(HasSubstr("3 processes could not be measured"),
                                    HasSubstr("no third place"), HasSubstr("run it by hand"))));
  EXPECT_THAT(machine->notes,
              Contains(AllOf(HasSubstr("3 processes could not be measured"), HasSubstr("no third place"))));
  EXPECT_TRUE(machine->links.contains("core"));
}

TEST_F(CalibrateTest, ALauncherThatStartsEachProcessAloneProbablyIsOfAnotherLibrary) {
  options_.processes = {1, 2, 3};
  launcher("set -- 1 $2 $3");  // always one process, whatever is requested
  const auto machine = calibrate(options_);
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().what,
              AllOf(HasSubstr("the launcher \"" + options_.launcher +
                              "\" was asked for 2 processes, but the training program found 1"),
                    HasSubstr("another MPI library")));
  EXPECT_THAT(machine.error().hint, AllOf(HasSubstr("--launcher"), HasSubstr("srun --mpi=list")));
  EXPECT_THAT(launched(), ElementsAre("1", "2"));  // the error would be the same at every count
  // Its result is not used for a launch of two processes.
  launcher("");
  const auto mended = calibrate(options_);
  ASSERT_TRUE(mended) << to_string(mended.error());
  EXPECT_TRUE(mended->links.contains("core"));
}

TEST_F(CalibrateTest, ThatIsSaidTooWhereTheLaunchEndsBadly) {
  launcher("[ $1 = 1 ] || { cp " + (folder_ / "measured-1").string() + " $3; exit 1; }");
  const auto machine = calibrate(options_);
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().what, HasSubstr("asked for 2 processes, but the training program found 1"));
}

TEST_F(CalibrateTest, OtherNumbersOfProcessesThanAskedForAreAnErrorToo) {
  launcher("[ $1 = 1 ] || set -- 3 $2 $3");
  const auto machine = calibrate(options_);
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().what,
              AllOf(HasSubstr("asked for 2 processes, but the training program found 3"),
                    Not(HasSubstr("another MPI library"))));
  EXPECT_THAT(machine.error().hint, HasSubstr("{p}"));
}

/// Two processes are measured, three never start. That launch ends within twice its time plus the patience,
/// and the other results are used.
TEST_F(CalibrateTest, ALauncherThatNeverStartsTheProgramIsGivenUp) {
  options_.processes = {1, 2, 3}, options_.budget_seconds = 4, options_.patience = 2;
  launcher("[ $1 != 3 ] || sleep 100");
  const auto start = std::chrono::steady_clock::now();
  const auto machine = calibrate(options_);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4 + 2 + 10));
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_TRUE(machine->links.contains("core"));
  EXPECT_THAT(machine->notes,
              Contains(AllOf(HasSubstr("3 processes could not be measured"),
                             HasSubstr("the launcher never started the training program with 3 processes"),
                             HasSubstr("name another with --launcher"))));
}

TEST_F(CalibrateTest, AProgramThatDoesNotEndIsToldFromOneThatNeverBegan) {
  options_.processes = {1, 2}, options_.budget_seconds = 4, options_.patience = 1;
  launcher("[ $1 != 2 ] || { touch $3.begun; sleep 100; }");
  const auto machine = calibrate(options_);
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_THAT(
      machine->notes,
      Contains(AllOf(HasSubstr("the training program began with 2 processes and did not come to its end"),
                     HasSubstr("--processes"))));
  EXPECT_EQ(machine->core_speed.value, 2e9);
}

/// With many counts, those after the time that a budget of 3 s and a patience of 2 s allow are not tried.
TEST_F(CalibrateTest, WhereNoLaunchEndsTheWholeEndsSoonAfterTheBudget) {
  options_.processes = {1, 2, 3, 4, 5, 6, 7, 8}, options_.budget_seconds = 3, options_.patience = 2;
  launcher("sleep 100");
  const auto start = std::chrono::steady_clock::now();
  const auto machine = calibrate(options_);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3 + 2 + 10));
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().what,
              HasSubstr("the launcher never started the training program with 1 process"));
  EXPECT_LT(launched().size(), 8u);
  EXPECT_THAT(said_, Contains(HasSubstr("no time was left for it")));
}

TEST_F(CalibrateTest, OneProcessAloneGivesTheCoreAndSaysWhatIsMissing) {
  options_.processes = {1};
  const auto machine = calibrate(options_);
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->core_speed.value, 2e9);
  EXPECT_TRUE(machine->links.empty());
  EXPECT_THAT(machine->notes, Contains(HasSubstr("messages were not measured")));
}

TEST_F(CalibrateTest, WhereAllFailTheFirstFailureIsTheError) {
  launcher("echo not enough slots; exit 1");
  const auto machine = calibrate(options_);
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().hint, HasSubstr("--oversubscribe"));
}

TEST_F(CalibrateTest, InAJobOfSlurmItIsSrunWithItsTasks) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  ::setenv("SLURM_JOB_ID", "17", 1), ::setenv("SLURM_NTASKS", "3", 1);
  std::ofstream(folder_ / "srun") << "#!/bin/sh\nprintf '%s\\n' \"$1\" >> " << folder_.string()
                                  << "/flags\nshift\nexec sh " << folder_.string() << "/launcher \"$@\"\n";
  fs::permissions(folder_ / "srun", fs::perms::owner_all);
  options_.launcher.clear(), options_.processes.clear();
  const auto machine = calibrate(options_);
  ::unsetenv("SLURM_JOB_ID"), ::unsetenv("SLURM_NTASKS"), ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->launcher, "srun -n {p}");
  EXPECT_THAT(launched(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(*read_file(folder_ / "flags"), testing::StartsWith("-n\n"));
}

TEST(Passes, AreAsManyAsGiveEachLaunchSomeSeconds) {
  EXPECT_EQ(passes_within(5, 2), 1);
  EXPECT_EQ(passes_within(16, 2), 2);
  EXPECT_EQ(passes_within(60, 8), 2);
  EXPECT_EQ(passes_within(40, 8), 1);
  EXPECT_EQ(passes_within(3600, 2), 4);
}

/// On a slow network, launches of some seconds give only a few repeats of each call.
TEST(Passes, AreFewerWhereLaunchesAsShortMeasureLittle) {
  Measurements alone, between;
  alone.processes = 1, between.processes = 2;
  alone.points.assign(20, {"allreduce", 1, 8, 1e-8, 1e-9, 3});  // a launch of one process does not count
  between.points.assign(9, {"allreduce", 2, 8, 1e-3, 1e-4, 40});
  between.points.push_back({"allreduce", 2, 64, 1e-3, 1e-4, 4});
  EXPECT_FALSE(short_of_time({alone, between}));
  between.left_out = {{"scan", 2, 0}, {"gather", 2, 0}, {"scatter", 2, 0}};
  EXPECT_TRUE(short_of_time({alone, between}));
  EXPECT_FALSE(short_of_time({alone}));
  // Ten tables of ten sizes each, and six tables without any measurement: 60 of 160 points.
  Measurements some;
  some.processes = 2;
  for (const char table : std::string("abcdefghij"))
    for (int size = 0; size < 10; ++size)
      some.points.push_back({std::string(1, table), 2, 8.0 * (size + 1), 1e-6, 1e-8, 40});
  EXPECT_FALSE(short_of_time({some}));
  for (const char table : std::string("klmnop")) some.left_out.push_back({std::string(1, table), 2, 0});
  EXPECT_TRUE(short_of_time({some}));
  for (Omission& left : some.left_out) left.bytes = 524288;  // only the largest messages are missing
  EXPECT_FALSE(short_of_time({some}));
}

}  // namespace
}  // namespace parcast::calibrate
