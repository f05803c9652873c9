// SPDX-License-Identifier: Apache-2.0
#include "web/experiments.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "base/files.h"
#include "web/history.h"
#include "web/testing/fake_parcast.h"

namespace parcast::web {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Experiments with a script in place of parcast.
class Bench {
 public:
  explicit Bench(const std::string& script)
      : fake(script),
        tasks(2, fake.folder()),
        all({fake.program(), fake.folder(), fake.scratch()}, tasks, pages) {}

  std::int64_t begin(const std::string& p) {
    Experiment asked;
    asked.model = "a.model.json", asked.machine = "sp-2";
    if (!p.empty()) asked.axes = {{"p", p, false}};
    const auto id = all.begin(asked, {"/a.model.json", "sp-2"});
    EXPECT_TRUE(id);
    return *id;
  }
  template <class Condition>
  bool comes_true(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      tasks.step();
      std::this_thread::sleep_for(2ms);
    }
    return true;
  }
  const Run& run(std::int64_t id) const {
    for (const Run& each : all.runs())
      if (each.id == id) return each;
    return all.runs().back();
  }
  bool ends(std::int64_t id) {
    return comes_true([&] { return run(id).status != Status::running; });
  }

  FakeParcast fake;
  Broadcast pages;
  Tasks tasks;
  Experiments all;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST(Experiments, EachPointIsSentWhenItIsComputed) {
  Bench bench(FakeParcast::kPredicts);
  const auto page = bench.pages.join("");
  const std::int64_t id = bench.begin("1..64*2");
  ASSERT_TRUE(bench.ends(id));
  EXPECT_EQ(bench.run(id).status, Status::done);
  EXPECT_EQ(count(page->pending, "\"status\":\"done\",\"answer\""),
            7u + 7u);  // each alone, and in the whole run
  EXPECT_THAT(bench.run(id).points[6].answer, HasSubstr("\"value\":0.064"));
  EXPECT_LT(page->pending.find("event: point"), page->pending.rfind("event: run"));
}

TEST(Experiments, ACancelledOneKeepsItsPointsAndEndsItsCommands) {
  Bench bench(std::string("case \"$*\" in *'-p 4'*) sleep 100;; esac\n") + FakeParcast::kPredicts);
  const std::int64_t id = bench.begin("1,2,4,8");
  ASSERT_TRUE(bench.comes_true([&] {
    return !bench.run(id).points[0].answer.empty() && !bench.run(id).points[1].answer.empty() &&
           !bench.run(id).points[3].answer.empty();
  }));
  EXPECT_TRUE(bench.all.cancel(id));
  EXPECT_EQ(bench.run(id).status, Status::cancelled);
  EXPECT_EQ(bench.run(id).points[2].status, Status::cancelled);
  EXPECT_TRUE(bench.comes_true([&] { return bench.tasks.running() == 0; }));
  EXPECT_FALSE(bench.all.cancel(id));
  EXPECT_EQ(bench.run(id).points[0].status, Status::done);
}

TEST(Experiments, AFaultIsTheSentenceOfTheVerb) {
  Bench bench("echo 'parcast: error: N has no value' >&2; exit 2");
  const std::int64_t id = bench.begin("");
  ASSERT_TRUE(bench.ends(id));
  EXPECT_EQ(bench.run(id).status, Status::failed);
  EXPECT_EQ(bench.run(id).points[0].fault, "N has no value");
}

TEST(Experiments, ARunThatWouldHangHasNoAnswer) {
  Bench bench("echo '{\"seconds\":{\"value\":1}}'; exit 4");
  const std::int64_t id = bench.begin("");
  ASSERT_TRUE(bench.ends(id));
  EXPECT_THAT(bench.run(id).points[0].fault, HasSubstr("would hang"));
}

TEST(Experiments, ProgressOfAPointIsSent) {
  Bench bench(std::string("echo '0.5 x' >&3; sleep 0.2\n") + FakeParcast::kPredicts);
  const auto page = bench.pages.join("");
  ASSERT_TRUE(bench.ends(bench.begin("")));
  EXPECT_THAT(page->pending, HasSubstr("\"progress\":0.5"));
}

TEST(Experiments, AChangedMachineIsMadeOnceForAllItsPoints) {
  Bench bench(std::string("[ $1 = machine ] && { echo \"$*\" >> calls; exit 0; }\n") +
              FakeParcast::kPredicts);
  Experiment asked;
  asked.model = "a.model.json", asked.machine = "sp-2";
  asked.axes = {{"p", "1,2,4", false}, {"L", "*1,*2", true}};
  const auto id = bench.all.begin(asked, {"/a.model.json", "sp-2"});
  ASSERT_TRUE(id && bench.ends(*id));
  EXPECT_EQ(bench.run(*id).status, Status::done);
  const auto calls = read_file(bench.fake.folder() / "calls");
  ASSERT_TRUE(calls);
  EXPECT_EQ(count(*calls, "machine set sp-2 L*1 -o"), 1u);
  EXPECT_EQ(count(*calls, "machine set sp-2 L*2 -o"), 1u);
  EXPECT_THAT(*calls, HasSubstr("/sp-2.machine.toml"));
}

TEST(Experiments, TheHistoryIsReadByTheNextSession) {
  Bench bench(FakeParcast::kPredicts);
  const std::int64_t first = bench.begin("1,2"), second = bench.begin("4");
  ASSERT_TRUE(bench.ends(first) && bench.ends(second));
  const auto runs = read_history(bench.fake.folder());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].experiment, bench.run(first).experiment);
  EXPECT_EQ(runs[0].points[1].answer, bench.run(first).points[1].answer);
  EXPECT_TRUE(bench.all.remove(first));
  EXPECT_EQ(read_history(bench.fake.folder()).size(), 1u);
  EXPECT_FALSE(bench.all.remove(first));
}

TEST(Experiments, TheHistoryKeepsTheNewestWithinItsLimit) {
  // An answer of 1 MiB: eight of them are more than the limit.
  Bench bench("printf '{\"seconds\":{},\"program\":\"'; head -c 1048576 /dev/zero | tr '\\0' x; echo '\"}'");
  std::int64_t last = 0;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(bench.ends(last = bench.begin("")));
  EXPECT_EQ(bench.all.runs().size(), 7u);
  EXPECT_EQ(bench.all.runs().back().id, last);
  EXPECT_EQ(read_history(bench.fake.folder()).size(), 7u);
}

TEST(Experiments, ARunningOneIsNotRemoved) {
  Bench bench("sleep 100");
  const std::int64_t id = bench.begin("");
  EXPECT_FALSE(bench.all.remove(id));
  EXPECT_TRUE(bench.all.cancel(id));
}

TEST(Experiments, SixteenRunAtOnceAtMost) {
  Bench bench("sleep 100");
  for (int i = 0; i < 16; ++i) bench.begin("");
  const auto another = bench.all.begin(bench.run(1).experiment, {"/a", "b"});
  ASSERT_FALSE(another);
  EXPECT_THAT(another.error().what, HasSubstr("16 experiments"));
}

TEST(Broadcast, ClosesThePageThatDoesNotRead) {
  Broadcast pages;
  const auto slow = pages.join("");
  const std::string text(std::size_t{40} << 20, 'x');
  pages.send(text);
  EXPECT_FALSE(slow->is_closed);
  pages.send(text);
  EXPECT_TRUE(slow->is_closed);
  pages.send("more");
  EXPECT_EQ(pages.pages(), 0u);
}

}  // namespace
}  // namespace parcast::web
