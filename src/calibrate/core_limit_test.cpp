// SPDX-License-Identifier: Apache-2.0
#include "calibrate/core_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;

class ControlGroups : public ::testing::Test {
 protected:
  ControlGroups() : root_(fs::path(::testing::TempDir()) / ("control_groups." + std::to_string(getpid()))) {
    fs::remove_all(root_);
  }
  ~ControlGroups() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  const fs::path root_;
};

TEST_F(ControlGroups, OfVersion2MayHaveAQuotaInAnyGroupAround) {
  write("jobs/one/cpu.max", "max 100000\n");
  EXPECT_FALSE(has_quota("0::/jobs/one\n", root_));
  write("jobs/cpu.max", "50000 100000\n");
  EXPECT_TRUE(has_quota("0::/jobs/one\n", root_));
  EXPECT_FALSE(has_quota("0::/others\n", root_));
}

// A container has its own root.
TEST_F(ControlGroups, TheRootOfAContainerHasItsQuota) {
  write("cpu.max", "200000 100000\n");
  EXPECT_TRUE(has_quota("0::/\n", root_));
}

TEST_F(ControlGroups, OfVersion1AreByController) {
  write("cpu/node/cpu.cfs_quota_us", "-1\n");
  write("memory/node/cpu.cfs_quota_us", "5000\n");
  const std::string groups = "9:memory:/node\n4:cpu:/node\n1:name=systemd:/\n";
  EXPECT_FALSE(has_quota(groups, root_));
  write("cpu/node/cpu.cfs_quota_us", "5000\n");
  EXPECT_TRUE(has_quota(groups, root_));
  write("cpu,cpuacct/both/cpu.cfs_quota_us", "5000\n");
  EXPECT_TRUE(has_quota("4:cpu,cpuacct:/both\n", root_));
}

TEST_F(ControlGroups, WithoutFilesThereIsNoQuota) {
  EXPECT_FALSE(has_quota("", root_));
  EXPECT_FALSE(has_quota("not such a line\n0::/gone\n", root_));
}

}  // namespace
}  // namespace parcast::calibrate
