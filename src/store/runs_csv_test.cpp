// SPDX-License-Identifier: Apache-2.0
#include "store/runs_csv.h"

#include <gmock/gmock.h>

#include <random>

#include "base/text.h"
#include "store/measured.h"

namespace parcast::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<Entry>> read(const std::string& text) {
  PARCAST_ASSIGN(const Csv csv, parse_csv(text, "r.csv"));
  return runs_from_csv(csv);
}
std::string error_of(const std::string& text) {
  const auto runs = read(text);
  return runs ? "no error" : to_string(runs.error());
}

Entry measured(const std::string& program, std::map<std::string, double> parameters, int repeat = 0) {
  Measurement m;
  m.program = program, m.machine = "here", m.measured_at = "2026-11-21";
  m.point.parameters = std::move(parameters), m.point.processes = 4;
  m.ranks_per_node = 2, m.seconds = 1.5, m.repeat = repeat;
  Entry out = entry_of(m);
  out.stored_at = "2026-11-21T08:35:47.123456Z";
  return out;
}

TEST(RunsCsv, WritesColumnsThatValidateKnows) {
  Entry run = measured("wave", {{"N", 64}, {"p", 3}});
  run.tags = {"base", "quiet"};
  EXPECT_EQ(runs_to_csv({run}),
            "kind,digest,stored_at,tool_version,program,machine,p,nodes,ranks_per_node,threads,seconds,"
            "measured_at,path,tags,N,parameter p\n"
            "measurement," +
                run.digest + ",2026-11-21T08:35:47.123456Z," + run.tool_version +
                ",wave,here,4,,2,,1.5,2026-11-21,,base quiet,64,3\n");
}

TEST(RunsCsv, ModelsAndPredictionsAreLeftOut) {
  EXPECT_EQ(split(runs_to_csv({Entry{.kind = Kind::model}, Entry{.kind = Kind::prediction},
                               Entry{.kind = Kind::machine}}),
                  '\n')
                .size(),
            2u);
}

TEST(RunsCsv, AnyNamesAndNumbersComeBackAsTheyWere) {
  constexpr std::string_view kAlphabet = ",\"\n\r# \tpN1\xC3";
  std::minstd_rand random(11);
  const auto text = [&](std::size_t least) {
    std::string out;
    for (std::size_t length = least + random() % 6; length > 0; --length)
      out += kAlphabet[random() % kAlphabet.size()];
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Entry> runs;
    for (int i = 0; i < 3; ++i) {
      Entry run = measured(text(1),
                           {{text(1), 1.0 / static_cast<double>(random())},
                            {"parameter x", -5},
                            {"processes", 7},
                            {"tags", 8}},
                           i);
      run.machine = text(0);
      run.digest = measurement_digest(run, i);
      runs.push_back(run);
    }
    const std::string csv = runs_to_csv(runs);
    const auto back = read(csv);
    ASSERT_TRUE(back) << to_string(back.error()) << "\n" << csv;
    ASSERT_EQ(back->size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ((*back)[i].program, runs[i].program) << csv;
      ASSERT_EQ((*back)[i].machine, runs[i].machine);
      ASSERT_EQ((*back)[i].parameters, runs[i].parameters) << csv;
      ASSERT_EQ((*back)[i].digest, runs[i].digest);
    }
    ASSERT_EQ(runs_to_csv(*back), csv);
  }
}

TEST(RunsCsv, RowsByHandAreMeasurementsEachRunOfItsOwn) {
  const auto runs = read("p,N,seconds\n4,64,1.5\n4,64,1.5\n8,64,0.8\n");
  ASSERT_TRUE(runs) << to_string(runs.error());
  ASSERT_EQ(runs->size(), 3u);
  EXPECT_EQ(runs->at(0).kind, Kind::measurement);
  EXPECT_EQ(runs->at(0).parameters, (std::map<std::string, double>{{"N", 64}}));
  EXPECT_EQ(runs->at(0).digest, measurement_digest(runs->at(0), 0));
  EXPECT_EQ(runs->at(1).digest, measurement_digest(runs->at(0), 1));
  EXPECT_EQ(runs->at(2).processes, 8);
}

TEST(RunsCsv, AChangedRowIsNotTheRunThatItsDigestNames) {
  std::string csv = runs_to_csv({measured("wave", {{"N", 64}}, 3)});
  EXPECT_EQ(error_of(csv), "no error");
  csv.replace(csv.rfind(",64"), 3, ",65");
  EXPECT_THAT(error_of(csv), HasSubstr("r.csv:2: error: the row is not the run that its digest names"));
}

TEST(RunsCsv, ErrorsNameTheRow) {
  EXPECT_THAT(error_of("p,N,seconds\n4,64,1\n4,big,1\n"),
              HasSubstr("r.csv:3: error: N is \"big\", which is not a number"));
  EXPECT_THAT(error_of("p,N,seconds\n4,64,1\n4,8,1e-200\n"),
              HasSubstr("r.csv:3: error: seconds is \"1e-200\", which is smaller than 1e-30"));
  EXPECT_THAT(error_of("p,seconds\n0,1\n"), HasSubstr("p is 0, but must be a whole number of at least 1"));
  EXPECT_THAT(error_of("p,seconds\n4,0\n"), HasSubstr("r.csv:2: error: the row has no seconds above 0"));
  EXPECT_THAT(error_of("N,seconds\n4,1\n"), HasSubstr("the row has no p"));
  EXPECT_THAT(error_of("p,second\n4,1\n"), HasSubstr("column second is nearly seconds"));
  EXPECT_THAT(error_of("kind,p,seconds\nrecordin,4,1\n"),
              HasSubstr("kind recordin is not known\n  did you mean recording?"));
  EXPECT_THAT(error_of("kind,p,seconds\nmodel,4,1\n"), HasSubstr("a model is no run"));
  EXPECT_THAT(error_of("kind,p,seconds\nrecording,4,1\n"), HasSubstr("the recording has no digest"));
}

}  // namespace
}  // namespace parcast::store
