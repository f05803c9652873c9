// SPDX-License-Identifier: Apache-2.0
// Ranks that write on their own node, and the library that gathers their files when any program loads it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "launch.h"
#include "recording/container.h"
#include "recording/containers.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

class LocalRun : public testing::Test {
 protected:
  LocalRun() {
    fs::create_directory(local_);
    fs::create_directory(run_);
  }
  std::string variables() const { return "PARCAST_LOCAL=" + local_.string(); }
  /// Records a run of two processes that write locally.
  void record() {
    ASSERT_EQ(run_recorded(scratch_, {2, program("endings") + " return", variables()}).exit_code, 0);
  }
  /// Runs /bin/echo with the library loaded, and `before` loaded before it.
  Outcome gather(const std::string& before = "", const std::string& variables = "") {
    return shell(scratch_, variables + " LD_PRELOAD=" + before + PARCAST_RECORDER " PARCAST_GATHER=" +
                               run_.string() + " PARCAST_LOCAL=" + local_.string() + " /bin/echo said");
  }
  std::set<std::string> names_in(const fs::path& folder, bool of_ranks = false) const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (!of_ranks || entry.path().extension() == ".rec") names.insert(entry.path().filename());
    return names;
  }

  /// Returns the ranks whose complete files are in one of the two folders.
  std::set<std::int32_t> ranks_anywhere() const {
    std::set<std::int32_t> ranks;
    for (const std::string& name : names_in(local_, true)) ranks.insert(std::stoi(name.substr(5)));
    std::vector<Loss> losses;
    const auto places = rank_places(run_, losses);
    EXPECT_TRUE(losses.empty());
    if (places)
      for (const auto& place : places->ranks) ranks.insert(place.first);
    return ranks;
  }

  Scratch scratch_;
  fs::path local_ = scratch_ / "node", run_ = scratch_ / "run";
};

TEST_F(LocalRun, WritesNothingToTheSharedFolder) {
  record();
  EXPECT_FALSE(fs::exists(run_)) << "run_recorded removes it, and nobody makes it again";
  EXPECT_EQ(names_in(local_, true), (std::set<std::string>{"rank-0.rec", "rank-1.rec"}));
}

TEST_F(LocalRun, IsGatheredByTheLibraryInAnyProgram) {
  record();
  fs::create_directory(run_);
  const Outcome outcome = gather();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "said\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(fs::is_empty(local_));
  const auto recording = read_recording(run_);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty());
  EXPECT_EQ(names_in(run_, true), std::set<std::string>{});
}

TEST_F(LocalRun, GoesToTheSharedFolderWhereTheNodesOwnIsOfNoUse) {
  for (const std::string folder : {"/proc/nowhere", "/dev/null", "relative"}) {
    ASSERT_EQ(
        run_recorded(scratch_, {2, program("endings") + " return", "PARCAST_LOCAL=" + folder}).exit_code, 0);
    EXPECT_TRUE(fs::exists(run_ / "rank-1.rec")) << folder;
  }
}

TEST_F(LocalRun, IsNotMadeAFolderForByTheLibrary) {
  record();
  gather();  // a node that does not see the recording's folder must not create one
  EXPECT_FALSE(fs::exists(run_));
  EXPECT_EQ(names_in(local_, true).size(), 2u);
}

TEST_F(LocalRun, IsGatheredWhereThereAreNoHardLinks) {
  record();
  fs::create_directory(run_);
  gather(PARCAST_FAILING ":", "FAIL=linkat:1");
  EXPECT_TRUE(fs::is_empty(local_));
  EXPECT_EQ(read_recording(run_)->processes, 2);
}

/// One call of the library to the C library fails during gathering, each in turn. The host does not notice,
/// no rank is lost, and the next gathering completes the work.
class GatherCall : public LocalRun, public testing::WithParamInterface<const char*> {};

TEST_P(GatherCall, ThatFailsLosesNothing) {
  record();
  fs::copy(local_, scratch_ / "kept", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  for (int n = 1; n <= 12; ++n) {
    for (const fs::path& folder : {local_, run_}) fs::remove_all(folder);
    fs::create_directory(run_);
    fs::copy(scratch_ / "kept", local_, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    const std::string failing = std::string(GetParam()) + ":" + std::to_string(n);
    const Outcome outcome = gather(PARCAST_FAILING ":", "FAIL=" + failing);
    EXPECT_EQ(outcome.exit_code, 0) << failing;
    EXPECT_EQ(outcome.output, "said\n") << failing;
    EXPECT_EQ(ranks_anywhere(), (std::set<std::int32_t>{0, 1})) << failing;
    gather();
    EXPECT_TRUE(fs::is_empty(local_)) << failing;
    const auto recording = read_recording(run_);
    ASSERT_TRUE(recording) << failing << to_string(recording.error());
    EXPECT_TRUE(recording->losses.empty()) << failing << recording->losses.front().what;
    for (const std::string& name : names_in(run_))
      EXPECT_TRUE(name == PARCAST_WORLD_LINK || name.starts_with("node-")) << failing << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GatherCall,
                         testing::Values("open", "openat", "mmap", "fstat", "pread", "pwrite", "fsync",
                                         "linkat", "unlinkat", "symlinkat", "readlinkat", "flock", "rmdir",
                                         "close"));

/// Returns the versions of the C library's symbols that our library needs: "GLIBC_2.14".
std::vector<int> glibc_versions(const Scratch& scratch) {
  std::vector<int> minors;
  std::istringstream words(
      shell(scratch, "objdump -T " PARCAST_RECORDER " | grep -o 'GLIBC_2[.][0-9]*' | sort -u").output);
  for (std::string word; words >> word;) minors.push_back(std::stoi(word.substr(8)));
  return minors;
}

TEST(Library, NeedsNoNewerLibcThanIsSaid) {
  const Scratch scratch;
  const auto minors = glibc_versions(scratch);
  ASSERT_FALSE(minors.empty());
  EXPECT_LE(*std::max_element(minors.begin(), minors.end()), 34) << "docs/formats/recording.md says 2.34";
}

TEST(Library, NamesNoPlace) {
  const Scratch scratch;
  const Outcome dynamic = shell(scratch, "readelf -d " PARCAST_RECORDER);
  for (const char* tag : {"RPATH", "RUNPATH", "TEXTREL"})
    EXPECT_EQ(dynamic.output.find(tag), std::string::npos) << tag;
}

TEST(Library, WorksWhereverItIsCopied) {
  const Scratch scratch;
  fs::copy(PARCAST_RECORDER, scratch / "elsewhere.so");
  const Outcome outcome =
      shell(scratch, own_session(scratch) + "LD_PRELOAD=" + (scratch / "elsewhere.so").string() +
                         " PARCAST_OUT=" + (scratch / "run").string() + " " + mpirun(2) + program("endings") +
                         " return");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_EQ(recording->processes, 2);
  EXPECT_TRUE(recording->losses.empty());
}

}  // namespace
}  // namespace parcast::record_tests
