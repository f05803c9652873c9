// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/files.h"

namespace parcast::cli {
namespace {

Launch of(std::vector<std::string> command) {
  return {std::move(command), "/lib/r.so", "/out"};
}

TEST(Launch, TheExitCodeIsTheHosts) {
  Launch launch = of({"sh", "-c", "exit 37"});
  launch.recorder = "";
  EXPECT_EQ(run(launch)->exit_code, 37);
  launch.command = {"sh", "-c", "kill -9 $$"};
  EXPECT_EQ(run(launch)->exit_code, 128 + 9);
}

TEST(Launch, TheRanksLearnWhereToWrite) {
  const auto file = std::filesystem::temp_directory_path() / ("parcast-launch-" + std::to_string(::getpid()));
  Launch launch =
      of({"sh", "-c",
          "echo \"$PARCAST_OUT|$PARCAST_PARAM|$PARCAST_CLASSES|$PARCAST_BATON|$PARCAST_STACK\" > " +
              file.string()});
  launch.recorder = "";
  launch.settings = {{"PARCAST_PARAM", "n=64"}, {"PARCAST_BATON", "off"}, {"PARCAST_STACK", "on"}};
  EXPECT_EQ(run(launch)->exit_code, 0);
  EXPECT_EQ(read_file(file).value(), "/out|n=64||off|on\n");
  std::filesystem::remove(file);
}

TEST(Launch, AProgramThatIsNotThereIsAnError) {
  const auto missing = run(of({"/no/such/launcher"}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "/no/such/launcher");
}

TEST(Launch, ASignalMeantForTheJobReachesIt) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer holds signals back while a process waits for another";
#endif
  Launch launch = of({"sh", "-c", "trap 'exit 5' TERM; while :; do sleep 0.05; done"});
  launch.recorder = "";
  std::thread killer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_EQ(run(launch)->exit_code, 5);
  killer.join();
}

}  // namespace
}  // namespace parcast::cli
