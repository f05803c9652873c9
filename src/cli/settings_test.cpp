// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

TEST(Settings, EachIsTheDefaultOfItsFlagInSomeVerb) {
  const config::VerbSettings of_verbs = settings_of_verbs();
  for (const config::Setting& setting : config::settings()) {
    EXPECT_TRUE(std::ranges::any_of(of_verbs, [&](const auto& each) {
      return std::ranges::find(each.second, setting.name) != each.second.end();
    })) << setting.name;
    for (const Verb& verb : verbs())
      for (const Flag& flag : flags_of(verb))
        if (flag.setting == setting.name) EXPECT_EQ(flag.name, setting.flag) << verb.name;
  }
}

TEST(Settings, AreOfEveryFlagOfTheirNameThatIsNoFilter) {
  for (const Verb& verb : verbs())
    for (const Flag& flag : flags_of(verb)) {
      const bool is_filter =
          flag.name == "--machine" && (verb.name == "validate" || verb.name == "store" ||
                                       verb.name == "fit" || verb.name == "regress" || verb.name == "plan");
      if (flag.name == "--machine" || flag.name == "--store" || flag.name == "--budget")
        EXPECT_EQ(flag.setting.empty(), is_filter) << verb.name << " " << flag.name;
    }
}

class SettingsOfAFolder : public testing::Test {
 protected:
  SettingsOfAFolder()
      : root_(fs::temp_directory_path() / ("parcast-explained-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~SettingsOfAFolder() override { fs::remove_all(root_); }
  ExplainedSettings explained(const std::string& text) {
    EXPECT_TRUE(write_file(root_ / "parcast.toml", text));
    const auto all = explained_settings({root_, {{"PARCAST_MACHINE", "ideal"}}});
    EXPECT_TRUE(all) << to_string(all.error());
    return all ? *all : ExplainedSettings{};
  }
  fs::path root_;
};

TEST_F(SettingsOfAFolder, VerbsThatDifferHaveARowOfTheirOwn) {
  const auto all = explained("machine = \"x\"\nbudget = \"15min\"\n[calibrate]\nbudget = \"30s\"\n");
  std::vector<ExplainedSetting> budgets;
  for (const auto& each : all.settings)
    if (each.setting->name == "budget") budgets.push_back(each);
  ASSERT_EQ(budgets.size(), 2u);
  EXPECT_EQ(budgets[0].values.front().text, "15min");
  EXPECT_THAT(budgets[0].verbs, testing::UnorderedElementsAre("study", "plan"));
  EXPECT_EQ(budgets[1].values.front().text, "30s");
  EXPECT_EQ(budgets[1].values[1].text, "15min");
  EXPECT_THAT(budgets[1].verbs, testing::ElementsAre("calibrate"));
}

TEST_F(SettingsOfAFolder, AsTomlReadBackAsTheSame) {
  const auto all = explained("store = \"x.db\"\n[calibrate]\nbudget = \"30s\"\n[sweep]\nmachine = \"y\"\n");
  const std::string toml = settings_toml(all);
  EXPECT_THAT(toml, testing::HasSubstr("machine = \"ideal\"\n"));
  EXPECT_THAT(toml, testing::HasSubstr("\n[calibrate]\nbudget = \"30s\"\n"));
  ASSERT_TRUE(write_file(root_ / "parcast.toml", toml));
  const auto again = explained_settings({root_, {}});
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(settings_toml(*again), toml);
}

TEST_F(SettingsOfAFolder, TextNamesPlaceMeaningAndWhatIsReplaced) {
  const std::string text = settings_text(explained("# ours\nmachine = \"x\"\n"), {});
  EXPECT_THAT(text, testing::HasSubstr("machine  ideal                     environment: PARCAST_MACHINE\n"));
  EXPECT_THAT(text, testing::HasSubstr("in place of x (parcast.toml:2)\n"));
  EXPECT_THAT(text, testing::HasSubstr("when text has colours: --color of all verbs\n"));
}

}  // namespace
}  // namespace parcast::cli
