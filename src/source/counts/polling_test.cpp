// SPDX-License-Identifier: Apache-2.0
#include "source/counts/polling.h"

#include <gmock/gmock.h>

namespace parcast::program {
namespace {

using ::testing::UnorderedElementsAre;

// Block 0 is the entry, 1 and 2 are the outer loop, 2 is the inner loop in it, and 3 follows the loops.
facts::Function with_loops(const std::string& name, int calling, const std::string& called) {
  facts::Function f;
  f.name = name;
  f.blocks.resize(4);
  f.blocks[1].loop = 0;
  f.blocks[2].loop = 1;
  f.loops = {{.head = 1}, {.head = 2, .in = 0}};
  const auto arc = [&](facts::Point from, facts::Point to) { f.arcs.push_back({from, to}); };
  for (int b = 0; b < 4; ++b) arc(1 + 2 * b, 2 + 2 * b);
  arc(0, 1), arc(2, 3), arc(4, 5), arc(6, 5), arc(6, 3), arc(4, 7), arc(8, 0);
  f.calls.push_back({calling, {}, called, {}, {}});
  return f;
}

std::set<BlockPlace> polling_in(const std::vector<facts::Function>& functions) {
  facts::Module module;
  module.functions = functions;
  const std::vector<facts::Module> modules{module};
  return polling_blocks(modules, facts::LinkedProgram(modules));
}

TEST(Polling, IsInTheInnermostLoopAroundACallThatAsks) {
  EXPECT_THAT(polling_in({with_loops("main", 2, "MPI_Test")}), UnorderedElementsAre(BlockPlace{{0, 0}, 2}));
  EXPECT_THAT(polling_in({with_loops("main", 1, "PMPI_Iprobe")}),
              UnorderedElementsAre(BlockPlace{{0, 0}, 1}, BlockPlace{{0, 0}, 2}));
  EXPECT_THAT(polling_in({with_loops("main", 1, "mpi_testall_")}), ::testing::SizeIs(2));
  EXPECT_THAT(polling_in({with_loops("main", 2, "MPI_Wait")}), ::testing::IsEmpty());
  EXPECT_THAT(polling_in({with_loops("main", 0, "MPI_Test")}), ::testing::IsEmpty()) << "once";
}

TEST(Polling, IsNotInALoopThatGoesRoundAsOftenAsItsArithmeticSays) {
  facts::Function f = with_loops("main", 2, "MPI_Test");
  f.loops[1].rounds = 0;
  EXPECT_THAT(polling_in({f}), ::testing::IsEmpty());
}

TEST(Polling, IsInTheLoopOfWhoCallsAFunctionThatAsksOnce) {
  const facts::Function has_come = with_loops("has_come", 0, "MPI_Test");
  EXPECT_THAT(polling_in({with_loops("main", 2, "has_come"), has_come}),
              UnorderedElementsAre(BlockPlace{{0, 0}, 2}, BlockPlace{{0, 1}, 0}, BlockPlace{{0, 1}, 1},
                                   BlockPlace{{0, 1}, 2}, BlockPlace{{0, 1}, 3}));
  const facts::Function waits = with_loops("waits", 2, "MPI_Test");
  EXPECT_THAT(polling_in({with_loops("main", 2, "waits"), waits}),
              UnorderedElementsAre(BlockPlace{{0, 1}, 2}))
      << "the loop around a whole wait is none";
}

}  // namespace
}  // namespace parcast::program
