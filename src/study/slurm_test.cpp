// SPDX-License-Identifier: Apache-2.0
// Slurm's programs are scripts in a folder on PATH, which keep the queue as files: sbatch starts each element
// in the background, or holds it.
#include "study/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "study/parallel.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Slurm, PrintsTheNumberOfAJob) {
  EXPECT_EQ(submitted_job("1234\n"), "1234");
  EXPECT_EQ(submitted_job("sbatch: warning: no time limit\n1234;cluster\n"), "1234");
  EXPECT_FALSE(submitted_job("sbatch: error: invalid partition\n"));
  EXPECT_FALSE(submitted_job(""));
}

TEST(Slurm, ListsQueuedElements) {
  EXPECT_THAT(queued_elements("1234_1|RUNNING\n1234_3|PENDING\n"), ElementsAre("1234_1", "1234_3"));
  EXPECT_THAT(queued_elements("1234_[2-6]|PENDING\nslurm_load_jobs error: x\n"), testing::IsEmpty());
}

TEST(Slurm, AccountsForEndedElements) {
  const auto ended = ended_elements(
      "7_1|COMPLETED|0:0\n7_2|FAILED|3:0\n7_3|TIMEOUT|0:15\n7_4|CANCELLED by 1000|0:9\n7_5.batch|X|1:0\n");
  ASSERT_EQ(ended.size(), 4u);
  EXPECT_EQ(ended.at("7_1").exit_code, 0);
  EXPECT_EQ(ended.at("7_2").exit_code, 3);
  EXPECT_EQ(ended.at("7_2").fault, "");
  EXPECT_EQ(ended.at("7_3").exit_code, 143);
  EXPECT_EQ(ended.at("7_3").fault, "Slurm ended it: TIMEOUT");
  EXPECT_EQ(ended.at("7_4").fault, "Slurm ended it: CANCELLED");
}

TEST(JobScripts, AreFilledAndKeepVariablesOfTheShell) {
  const JobScript job{"app", 8, "/s/%A_%a.log", {"/s/a.sh", "/s/it's {b}.sh"}};
  const auto script =
      job_script("#SBATCH -a {array} -n {tasks} -J {name} -o {log}\nx=${name}\n{command}\n", job);
  ASSERT_TRUE(script);
  EXPECT_EQ(*script,
            "#SBATCH -a 1-2 -n 8 -J app -o /s/%A_%a.log\nx=${name}\ncase $SLURM_ARRAY_TASK_ID in\n"
            "  1) exec bash /s/a.sh ;;\n  2) exec bash '/s/it'\\''s {b}.sh' ;;\nesac\n");
  EXPECT_THAT(job_script("{command}", job).error().what, HasSubstr("has no {array}"));
  EXPECT_THAT(job_script("{array}", job).error().what, HasSubstr("has no {command}"));
  EXPECT_TRUE(job_script(usual_job_template(), job));
}

constexpr const char* kSbatch = R"(#!/bin/bash
[ "$1" = --parsable ] || exit 2
[ -e "$QUEUE/refuse" ] && { echo "sbatch: error: invalid account"; exit 1; }
number=$(( $(cat "$QUEUE/number" 2>/dev/null || echo 99) + 1 )); echo $number > "$QUEUE/number"
last=$(sed -n 's/^#SBATCH --array=1-//p' "$2")
for i in $(seq "$last"); do
  touch "$QUEUE/${number}_$i"
  [ -e "$QUEUE/hold" ] ||
    { SLURM_ARRAY_TASK_ID=$i bash "$2" > /dev/null 2>&1; rm "$QUEUE/${number}_$i"; } < /dev/null > /dev/null 2>&1 &
done
echo "$number;cluster"
)";
constexpr const char* kSqueue = R"(#!/bin/bash
cd "$QUEUE" && for each in *_*; do [ -e "$each" ] && echo "$each|RUNNING"; done; exit 0
)";
constexpr const char* kSacct = R"(#!/bin/bash
cat "$QUEUE/accounts" 2>/dev/null || exit 1
)";

class Queues : public testing::Test {
 protected:
  Queues() : root_(fs::temp_directory_path() / ("parcast-queue-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    for (const char* each : {"bin", "queue", "tasks"}) fs::create_directories(root_ / each);
    path_ = std::getenv("PATH");
    ::setenv("PATH", ((root_ / "bin").string() + ":" + path_).c_str(), 1);
    ::setenv("QUEUE", (root_ / "queue").c_str(), 1);
    program("sbatch", kSbatch), program("squeue", kSqueue), program("sacct", kSacct);
  }
  ~Queues() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(root_);
  }
  void program(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(root_ / "bin" / name, text));
    fs::permissions(root_ / "bin" / name, fs::perms::owner_all);
  }
  void put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(root_ / "queue" / name, text));
  }
  std::string number() { return std::string(trim(*read_file(root_ / "queue" / "number"))); }
  Task task(const std::string& name, const std::string& line, int processes = 1) {
    return {name, {"sh", "-c", line}, root_ / (name + ".log"), processes};
  }
  TaskScripts scripts() { return {root_ / "tasks", root_}; }
  SlurmRunner runner() { return {scripts(), usual_job_template(), "app"}; }

  fs::path root_;
  std::string path_;
};

TEST_F(Queues, RunAllTasksOfAnArrayAndReturnTheirCodes) {
  const auto ended = runner().run({task("a", "pwd"), task("b", "echo err >&2; exit 5", 4)}, {});
  ASSERT_TRUE(ended) << to_string(ended.error());
  ASSERT_EQ(ended->size(), 2u);
  EXPECT_EQ((*ended)[0].exit_code, 0);
  EXPECT_EQ((*ended)[1].exit_code, 5);
  EXPECT_EQ(*read_file(root_ / "a.log"), root_.string() + "\n");
  EXPECT_EQ(*read_file(root_ / "b.log"), "err\n");
  EXPECT_THAT(*read_file(root_ / "tasks" / "job.sh"), HasSubstr("#SBATCH --ntasks=4\n"));
  EXPECT_EQ(number(), "100");
}

TEST_F(Queues, TasksThatAreStillQueuedAreAwaitedAndTheOthersSubmitted) {
  put("100_1", "");
  put("number", "100\n");
  ASSERT_TRUE(write_file(root_ / "tasks" / "jobs.txt", "100_1 a\n100_2 b\n"));
  std::size_t calls = 0;
  const auto ended = runner().run({task("a", "exit 9"), task("b", "exit 4")}, [&](std::size_t) {
    if (++calls == 3) ASSERT_TRUE(write_file(root_ / "tasks" / "a.code", "0\n"));  // its job ends
  });
  ASSERT_TRUE(ended) << to_string(ended.error());
  EXPECT_EQ((*ended)[0].exit_code, 0);
  EXPECT_EQ((*ended)[1].exit_code, 4);
  EXPECT_FALSE(fs::exists(root_ / "tasks" / "a.sh"));
  EXPECT_EQ(*read_file(root_ / "tasks" / "jobs.txt"), "");
}

TEST_F(Queues, TasksThatSlurmEndedHaveItsReason) {
  put("hold", "");
  put("accounts", "100_1|TIMEOUT|0:15\n");
  std::size_t calls = 0;
  const auto ended = runner().run({task("a", "true"), task("b", "true")}, [&](std::size_t) {
    if (++calls != 2) return;
    for (const char* element : {"100_1", "100_2"}) fs::remove(root_ / "queue" / element);
  });
  ASSERT_TRUE(ended) << to_string(ended.error());
  EXPECT_EQ((*ended)[0].fault, "Slurm ended it: TIMEOUT");
  EXPECT_EQ((*ended)[0].exit_code, 143);
  EXPECT_EQ((*ended)[1].fault, "its job of Slurm ended without a reason");
}

TEST_F(Queues, RefusedJobsAreAnErrorWithSlurmsWords) {
  put("refuse", "");
  const auto ended = runner().run({task("a", "true")}, {});
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().what, HasSubstr("sbatch: error: invalid account"));
  fs::remove(root_ / "bin" / "sbatch");
  ::setenv("PATH", (root_ / "bin").c_str(), 1);
  EXPECT_THAT(runner().run({task("a", "true")}, {}).error().hint, HasSubstr("login node"));
}

// As `parallel --will-cite --jobs N --arg-file FILE bash`.
constexpr const char* kParallel = R"(#!/bin/bash
echo "$*" > "$QUEUE/parallel"
while read -r script; do bash "$script" & done < "$5"; wait
)";

TEST_F(Queues, GnuParallelGetsAsManyJobsAsTheLargestRunLeavesCores) {
  program("parallel", kParallel);
  ParallelRunner runner(scripts(), 8);
  const auto ended = runner.run({task("a", "exit 3", 1), task("b", "echo hi", 4)}, {});
  ASSERT_TRUE(ended) << to_string(ended.error());
  EXPECT_EQ((*ended)[0].exit_code, 3);
  EXPECT_EQ((*ended)[1].exit_code, 0);
  EXPECT_EQ(*read_file(root_ / "b.log"), "hi\n");
  EXPECT_THAT(*read_file(root_ / "queue" / "parallel"), HasSubstr("--will-cite --jobs 2 --arg-file "));
}

TEST_F(Queues, ATaskThatGnuParallelDidNotEndIsAFault) {
  program("parallel", "#!/bin/bash\nbash \"$(head -n 1 \"$5\")\"\n");
  ParallelRunner runner(scripts(), 1);
  const auto ended = runner.run({task("a", "true"), task("b", "true")}, {});
  ASSERT_TRUE(ended);
  EXPECT_EQ((*ended)[0].exit_code, 0);
  EXPECT_EQ((*ended)[1].fault, "GNU parallel did not end it");
  program("parallel", "#!/bin/bash\necho 'parallel: unknown option'; exit 2\n");
  EXPECT_THAT(runner.run({task("a", "true")}, {}).error().hint, HasSubstr("unknown option"));
}

}  // namespace
}  // namespace parcast::study
