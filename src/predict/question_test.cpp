// SPDX-License-Identifier: Apache-2.0
#include "predict/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;

program::Model model() {
  Builder b("heat");
  b.add_parameter("steps", {100, 200});
  b.add_parameter("width", {64});
  b.model.processes = {1, 2, 4};
  return b.model;
}

const std::map<std::string, double> kInside{{"steps", 150}, {"width", 64}};

std::string error_of(const Question& q) {
  const auto result = check(model(), q);
  return result.ok() ? "" : result.error().what + " | " + result.error().hint;
}

bool warned(const std::vector<Warning>& warnings, const std::string& code) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const Warning& w) { return w.code == code; });
}

TEST(Question, ThatFitsIsAccepted) {
  EXPECT_EQ(error_of(ask(4, kInside)), "");
  auto with_p = kInside;
  with_p["p"] = 4;
  EXPECT_EQ(error_of(ask(4, with_p)), "");
}

TEST(Question, ProcessCountsAreWholeAndPositive) {
  EXPECT_THAT(error_of(ask(0, kInside)), testing::HasSubstr("p = 0 is not a number of processes"));
  EXPECT_THAT(error_of(ask(-3, kInside)), testing::HasSubstr("p = -3"));
  auto with_p = kInside;
  with_p["p"] = 2.5;
  EXPECT_THAT(error_of(ask(2, with_p)), testing::HasSubstr("2.5 is not a whole number"));
  with_p["p"] = 8;
  EXPECT_THAT(error_of(ask(4, with_p)), testing::HasSubstr("twice"));
}

TEST(Question, NamesOfParametersAreChecked) {
  EXPECT_THAT(error_of(ask(4, {{"steps", 100}})), testing::HasSubstr("width is not given"));
  EXPECT_THAT(error_of(ask(4)), testing::HasSubstr("the parameters steps, width are not given"));
  EXPECT_THAT(error_of(ask(4, {{"step", 100}, {"width", 64}})), testing::HasSubstr("did you mean"));
  EXPECT_THAT(error_of(ask(4, {{"steps", NAN}, {"width", 64}})),
              testing::HasSubstr("steps is not a finite number"));
}

TEST(Question, SizesBelowZeroAreRefusedAndZeroIsWarnedOf) {
  const auto refused = error_of(ask(4, {{"steps", -50}, {"width", 64}}));
  EXPECT_THAT(refused, testing::HasSubstr("steps = -50 is below 0, and every recording has steps above it"));
  const auto none = ask(4, {{"steps", 0}, {"width", 64}});
  EXPECT_EQ(error_of(none), "");
  const machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  EXPECT_TRUE(warned(question_warnings(model(), m, none), "never-zero"));
  EXPECT_FALSE(warned(question_warnings(model(), m, ask(4, {{"steps", 1}, {"width", 64}})), "never-zero"));
}

TEST(Question, LevelsAndLimitsAreChecked) {
  Question q = ask(4, kInside);
  q.level = 1;
  EXPECT_NE(error_of(q), "");
  q.level = 0.9;
  q.limit = 0;
  EXPECT_NE(error_of(q), "");
}

TEST(Question, IsPlacedBlockByBlock) {
  machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  m.cores_per_node = 16;
  EXPECT_EQ(place(m, ask(64)).nodes, 4);
  EXPECT_EQ(place(m, ask(65)).nodes, 5);
  EXPECT_EQ(place(m, ask(3)).ranks_per_node, 3);
  Question q = ask(64);
  q.ranks_per_node = 8;
  EXPECT_EQ(place(m, q).nodes, 8);
}

TEST(Question, FactorsBeyondTheDataAreGivenBothWays) {
  const auto factors = extrapolation(model(), ask(16, {{"steps", 50}, {"width", 64}}).point);
  EXPECT_EQ(factors, (std::map<std::string, double>{{"p", 4.0}, {"steps", 0.5}}));
}

TEST(Question, WarningsSayWhatTheAnswerRestsOn) {
  const machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  EXPECT_TRUE(question_warnings(model(), m, ask(4, kInside)).empty());
  const auto beyond = question_warnings(model(), m, ask(16, {{"steps", 150}, {"width", 128}}));
  ASSERT_EQ(beyond.size(), 2u);
  EXPECT_EQ(beyond[0].code, "beyond-data");
  EXPECT_THAT(beyond[0].text, testing::HasSubstr("p = 16 is 4 times the largest recorded"));
  EXPECT_EQ(beyond[1].code, "never-varied");
  program::Model compiled = model();
  compiled.work.emplace_back();
  const auto by_code = question_warnings(compiled, m, ask(16, {{"steps", 150}, {"width", 128}}));
  EXPECT_FALSE(warned(by_code, "never-varied"));
  EXPECT_TRUE(warned(by_code, "by-code-alone"));
  program::Model damaged = model();
  damaged.sources = {{.oversubscribed = true}, {.reserved = true}, {.damaged = true}};
  damaged.share_by_origin = {{"exact", 0.9}, {"unknown", 0.1}};
  const auto said = question_warnings(damaged, m, ask(4, kInside));
  for (const char* code : {"oversubscribed", "reserved-share", "damaged", "unknown-share"})
    EXPECT_TRUE(warned(said, code)) << code;
  machine::Machine small = m;
  small.nodes = 2;
  EXPECT_TRUE(warned(question_warnings(model(), small, ask(4, kInside)), "machine-too-small"));
}

TEST(Question, OffTheLatticeOfTheRecordingsIsSaid) {
  program::Model even = model();
  for (const int p : {1, 2, 4})
    for (const double steps : {100, 120, 200}) {
      program::Source source;
      source.parameters = {{"steps", steps}, {"width", 64}};
      source.processes = p;
      even.sources.push_back(source);
    }
  even.nodes.resize(1);
  // neither alternatives nor open variables: exact on the lattice
  even.nodes[0].executions.origin = Origin::ambiguous;
  const machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  EXPECT_FALSE(warned(question_warnings(even, m, ask(4, {{"steps", 160}, {"width", 64}})), "off-lattice"));
  const auto said = question_warnings(even, m, ask(4, {{"steps", 161}, {"width", 64}}));
  ASSERT_TRUE(warned(said, "off-lattice"));
  for (const Warning& w : said)
    if (w.code == "off-lattice") {
      EXPECT_THAT(w.text,
                  testing::HasSubstr("p is a power of two, steps is a multiple of 20 and p divides steps"));
      EXPECT_THAT(w.hint, testing::HasSubstr("p = 3, steps = 101"));
    }
  even.nodes[0].executions.open = {"p"};
  EXPECT_FALSE(warned(question_warnings(even, m, ask(4, {{"steps", 161}, {"width", 64}})), "off-lattice"));
}

TEST(Question, AnotherProcessorIsSaidUnlessItsSpeedIsKnown) {
  program::Model recorded = model();
  recorded.recorded_on = "Intel Xeon 6248, 40 cores";
  machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  m.description = "AMD EPYC 7742, Open MPI 4.1";
  Question q = ask(4, kInside);
  EXPECT_TRUE(warned(question_warnings(recorded, m, q), "compute-not-scaled"));
  m.core_speed.value = 1e9;
  q.recorded_machine = std::make_shared<machine::Machine>(m);
  EXPECT_FALSE(warned(question_warnings(recorded, m, q), "compute-not-scaled"));
  m.core_speed = {};
  EXPECT_TRUE(warned(question_warnings(recorded, m, q), "compute-not-scaled"));
  q.recorded_machine = nullptr;
  m.description = "Intel Xeon 6248; MPICH";
  EXPECT_FALSE(warned(question_warnings(recorded, m, q), "compute-not-scaled"));
}

TEST(Question, AnotherMpiLibraryThanTheMachinesIsSaid) {
  const std::string open_mpi = "Open MPI v4.1.4", mpich = "MPICH Version: 4.0.2";
  machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  m.name = "here";
  EXPECT_TRUE(library_warnings({mpich}, m).empty());  // a machine that names no library
  m.environment["mpi"] = open_mpi;
  EXPECT_TRUE(library_warnings({open_mpi, "", open_mpi}, m).empty());
  // recordings that name none, or of programs without MPI
  EXPECT_TRUE(library_warnings({"", ""}, m).empty());
  EXPECT_TRUE(library_warnings({}, m).empty());
  const auto all = library_warnings({mpich, mpich}, m);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].code, "other-library");
  EXPECT_EQ(all[0].text,
            "recorded with MPICH Version: 4.0.2, but here is measured with Open MPI v4.1.4: messages are "
            "taken to cost what they do with Open MPI v4.1.4");
  EXPECT_EQ(all[0].hint,
            "calibrate with the library that the run will use (by a Parcast that is built with it), or "
            "record with Open MPI v4.1.4");
  const auto some = library_warnings({open_mpi, mpich, "Open MPI v4.1.6", "", mpich}, m);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_THAT(some[0].text, testing::StartsWith("3 of 5 recordings ran with MPICH Version: 4.0.2 and Open "
                                                "MPI v4.1.6, but here is measured with Open MPI v4.1.4:"));
}

TEST(Question, TheLibrariesOfAModelAreThoseOfItsRecordings) {
  program::Model recorded = model();
  machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  m.environment["mpi"] = "Open MPI v4.1.4";
  recorded.sources.resize(2);  // the second is from a version that did not store it
  recorded.sources[0].mpi_library = "Open MPI v4.1.4";
  EXPECT_EQ(libraries_of(recorded), (std::vector<std::string>{"Open MPI v4.1.4", ""}));
  EXPECT_FALSE(warned(question_warnings(recorded, m, ask(4, kInside)), "other-library"));
  recorded.sources[1].mpi_library = "Open MPI v5.0.1";
  const auto said = question_warnings(recorded, m, ask(4, kInside));
  ASSERT_TRUE(warned(said, "other-library"));
  EXPECT_THAT(said.back().text, testing::StartsWith("1 of 2 recordings ran with Open MPI v5.0.1, but "));
  m.environment.clear();
  EXPECT_FALSE(warned(question_warnings(recorded, m, ask(4, kInside)), "other-library"));
}

}  // namespace
}  // namespace parcast::predict
