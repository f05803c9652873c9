// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace parcast {
namespace {

using Words = std::vector<std::string>;

struct Outcome {
  std::vector<Words> heard;
  Result<void> result;
};

Outcome run(const std::function<void(const ChildVoice&)>& work, ChildLimits limits = {}) {
  Outcome out;
  out.result =
      run_in_child("the work", limits, work, [&](const Words& words) { out.heard.push_back(words); });
  return out;
}

TEST(Child, ItsMessagesAreHeardInOrderWordByWord) {
  const Outcome out = run([](const ChildVoice& voice) {
    voice.say({"one", "", "two words"});
    voice.say({"line\nend"});
  });
  ASSERT_TRUE(out.result.ok());
  EXPECT_EQ(out.heard, (std::vector<Words>{{"one", "", "two words"}, {"line end"}}));
}

TEST(Child, ACrashIsASentenceAndWhatItSaidBeforeIsKept) {
  const Outcome out = run([](const ChildVoice& voice) {
    voice.say({"before"});
    ::raise(SIGSEGV);
  });
  ASSERT_FALSE(out.result.ok());
  EXPECT_EQ(out.result.error().what, "the work crashed (Segmentation fault)");
  EXPECT_EQ(out.heard, (std::vector<Words>{{"before"}}));
}

TEST(Child, SilenceEndsIt) {
  const Outcome out = run([](const ChildVoice&) { ::pause(); }, {.patience = std::chrono::milliseconds(200)});
  ASSERT_FALSE(out.result.ok());
  EXPECT_EQ(out.result.error().what, "the work made no progress for 200 ms and was stopped");
}

TEST(Child, OneThatSpeaksMayTakeLongerThanTheSilenceAllowed) {
  const Outcome out = run(
      [](const ChildVoice& voice) {
        for (int i = 0; i < 8; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          voice.say({"still here"});
        }
      },
      {.patience = std::chrono::milliseconds(600)});
  EXPECT_TRUE(out.result.ok());
  EXPECT_EQ(out.heard.size(), 8u);
}

TEST(Child, MemoryBeyondTheLimitEndsIt) {
  const Outcome out = run(
      [](const ChildVoice& voice) {
        std::string much(64 << 20, 'x');
        voice.say({much.substr(much.size() - 1)});
      },
      {.memory = 16 << 20});
  ASSERT_FALSE(out.result.ok());
  EXPECT_EQ(out.result.error().what, "the work wanted more than 16.8 MB of memory and was stopped");
  EXPECT_TRUE(out.heard.empty());
}

TEST(Child, AnExitCodeOfItsOwnIsTold) {
  const Outcome out = run([](const ChildVoice&) { ::_exit(7); });
  ASSERT_FALSE(out.result.ok());
  EXPECT_EQ(out.result.error().what, "the work ended with exit code 7");
}

}  // namespace
}  // namespace parcast
