// SPDX-License-Identifier: Apache-2.0
#include "study/commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

TEST(Commands, PathsAreFoundWhereTheyStandAlone) {
  for (const char* word : {"in.txt", "--in=in.txt", "./app < in.txt", "in.txt,x"})
    EXPECT_TRUE(names_path(word, "in.txt")) << word;
  for (const char* word : {"main.txt", "in.txt.old", "a/in.txt", "in_txt", "", "in.txt2"})
    EXPECT_FALSE(names_path(word, "in.txt")) << word;
  EXPECT_EQ(with_path("cp in.txt x && app in.txt main.txt", "in.txt", "S/in.txt"),
            "cp S/in.txt x && app S/in.txt main.txt");
}

Description with_template() {
  Description out;
  out.launch = {"mpirun", "-n", "{p}", "./app", "data/in.txt", "{N}"};
  out.templates = {"data/in.txt"};
  return out;
}

TEST(Commands, FilledTemplatesTakeTheirPlaceInTheLaunchLine) {
  const auto command = command_of(with_template(), {{"data/in.txt", "size {N}\nprocesses {p}\n"}},
                                  {{"p", 2}, {"N", 96}}, "S/inputs");
  ASSERT_TRUE(command) << to_string(command.error());
  EXPECT_EQ(command->words, (Words{"mpirun", "-n", "2", "./app", "S/inputs/in.txt", "96"}));
  ASSERT_EQ(command->inputs.size(), 1u);
  EXPECT_EQ(command->inputs[0].path, fs::path("S/inputs/in.txt"));
  EXPECT_EQ(command->inputs[0].content, "size 96\nprocesses 2\n");
}

TEST(Commands, KeysDependOnAllThatARunDependsOn) {
  const auto key = [](const Words& words, const std::string& input, const std::string& file,
                      const std::string& host, int repeat) {
    return key_of({words, {{"in.txt", input}}}, {{"app", file}}, {{"host", host}}, repeat);
  };
  const std::string base = key({"app", "96"}, "x", "d1", "h", 1);
  EXPECT_EQ(base.size(), 64u);
  EXPECT_EQ(key({"app", "96"}, "x", "d1", "h", 1), base);
  EXPECT_NE(key({"app", "97"}, "x", "d1", "h", 1), base);
  EXPECT_NE(key({"app", "9", "6"}, "x", "d1", "h", 1), base);
  EXPECT_NE(key({"app", "96"}, "y", "d1", "h", 1), base);
  EXPECT_NE(key({"app", "96"}, "x", "d2", "h", 1), base);
  EXPECT_NE(key({"app", "96"}, "x", "d1", "i", 1), base);
  EXPECT_NE(key({"app", "96"}, "x", "d1", "h", 2), base);
}

class Files : public testing::Test {
 protected:
  Files() : folder_(fs::temp_directory_path() / ("parcast-study-commands-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    EXPECT_TRUE(write_file(folder_ / "in.txt", "abc"));
  }
  ~Files() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Files, OfTheCommandAreFoundInWordsAndWithinThem) {
  constexpr const char* kOfAbc =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-2, B.1
  const std::string path = (folder_ / "in.txt").string();
  EXPECT_EQ(FileDigests().of({path, "-n", "2"}, {}, {}),
            (std::map<std::string, std::string>{{path, kOfAbc}}));
  EXPECT_EQ(FileDigests().of({"app-that-is-not-there <" + path}, {}, {}),
            (std::map<std::string, std::string>{{path, kOfAbc}}));
  EXPECT_TRUE(
      FileDigests().of({path}, {{path, "abc"}}, {}).empty());    // filled templates count by their content
  EXPECT_TRUE(FileDigests().of({"sh"}, {}, {}).contains("sh"));  // through PATH
}

TEST_F(Files, AFilledTemplateAtAFixedNameIsNoInput) {
  const std::string path = (folder_ / "in.txt").string();
  ASSERT_TRUE(write_file(folder_ / "in.txt", "size 120\n"));
  const std::string line = "cp inputs/in.tmpl " + path + " && ./app";
  EXPECT_TRUE(FileDigests().of({"sh", "-c", line}, {}, {{"in.tmpl", "size {n}\n"}}).count(path) == 0);
  EXPECT_TRUE(FileDigests().of({"sh", "-c", line}, {}, {{"in.tmpl", "other {n}\n"}}).count(path) == 1);
}

}  // namespace
}  // namespace parcast::study
