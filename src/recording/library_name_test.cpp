// SPDX-License-Identifier: Apache-2.0
#include "recording/library_name.h"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string shortened(const std::string& text) {
  char name[128];
  parcast_library_name(name, text.c_str());
  return name;
}

TEST(LibraryName, IsTheFirstLineUpToACommaWithSingleSpaces) {
  EXPECT_EQ(
      shortened("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"),
      "Open MPI v4.1.4");
  EXPECT_EQ(shortened("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"),
            "MPICH Version: 4.0.2");
  EXPECT_EQ(shortened("MPICH Version:      4.2.1\nMPICH ABI:          16:1:4\n"), "MPICH Version: 4.2.1");
  EXPECT_EQ(shortened(" \t a library \t\n"), "a library");
  EXPECT_EQ(shortened(""), "");
  EXPECT_EQ(shortened(", of nobody"), "");
}

TEST(LibraryName, FitsTheHeaderOfAFile) {
  EXPECT_EQ(shortened(std::string(126, 'a')), std::string(126, 'a'));
  EXPECT_EQ(shortened(std::string(300, 'a')), std::string(127, 'a'));
}

}  // namespace
