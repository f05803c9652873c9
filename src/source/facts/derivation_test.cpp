// SPDX-License-Identifier: Apache-2.0
#include "source/facts/derivation.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "source/facts/testing/test_programs.h"

namespace parcast::facts {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A program that divides n rows among p processes into a structure, and traverses its own rows
// (tests/pass/fixtures/rows.c).
class Derivation : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(PARCAST_SOURCE_DIR "/tests/pass/fixtures/rows.facts", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    auto read = read_facts(text.str(), "rows.facts");
    ASSERT_TRUE(read) << to_string(read.error());
    modules = *std::move(read);
    ASSERT_THAT(modules, SizeIs(1));
  }

  FunctionPlace place(const std::string& name) const {
    for (int f = 0; f < static_cast<int>(modules[0].functions.size()); ++f)
      if (modules[0].functions[f].name == name) return {0, f};
    ADD_FAILURE() << name;
    return {};
  }

  static Inputs inputs(std::int64_t n, std::int64_t steps, std::int64_t p, std::int64_t r) {
    return {{{InputKind::words}, {false, 3, 0}},
            {{InputKind::word, 1}, {false, n, 0}},
            {{InputKind::word, 2}, {false, steps, 0}},
            {{InputKind::processes}, {false, p, 0}},
            {{InputKind::rank}, {false, r, 0}}};
  }

  std::vector<Module> modules;
};

TEST_F(Derivation, RoundsOfLoopsComeFromTheCommandLineThroughCallsAndMemory) {
  const LinkedProgram program(modules);
  const FunctionPlace work = place("work");
  const Function& function = program.at(work);
  ASSERT_THAT(function.loops, SizeIs(3));
  for (const std::int64_t n : {7, 64})
    for (const std::int64_t p : {1, 3, 4})
      for (std::int64_t r = 0; r < p; ++r) {
        const Inputs given = inputs(n, 5, p, r);
        const std::int64_t rows = n / p + (r < n % p);
        const std::int64_t rounds[] = {5 - 1, rows - 1};  // executions of the back edge
        for (int loop : {0, 1}) {
          const auto formulas = program.candidates(work, *function.loops[loop].rounds).formulas;
          ASSERT_THAT(formulas, SizeIs(1)) << "loop " << loop;
          EXPECT_EQ(evaluate(formulas[0], given)->whole, rounds[loop]);
        }
        // the innermost loop runs from its row to the end
        const auto formulas = program.candidates(work, *function.loops[2].rounds).formulas;
        ASSERT_THAT(formulas, SizeIs(1));
        const auto in_row = [](std::int64_t row) {
          return [row](int) { return std::optional<std::uint64_t>(row); };
        };
        EXPECT_EQ(evaluate(formulas[0], given, in_row(2))->whole, n - 1 - 2);
      }
}

TEST_F(Derivation, WhatIsNeverExecutedIsNoCandidate) {
  const FunctionPlace work = place("work"), main = place("main");
  const Call* call = nullptr;
  for (const Call& each : modules[0].functions[main.function].calls)
    if (each.to == "split") call = &each;
  ASSERT_TRUE(call);
  const LinkedProgram without(
      modules, [&](FunctionPlace function, int block) { return function != main || block != call->block; });
  EXPECT_THAT(without.candidates(work, *modules[0].functions[work.function].loops[1].rounds).formulas,
              IsEmpty());
}

TEST_F(Derivation, WhatNobodyTellsHasNoCandidates) {
  const LinkedProgram program(modules);
  const FunctionPlace work = place("work");
  const Function& function = program.at(work);
  for (NodeNumber node = 0; node < static_cast<NodeNumber>(function.nodes.size()); ++node)
    if (function.nodes[node].operation == Operation::unknown)
      EXPECT_THAT(program.candidates(work, node).formulas, IsEmpty());
}

// main(argc, argv) starts a team whose threads each call region(thread, number, n) with the first word of the
// command line. The loop of region has n rounds.
constexpr const char* kTeam = R"({"source":"x.c","counters":2,"probes":0,"functions":[
{"name":"main","shape":"1","arcs":[[1,2],[0,1,0],[2,0]],"blocks":[{"at":[],"operations":{}}],
 "calls":[{"block":0,"at":[],"to":"FORK","arguments":[7,8,6,CONDITION5]}],
 "nodes":[["behind",1,8],["pointed",0,0],["somewhere"],["int",32,10],["call",64,"strtol",1,2,3],["mul",64,4,4],["global","region",0],["global","ident",0],["int",32,1]]},
{"name":"region","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],
 "nodes":[["argument",32,0],["argument",32,1],["argument",64,2],["argument",64,3]]}]})";

TEST(Teams, WhatACallThatStartsThreadsPassesOnIsWhatTheirFunctionGets) {
  for (const auto& [fork, condition] :
       {std::pair("__kmpc_fork_call", ""), std::pair("__kmpc_fork_call_if", "8,")}) {
    std::string json = kTeam;
    json.replace(json.find("FORK"), 4, fork);
    json.replace(json.find("CONDITION"), 9, condition);
    const auto modules =
        read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
    ASSERT_TRUE(modules) << to_string(modules.error());
    const LinkedProgram program(*modules);
    const FunctionPlace region{0, 1};
    EXPECT_EQ(program.callers(region), (std::vector<std::pair<FunctionPlace, int>>{{{0, 0}, 0}}));
    const auto formulas = program.candidates(region, 2).formulas;
    ASSERT_THAT(formulas, SizeIs(1));
    EXPECT_EQ(
        evaluate(formulas[0], {{{InputKind::words}, {false, 2, 0}}, {{InputKind::word, 1}, {false, 7, 0}}})
            ->whole,
        49);
    // the thread's number, and no further arguments
    for (const NodeNumber other : {0, 1, 3})
      EXPECT_THAT(program.candidates(region, other).formulas, IsEmpty());
  }
}

TEST_F(Derivation, BlocksThatEndInAbortCanOnlyFail) {
  const LinkedProgram program(modules);
  const FunctionPlace main = place("main");
  const Function& function = program.at(main);
  std::set<int> aborts, others;
  for (const Call& call : function.calls) (call.to == "MPI_Abort" ? aborts : others).insert(call.block);
  ASSERT_THAT(aborts, SizeIs(1));
  EXPECT_TRUE(program.only_fails(main, *aborts.begin()));
  for (const int block : others)
    if (!aborts.contains(block)) EXPECT_FALSE(program.only_fails(main, block)) << block;
  for (int block = 0; block < static_cast<int>(program.at(place("work")).blocks.size()); ++block)
    EXPECT_FALSE(program.only_fails(place("work"), block));
}

// A global has the initial value 10 and is then read from a file. The loop has n - 1 rounds.
TEST(DerivationOfNumbers, WhatTheProgramOnlyBeginsWithMayBeWhatItWasSeenToBe) {
  const std::string json = R"({"source":"x.c","counters":1,"probes":0,"functions":[
{"name":"main","shape":"1","arcs":[[1,2],[0,1,0],[2,0]],"blocks":[{"at":[],"operations":{}}],"stores":[[0,0,1]],
 "nodes":[["global","n",0],["int",64,10],["load",64,0],["int",64,-1],["add",64,2,3]]}]})";
  const auto modules =
      read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
  ASSERT_TRUE(modules) << to_string(modules.error());
  const auto values = [](const std::vector<Formula>& formulas) {
    std::vector<std::int64_t> all;
    for (const Formula& formula : formulas)
      all.push_back(evaluate(formula, {{{InputKind::recognised}, {false, 77, 0}}})->whole);
    return all;
  };
  EXPECT_THAT(values(LinkedProgram(*modules).candidates({0, 0}, 4).formulas), ::testing::ElementsAre(9));
  std::vector<std::int64_t> numbers;
  const LinkedProgram seen(*modules, {},
                           [&](FunctionPlace, NodeNumber node, const std::vector<Formula>& known) {
                             EXPECT_EQ(node, 2);
                             numbers = values(known);
                             return std::vector<Formula>{input({InputKind::recognised}, 64)};
                           });
  EXPECT_THAT(values(seen.candidates({0, 0}, 4).formulas), ::testing::ElementsAre(76));
  EXPECT_THAT(numbers, ::testing::ElementsAre(10));
}

bool is_sole(const std::vector<Module>& modules, FunctionPlace function, NodeNumber node,
             std::set<int> executed) {
  return LinkedProgram(modules, [&](FunctionPlace place,
                                    int block) { return place.function != 0 || executed.contains(block); })
      .candidates(function, node)
      .sole;
}

TEST(SoleCandidates, OfALocalPlaceWhereAllStoresOfTheProgramAreAlike) {
  const std::string nodes = R"(["local",0],["int",32,10],["int",32,20],["load",32,0],["int",32,10])";
  EXPECT_TRUE(is_sole(three_blocks("[0,0,1]", "", nodes), {0, 0}, 3, {0, 1, 2}));
  EXPECT_TRUE(is_sole(three_blocks("[0,0,1],[1,0,4]", "", nodes), {0, 0}, 3, {0, 1, 2}))
      << "the same number again";
  EXPECT_FALSE(is_sole(three_blocks("[0,0,1],[1,0,2]", "", nodes), {0, 0}, 3, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("[0,0,1],[1,0,2]", "", nodes), {0, 0}, 3, {0, 2}))
      << "another run may get there";
}

TEST(SoleCandidates, OfAGlobalOnlyWhatMpiWrites) {
  const std::string nodes =
                        R"(["global","n",0],["int",32,10],["load",32,0],["global","ompi_mpi_comm_world",0])",
                    size = R"({"block":0,"at":[],"to":"MPI_Comm_size","arguments":[3,0]})";
  EXPECT_FALSE(is_sole(three_blocks("[0,0,1]", "", nodes), {0, 0}, 2, {0, 1, 2})) << "it may be read before";
  EXPECT_TRUE(is_sole(three_blocks("", size, nodes), {0, 0}, 2, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("[1,0,1]", size, nodes), {0, 0}, 2, {0, 1, 2}));
}

TEST(SoleCandidates, OfAnArgumentWhereAllCallersPassTheSame) {
  const std::string nodes = R"(["int",32,10],["int",32,20])";
  const std::string f =
      R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"nodes":[["argument",32,0]]})";
  const std::string once = R"({"block":0,"at":[],"to":"f","arguments":[0]})",
                    other = R"(,{"block":1,"at":[],"to":"f","arguments":[1]})";
  EXPECT_TRUE(is_sole(three_blocks("", once, nodes, f), {0, 1}, 0, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("", once + other, nodes, f), {0, 1}, 0, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("", once + other, nodes, f), {0, 1}, 0, {0, 2}));
  // A call through a pointer may lead there if it passes enough arguments.
  EXPECT_FALSE(is_sole(three_blocks("", once + R"(,{"block":1,"at":[],"arguments":[1]})", nodes, f), {0, 1},
                       0, {0, 1, 2}));
  EXPECT_TRUE(is_sole(three_blocks("", once + R"(,{"block":1,"at":[],"arguments":[]})", nodes, f), {0, 1}, 0,
                      {0, 1, 2}));
  // So may a library that has the function's address.
  auto taken = three_blocks("", once, nodes, f);
  taken[0].taken = {"f"};
  EXPECT_FALSE(is_sole(taken, {0, 1}, 0, {0, 1, 2}));
  // Calls in blocks that only fail do not count.
  const std::string fails = R"(,{"block":1,"at":[],"to":"abort","arguments":[]})";
  const auto modules = three_blocks("", once + other + fails, nodes, f);
  EXPECT_FALSE(LinkedProgram(modules, [](FunctionPlace, int block) {
                 return block == 0;
               }).may_be_called_elsewhere({0, 1}));
}

TEST(SoleCandidates, MindNoFunctionThatNothingMayEnter) {
  const std::string nodes =
      R"(["local",0],["global","n",0],["int",32,10],["load",32,1],["global","ompi_mpi_comm_world",0])";
  const std::string writes = R"({"block":0,"at":[],"to":"MPI_Comm_size","arguments":[4,1]})";
  const auto sole = [&](const std::string& calls) {
    const auto modules = three_blocks(
        "", writes + calls, nodes,
        R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"stores":[[0,0,1]],"nodes":[["global","n",0],["int",32,20]]})");
    return LinkedProgram(modules,
                         [](FunctionPlace place, int block) { return place.function == 0 && block == 0; })
        .candidates({0, 0}, 3)
        .sole;
  };
  EXPECT_TRUE(sole("")) << "f was put in line";
  EXPECT_FALSE(sole(R"(,{"block":1,"at":[],"to":"f","arguments":[]})"));
  EXPECT_FALSE(sole(R"(,{"block":1,"at":[],"arguments":[]})")) << "through a pointer";
}

/// A local place with one store, and a call that receives its address.
bool is_sole_beside(const std::string& call, const std::string& more = "", std::set<int> executed = {0, 1, 2},
                    const std::string& overwrites = "") {
  const std::string nodes = R"(["local",0],["int",32,10],["load",32,0])";
  auto modules = three_blocks("[0,0,1]", call, nodes, more);
  if (!overwrites.empty()) modules[0].functions[0].overwrites.push_back({1, 0});
  return is_sole(modules, {0, 0}, 2, std::move(executed));
}
std::string passing(const std::string& to, int block = 1) {
  return R"({"block":)" + std::to_string(block) + R"(,"at":[])" +
         (to.empty() ? "" : R"(,"to":")" + to + '"') + R"(,"arguments":[0]})";
}
/// A function of one block. Node 0 is the place behind its first argument, node 1 a number.
std::string function_with(const std::string& name, const std::string& what) {
  return R"(,{"name":")" + name +
         R"(","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],)" + what +
         R"("nodes":[["behind",0,0],["int",32,5]]})";
}

TEST(SoleCandidates, MindWhoIsPassedTheAddress) {
  EXPECT_TRUE(is_sole_beside(""));
  EXPECT_TRUE(is_sole_beside(passing("printf")));
  EXPECT_TRUE(is_sole_beside(passing("MPI_Send"))) << "it reads";
  EXPECT_FALSE(is_sole_beside(passing("PetscOptionsGetInt"))) << "nothing is known of it";
  EXPECT_FALSE(is_sole_beside(passing("MPI_Type_size"))) << "it writes, and nobody tells what";
  EXPECT_FALSE(is_sole_beside(passing(""))) << "through a pointer";
  EXPECT_TRUE(is_sole_beside(passing("dgemm_"))) << "of the BLAS";
  EXPECT_FALSE(is_sole_beside("", "", {0, 1, 2}, "an element of it is stored"));
}

TEST(SoleCandidates, MindPointersInWhatIsPassed) {
  const std::string nodes = R"(["local",0],["local",1],["int",32,10],["load",32,1],["at",0,8])";
  const auto sole = [&](const std::string& call, int pointer = 0) {
    return is_sole(three_blocks("[0," + std::to_string(pointer) + ",1],[0,1,2]", call, nodes), {0, 0}, 3,
                   {0, 1, 2});
  };
  EXPECT_TRUE(sole(""));
  EXPECT_FALSE(sole(passing("readv")));
  EXPECT_FALSE(sole(passing("getopt_long"), 4)) << "further on in the structure";
  EXPECT_FALSE(sole(passing("pthread_create")));
  EXPECT_TRUE(sole(passing("MPI_Send")));
}

TEST(SoleCandidates, MindWhoKeepsTheAddress) {
  EXPECT_FALSE(is_sole_beside(passing("MPI_Comm_set_attr")));
  EXPECT_FALSE(is_sole_beside(passing("MPI_Keyval_create")));
  EXPECT_FALSE(is_sole_beside(R"({"block":1,"at":[],"to":"_FortranAioGetNewUnit","arguments":[1,0,1]})"))
      << "it writes a unit";
}

TEST(Candidates, OfWhatFunctionsOfMpiReturn) {
  const auto of = [](const std::string& name) {
    const auto modules = three_blocks("", "", R"(["int",32,1],["call",32,")" + name + R"(",0])");
    return LinkedProgram(modules).candidates({0, 0}, 1);
  };
  const auto send = of("MPI_Send");
  ASSERT_THAT(send.formulas, SizeIs(1));
  EXPECT_EQ(evaluate(send.formulas[0], {})->whole, 0);
  EXPECT_THAT(of("MPI_Comm_c2f").formulas, IsEmpty()) << "a handle";
}

TEST(SoleCandidates, OfTheCommandLineAreNoneWhereTheProgramChangesIt) {
  const std::string nodes = R"(["behind",1,8],["pointed",0,0],["call",32,"atoi",1],["text","12"])";
  EXPECT_TRUE(is_sole(three_blocks("", "", nodes), {0, 0}, 2, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("[1,0,3]", "", nodes), {0, 0}, 2, {0, 2})) << "another word";
}

TEST(SoleCandidates, MindFunctionsThatWereNeverCalledWithTheAddress) {
  const std::string stores = R"("stores":[[0,0,1]],)",
                    calls_f = R"("calls":[{"block":0,"at":[],"to":"f","arguments":[0]}],)";
  EXPECT_FALSE(is_sole_beside(passing("f"), function_with("f", stores))) << "another number is stored";
  EXPECT_FALSE(is_sole_beside(passing("f"), function_with("f", stores), {0, 2}))
      << "by what was never called";
  EXPECT_TRUE(is_sole_beside(passing("f"), function_with("f", ""), {0, 2}));
  EXPECT_FALSE(is_sole_beside(passing("g"), function_with("g", calls_f) + function_with("f", stores), {0, 2}))
      << "by what that calls";
  EXPECT_TRUE(is_sole_beside(passing("g"), function_with("g", calls_f) + function_with("f", ""), {0, 2}));
  EXPECT_FALSE(is_sole_beside(
      passing("f"),
      function_with("f", R"("calls":[{"block":0,"at":[],"to":"MPI_Recv","arguments":[0,1,1,1,1,1,1]}],)"),
      {0, 2}));
}

TEST(SoleCandidates, OfAPartOfWhatIsStoredAsAWholeAreNone) {
  const std::string nodes =
      R"(["local",0],["at",0,4],["int",32,10],["int",64,7],["load",32,1],["load",64,0])";
  EXPECT_TRUE(is_sole(three_blocks("[0,1,2],[1,0,2]", "", nodes), {0, 0}, 4, {0, 1, 2}))
      << "beside each other";
  EXPECT_FALSE(is_sole(three_blocks("[0,1,2],[1,0,3]", "", nodes), {0, 0}, 4, {0, 1, 2}))
      << "eight bytes reach into it";
  EXPECT_FALSE(is_sole(three_blocks("[0,1,2],[1,0,3]", "", nodes), {0, 0}, 4, {0, 2}))
      << "where that was never executed, too";
  EXPECT_FALSE(is_sole(three_blocks("[0,0,3],[1,1,2]", "", nodes), {0, 0}, 5, {0, 1, 2}))
      << "a part of it is another one";
}

// Local 0 holds a pointer to n in local 1, which is 10; local 5 is another place.
constexpr const char* kHolder =
    R"(["local",0],["local",1],["int",32,10],["pointed",0,0],["load",32,3],["local",5],["somewhere"],["int",64,8])";
bool is_sole_through(const std::string& stores, const std::string& calls = "",
                     std::set<int> executed = {0, 1, 2}) {
  return is_sole(three_blocks("[0,0,1],[0,1,2]" + stores, calls, kHolder), {0, 0}, 4, std::move(executed));
}

TEST(SoleCandidates, BehindAPointerMindWhatElseSetsIt) {
  EXPECT_TRUE(is_sole_through(""));
  EXPECT_FALSE(is_sole_through(",[1,0,5]")) << "to another place";
  EXPECT_FALSE(is_sole_through(",[1,0,5]", "", {0, 2})) << "by what was never executed";
  EXPECT_FALSE(is_sole_through(",[0,0,6]")) << "nobody knows where to";
  const auto writes = [](const std::string& name, const std::string& arguments) {
    return R"({"block":1,"at":[],"to":")" + name + R"(","arguments":[)" + arguments + "]}";
  };
  EXPECT_FALSE(is_sole_through("", writes("memcpy", "0,6,7")));
  EXPECT_FALSE(is_sole_through("", writes("memcpy", "0,6,7"), {0, 2}));
  EXPECT_TRUE(is_sole_through("", writes("memcpy", "5,0,7")));
  EXPECT_FALSE(is_sole_through("", writes("MPI_Win_allocate", "7,7,6,6,0,6")));
  const std::string global =
      R"(["global","where",0],["local",1],["int",32,10],["pointed",0,0],["load",32,3])";
  EXPECT_FALSE(is_sole(three_blocks("[0,0,1],[0,1,2]", "", global), {0, 0}, 4, {0, 1, 2}))
      << "it may lead elsewhere before";
}

TEST(SoleCandidates, OfTextsAreNoneWhereAPointerMayLeadToAnother) {
  const std::string nodes =
      R"(["local",0],["behind",1,8],["pointed",1,0],["text","12"],["pointed",0,0],["call",32,"atoi",4])";
  EXPECT_TRUE(is_sole(three_blocks("[0,0,2]", "", nodes), {0, 0}, 5, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("[0,0,2],[1,0,3]", "", nodes), {0, 0}, 5, {0, 1, 2}));
}

TEST(SoleCandidates, BehindAnArgumentMindCallsThatWereNeverMade) {
  const std::string
      nodes = R"(["local",0],["int",32,10],["local",2])",
      f = R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"nodes":[["behind",0,0],["load",32,0]]})";
  const std::string other = R"(,{"block":1,"at":[],"to":"f","arguments":[2]})";
  EXPECT_TRUE(is_sole(three_blocks("[0,0,1]", passing("f", 0), nodes, f), {0, 1}, 1, {0, 1, 2}));
  EXPECT_FALSE(is_sole(three_blocks("[0,0,1]", passing("f", 0) + other, nodes, f), {0, 1}, 1, {0, 2}));
}

TEST(SoleCandidates, MindWhatIsWrittenBeforeTheAddressThatIsPassed) {
  const std::string nodes = R"(["local",0],["int",32,10],["load",32,0],["at",0,4])";
  const auto sole = [&](const std::string& call, const std::string& f, std::set<int> executed) {
    return is_sole(three_blocks("[0,0,1]", call, nodes, f), {0, 0}, 2, std::move(executed));
  };
  const std::string passes = R"({"block":1,"at":[],"to":"f","arguments":[3]})", reads = R"("calls":[],)",
                    whole = R"("stores":[[0,2,1]],"overwrites":[[0,0]],)";
  const auto f = [](const std::string& what) {
    return R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],)" +
           what + R"("nodes":[["behind",0,0],["int",32,5],["behind",0,-4]]})";
  };
  EXPECT_TRUE(sole(passes, f(reads), {0, 1, 2}));
  EXPECT_FALSE(sole(passes, f(R"("overwrites":[[0,0]],)"), {0, 1, 2}))
      << "an element, of which the number may be below zero";
  EXPECT_FALSE(sole(passes, f(whole), {0, 2})) << "the object is found from its part";
  EXPECT_FALSE(sole(R"({"block":1,"at":[],"to":"shrink","arguments":[3]})", "", {0, 1, 2}))
      << "of another compiler";
  EXPECT_TRUE(sole(R"({"block":1,"at":[],"to":"MPI_Type_size","arguments":[1,3]})", "", {0, 1, 2}));
  EXPECT_TRUE(sole(R"({"block":1,"at":[],"to":"fscanf","arguments":[1,1,3]})", "", {0, 1, 2}))
      << "a library writes behind the address";
}

TEST(SoleCandidates, MindArgumentsWithoutNames) {
  const std::string reads = function_with("f", "");
  EXPECT_TRUE(is_sole_beside(passing("f"), reads));
  EXPECT_FALSE(is_sole_beside(passing("f"), function_with("f", R"("variadic":true,)")));
}

TEST(SoleCandidates, MindFormatsThatCountLetters) {
  const auto with = [](const std::string& format) {
    return is_sole(three_blocks("[0,0,1]", R"({"block":1,"at":[],"to":"printf","arguments":[3,0]})",
                                R"(["local",0],["int",32,10],["load",32,0],)" + format),
                   {0, 0}, 2, {0, 1, 2});
  };
  EXPECT_TRUE(with(R"(["text","100 %% of n at %p\n"])"));
  EXPECT_FALSE(with(R"(["text","%d%n"])"));
  EXPECT_FALSE(with(R"(["text","%5.2f and %lln"])"));
  EXPECT_FALSE(with(R"(["somewhere"])"));
}

TEST(Candidates, OfAByteAreTheLowestBits) {
  const auto of = [](const std::string& value, const std::string& load) {
    const auto modules = three_blocks("[0,0,1]", "", R"(["local",0],)" + value + "," + load);
    return LinkedProgram(modules).candidates({0, 0}, 2);
  };
  const auto byte = of(R"(["int",32,300])", R"(["load",8,0])");
  ASSERT_THAT(byte.formulas, SizeIs(1));
  EXPECT_EQ(evaluate(byte.formulas[0], {})->whole, 300 % 256);
  EXPECT_TRUE(byte.sole);
  EXPECT_FALSE(of(R"(["int",32,300])", R"(["load",64,0])").sole) << "the bytes behind it are read too";
}

TEST(SoleCandidates, OfWhatARoundStoresMayBeReadInALaterOne) {
  const auto modules = three_blocks(
      "[0,0,3]", "", R"(["local",0],["int",32,0],["int",32,1],["recurrence",32,0,1,2],["load",32,0])");
  const auto found = LinkedProgram(modules).candidates({0, 0}, 4);
  EXPECT_THAT(found.formulas, SizeIs(1));
  EXPECT_FALSE(found.sole);
}

TEST(SoleCandidates, OfTheCommandLineAreNoneWhereMainIsCalledAgain) {
  const std::string nodes = R"(["behind",1,8],["pointed",0,0],["call",32,"atoi",1],["argument",32,0])";
  EXPECT_TRUE(is_sole(three_blocks("", "", nodes), {0, 0}, 2, {0, 1, 2}));
  const auto again = three_blocks("", R"({"block":1,"at":[],"to":"main","arguments":[null,null]})", nodes);
  EXPECT_FALSE(is_sole(again, {0, 0}, 2, {0, 2}));
  EXPECT_FALSE(is_sole(again, {0, 0}, 3, {0, 2}));
}

// Two files have an inline function of one name, and the linker takes the first file's for both.
TEST(SoleCandidates, OfMergedFunctionsMindTheCallersOfAllFiles) {
  const auto module = [](const std::string& id, const std::string& caller, const std::string& nodes) {
    const std::string json =
        R"({"source":"x.c","counters":2,"probes":0,"functions":[
{"name":")" +
        caller +
        R"(","shape":"1","arcs":[[1,2],[0,1,0],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":"kernel","arguments":[0]}],"nodes":[)" +
        nodes + R"(]},
{"name":"kernel","merged":true,"shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"nodes":[["argument",32,0]]}]})";
    return "parcast-facts 1 " + id + " " + std::to_string(json.size()) + "\n" + json + "\n";
  };
  const auto sole = [&](const std::string& helper) {
    const auto modules =
        read_facts(module("A1", "main", R"(["int",32,10],["global",")" + helper + R"(",0])") +
                       module("B2", "helper", R"(["int",32,20])"),
                   "x");
    EXPECT_TRUE(modules) << to_string(modules.error());
    // No code of the second file was executed: its copy is not in the program.
    return LinkedProgram(*modules, [](FunctionPlace place, int) { return place.module == 0; })
        .candidates({0, 1}, 0)
        .sole;
  };
  EXPECT_FALSE(sole("helper")) << "which may be called, and calls it with another number";
  EXPECT_TRUE(sole("another")) << "helper was put in line wherever it was called";
}

TEST(SoleCandidates, MindCallsByAnotherName) {
  const std::string nodes = R"(["int",32,10],["int",32,20])";
  const std::string f =
      R"(,{"name":"_ZN4GridC2Ei","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"nodes":[["argument",32,0]]})";
  auto modules = three_blocks(
      "",
      R"({"block":0,"at":[],"to":"_ZN4GridC2Ei","arguments":[0]},{"block":1,"at":[],"to":"_ZN4GridC1Ei","arguments":[1]})",
      nodes, f);
  EXPECT_TRUE(is_sole(modules, {0, 1}, 0, {0, 2})) << "of a constructor of elsewhere";
  modules[0].aliases["_ZN4GridC1Ei"] = "_ZN4GridC2Ei";
  EXPECT_FALSE(is_sole(modules, {0, 1}, 0, {0, 2}));
}

// Loop numbers are valid in their function only: the first loop of a caller is not the first loop of its
// callee.
TEST(DerivationOfNumbers, RoundsOfACallersLoopStayThere) {
  const std::string nodes = R"(["int",32,0],["int",32,1],["recurrence",32,0,0,1])";
  const std::string f =
      R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"nodes":[["argument",32,0]]})";
  const auto modules = three_blocks("", R"({"block":0,"at":[],"to":"f","arguments":[2]})", nodes, f);
  EXPECT_EQ(LinkedProgram(modules).candidates({0, 0}, 2).formulas.size(), 1u);
  EXPECT_TRUE(LinkedProgram(modules).candidates({0, 1}, 0).formulas.empty());
}

// f calls itself in many places and passes its pointer on, moved or not.
TEST(DerivationOfNumbers, PointersThatComeBackHaveAnEnd) {
  std::string calls;
  for (int i = 0; i < 6; ++i)
    calls += std::string(i > 0 ? "," : "") + R"({"block":0,"at":[],"to":"f","arguments":[)" +
             std::to_string(i % 2) + "]}";
  const std::string f =
      R"(,{"name":"f","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[)" +
      calls + R"(],"stores":[[0,0,2]],"nodes":[["behind",0,0],["behind",0,8],["int",32,5]]})";
  const auto modules = three_blocks("", passing("f", 0), R"(["local",0],["int",32,5],["load",32,0])", f);
  const auto found = LinkedProgram(modules).candidates({0, 0}, 2);
  ASSERT_EQ(found.formulas.size(), 1u);
  EXPECT_EQ(evaluate(found.formulas[0], {})->whole, 5);
}

TEST(SoleCandidates, OfTheNumberOfProcessesOfAllThatThereAre) {
  const std::string nodes =
      R"(["local",0],["load",32,0],["global","ompi_mpi_comm_world",0],["global","rows",0],["int",32,1140850688])";
  const auto of = [&](const std::string& communicator) {
    return is_sole(
        three_blocks("", R"({"block":0,"at":[],"to":"MPI_Comm_size","arguments":[)" + communicator + ",0]}",
                     nodes),
        {0, 0}, 1, {0, 1, 2});
  };
  EXPECT_TRUE(of("2"));
  EXPECT_TRUE(of("4"));
  EXPECT_FALSE(of("3")) << "as many by chance";
}

}  // namespace
}  // namespace parcast::facts
