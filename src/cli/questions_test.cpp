// SPDX-License-Identifier: Apache-2.0
// The values of a question reach the answer, whichever verb gets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/inputs.h"
#include "cli/verbs_in_a_folder.h"
#include "model/model_file.h"

namespace parcast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Questions : public VerbsInAFolder {
 protected:
  void SetUp() override {
    VerbsInAFolder::SetUp();
    write_machine("pairs", "kernel = \"6.1\"\n");
    write("ring.program",
          "program ring\nparameter N = 100, 1000\nparameter dt = 0.5, 0.25\nrepeat N\n  compute 20000*dt "
          "operations\n  exchange 8 B with r xor 1\n");
  }
  double seconds(const std::string& verb, std::vector<Invocation::Given> flags) {
    for (const Invocation::Given& each : std::vector<Invocation::Given>{{"--machine", "pairs"},
                                                                        {"--processes", "4"},
                                                                        {"--set", "N=100"},
                                                                        {"--set", "dt=0.5"},
                                                                        {"--json", ""}})
      flags.push_back(each);
    if (verb == "predict") flags.push_back({"--no-store", ""}), flags.push_back({"--engine", "interpret"});
    const std::string out = output(verb, {"ring"}, flags);
    EXPECT_EQ(code_, kAnswered) << out << errors_;
    const json number = code_ == kAnswered ? json::parse(out).at("seconds") : json(-1);
    return number.is_object() ? number.at("value").get<double>() : number.get<double>();
  }
};

TEST_F(Questions, NodesAndThreadsPlaceTheProcessesOfAnInterpretation) {
  const double by_twos = seconds("interpret", {}), apart = seconds("interpret", {{"--nodes", "4"}}),
               with_threads = seconds("interpret", {{"--threads", "2"}});
  EXPECT_GT(apart, by_twos + 100 * 5e-6);  // messages go from node to node, not within one
  EXPECT_EQ(with_threads, apart);          // both cores belong to one process
  EXPECT_EQ(seconds("predict", {{"--nodes", "4"}}), apart);
  EXPECT_EQ(seconds("predict", {}), by_twos);
}

TEST_F(Questions, OfARunThatIsThereAreRefused) {
  write("pair.goal",
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 7\n}\nrank 1 {\nl1: recv 8b from 0 tag 7\n}\n");
  for (const char* flag : {"--nodes", "--threads", "--level"}) {
    EXPECT_THAT(printed("interpret", {"pair.goal"}, {{flag, "1"}}),
                HasSubstr("pair.goal: error: " + std::string(flag) + " works with a model"));
    EXPECT_EQ(code_, kUsage);
  }
}

TEST_F(Questions, AScaledParameterIsWholeWhereItsRecordedValuesAre) {
  const auto of = [&](const std::string& scale) {
    const std::string out = output("sweep", {"ring"},
                                   {{"--machine", "pairs"},
                                    {"--vary", "p=1,2,4"},
                                    {"--scale", scale},
                                    {"--set", scale[0] == 'N' ? "dt=0.5" : "N=100"},
                                    {"--json", ""}});
    EXPECT_EQ(code_, kAnswered) << out << errors_;
    std::vector<double> values;
    const json sweep = code_ == kAnswered ? json::parse(out) : json{{"points", json::array()}};
    for (const json& point : sweep.at("points"))
      values.push_back(point.at("parameters").at(scale.substr(0, scale.find('='))).get<double>());
    return values;
  };
  EXPECT_THAT(of("dt=0.5/p"), testing::ElementsAre(0.5, 0.25, 0.125));
  EXPECT_THAT(of("N=100*p^(1/2)"), testing::ElementsAre(100, 141, 200));
}

TEST_F(Questions, OfDamagedRecordingsEndInTheCodeThatSaysIt) {
  auto model = load_model("ring");
  ASSERT_TRUE(model) << to_string(model.error());
  model->sources.resize(1);
  model->sources[0].processes = 2, model->sources[0].parameters = {{"N", 100}, {"dt", 0.5}},
  model->sources[0].damaged = true;
  ASSERT_TRUE(program::write_model("part.model.json", *model));
  const std::vector<Invocation::Given> flags{{"--machine", "pairs"}, {"--set", "N=100"}, {"--set", "dt=0.5"}};
  for (const std::string verb : {"predict", "explain", "interpret", "sweep"}) {
    auto given = flags;
    given.push_back(verb == "sweep" ? Invocation::Given{"--vary", "p=1,2"}
                                    : Invocation::Given{"--processes", "2"});
    if (verb == "predict") given.push_back({"--no-store", ""});
    const std::string said = printed(verb, {"part"}, given);
    EXPECT_EQ(code_, kPartial) << verb << "\n" << said;
  }
}

TEST_F(Questions, MoreThanAMillionPointsAreRefusedBeforeTheyAreMade) {
  EXPECT_THAT(printed("sweep", {"ring"},
                      {{"--machine", "pairs"},
                       {"--vary", "N=1..1000000"},
                       {"--vary", "p=1..1000000"},
                       {"--set", "dt=0.5"}}),
              HasSubstr("more than a million points"));
  EXPECT_EQ(code_, kUsage);
}

TEST_F(Questions, ListsOfProcessesAndSizesVary) {
  const std::string by_vary = printed("sweep", {"ring"},
                                      {{"--machine", "pairs"},
                                       {"--vary", "p=2,4"},
                                       {"--vary", "N=100..200/3"},
                                       {"--set", "dt=0.5"},
                                       {"--json", ""}});
  EXPECT_EQ(code_, kAnswered) << by_vary;
  const std::string by_lists = printed("sweep", {"ring"},
                                       {{"--machine", "pairs"},
                                        {"--set", "N=100..200/3"},
                                        {"--set", "dt=0.5"},
                                        {"--processes", "2,4"},
                                        {"--json", ""}});
  EXPECT_EQ(by_lists, by_vary);
  const auto drawn = [&](std::vector<Invocation::Given> flags) {
    for (const Invocation::Given& each : std::vector<Invocation::Given>{
             {"--machine", "pairs"}, {"--set", "dt=0.5"}, {"--output", "plot.svg"}})
      flags.push_back(each);
    const std::string said = printed("sweep", {"ring"}, std::move(flags));
    EXPECT_EQ(code_, kAnswered) << said;
  };
  drawn({{"--processes", "1,2,4"}, {"--set", "N=100"}, {"--quantity", "speedup"}});
  drawn({{"--processes", "2,4"}, {"--set", "N=100,200"}, {"--contour", ""}});
  EXPECT_THAT(printed("sweep", {"ring"}, {{"--machine", "pairs"}, {"--set", "N=1,x"}, {"--set", "dt=0.5"}}),
              HasSubstr("\"x\" is not a number"));
}

TEST_F(Questions, FlagsThatTheAnswerHasNoRoomForAreRefused) {
  const std::vector<Invocation::Given> flags{
      {"--set", "N=100"}, {"--set", "dt=0.5"}, {"--processes", "2"}, {"--all", ""}};
  const auto refused = [&](const std::string& verb, std::vector<Invocation::Given> more) {
    more.insert(more.end(), flags.begin(), flags.end());
    const std::string said = printed(verb, {"ring"}, more);
    EXPECT_EQ(code_, kUsage) << said;
    return said;
  };
  write_machine("others", "kernel = \"6.1\"\n");
  EXPECT_THAT(refused("predict", {{"--machine", "pairs"}, {"--machine", "others"}}),
              HasSubstr("--all works with a single machine"));
  EXPECT_THAT(refused("predict", {{"--counts", ""}}), HasSubstr("--all concerns times"));
  EXPECT_THAT(refused("explain", {{"--machine", "pairs"}, {"--as", "maple"}}),
              HasSubstr("--all and --as exclude each other"));
}

}  // namespace
}  // namespace parcast::cli
