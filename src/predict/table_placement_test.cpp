// SPDX-License-Identifier: Apache-2.0
#include "predict/table_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using program::Synchronisation;
using recording::Pattern;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Nodes of four cores; an allreduce, a barrier and a broadcast of `members`.
program::Model model(const Expression& members = p()) {
  Builder b("calls");
  b.model.processes = {2, 4};
  b.collective(0, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 10, 8);
  b.collective(0, "MPI_Barrier", Pattern::barrier, Synchronisation::global, 10, 0);
  for (NodeId id = 1; id < 3; ++id) b.node(id).members = exact(members);
  // without a table: built from messages
  b.collective(0, "MPI_Bcast", Pattern::broadcast, Synchronisation::from_root, 10, 8);
  return b.model;
}

/// Both tables measured with 2 and 4 processes in these placements.
machine::Machine measured_with(std::vector<machine::MeasuredPlacement> placements) {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  m.cores_per_node = 4;
  m.placements = std::move(placements);
  add_table(m, Pattern::allreduce, "log2", 1e-6, 1e-6, 1e-10, 0);
  add_table(m, Pattern::barrier, "log2", 1e-6, 1e-6, 0, 0);
  for (machine::PatternCost& table : m.patterns) table.points = {{2, 8, 2e-6, 0, 9}, {4, 8, 3e-6, 0, 9}};
  return m;
}

const std::vector<machine::MeasuredPlacement> kOnOneNode{{2, 1, 2}, {4, 1, 4}},
    kOnePerNode{{2, 2, 1}, {4, 4, 1}};

Question asked(std::int32_t processes, std::int32_t ranks_per_node) {
  Question q = ask(processes);
  q.ranks_per_node = ranks_per_node;
  return q;
}

std::vector<std::string> texts(const std::vector<Warning>& warnings) {
  std::vector<std::string> out;
  for (const Warning& w : warnings) out.push_back(w.code + ": " + w.text);
  return out;
}

TEST(TablePlacement, TablesOfOneNodeAreNotThoseOfOneProcessOnEach) {
  const auto said = placement_warnings(model(), measured_with(kOnOneNode), asked(4, 1));
  EXPECT_THAT(texts(said),
              testing::ElementsAre("other-placement: allreduce, barrier were measured on paper with all "
                                   "processes on one node, not with one process on each node"));
  EXPECT_THAT(said[0].hint, AllOf(HasSubstr("parcast calibrate"), HasSubstr("--map-by ppr:1:node -n {p}"),
                                  HasSubstr("--ntasks-per-node=1 -n {p}")));
  EXPECT_THAT(placement_warnings(model(), measured_with(kOnOneNode), asked(4, 4)), IsEmpty());
  EXPECT_THAT(placement_warnings(model(), measured_with(kOnOneNode), asked(1, 1)), IsEmpty());
}

TEST(TablePlacement, TablesOfOneProcessOnEachNodeAreNotThoseOfOneNode) {
  const auto said = placement_warnings(model(), measured_with(kOnePerNode), ask(4));
  EXPECT_THAT(texts(said),
              testing::ElementsAre("other-placement: allreduce, barrier were measured on paper with one "
                                   "process on each node, not with all processes on one node"));
  EXPECT_THAT(said[0].hint, AllOf(HasSubstr("'mpirun -n {p}'"), HasSubstr("'srun -N 1 -n {p}'")));
  EXPECT_THAT(placement_warnings(model(), measured_with(kOnePerNode), asked(4, 1)), IsEmpty());
}

TEST(TablePlacement, SeveralOnEachOfSeveralNodesAreNeither) {
  for (const auto& placements : {kOnOneNode, kOnePerNode}) {
    const auto said = placement_warnings(model(), measured_with(placements), asked(4, 2));
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0].text, testing::EndsWith("not with up to 2 processes on each of 2 nodes"));
    EXPECT_THAT(said[0].hint, HasSubstr("ppr:2:node"));
  }
  EXPECT_THAT(placement_warnings(model(), measured_with({{2, 1, 2}, {4, 2, 2}}), asked(8, 4)), IsEmpty());
}

TEST(TablePlacement, OfPartsOfAllProcessesOnlyWhatHoldsOfAllIsSaid) {
  // they may be on one node
  EXPECT_THAT(placement_warnings(model(p() / 2), measured_with(kOnOneNode), asked(8, 4)), IsEmpty());
  EXPECT_EQ(placement_warnings(model(p() / 2), measured_with(kOnOneNode), asked(8, 1)).size(), 1u);
  EXPECT_THAT(placement_warnings(model(1), measured_with(kOnOneNode), asked(8, 1)), IsEmpty());
}

TEST(TablePlacement, FilesThatDoNotSayItAreNotWarnedOf) {
  EXPECT_THAT(placement_warnings(model(), measured_with({}), asked(4, 1)), IsEmpty());
}

TEST(TablePlacement, APredictionCarriesTheWarning) {
  const auto prediction = equation_engine().predict(model(), measured_with(kOnOneNode), asked(4, 1));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_EQ(std::count_if(prediction->warnings.begin(), prediction->warnings.end(),
                          [](const Warning& w) { return w.code == "other-placement"; }),
            1);
}

}  // namespace
}  // namespace parcast::predict
