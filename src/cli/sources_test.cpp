// SPDX-License-Identifier: Apache-2.0
#include "cli/sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

program::Model model() {
  program::Model out;
  out.structure.emplace();
  out.structure->places = {{"main", "main", "/home/me/app/swe.c", 12, "MPI_Send"},
                           {"main", "main", "/home/me/app/util.c", 3, "MPI_Recv"},
                           {"main", "main", "/home/me/lib/util.c", 4, "MPI_Recv"}};
  return out;
}

TEST(Sources, HaveTheFullPathOfTheOnlyFileOfThatName) {
  const Invocation invocation({}, {}, {});
  const SourcePlaces found =
      source_places(invocation, model(), {"swe.c:12", "swe.c:40-44", "util.c:3", "", "main"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("swe.c:12").path, "/home/me/app/swe.c");
  EXPECT_EQ(found.at("swe.c:40-44").path, "/home/me/app/swe.c");
  EXPECT_FALSE(found.at("swe.c:12").excerpt);
}

TEST(Sources, HaveLinesOfAFolderThatTheUserNames) {
  const fs::path folder = fs::temp_directory_path() / ("parcast-sources-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  ASSERT_TRUE(write_file(folder / "util.c", "one\ntwo\nthree\n"));
  const Invocation invocation({{"--source", folder.string()}, {"--json", ""}}, {}, {});
  const auto json = nlohmann::json::parse(
      with_sources("{\"schema\": \"x\"}", source_places(invocation, model(), {"util.c:2", "swe.c:1"})));
  const auto& of = json["sources"]["util.c:2"];
  EXPECT_EQ(of["path"], (folder / "util.c").string());
  EXPECT_EQ(of["marked"], 2);
  EXPECT_EQ(of["first"], 1);
  EXPECT_EQ(of["lines"][1], "two");
  EXPECT_FALSE(json["sources"]["swe.c:1"].contains("lines"));
  fs::remove_all(folder);
}

TEST(Sources, AreForJsonOnly) {
  EXPECT_FALSE(check_source(Invocation({{"--source", "."}}, {}, {})));
  EXPECT_TRUE(check_source(Invocation({{"--source", "."}, {"--json", ""}}, {}, {})));
  EXPECT_TRUE(check_source(Invocation({}, {}, {})));
}

}  // namespace
}  // namespace parcast::cli
