// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace parcast {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("parcast-files-" + std::to_string(::getpid()));
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(write_file(folder_ / "x", content));
  EXPECT_EQ(read_file(folder_ / "x").value(), content);
}

TEST_F(Files, IsReadPieceByPiece) {
  ASSERT_TRUE(write_file(folder_ / "x", "abcdefg"));
  Result<InputFile> file = InputFile::open(folder_ / "x");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 7u);
  std::string piece(3, '\0');
  EXPECT_EQ(file->read(piece.data(), 3).value(), 3u);
  EXPECT_EQ(piece, "abc");
  EXPECT_EQ(file->read(piece.data(), 3).value(), 3u);
  EXPECT_EQ(file->read(piece.data(), 3).value(), 1u);
  EXPECT_EQ(piece, "gef");
  EXPECT_EQ(file->read(piece.data(), 3).value(), 0u);
  EXPECT_FALSE(InputFile::open("/dev/null")->size());
  EXPECT_FALSE(InputFile::open(folder_)->read(piece.data(), 3)) << "a folder";
}

TEST_F(Files, AMissingFileIsNamed) {
  const auto missing = read_file(folder_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, (folder_ / "none").string());
  EXPECT_EQ(missing.error().hint, "check the path");
}

TEST_F(Files, AWriteThatFailsLeavesTheOldFileAndNoTemporary) {
  ASSERT_TRUE(write_file(folder_ / "x", "old"));
  // The child's files are limited to 1,000 bytes, so that the write fails half way.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(write_file(folder_ / "x", std::string(5000, 'n')) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder_ / "x").value(), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// Test vectors of FIPS 180-2.
TEST(Digest, IsSha256) {
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace parcast
