// SPDX-License-Identifier: Apache-2.0
// Every verb that uses numbers of a machine warns of changes since the machine was measured, and of another
// MPI library than that of the recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "calibrate/environment.h"
#include "cli/inputs.h"
#include "cli/verbs_in_a_folder.h"
#include "model/model_file.h"

namespace parcast::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kOlder =
    "here is measured on this host, but the kernel was 2.6.32 when it was measured, and is ";
const std::string kOther =
    "recorded with MPICH Version: 4.0.2, but here is measured with Open MPI v4.1.4: messages are taken to "
    "cost what they do with Open MPI v4.1.4";

/// The machine `here`, measured on this host under another kernel, and `elsewhere`, whose file differs only
/// in the host.
class MachineWarnings : public VerbsInAFolder {
 protected:
  void SetUp() override {
    VerbsInAFolder::SetUp();
    write("few.program",
          "program few\nparameter N = 100, 100000\ncompute 10 us\nrepeat N\n  compute 3 ns\nbarrier\n");
    write("many.program", "program many\nparameter N = 100, 100000\nrepeat N\n  compute 5 ns\nbarrier\n");
    for (const auto& [name, host] : {std::pair("here", calibrate::host_environment().at("host")),
                                     std::pair("elsewhere", std::string("no host is called so"))})
      write_machine(name, "kernel = \"2.6.32\"\nmpi = \"Open MPI v4.1.4\"\nhost = \"" + host + "\"\n");
  }
};

TEST_F(MachineWarnings, EveryVerbThatPredictsSaysWhatChanged) {
  struct Call {
    std::string verb;
    std::vector<std::string> inputs;
    std::vector<Invocation::Given> flags;
  };
  const std::vector<Call> all{
      {"predict", {"few"}, {{"--set", "N=100"}, {"--processes", "2"}, {"--no-store", ""}, {"--json", ""}}},
      {"sweep", {"few"}, {{"--set", "N=100"}, {"--vary", "p=1,2"}, {"--json", ""}}},
      {"explain", {"few"}, {{"--set", "N=100"}, {"--processes", "2"}, {"--json", ""}}},
      {"compare", {"few", "many"}, {{"--set", "N=100"}, {"--processes", "2"}, {"--json", ""}}},
      {"interpret", {"few.program"}, {{"--set", "N=100"}, {"--processes", "2"}}},
      {"interpret",
       {"few.program"},
       {{"--set", "N=100"}, {"--processes", "2"}, {"--map", "block"}, {"--map", "cyclic"}}},
      {"interpret", {"few.program"}, {{"--set", "N=100"}, {"--processes", "2"}, {"--json", ""}}},
      {"simulate", {"few.program"}, {{"--param", "N=100"}, {"--processes", "2"}}},
      {"machine", {"show", "here"}, {}},
  };
  for (const Call& asked : all) {
    auto flags = asked.flags;
    if (asked.verb != "machine") flags.push_back({"--machine", "here"});
    const std::string said = printed(asked.verb, asked.inputs, flags);
    EXPECT_EQ(code_, kAnswered) << asked.verb << "\n" << said;
    EXPECT_THAT(said, HasSubstr(kOlder)) << asked.verb;
    if (asked.verb == "machine") continue;
    flags.back().value = "elsewhere";
    EXPECT_THAT(printed(asked.verb, asked.inputs, flags), Not(HasSubstr("when it was measured")))
        << asked.verb;
  }
}

TEST_F(MachineWarnings, ATraceIsInterpretedWithThem) {
  std::ofstream("pair.goal")
      << "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 7\n}\nrank 1 {\nl1: recv 8b from 0 tag 7\n}\n";
  const std::string said = printed("interpret", {"pair.goal"}, {{"--machine", "here"}});
  EXPECT_EQ(code_, kAnswered) << said;
  EXPECT_THAT(said, HasSubstr("  ! " + kOlder));
  EXPECT_THAT(said, Not(HasSubstr("is measured with")));  // the library of its messages is unknown
  EXPECT_THAT(printed("interpret", {"pair.goal"}, {{"--machine", "elsewhere"}, {"--recorded-on", "here"}}),
              HasSubstr(kOlder));
  EXPECT_THAT(printed("interpret", {"pair.goal"}, {{"--machine", "here"}, {"--csv", ""}}),
              HasSubstr("pair.goal: warning: " + kOlder));
}

TEST_F(MachineWarnings, CostsFromRunsSayThemBeforeAnythingElse) {
  std::ofstream("runs.csv") << "program,p,seconds,operations,footprint_a,traffic_a\nx,1,1,1e9,100,1000\nx,1,"
                               "2,2e9,100000,1000000\nx,1,3,3.1e9,200,2000\ny,1,4,4e9,300000,2000000\n";
  EXPECT_THAT(printed("regress", {"runs.csv"}, {{"--linearise", "here"}, {"--quick", ""}}),
              HasSubstr(kOlder));
  EXPECT_THAT(printed("regress", {"runs.csv"}, {{"--linearise", "elsewhere"}, {"--quick", ""}}),
              Not(HasSubstr("when it was measured")));
  EXPECT_THAT(printed("regress", {"runs.csv"}, {{"--linearise", "here"}, {"--quick", ""}, {"--quiet", ""}}),
              Not(HasSubstr("when it was measured")));
  // followed by the error that there is no such model
  EXPECT_THAT(printed("regress", {"runs.csv"}, {{"--models", "none.model.json"}, {"--priced-by", "here"}}),
              HasSubstr(kOlder));
}

TEST_F(MachineWarnings, AnotherLibraryThanTheRecordingsIsSaid) {
  auto model = load_model("few");
  ASSERT_TRUE(model) << to_string(model.error());
  model->sources.resize(1);
  model->sources[0].processes = 2, model->sources[0].parameters = {{"N", 100}};
  model->sources[0].mpi_library = "MPICH Version: 4.0.2";
  ASSERT_TRUE(program::write_model("mpich.model.json", *model));
  model->sources[0].mpi_library = "Open MPI v4.1.4";
  ASSERT_TRUE(program::write_model("same.model.json", *model));
  const auto said = [&](const std::string& verb, const std::string& of) {
    std::vector<Invocation::Given> flags{
        {verb == "simulate" ? "--param" : "--set", "N=100"}, {"--machine", "here"}, {"--json", ""}};
    if (verb == "sweep")
      flags.push_back({"--vary", "p=1,2"});
    else
      flags.push_back({"--processes", "2"});
    if (verb == "predict") flags.push_back({"--no-store", ""});
    return printed(verb, {of}, flags);
  };
  for (const char* verb : {"predict", "sweep", "explain", "interpret", "simulate"}) {
    EXPECT_THAT(said(verb, "mpich.model.json"), HasSubstr(kOther)) << verb;
    EXPECT_EQ(code_, kAnswered) << verb;
    EXPECT_THAT(said(verb, "same.model.json"), Not(HasSubstr("is measured with"))) << verb;
  }
}

}  // namespace
}  // namespace parcast::cli
