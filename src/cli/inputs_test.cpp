// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "calibrate/environment.h"
#include "model/binding.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// Runs each test in a temporary working folder.
class Inputs : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    folder_ = fs::temp_directory_path() / ("parcast-inputs-test-" + std::to_string(::getpid()));
    fs::create_directory(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }

 private:
  fs::path before_, folder_;
};

program::Model heat() {
  program::Model model;
  model.program = "heat";
  program::Parameter n;
  n.name = "N", n.values = {10, 20};
  model.parameters = {n};
  return model;
}

TEST_F(Inputs, AMachineIsCalledAsItsFileIs) {
  write("slow.machine.toml", "name = \"here\"\n");
  const auto machine = load_machine("slow");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->name, "slow");
  EXPECT_EQ(load_machine("ideal")->name, "ideal");
}

TEST_F(Inputs, APublishedMachineIsFoundByNameUnlessAFileHereHasIt) {
  const auto published = load_machine("ncube-2");
  ASSERT_TRUE(published) << to_string(published.error());
  EXPECT_EQ(published->name, "ncube-2");
  EXPECT_DOUBLE_EQ(published->links.at("network").latency.value, 154e-6);
  write("ncube-2.machine.toml", "name = \"mine\"\ncore_speed = 3e9\n");
  EXPECT_EQ(load_machine("ncube-2")->core_speed.value, 3e9);
  fs::create_directory("sp-2");  // a folder is no machine
  EXPECT_TRUE(load_machine("sp-2"));
  EXPECT_EQ(load_machine("ncube-3").error().hint, "did you mean ncube-2.machine.toml?");
  fs::remove("ncube-2.machine.toml");
  EXPECT_EQ(load_machine("mciko-cs2").error().hint, "did you mean meiko-cs2?");
}

TEST_F(Inputs, ACalibrationWhoseHostHasChangedIsNoticed) {
  machine::Machine machine;
  machine.name = "here";
  EXPECT_TRUE(calibration_warnings(machine).empty());
  machine.environment = calibrate::host_environment();
  EXPECT_TRUE(calibration_warnings(machine).empty());
  machine.environment["kernel"] = "2.6.32";
  const auto warnings = calibration_warnings(machine);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "stale-calibration");
  EXPECT_EQ(warnings[0].text,
            "here is measured on this host, but the kernel was 2.6.32 when it was measured, and is " +
                calibrate::host_environment()["kernel"]);
  EXPECT_EQ(warnings[0].hint, "measure it anew: parcast calibrate -o here.machine.toml");
  machine::Machine other = machine;
  EXPECT_EQ(calibration_warnings(machine, &other).size(), 1u);  // -m here --recorded-on here
  other.name = "node";
  const auto both = calibration_warnings(machine, &other);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1].hint, "measure it anew: parcast calibrate -o node.machine.toml");
  machine.environment["host"] = "another";
  EXPECT_TRUE(calibration_warnings(machine).empty());
  EXPECT_EQ(calibration_warnings(machine, &other).size(), 1u);
}

TEST_F(Inputs, AModelIsFoundBesideTheProgramOfItsName) {
  write("heat",
        "\x7f"
        "ELF and more");
  EXPECT_EQ(to_string(load_model("heat").error()),
            "error: heat is a program, not a model\n  make one with: parcast model R.recording...");
  write("heat.model.json", "{}");
  EXPECT_EQ(load_model("heat").error().where, "heat.model.json");  // the file was read, and is no model
}

TEST_F(Inputs, AFileOfAnotherKindIsSaidToBeThat) {
  write("here.machine.toml", "name = \"here\"\n");
  write("heat.c", "int main() {}\n");
  fs::create_directory("x.recording");
  write("x.recording/rank-0.rec", "");
  EXPECT_EQ(load_model("here.machine.toml").error().what, "here.machine.toml is a machine, not a model");
  EXPECT_EQ(load_model("heat.c").error().what, "heat.c is a text, not a model");
  EXPECT_EQ(load_model("x.recording").error().what, "x.recording is a recording, not a model");
  EXPECT_EQ(load_machine("hree").error().hint, "did you mean here.machine.toml?");
}

TEST(TimeFrom, AsksForAUnitThatAJobHas) {
  EXPECT_EQ(time_from("--limit", "24h").value(), 86400);
  EXPECT_EQ(time_from("--limit", "100us").value(), 1e-4);
  EXPECT_EQ(to_string(time_from("--limit", "24").error()),
            "error: --limit 24 needs a unit\n  write 24s, 24min or 24h");
  EXPECT_FALSE(time_from("--limit", "0s"));
  EXPECT_FALSE(time_from("--limit", "3B"));
}

std::string refused(const std::vector<Invocation::Given>& given, const program::Model& model = heat()) {
  const auto question = question_from(Invocation(given, {}, {}), model);
  return question ? "" : question.error().what;
}

TEST(Question, TheProcessCountIsGivenByEitherFlag) {
  EXPECT_EQ(question_from(Invocation({{"--set", "p=3"}, {"--set", "N=10"}}, {}, {}), heat())->point.processes,
            3);
  EXPECT_EQ(question_from(
                Invocation({{"--nodes", "2"}, {"--ranks-per-node", "4"}, {"--set", "N=10"}}, {}, {}), heat())
                ->point.processes,
            8);
  EXPECT_EQ(
      question_from(Invocation({{"--nodes", "2"}, {"--processes", "5"}, {"--set", "N=10"}}, {}, {}), heat())
          ->ranks_per_node,
      3);
  EXPECT_EQ(refused({{"--processes", "4"}, {"--set", "p=4"}, {"--set", "N=10"}}), "");
  EXPECT_EQ(refused({{"--processes", "4"}, {"--set", "p=3"}, {"--set", "N=10"}}),
            "the process count is given twice: 4 and 3");
}

TEST(Question, AParameterWithOneRecordedValueKeepsIt) {
  program::Model model = heat();
  model.parameters.push_back({"cannon", {1}});
  EXPECT_EQ(
      question_from(Invocation({{"--processes", "4"}, {"--set", "N=10"}}, {}, {}), model)->point.parameters,
      (std::map<std::string, double>{{"N", 10}, {"cannon", 1}}));
  EXPECT_EQ(question_from(
                Invocation({{"--processes", "4"}, {"--set", "N=10"}, {"--set", "cannon=0"}}, {}, {}), model)
                ->point.parameters.at("cannon"),
            0);
}

TEST(Question, AParameterThatEqualsAnotherInEveryRecordingTakesItsValue) {
  program::Model model = heat();
  model.parameters.push_back({"rows", {10, 20}});
  model.sources.resize(2);
  for (const double n : {10, 20}) model.sources[n > 10].parameters = {{"N", n}, {"rows", n}};
  EXPECT_EQ(question_from(Invocation({{"--processes", "4"}, {"--set", "N=40"}}, {}, {}), model)
                ->point.parameters.at("rows"),
            40);
  model.sources[1].parameters["rows"] = 10;
  EXPECT_EQ(refused({{"--processes", "4"}, {"--set", "N=40"}}, model), "the parameter rows is not given");
}

TEST(Question, WhatIsMissingUnknownOrTwiceIsRefused) {
  EXPECT_EQ(refused({{"--set", "N=10"}}), "the number of processes is missing");
  EXPECT_EQ(refused({{"--set", "N=10"}, {"--set", "M=10"}}), "the model of heat has no parameter M");
  EXPECT_EQ(refused({{"--processes", "4"}}), "the parameter N is not given");
  EXPECT_EQ(refused({{"--processes", "4"}, {"--set", "N=10,20"}}), "\"N=10,20\" has several values");
  EXPECT_EQ(refused({{"--processes", "4"}, {"--set", "N=10"}, {"--set", "N=20"}}), "N is given twice");
  EXPECT_NE(refused({{"--processes", "4"}, {"--set", "M=10"}}), "");
  program::Model model = heat();
  model.quantities = {
      {"rows", symbolic::floor(program::parameter_symbol("N") / program::processes_symbol())}};
  EXPECT_EQ(refused({{"--processes", "4"}, {"--set", "rows=10"}}, model),
            "rows is derived, floor(N/p), and no parameter of heat");
  EXPECT_NE(refused({{"--processes", "4.5"}, {"--set", "N=10"}}), "");
}

}  // namespace
}  // namespace parcast::cli
