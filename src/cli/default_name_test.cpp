// SPDX-License-Identifier: Apache-2.0
#include "cli/default_name.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/inputs.h"
#include "machine/machine.h"
#include "machine/machine_file.h"
#include "model/model_file.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(DefaultName, IsOneComponentOfAPath) {
  EXPECT_EQ(default_name("lj", ".model.json"), "lj.model.json");
  EXPECT_EQ(default_name("../../x", ".model.json"), "x.model.json");
  EXPECT_EQ(default_name("/etc/passwd", ".recording"), "passwd.recording");
  for (const char* nothing : {"", "..", "/", "../..", "a/", "-", "a/.."})
    EXPECT_EQ(file_stem(nothing), "unnamed") << nothing;
  EXPECT_EQ(file_stem("-o"), "o");
  EXPECT_EQ(file_stem(".hidden"), "hidden");
}

TEST(DefaultName, HoldsNothingThatATerminalObeysOrHides) {
  EXPECT_EQ(file_stem(std::string_view("a\0b\x1b[2J\n", 8)), "a_b_[2J_");
  EXPECT_EQ(file_stem("x\xe2\x80\xaey"), "x_y");    // U+202E reverses the direction of the text after it
  EXPECT_EQ(file_stem("x\xc2\x9by"), "x_y");        // U+009B begins a control sequence
  EXPECT_EQ(file_stem("x\xffy\xe2\x80"), "x_y__");  // not UTF-8
  EXPECT_EQ(file_stem("L\xc3\xb6ser 2.0"), "L\xc3\xb6ser 2.0");
}

TEST(DefaultName, HasABoundedLength) {
  EXPECT_EQ(file_stem(std::string(1 << 20, 'a')), std::string(128, 'a'));
  std::string cut;
  for (int i = 0; i < 100; ++i) cut += "\xe2\x82\xac";
  EXPECT_EQ(file_stem(cut), cut.substr(0, 126));
}

/// A temporary folder with one file.
class AFileThere : public testing::Test {
 protected:
  AFileThere() {
    std::string name = (fs::temp_directory_path() / "parcast-default-name-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = (folder_ / "x.there").string();
  }
  ~AFileThere() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::string path_;
};

TEST_F(AFileThere, IsReplacedByAModelOfTheSameProgramAlone) {
  EXPECT_TRUE(check_free_for_model(path_, "x"));
  std::ofstream(folder_ / "x.program")
      << "program x\nrepeat 2\n  compute 10 operations\n  exchange 8 B with r xor 1\n";
  auto model = load_model((folder_ / "x.program").string());
  ASSERT_TRUE(model) << to_string(model.error());
  model->sources.resize(1);
  model->sources[0].processes = 2;
  ASSERT_TRUE(program::write_model(path_, *model));
  const auto same = check_free_for_model(path_, "x");
  EXPECT_TRUE(same) << (same ? "" : to_string(same.error()));
  const auto other = check_free_for_model(path_, "../../x");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "there is a model of another program, \"x\", and is not replaced");
  EXPECT_EQ(other.error().where, path_);
  EXPECT_THAT(other.error().hint, HasSubstr("-o"));
  std::ofstream(path_) << "{\"notes\": 1}\n";
  EXPECT_EQ(check_free_for_model(path_, "x").error().what,
            "there is a file that is no model, and is not replaced");
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_EQ(check_free_for_model(path_, "x").error().what, "it is no file, and is not replaced");
}

TEST_F(AFileThere, IsReplacedByAMachineMeasuredOnThisHostAlone) {
  EXPECT_TRUE(check_free_for_machine(path_, "here"));
  machine::Machine machine;
  machine.name = "x";
  machine.environment["host"] = "here";
  ASSERT_TRUE(machine::write_machine(path_, machine));
  EXPECT_TRUE(check_free_for_machine(path_, "here"));
  EXPECT_EQ(check_free_for_machine(path_, "there").error().what,
            "there is a machine that was not measured on this host, and is not replaced");
  std::ofstream(path_) << "a letter\n";
  EXPECT_EQ(check_free_for_machine(path_, "here").error().what,
            "there is a file that is no machine, and is not replaced");
}

}  // namespace
}  // namespace parcast::cli
