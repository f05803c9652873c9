// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"

namespace parcast::config {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const VerbSettings kVerbs{{"predict", {"store", "machine", "color"}},
                          {"calibrate", {"store", "budget", "color"}},
                          {"store", {"store", "color"}}};

/// A project with a subfolder, and the folder of a user.
class SettingsFiles : public testing::Test {
 protected:
  SettingsFiles() : root_(fs::temp_directory_path() / ("parcast-settings-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_ / "project" / "runs" / "deep");
    fs::create_directories(root_ / "home" / ".config" / "parcast");
    around_.folder = root_ / "project";
    around_.environment["HOME"] = root_ / "home";
  }
  ~SettingsFiles() override { fs::remove_all(root_); }
  void project(const std::string& text) { ASSERT_TRUE(write_file(root_ / "project" / "parcast.toml", text)); }
  void user(const std::string& text) {
    ASSERT_TRUE(write_file(root_ / "home" / ".config" / "parcast" / "parcast.toml", text));
  }
  std::vector<Value> values(const std::string& name, const std::string& verb = "predict") {
    const auto files = read_files(around_, kVerbs);
    EXPECT_TRUE(files) << to_string(files.error());
    const auto out = values_of(*find_setting(name), verb, *files, around_);
    EXPECT_TRUE(out) << to_string(out.error());
    return *out;
  }
  std::string error() {
    const auto files = read_files(around_, kVerbs);
    return files ? "" : to_string(files.error());
  }
  fs::path root_;
  Surroundings around_;
};

TEST_F(SettingsFiles, AreBuiltInWithoutFiles) {
  EXPECT_EQ(values("store"), (std::vector<Value>{{"parcast.db", Level::built_in, ""}}));
  EXPECT_TRUE(values("machine").empty());
}

TEST_F(SettingsFiles, ComeFromTheEnvironmentThenTheProjectThenTheUser) {
  project("# ours\nmachine = \"cluster\"\n");
  user("machine = \"laptop\"\n");
  around_.environment["PARCAST_MACHINE"] = "ideal";
  const std::string home = (root_ / "home" / ".config" / "parcast" / "parcast.toml").string();
  EXPECT_EQ(values("machine"), (std::vector<Value>{{"ideal", Level::environment, "PARCAST_MACHINE"},
                                                   {"cluster", Level::project_file, "parcast.toml:2"},
                                                   {"laptop", Level::user_file, home + ":1"}}));
}

TEST_F(SettingsFiles, AreFoundInTheNearestParentFolderAndPathsAreOfThatFolder) {
  project("store = \"runs.db\"\nmachine = \"cluster\"\n");
  ASSERT_TRUE(write_file(root_ / "project" / "cluster.machine.toml", ""));
  around_.folder = root_ / "project" / "runs" / "deep";
  EXPECT_EQ(values("store").front(),
            (Value{root_ / "project" / "runs.db", Level::project_file, "../../parcast.toml:1"}));
  EXPECT_EQ(values("machine").front().text, root_ / "project" / "cluster");
  ASSERT_TRUE(write_file(root_ / "project" / "runs" / "parcast.toml", "machine = \"sp-2\"\n"));
  EXPECT_EQ(values("machine").front().text, "sp-2");
  EXPECT_EQ(values("store").front().level, Level::built_in);
}

TEST_F(SettingsFiles, OfTheUserAreWhereXdgHasThem) {
  around_.environment["XDG_CONFIG_HOME"] = root_ / "xdg";
  user("machine = \"laptop\"\n");
  EXPECT_TRUE(values("machine").empty());
  fs::create_directories(root_ / "xdg" / "parcast");
  ASSERT_TRUE(write_file(root_ / "xdg" / "parcast" / "parcast.toml", "store = \"~/all.db\"\n"));
  EXPECT_EQ(values("store").front().text, (root_ / "home" / "all.db").string());
}

TEST_F(SettingsFiles, UrlsStayAsTheyAre) {
  project("store = \"postgresql://me@host/db\"\n");
  around_.folder = root_ / "project" / "runs";
  EXPECT_EQ(values("store").front().text, "postgresql://me@host/db");
}

TEST_F(SettingsFiles, TablesOfVerbsAreOfThatVerbAlone) {
  project("budget = \"15min\"\n[calibrate]\nbudget = \"30s\"\n[store]\nstore = \"x.db\"\n");
  EXPECT_EQ(values("budget", "calibrate").front().text, "30s");
  EXPECT_EQ(values("budget", "study").front().text, "15min");
  EXPECT_EQ(values("store", "store").front().text, "x.db");
  EXPECT_EQ(values("store").front().text, "parcast.db");
}

TEST_F(SettingsFiles, NoColorIsAVariableOfColor) {
  project("color = \"always\"\n");
  around_.environment["NO_COLOR"] = "1";
  EXPECT_EQ(values("color").front(), (Value{"never", Level::environment, "NO_COLOR"}));
  around_.environment["PARCAST_COLOR"] = "auto";
  EXPECT_EQ(values("color").front().text, "auto");
}

TEST_F(SettingsFiles, MistakesNameTheirLineAndTheNearestName) {
  project("machine = \"x\"\nmashine = \"y\"\n");
  EXPECT_THAT(error(), HasSubstr("parcast.toml:2:1: error: \"mashine\" is not known here"));
  EXPECT_THAT(error(), HasSubstr("did you mean machine?"));
  project("[calibrate]\nmachine = \"x\"\n");
  EXPECT_THAT(error(), HasSubstr("parcast.toml:2:1: error: \"machine\" is not known here"));
  project("[calibrat]\nbudget = \"1s\"\n");
  EXPECT_THAT(error(), HasSubstr("did you mean calibrate?"));
  project("color = \"alway\"\n");
  EXPECT_THAT(error(), HasSubstr("parcast.toml:1:9: error: color: \"alway\" is not known"));
  EXPECT_THAT(error(), HasSubstr("did you mean always?"));
  project("budget = \"15\"\n");
  EXPECT_THAT(error(), HasSubstr("parcast.toml:1:10: error: budget: "));
  project("budget = 15\n");
  EXPECT_THAT(error(), HasSubstr("budget is a number, but must be a text in quotes"));
  project("machine = \n");
  EXPECT_THAT(error(), HasSubstr("this is not TOML"));
  project("store = \" \"\n");
  EXPECT_THAT(error(), HasSubstr("store: it is empty"));
}

TEST_F(SettingsFiles, BadValuesOfVariablesNameTheVariable) {
  around_.environment["PARCAST_BUDGET"] = "soon";
  const auto files = read_files(around_, kVerbs);
  ASSERT_TRUE(files);
  const auto bad = values_of(*find_setting("budget"), "calibrate", *files, around_);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, "PARCAST_BUDGET");
}

}  // namespace
}  // namespace parcast::config
