// SPDX-License-Identifier: Apache-2.0
#include "study/task_scripts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

class Scripts : public testing::Test {
 protected:
  Scripts() : root_(fs::temp_directory_path() / ("parcast-scripts it's-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_ / "work");
  }
  ~Scripts() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(Scripts, RunInTheirFolderAndLeaveTheirCode) {
  const TaskScripts scripts(root_ / "tasks", root_ / "work");
  const auto script =
      scripts.write({"a", {"sh", "-c", "pwd; echo \"$0\"; exit 7", "it's $HOME"}, root_ / "a.log", 1});
  ASSERT_TRUE(script) << to_string(script.error());
  EXPECT_FALSE(scripts.code("a"));
  EXPECT_EQ(run_child({"bash", script->string()}, root_ / "out", {})->exit_code, 7);
  EXPECT_EQ(scripts.code("a"), 7);
  EXPECT_EQ(*read_file(root_ / "a.log"), (root_ / "work").string() + "\nit's $HOME\n");
}

TEST_F(Scripts, WrittenAnewHaveNoCode) {
  const TaskScripts scripts(root_ / "tasks", root_ / "work");
  ASSERT_TRUE(scripts.write({"a", {"true"}, root_ / "a.log", 1}));
  ASSERT_TRUE(write_file(root_ / "tasks" / "a.code", "0\n"));
  EXPECT_EQ(scripts.code("a"), 0);
  ASSERT_TRUE(scripts.write({"a", {"true"}, root_ / "a.log", 1}));
  EXPECT_FALSE(scripts.code("a"));
  ASSERT_TRUE(write_file(root_ / "tasks" / "a.code", "what\n"));
  EXPECT_FALSE(scripts.code("a"));
}

}  // namespace
}  // namespace parcast::study
