// SPDX-License-Identifier: Apache-2.0
#include "calibrate/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "base/files.h"
#include "base/text.h"

namespace parcast::calibrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A log of this process alone: tests run side by side, and each launch empties its log.
class Log {
 public:
  ~Log() { std::filesystem::remove(path); }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("parcast-launch-test-" + std::to_string(::getpid()) + ".log");
};

const std::filesystem::path& log_path() {
  static const Log log;
  return log.path;
}

TEST(LaunchWords, FollowQuotesAndPutInTheCount) {
  EXPECT_THAT(launch_words("mpirun -n {p}", 4).value(), ElementsAre("mpirun", "-n", "4"));
  EXPECT_THAT(launch_words("srun --ntasks={p} 'a b' \"c\"d e\\ f ''", 12).value(),
              ElementsAre("srun", "--ntasks=12", "a b", "cd", "e f", ""));
}

TEST(LaunchWords, SayWhatIsWrong) {
  EXPECT_THAT(launch_words("", 1).error().what, HasSubstr("empty"));
  EXPECT_THAT(launch_words("mpirun -n 4", 1).error().hint, HasSubstr("{p}"));
  EXPECT_THAT(launch_words("mpirun '-n {p}", 1).error().what, HasSubstr("quote"));
}

TEST(Launch, ReturnsWhenTheProgramHasSucceeded) {
  int waits = 0;
  EXPECT_TRUE(launch({"sh", "-c", "sleep 0.1"}, log_path(), 10, [&] { ++waits; }));
  EXPECT_GE(waits, 1);
}

TEST(Launch, AFailureCarriesTheCodeAndTheEndOfTheErrors) {
  const auto result = launch({"sh", "-c", "echo not enough slots >&2; exit 7"}, log_path(), 10, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("ended with code 7"));
  EXPECT_THAT(result.error().hint, HasSubstr("it printed last:\n  not enough slots"));
  EXPECT_THAT(result.error().hint, HasSubstr("mpirun --oversubscribe -n {p}"));
}

TEST(Launch, WhatFailsWithoutAWordIsToBeRunByHand) {
  const auto result = launch({"sh", "-c", "exit 1"}, log_path(), 10, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().hint,
              HasSubstr("it printed nothing\n  run it by hand to see more: sh -c exit 1"));
}

TEST(Launch, AProgramThatIsNotThereIsNamed) {
  const auto result = launch({"no-such-launcher-here"}, log_path(), 10, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(to_string(result.error()), HasSubstr("no-such-launcher-here"));
}

bool runs(pid_t process) {
  const auto state = read_file("/proc/" + std::to_string(process) + "/stat");
  return state && state->find(") Z ") == std::string::npos;
}

/// Waits until the launcher has written a process number into `file`, and returns it.
pid_t written_in(const std::filesystem::path& file) {
  for (int i = 0; i < 500; ++i, ::usleep(10'000))
    if (const auto text = read_file(file); text && text->ends_with("\n"))
      return static_cast<pid_t>(*parse_integer(trim(*text)));
  return 0;
}

bool ends(pid_t process) {
  for (int i = 0; i < 500 && runs(process); ++i) ::usleep(10'000);
  return !runs(process);
}

class LaunchWithAChild : public testing::Test {
 protected:
  LaunchWithAChild() { std::filesystem::remove(number_); }
  ~LaunchWithAChild() override { std::filesystem::remove(number_); }

  std::filesystem::path number_ =
      std::filesystem::temp_directory_path() / ("parcast-launch-test-" + std::to_string(::getpid()));
  std::vector<std::string> words_{"sh", "-c", "sleep 60 & echo $! > " + number_.string() + "; wait"};
};

TEST_F(LaunchWithAChild, WhatALauncherStartedEndsWithIt) {
  ASSERT_FALSE(launch(words_, log_path(), 0.5, {}));
  const pid_t child = written_in(number_);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(ends(child));
}

TEST_F(LaunchWithAChild, ALauncherThatDoesNotWantToEndIsKilled) {
  words_[2] = "trap '' TERM; " + words_[2] + "; sleep 60";
  const auto start = std::chrono::steady_clock::now();
  ASSERT_FALSE(launch(words_, log_path(), 0.5, {}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_TRUE(ends(written_in(number_)));
}

TEST_F(LaunchWithAChild, AnInterruptOfTheCallerEndsTheLaunch) {
  const pid_t caller = ::fork();
  if (caller == 0) {
    static_cast<void>(launch(words_, log_path(), 60, {}));
    ::_exit(0);
  }
  const pid_t child = written_in(number_);
  ASSERT_GT(child, 0);
  ::kill(caller, SIGTERM);  // not SIGINT: processes that a shell starts in the background ignore it
  int status = 0;
  ::waitpid(caller, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_TRUE(ends(child));
}

TEST(Launch, PatienceEnds) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = launch({"sleep", "30"}, log_path(), 0.2, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("without a result"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace parcast::calibrate
