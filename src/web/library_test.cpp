// SPDX-License-Identifier: Apache-2.0
#include "web/library.h"

#include <gmock/gmock.h>

#include "web/testing/fake_parcast.h"

namespace parcast::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const FakeParcast& fake) {
  std::vector<std::string> out;
  for (const Entry& entry : entries_in(fake.folder()))
    out.push_back(std::string(to_string(entry.kind)) + " " + entry.path);
  return out;
}

TEST(Library, ListsWhatHasItsEnding) {
  FakeParcast fake("");
  for (const char* name :
       {"a.model.json", "b.program", "here.machine.toml", "x.study.toml", "r.recording/rank-0", "other.json",
        ".hidden.model.json", ".git/c.model.json", ".program"})
    fake.write(name, "");
  EXPECT_THAT(names_in(fake),
              ElementsAre("model a.model.json", "model b.program", "machine here.machine.toml",
                          "recording r.recording", "description x.study.toml"));
}

TEST(Library, GoesTwoLevelsDownAndFollowsNoLinkToAFolder) {
  FakeParcast fake("");
  for (const char* name : {"1/2/deep.model.json", "1/2/3/deeper.model.json"}) fake.write(name, "");
  std::filesystem::create_directory_symlink(fake.folder(), fake.folder() / "1" / "loop");
  EXPECT_THAT(names_in(fake), ElementsAre("model 1/2/deep.model.json"));
}

TEST(Library, AStudyHasItsModelAndMachine) {
  FakeParcast fake("");
  for (const char* name : {"app.study/study.toml", "app.study/app.model.json", "app.study/here.machine.toml"})
    fake.write(name, "");
  const auto entries = entries_in(fake.folder());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].kind, Kind::study);
  EXPECT_EQ(entries[0].model, "app.study/app.model.json");
  EXPECT_EQ(entries[0].machine, "app.study/here.machine.toml");
}

TEST(Library, OfAStoreAreTheFilesThatAreThere) {
  FakeParcast fake("");
  fake.write("a.model.json", "");
  const std::string there = (fake.folder() / "a.model.json").string();
  const auto entries =
      entries_of_store(R"({"entries":[{"kind":"model","path":")" + there +
                       R"("},{"kind":"model","path":"/nowhere/b.model.json"},)"
                       R"({"kind":"prediction","path":")" +
                       there + R"("},{"kind":"model","path":"a.model.json"},{"kind":"model"},7]})");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().path, there);
  EXPECT_FALSE(entries_of_store("{}"));
  EXPECT_FALSE(entries_of_store("x"));
}

TEST(Library, NamesThatAreNoTextStayJson) {
  const std::string json = library_to_json("/a\xff", {{Kind::model, "\xc3\x28.model.json"}});
  EXPECT_THAT(json, HasSubstr("\"path\":\"\xef\xbf\xbd(.model.json\""));
}

}  // namespace
}  // namespace parcast::web
