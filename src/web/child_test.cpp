// SPDX-License-Identifier: Apache-2.0
#include "web/child.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "web/tasks.h"

namespace parcast::web {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> shell(const std::string& line) {
  return {"/bin/sh", "-c", line};
}

Child started(const std::string& line) {
  auto child = Child::start(shell(line), "/");
  EXPECT_TRUE(child);
  return *std::move(child);
}

/// Returns whether a condition holds within five seconds.
template <class Condition>
bool comes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

TEST(Child, GivesItsOutputMessagesAndExitCode) {
  Child child = started("echo answer; echo why >&2; exit 3");
  ASSERT_TRUE(comes_true([&] { return child.step(); }));
  EXPECT_EQ(child.output(), "answer\n");
  EXPECT_EQ(child.messages(), "why\n");
  EXPECT_EQ(child.exit_code(), 3);
}

TEST(Child, ItsProgressIsTheLastCompleteLine) {
  Child child = started("printf '0.25 a\\n0.5 b\\n0.9' >&$PARCAST_PROGRESS_FD; read x < /dev/zero");
  EXPECT_TRUE(comes_true([&] { return child.step() || child.progress() == 0.5; }));
  EXPECT_EQ(child.progress(), 0.5);
}

TEST(Child, HasNoInput) {
  Child child = started("cat; echo end");
  ASSERT_TRUE(comes_true([&] { return child.step(); }));
  EXPECT_EQ(child.output(), "end\n");
}

TEST(Child, IsEndedWithAllThatItStarted) {
  Child child = started("sleep 100 & echo $!; wait");
  ASSERT_TRUE(comes_true([&] { return child.step() || child.output().ends_with('\n'); }));
  const auto grandchild = parse_integer(trim(child.output()));
  ASSERT_TRUE(grandchild);
  ASSERT_EQ(::kill(static_cast<pid_t>(*grandchild), 0), 0);
  child.kill();
  ASSERT_TRUE(comes_true([&] { return child.step(); }));
  EXPECT_EQ(child.exit_code(), 128 + SIGKILL);
  // Without a parent it may stay for a moment until the system's first process waits for it.
  EXPECT_TRUE(comes_true([&] {
    std::string state;
    std::ifstream("/proc/" + std::to_string(*grandchild) + "/stat") >> state >> state >> state;
    return state.empty() || state == "Z";
  }));
}

TEST(Child, AProgramThatIsNotThereEndsWith127) {
  auto child = Child::start({"/nowhere/parcast"}, "/");
  ASSERT_TRUE(child);
  ASSERT_TRUE(comes_true([&] { return child->step(); }));
  EXPECT_EQ(child->exit_code(), 127);
}

TEST(Tasks, RunAFewAtATimeAndUrgentOnesFirst) {
  Tasks tasks(1, "/");
  std::string order;
  for (const char* name : {"a", "b", "c"})
    tasks.add({.words = shell("true"), .is_urgent = *name == 'c', .ended = [&, name](const TaskEnd&) {
                 order += name;
               }});
  tasks.step();
  EXPECT_EQ(tasks.running(), 1u);
  EXPECT_TRUE(comes_true([&] { return tasks.step(), order.size() == 3; }));
  EXPECT_EQ(order, "cab");
}

TEST(Tasks, ACancelledOneEndsOnceWhetherItRanOrWaited) {
  Tasks tasks(1, "/");
  std::vector<TaskEnd> ends;
  const auto keep = [&](const TaskEnd& end) { ends.push_back(end); };
  const TaskId running = tasks.add({.words = shell("sleep 100"), .ended = keep}),
               waiting = tasks.add({.words = shell("sleep 100"), .ended = keep});
  tasks.step();
  tasks.cancel(running), tasks.cancel(waiting), tasks.cancel(12345);
  EXPECT_TRUE(comes_true([&] { return tasks.step(), ends.size() == 2; }));
  for (int i = 0; i < 5; ++i) tasks.step();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_TRUE(ends[0].was_cancelled && ends[1].was_cancelled);
  EXPECT_EQ(tasks.running() + tasks.waiting(), 0u);
}

}  // namespace
}  // namespace parcast::web
