// SPDX-License-Identifier: Apache-2.0
// Graphs of a written program whose time has a closed form: N seconds of computing, shared by p processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "language/written.h"
#include "machine/extrap.h"
#include "predict/model_builder.h"
#include "predict/prediction.h"
#include "study/answer.h"

namespace parcast::study {
namespace {

using predict::by_hand::Builder;

class Graphs : public testing::Test {
 protected:
  Graphs() {
    Builder builder;
    builder.add_parameter("N", {1, 64});
    const auto last = builder.collective(0, "MPI_Barrier", recording::Pattern::barrier,
                                         program::Synchronisation::global, 1, 0);
    builder.segment(
        0, program::kNone, last, 1,
        predict::by_hand::proportional(predict::by_hand::parameter("N") / predict::by_hand::p(), 1.0));
    model_ = builder.model;
    machine_ = predict::by_hand::simple_machine(1e-6, 0, 0);
    asking_ = {.model = &model_,
               .machine = &machine_,
               .recorded_on = nullptr,
               .engine = *predict::find_engine("equation")};
  }
  std::vector<double> seconds(const std::vector<Axis>& axes) {
    const auto graph = graph_of(asking_, axes, {{"p", 2}, {"N", 8}}, {"p", "N"});
    EXPECT_TRUE(graph) << to_string(graph.error());
    std::vector<double> out;
    for (const auto& point : graph ? *graph : std::vector<predict::Prediction>())
      out.push_back(point.seconds.value);
    return out;
  }
  std::string error_of(const std::vector<Axis>& axes) {
    const auto good = check_axes(machine_, axes, {{"p", 2}, {"N", 8}}, {"p", "N"});
    return good ? "" : good.error().what;
  }

  program::Model model_;
  machine::Machine machine_;
  Asking asking_;
};

TEST_F(Graphs, VaryValuesAndMultiplesOfWhatIsAsked) {
  const auto by_n = seconds({{"N", "4,8,16"}});
  ASSERT_EQ(by_n.size(), 3u);
  EXPECT_NEAR(by_n[0], 2, 1e-3);
  EXPECT_NEAR(by_n[2], 8, 1e-3);
  EXPECT_EQ(seconds({{"N", "*0.5,*1,*2"}}), by_n);
  EXPECT_EQ(seconds({{"N", "*0.5..*2*2"}}), by_n);
}

TEST_F(Graphs, CrossTwoAxesFromOneProcess) {
  const auto both = seconds({{"p", "1,2"}, {"N", "8,16"}});
  ASSERT_EQ(both.size(), 4u);
  EXPECT_NEAR(both[0], 8, 1e-3);
  EXPECT_NEAR(both[1], 16, 1e-3);
  EXPECT_NEAR(both[2], 4, 1e-3);
  EXPECT_NEAR(both[3], 8, 1e-3);
}

TEST_F(Graphs, VaryParametersOfTheMachine) {
  const auto once = seconds({{"links.network.latency", "1us,1s"}});
  ASSERT_EQ(once.size(), 2u);
  EXPECT_GT(once[1], once[0] + 0.9);
  EXPECT_EQ(seconds({{"links.network.latency", "*1,*1e6"}}), once);
  const auto graph = graph_of(asking_, {{"links.network.latency", "*2"}}, {{"p", 2}, {"N", 8}}, {"p", "N"});
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->front().question.machine.at("links.network.latency").value, 2e-6);
}

TEST_F(Graphs, MistakesAreFoundBeforeAnythingRuns) {
  EXPECT_EQ(error_of({{"p", "1,2"}}), "");
  EXPECT_EQ(error_of({{"p", "0.5,1"}}), "p = 0.5 is not a number of processes");
  EXPECT_THAT(error_of({{"latncy", "1us,2us"}}), testing::HasSubstr("\"latncy\" is not a parameter"));
  EXPECT_THAT(error_of({{"links.network.latency", "1,2"}}), testing::HasSubstr("is not a list of values"));
  EXPECT_THAT(error_of({{"p", "1..200"}, {"N", "1..200"}}), testing::HasSubstr("more than 10000 points"));
}

TEST_F(Graphs, ParametersOfExtrapAreOfItsEngine) {
  Description description;
  description.engine = "auto";
  description.graph = {{"p", "1,2"}, {"MipsRatio", "1,2"}};
  EXPECT_THAT(check_engine_parameters(description, {"p"}).error().what,
              testing::HasSubstr("MipsRatio is of ExtraP's machine"));
  description.engine = "extrap";
  EXPECT_TRUE(check_engine_parameters(description, {"p"}));
  description.graph = {{"N", "1,2"}, {"links.network.latency", "1us,2us"}};
  EXPECT_THAT(check_engine_parameters(description, {"p", "N"}).error().what,
              testing::HasSubstr("links.network.latency has no effect"));
}

TEST(ExtrapGraphs, VaryAnyOfItsParametersWithProcesses) {
  // ten rounds of N us of computing and 8 N bytes to the next rank of a ring
  const auto model = program::written::model_of_text(
      "program test\nparameter N = 100\nrepeat 10\n  compute N us\n"
      "  shift 8*N B to (r + 1) mod p from (r - 1) mod p\n",
      "test.program");
  ASSERT_TRUE(model) << to_string(model.error());
  machine::Machine machine = predict::by_hand::simple_machine(1e-6, 0, 0);
  machine.extrap.emplace();
  const Asking asking{.model = &*model,
                      .machine = &machine,
                      .recorded_on = nullptr,
                      .engine = *predict::find_engine("extrap")};
  const std::vector<Axis> axes{{"CommStartupTime", "0..100/3"}, {"MipsRatio", "*1,*0.5"}};
  const auto graph = graph_of(asking, axes, {{"p", 4}, {"N", 100}}, {"p", "N"});
  ASSERT_TRUE(graph) << to_string(graph.error());
  ASSERT_EQ(graph->size(), 6u);
  std::size_t at = 0;
  for (const double startup : {0.0, 50e-6, 100e-6})
    for (const double ratio : {1.0, 0.5})
      EXPECT_NEAR((*graph)[at++].seconds.value, 10 * (ratio * 100e-6 + startup), 1e-10);
  EXPECT_EQ((*graph)[2].question.machine.at("CommStartupTime").value, 50e-6);
  EXPECT_EQ((*graph)[2].question.machine.at("CommStartupTime").dimension, Dimension::time);
  EXPECT_EQ((*graph)[1].question.machine.at("MipsRatio").value, 0.5);
  const auto names =
      graph_of(asking, {{"Topology", "Ring,FullyConnected"}}, {{"p", 4}, {"N", 100}}, {"p", "N"});
  ASSERT_TRUE(names) << to_string(names.error());
  EXPECT_THAT((*names)[0].machine, testing::HasSubstr("Topology = Ring"));
  EXPECT_FALSE(check_axes(machine, {{"Topology", "Rign"}}, {{"p", 4}}, {"p"}));
}

TEST_F(Graphs, ParametersOfTheProgramItselfKeepTheirOnlyValue) {
  model_.parameters.push_back({"steps", {20}});
  const auto question = question_of(asking_, {{"p", 2}, {"N", 8}});
  ASSERT_TRUE(question) << to_string(question.error());
  EXPECT_EQ(question->point.parameters, (std::map<std::string, double>{{"N", 8}, {"steps", 20}}));
  model_.parameters.back().values = {20, 30};
  EXPECT_THAT(question_of(asking_, {{"p", 2}, {"N", 8}}).error().what,
              testing::HasSubstr("steps, which differs between the runs"));
}

TEST_F(Graphs, SetChangesAParameterOrMultipliesIt) {
  EXPECT_DOUBLE_EQ(
      with_parameters(machine_, {{"links.network.latency", "*3"}})->links.at("network").latency.value, 3e-6);
  EXPECT_DOUBLE_EQ(with_parameters(machine_, {{"L", "5us"}})->links.at("network").latency.value, 5e-6);
  EXPECT_FALSE(with_parameters(machine_, {{"L", "5"}}));
}

TEST(Precision, IsHalfTheIntervalByTheValue) {
  predict::Estimate estimate;
  estimate.value = 10, estimate.low = 9, estimate.high = 12;
  EXPECT_DOUBLE_EQ(precision_of(estimate), 15);
}

}  // namespace
}  // namespace parcast::study
