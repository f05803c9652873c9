// SPDX-License-Identifier: Apache-2.0
// Folders and runs, with a runner that records nothing.
#include "study/measure.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/files.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

/// Ends with the exit codes it is given, and remembers the commands.
class FakeRunner : public Runner {
 public:
  Result<std::vector<Ended>> run(const std::vector<Task>& tasks, const WaitForTasks&) override {
    for (const Task& task : tasks) {
      const auto dashes = std::ranges::find(task.words, "--");
      commands.emplace_back(dashes + 1, task.words.end());
      const auto input = read_file(task.words.back());
      inputs.push_back(input ? *input : "");
      EXPECT_TRUE(write_file(task.log, "one\ntwo\n"));
    }
    return std::vector<Ended>(tasks.size(), ended);
  }
  bool takes_many() const override { return is_many; }
  Ended ended;
  bool is_many = false;
  std::vector<std::vector<std::string>> commands;
  std::vector<std::string> inputs;
};

class Studies : public testing::Test {
 protected:
  Studies() : path_(fs::temp_directory_path() / ("parcast-study-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
  }
  ~Studies() override { fs::remove_all(path_); }
  fs::path path_;
};

TEST_F(Studies, FoldersAreMadeAndOpenedAgain) {
  { ASSERT_TRUE(Folder::open(path_)); }
  ASSERT_TRUE(write_file(path_ / "study.toml", "x"));
  EXPECT_TRUE(is_study(path_));
  EXPECT_TRUE(Folder::open(path_));
}

TEST_F(Studies, FoldersOfSomethingElseStayAsTheyAre) {
  fs::create_directories(path_);
  ASSERT_TRUE(write_file(path_ / "thesis.txt", "years of work"));
  const auto folder = Folder::open(path_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().what, "it exists and is no study");
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), fs::directory_iterator()), 1);
}

TEST_F(Studies, WhatAKilledStudyLeftHalfWrittenIsRemoved) {
  { ASSERT_TRUE(Folder::open(path_)); }
  for (const char* name :
       {"journal.json.a1B2c3", "inputs/in.txt.a1B2c3", "inputs/in.txt", "notes.txt", "journal.json"})
    ASSERT_TRUE(write_file(path_ / name, "x"));
  fs::create_directories(path_ / "runs" / ".p2.recording.XyZ123");
  fs::create_directories(path_ / "runs" / "p2.recording");
  ASSERT_TRUE(Folder::open(path_));
  EXPECT_FALSE(fs::exists(path_ / "journal.json.a1B2c3"));
  EXPECT_FALSE(fs::exists(path_ / "inputs" / "in.txt.a1B2c3"));
  EXPECT_FALSE(fs::exists(path_ / "runs" / ".p2.recording.XyZ123"));
  for (const char* name : {"notes.txt", "inputs/in.txt", "journal.json", "runs/p2.recording"})
    EXPECT_TRUE(fs::exists(path_ / name)) << name;
}

TEST_F(Studies, ResetRemovesResultsAndNothingElse) {
  const auto folder = Folder::open(path_);
  ASSERT_TRUE(folder);
  for (const char* name : {"study.toml", "journal.json", "app.model.json", "runs/x", "notes.txt"})
    ASSERT_TRUE(write_file(path_ / name, "x"));
  ASSERT_TRUE(folder->reset());
  for (const char* name : {"study.toml", "notes.txt", "runs"}) EXPECT_TRUE(fs::exists(path_ / name)) << name;
  for (const char* name : {"journal.json", "app.model.json", "runs/x"})
    EXPECT_FALSE(fs::exists(path_ / name)) << name;
}

TEST_F(Studies, FailedRunsAreEnteredWithTheirReasonAndMadeAgain) {
  const auto folder = Folder::open(path_);
  ASSERT_TRUE(folder);
  Description description;
  description.launch = {"app", "{p}", "in.txt"};
  description.templates = {"in.txt"};
  const std::vector<Template> templates{{"in.txt", "size {N}"}};
  const std::map<std::string, std::string> host{{"host", "h"}};
  FakeRunner runner;
  runner.ended.exit_code = 7;
  Journal journal;
  Measuring measuring(description, templates, *folder, host, "parcast", runner, journal);
  const Wanted wanted{RunKind::design, {{"p", 2}, {"N", 5}}};
  EXPECT_FALSE(*measuring.finished(wanted));
  const auto run = measuring.make(wanted, {});
  ASSERT_TRUE(run && *run);
  EXPECT_FALSE((*run)->is_done);
  EXPECT_EQ((*run)->fault, "nothing was recorded; the exit code is 7");
  EXPECT_NE((*run)->hint.find("it printed one | two"), std::string::npos) << (*run)->hint;
  EXPECT_EQ(runner.commands,
            (std::vector<std::vector<std::string>>{{"app", "2", (path_ / "inputs" / "in.txt").string()}}));
  EXPECT_EQ(runner.inputs, std::vector<std::string>{"size 5"});
  EXPECT_EQ(*read_journal(path_), journal);
  EXPECT_FALSE(*measuring.finished(wanted));
  EXPECT_TRUE(measuring.that_count()->empty());
}

TEST_F(Studies, RunsAtOnceHaveInputsOfTheirOwn) {
  const auto folder = Folder::open(path_);
  ASSERT_TRUE(folder);
  Description description;
  description.launch = {"app", "{p}", "in.txt"};
  description.templates = {"in.txt"};
  const std::vector<Template> templates{{"in.txt", "size {N}"}};
  FakeRunner runner;
  runner.is_many = true;
  runner.ended.fault = "Slurm ended it: TIMEOUT";
  Journal journal;
  const std::map<std::string, std::string> host;
  Measuring measuring(description, templates, *folder, host, "parcast", runner, journal);
  const auto runs = measuring.make_all(
      {{RunKind::design, {{"p", 2}, {"N", 5}}}, {RunKind::design, {{"p", 2}, {"N", 6}}}}, {});
  ASSERT_TRUE(runs && *runs);
  EXPECT_EQ(runner.inputs, (std::vector<std::string>{"size 5", "size 6"}));
  EXPECT_NE(runner.commands[0].back(), runner.commands[1].back());
  EXPECT_EQ((*runs)->front().fault, "Slurm ended it: TIMEOUT");
  EXPECT_EQ(journal.runs.size(), 2u);
}

TEST_F(Studies, RunsThatASignalEndedAreNotEntered) {
  const auto folder = Folder::open(path_);
  ASSERT_TRUE(folder);
  Description description;
  description.launch = {"app", "{p}"};
  FakeRunner runner;
  runner.ended = {130, SIGINT, ""};
  Journal journal;
  const std::map<std::string, std::string> host;
  const std::vector<Template> templates;
  Measuring measuring(description, templates, *folder, host, "parcast", runner, journal);
  const auto run = measuring.make({RunKind::design, {{"p", 2}}}, {});
  ASSERT_TRUE(run);
  EXPECT_FALSE(*run);
  EXPECT_TRUE(journal.runs.empty());
}

TEST_F(Studies, CommandsEndWithTheirExitCodeAndTheirOutputIsKept) {
  const auto folder = Folder::open(path_);
  const auto ended = run_child({"sh", "-c", "echo out; echo err >&2; cat; exit 5"}, folder->log("x"), {});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 5);
  EXPECT_EQ(*read_file(folder->log("x")), "out\nerr\n");
  EXPECT_EQ(run_child({"sh", "-c", "kill -9 $$"}, folder->log("x"), {})->exit_code, 137);
  EXPECT_FALSE(run_child({"/no/such/program"}, folder->log("x"), {}));
  EXPECT_FALSE(run_child({"true"}, path_ / "no" / "such" / "log", {}));
}

TEST_F(Studies, CommandsDieWithTheProcessThatStartedThem) {
  const auto folder = Folder::open(path_);
  const pid_t study = ::fork();
  if (study == 0) {
    static_cast<void>(run_child({"sh", "-c", "echo $$; exec sleep 60"}, folder->log("x"), {}));
    ::_exit(0);
  }
  std::string number;
  for (int i = 0; i < 400 && number.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (const auto text = read_file(folder->log("x")); text && text->ends_with('\n')) number = *text;
  }
  ASSERT_FALSE(number.empty());
  ::kill(study, SIGKILL);
  ::waitpid(study, nullptr, 0);
  const pid_t command = std::stoi(number);
  for (int i = 0;
       i < 400 && ::kill(command, 0) == 0 && fs::exists("/proc/" + std::to_string(command) + "/exe"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(fs::exists("/proc/" + std::to_string(command) + "/exe"));
}

}  // namespace
}  // namespace parcast::study
