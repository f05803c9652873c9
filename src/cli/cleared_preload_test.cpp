// SPDX-License-Identifier: Apache-2.0
#include "cli/cleared_preload.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

std::string found(const std::vector<std::string>& launch) {
  const auto cleared = what_clears_preload(launch);
  return cleared ? cleared->text : "";
}

TEST(ClearedPreload, ByEnvAndCommandsThatPassNothingOn) {
  EXPECT_EQ(found({"mpirun", "-n", "2", "env", "-i", "./app"}), "env -i clears LD_PRELOAD");
  EXPECT_EQ(found({"mpirun", "/usr/bin/env", "A=1", "-u", "LD_PRELOAD", "./app"}),
            "env -u LD_PRELOAD clears it");
  EXPECT_EQ(found({"env", "--unset=LD_PRELOAD", "./app"}), "env -u LD_PRELOAD clears it");
  EXPECT_EQ(found({"env", "LD_PRELOAD=/x.so", "./app"}), "env LD_PRELOAD=/x.so replaces it");
  EXPECT_EQ(found({"/usr/bin/sudo", "mpirun", "./app"}), "sudo does not pass LD_PRELOAD on");
  EXPECT_EQ(found({"env", "-u", "HOME", "A=1", "./app", "-i"}), "");
  EXPECT_EQ(found({"mpirun", "-n", "2", "./app", "-i", "LD_PRELOAD=x"}), "");
}

/// A temporary folder with an executable file.
class AScript : public testing::Test {
 protected:
  AScript() {
    std::string name = (fs::temp_directory_path() / "parcast-cleared-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AScript() override { fs::remove_all(folder_); }

  std::string written(const std::string& text, fs::perms more = fs::perms::none) {
    std::ofstream(folder_ / "run.sh") << text;
    fs::permissions(folder_ / "run.sh", fs::perms::owner_all | more);
    return (folder_ / "run.sh").string();
  }

  fs::path folder_;
};

TEST_F(AScript, ThatClearsItIsNamedWithItsLine) {
  const std::string script = written("#!/bin/sh\n# LD_PRELOAD\n  unset LD_PRELOAD\nexec ./app\n");
  EXPECT_EQ(found({"mpirun", "bash", script}), script + ", line 3, changes LD_PRELOAD: unset LD_PRELOAD");
  EXPECT_THAT(found({"python3", written("import os\nos.environ.pop('LD_PRELOAD')\n")}), HasSubstr("line 2"));
  EXPECT_THAT(found({"sh", "-c", "unset LD_PRELOAD; ./app"}), StartsWith("the text after -c, line 1"));
}

TEST_F(AScript, ThatKeepsItIsNotNamed) {
  EXPECT_EQ(found({"sh", written("export LD_PRELOAD=/x.so:$LD_PRELOAD\n./app\n")}), "");
  EXPECT_EQ(found({"sh", written("./app\n")}), "");
}

TEST_F(AScript, ASetUidWrapperIsNamed) {
  const std::string wrapper = written("", fs::perms::set_uid);
  const auto cleared = what_clears_preload({"mpirun", wrapper, "./app"});
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->text, wrapper + " is set-uid or set-gid, and the loader drops LD_PRELOAD there");
}

}  // namespace
}  // namespace parcast::cli
