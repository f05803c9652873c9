// SPDX-License-Identifier: Apache-2.0
#include "cli/record_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "recording/containers.h"
#include "recording/recording_file.h"
#include "recording/sample_rank.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

class RecordFolder : public testing::Test {
 protected:
  RecordFolder() {
    std::string name = (fs::temp_directory_path() / "parcast-folder-XXXXXX").string();
    here_ = ::mkdtemp(name.data());
  }
  ~RecordFolder() override {
    std::error_code ignored;
    fs::remove_all(here_, ignored);
  }

  fs::path folder_with_a_rank(const std::string& name) const {
    fs::create_directory(here_ / name);
    std::ofstream(here_ / name / "rank-0.rec") << name;
    return here_ / name;
  }

  fs::path here_;
};

TEST_F(RecordFolder, WhatAnEndedRecordLeftIsFoundAndWhatARunningOneUsesIsNot) {
  RecordRequest request;
  request.output = here_ / "heat.recording";
  const auto running = working_folder(request), other = working_folder(request);
  ASSERT_TRUE(running) << running.error().what;
  ASSERT_TRUE(other) << other.error().what;
  folder_with_a_rank(".heat.recording.a1B2c3");
  folder_with_a_rank(".wave.recording.d4E5f6");
  folder_with_a_rank(".config.abcdef");
  folder_with_a_rank("heat-1.recording");
  EXPECT_EQ(abandoned_folders(*running),
            (std::vector<fs::path>{here_ / ".heat.recording.a1B2c3", here_ / ".wave.recording.d4E5f6"}));
}

TEST_F(RecordFolder, HasThePermissionsThatTheUmaskLeaves) {
  RecordRequest request;
  request.output = here_ / "heat.recording";
  for (const mode_t mask : {0077, 0022, 0007}) {
    const mode_t before = ::umask(mask);
    const auto folder = working_folder(request);
    ::umask(before);
    ASSERT_TRUE(folder) << folder.error().what;
    EXPECT_EQ(static_cast<mode_t>(fs::status(*folder).permissions()), 0777 & ~mask);
  }
}

TEST_F(RecordFolder, TheFirstFreeNumberIsTaken) {
  folder_with_a_rank("heat-1.recording");
  std::ofstream(here_ / "heat-2.recording") << "a file";
  fs::create_directory(here_ / "heat-3.recording");
  fs::create_symlink("nowhere", here_ / "heat-4.recording");
  const auto taken = take_free_name(folder_with_a_rank("mine"), here_, "heat");
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_EQ(*taken, here_ / "heat-5.recording");
  EXPECT_TRUE(fs::exists(*taken / "rank-0.rec"));
}

TEST_F(RecordFolder, RunsThatEndTogetherGetANumberEach) {
  constexpr int kRuns = 16;
  std::vector<fs::path> folders, names(kRuns);
  for (int i = 0; i < kRuns; ++i) folders.push_back(folder_with_a_rank("run" + std::to_string(i)));
  std::vector<std::thread> runs;
  for (std::size_t i = 0; i < kRuns; ++i)
    runs.emplace_back([&, i] {
      if (const auto name = take_free_name(folders[i], here_, "heat")) names[i] = *name;
    });
  for (std::thread& run : runs) run.join();
  std::set<fs::path> distinct;
  for (int i = 0; i < kRuns; ++i) {
    const auto name = names[static_cast<std::size_t>(i)];
    std::ifstream file(name / "rank-0.rec");
    std::string content;
    file >> content;
    EXPECT_EQ(content, "run" + std::to_string(i)) << name;
    distinct.insert(name.filename());
  }
  EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kRuns));
  EXPECT_TRUE(distinct.contains("heat-1.recording") && distinct.contains("heat-16.recording"));
}

TEST_F(RecordFolder, AFolderThatCannotBeRenamedIsAnError) {
  const auto taken = take_free_name(here_ / "missing", here_, "heat");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().where, (here_ / "heat-1.recording").string());
}

TEST_F(RecordFolder, AnOutputThatExistsIsRefusedBeforeAndKeptAfterwards) {
  const RecordRequest request{.program = "heat", .output = here_ / "out.recording"};
  const auto folder = working_folder(request);
  ASSERT_TRUE(folder) << folder.error().what;
  EXPECT_EQ(folder->parent_path(), here_);
  EXPECT_EQ(folder->filename().string().find(".out.recording."), 0u);
  std::ofstream(*folder / "rank-0.rec") << "mine";
  folder_with_a_rank("out.recording");
  EXPECT_FALSE(working_folder(request));
  const auto taken = take_name(*folder, request);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().hint, "it lies in " + folder->string());
}

TEST_F(RecordFolder, KnowsWhetherRanksWroteAndCould) {
  EXPECT_FALSE(recording::holds_ranks(here_));
  EXPECT_FALSE(room_for_a_rank(here_));
  EXPECT_TRUE(fs::is_empty(here_));
  EXPECT_TRUE(recording::holds_ranks(folder_with_a_rank("mine")));
  EXPECT_EQ(room_for_a_rank(here_ / "missing"), std::errc::no_such_file_or_directory);
}

TEST_F(RecordFolder, WorldsGetNumbersAndTheMarkThatToldThemApartGoes) {
  const fs::path folder = folder_with_a_rank("heat-1.recording");
  fs::create_symlink("5", folder / ".world");
  for (const char* world : {"world-77", "world-2", "world-1"})
    folder_with_a_rank("heat-1.recording/" + std::string(world));
  std::ofstream(folder / "world-9") << "no folder";
  number_worlds(folder);
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / ".world")));
  const auto content = [&](const char* world) {
    std::ifstream file(folder / world / "rank-0.rec");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(content("world-1"), "heat-1.recording/world-1");
  EXPECT_EQ(content("world-2"), "heat-1.recording/world-2");
  EXPECT_EQ(content("world-3"), "heat-1.recording/world-77");
  EXPECT_FALSE(fs::exists(folder / "world-77"));
  EXPECT_TRUE(fs::is_regular_file(folder / "world-9"));
}

/// Writes a rank file with the start time of its process.
void write_rank(const fs::path& folder, std::uint64_t started) {
  recording::SampleRank rank(folder / "rank-0.rec", 0, 1);
  rank.writer.header->started = started;
  parcast_writer_seal_header(&rank.writer);
}

TEST_F(RecordFolder, TheWorldThatBeganFirstHasTheFolderWhoeverCameFirst) {
  fs::create_directories(here_ / "w.recording/world-5");
  fs::create_directory(here_ / "w.recording/world-7");
  write_rank(here_ / "w.recording", 20);
  write_rank(here_ / "w.recording/world-5", 10);
  write_rank(here_ / "w.recording/world-7", 30);
  number_worlds(here_ / "w.recording");
  const auto started = [&](const std::string& world) {
    std::ifstream file(here_ / "w.recording" / world / "rank-0.rec", std::ios::binary);
    parcast_header header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    return header.started;
  };
  EXPECT_EQ(started(""), 10u);
  EXPECT_EQ(started("world-1") + started("world-2"), 50u);
  EXPECT_EQ(recording::worlds_in(here_ / "w.recording").size(), 2u);
}

}  // namespace
}  // namespace parcast::cli
