// SPDX-License-Identifier: Apache-2.0
#include "cli/report_inputs.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Excerpts : public testing::Test {
 protected:
  Excerpts() {
    std::string name = (fs::temp_directory_path() / "excerptsXXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::create_directory(folder_ / "src");
    write("src/a.c", "one\ntwo\nthree\n");
    write("outside.c", "secret\n");
    write("src/notes.txt", "secret\n");
    fs::create_symlink("../outside.c", folder_ / "src" / "link.c");
  }
  ~Excerpts() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
  }
  std::optional<report::html::Excerpt> of(const std::string& place) const {
    return excerpt(place, {(folder_ / "src").string()});
  }

  fs::path folder_;
};

TEST_F(Excerpts, AreTheLinesAroundAPlace) {
  const auto found = of("a.c:2-3");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->lines, ElementsAre("one", "two", "three", ""));
  EXPECT_EQ(found->first, 1);
  EXPECT_EQ(found->marked, 2);
  EXPECT_EQ(found->last_marked, 3);
}

TEST_F(Excerpts, AFileIsFoundByItsNameAlone) {
  EXPECT_TRUE(of("/build/elsewhere/a.c:1"));
}

TEST_F(Excerpts, OfAStretchTheSecondPlaceStandsInForTheFirst) {
  const auto found = of("missing.h:65 - a.c:3");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->marked, 3);
}

TEST_F(Excerpts, ComeOnlyFromSourceFilesInTheFolder) {
  for (const char* place :
       {"../outside.c:1", "link.c:1", "notes.txt:1", "/etc/passwd:1", "a.c:9", "a.c", "a.c:0", "a.c:x", ""})
    EXPECT_FALSE(of(place)) << place;
}

Invocation with(const std::vector<Invocation::Given>& given) {
  return {given, {"m"}, {}};
}

TEST(ChartedProcesses, ArePowersOfTwoWithTheAskedAndRecordedCounts) {
  program::Model model;
  model.processes = {3};
  EXPECT_THAT(charted_processes(with({}), model, 6).value(), ElementsAre(1, 2, 3, 4, 6, 8, 16));
  EXPECT_THAT(charted_processes(with({{"--vary", "p=2,10"}}), model, 6).value(), ElementsAre(2, 6, 10));
  EXPECT_FALSE(charted_processes(with({{"--vary", "N=2,10"}}), model, 6));
  model.written_in = "a.program", model.processes = {1, 2147483647};
  EXPECT_THAT(charted_processes(with({}), model, 2).value(), ElementsAre(1, 2, 4, 8));
}

TEST(MeasuredRuns, AreThoseAtTheParametersOfTheQuestion) {
  program::Model model;
  model.sources = {{"a", {{"n", 10}}, 2, 1.5}, {"b", {{"n", 20}}, 2, 3}, {"c", {{"n", 10}}, 4, 0.8}};
  model.sources[2].damaged = true;
  const auto runs = measured_runs(with({}), model, {{{"n", 10}}, 8}).value().runs;
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].seconds, 1.5);
  EXPECT_TRUE(runs[0].recorded);
}

TEST(MeasuredRuns, OthersAreCounted) {
  const std::string file = testing::TempDir() + "runs.csv";
  std::ofstream(file) << "p,n,seconds\n2,10,1.2\n4,20,0.7\n8,20,0.4\n";
  program::Model model;
  model.parameters = {{"n", {10}}};
  const auto measured = measured_runs(with({{"--against", file}}), model, {{{"n", 10}}, 8}).value();
  ASSERT_EQ(measured.runs.size(), 1u);
  EXPECT_EQ(measured.runs[0].seconds, 1.2);
  EXPECT_FALSE(measured.runs[0].recorded);
  EXPECT_EQ(measured.elsewhere, 2u);
}

}  // namespace
}  // namespace parcast::cli
