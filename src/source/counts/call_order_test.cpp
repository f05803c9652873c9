// SPDX-License-Identifier: Apache-2.0
#include "source/counts/call_order.h"

#include <gmock/gmock.h>

#include "model/binding.h"
#include "source/counts/block_counts.h"

namespace parcast::program {
namespace {

using facts::Input;
using facts::InputKind;
using symbolic::Expression;

// main executes a loop n^5 mod 1987 + 1 times, where n is its first word. The loop calls through a pointer.
// `leaf` and `seldom` have no calls by name. leaf calls `named`; leaf and `itself` call `itself`. Counters:
// main's entry, its way into the loop and the back edge, then the entries of the other functions.
constexpr const char* kFacts = R"({"source":"x.c","counters":7,"probes":0,"functions":[
{"name":"main","shape":"1","arcs":[[1,2],[3,4],[5,6],[0,1,0],[2,3,1],[4,3,2],[4,5],[6,0]],
 "blocks":[{"at":[],"operations":{}},{"at":[],"loop":0,"operations":{"call":1}},{"at":[],"operations":{}}],
 "loops":[{"head":1,"at":[],"rounds":7,"whole":true}],"calls":[{"block":1,"at":[],"arguments":[null,null]}],
 "nodes":[["behind",1,8],["pointed",0,0],["somewhere"],["int",32,10],["call",64,"strtol",1,2,3],["mul",64,4,4,4,4,4],["int",64,1987],["urem",64,5,6]]},
{"name":"leaf","shape":"2","arcs":[[1,2],[0,1,3],[2,0]],"blocks":[{"at":[],"operations":{}}],"nodes":[["argument",64,1]],
 "calls":[{"block":0,"at":[],"to":"named","arguments":[]},{"block":0,"at":[],"to":"itself","arguments":[]}]},
{"name":"named","shape":"3","arcs":[[1,2],[0,1,4],[2,0]],"blocks":[{"at":[],"operations":{}}]},
{"name":"itself","shape":"4","arcs":[[1,2],[0,1,5],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[],"to":"itself","arguments":[]}]},
{"name":"seldom","shape":"5","arcs":[[1,2],[0,1,6],[2,0]],"blocks":[{"at":[],"operations":{}}]}]})";

std::vector<facts::Module> modules_of(const std::string& json) {
  auto modules =
      facts::read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
  EXPECT_TRUE(modules) << to_string(modules.error());
  return modules ? *std::move(modules) : std::vector<facts::Module>{};
}

std::optional<Expression> symbol_of(const Input& input) {
  return input.kind == InputKind::word && input.index == 1 ? std::optional(parameter_symbol("n"))
                                                           : std::nullopt;
}

// (name, block) -> executions predicted at n = 20, and their tier.
std::map<std::pair<std::string, int>, std::pair<double, CountTier>> predicted(const std::string& json) {
  const std::vector<facts::Module> modules = modules_of(json);
  const ModuleCounts ten{{1, 1, 650, 651, 651, 1301, 263}, {}}, twelve{{1, 1, 457, 458, 458, 967, 177}, {}};
  std::vector<Sighting> seen;
  for (const auto& [n, counts] : {std::pair(10.0, &ten), std::pair(12.0, &twelve)})
    seen.push_back({1, {{"n", n}, {"p", 1}, {"r", 0}}, {{modules[0].id, counts}}});
  std::map<std::pair<std::string, int>, std::pair<double, CountTier>> all;
  for (const BlockCount& block : BlockCounts(modules, seen, symbol_of, {"n"}).at(seen).blocks)
    all[{modules[0].functions[block.function.function].name, block.block}] = {
        symbolic::evaluate(block.per_visit, {{"n", 20}, {"p", 1}, {"r", 0}}).value(), block.tier};
  return all;
}

TEST(CallOrder, AFunctionThatNobodyNamesGoesWithTheCallThroughAPointerThatIsExecutedAsOften) {
  const auto found = predicted(kFacts);
  EXPECT_EQ(found.at({"main", 1}), std::pair(931.0, CountTier::recognised))
      << "the last digits of n^5 are not kept at all sizes";
  EXPECT_EQ(found.at({"leaf", 0}), std::pair(931.0, CountTier::as_seen));
  EXPECT_EQ(found.at({"named", 0}), std::pair(931.0, CountTier::as_seen));
}

TEST(CallOrder, WhatIsEnteredOtherwiseOftenGoesInProportion) {
  const auto found = predicted(kFacts);
  EXPECT_NEAR(found.at({"seldom", 0}).first, 931.0 * (263 + 177) / (651 + 458), 1e-9);
  EXPECT_NEAR(found.at({"itself", 0}).first, 931.0 * (1301 + 967) / (651 + 458), 1e-9);
  EXPECT_EQ(found.at({"seldom", 0}).second, CountTier::measured);
  EXPECT_EQ(found.at({"itself", 0}).second, CountTier::measured);
}

// Threads of a team: main starts one team per round, and each of its three threads enters `leaf`.
TEST(CallOrder, AFunctionOfATeamGoesWithTheCallThatStartsItAsManyTimesAsThereAreThreads) {
  std::string more = kFacts;
  const std::string through_pointer = R"({"block":1,"at":[],"arguments":[null,null]})";
  more.replace(more.find(through_pointer), through_pointer.size(),
               R"({"block":1,"at":[],"to":"__kmpc_fork_call","arguments":[null,null,8]})");
  more.replace(more.find(R"(["urem",64,5,6]])"), 16, R"(["urem",64,5,6],["global","leaf",0]])");
  const std::vector<facts::Module> modules = modules_of(more);
  const ModuleCounts ten{{1, 1, 650, 3 * 651, 3 * 651, 0, 0}, {}},
      twelve{{1, 1, 457, 3 * 458, 3 * 458, 0, 0}, {}};
  std::vector<Sighting> seen;
  for (const auto& [n, counts] : {std::pair(10.0, &ten), std::pair(12.0, &twelve)})
    seen.push_back({1, {{"n", n}, {"p", 1}, {"r", 0}}, {{modules[0].id, counts}}});
  for (const BlockCount& block : BlockCounts(modules, seen, symbol_of, {"n"}).at(seen).blocks) {
    const std::string& name = modules[0].functions[static_cast<std::size_t>(block.function.function)].name;
    if (name == "leaf" || name == "named")
      EXPECT_NEAR(symbolic::evaluate(block.per_visit, {{"n", 20}, {"p", 1}, {"r", 0}}).value(), 3 * 931.0,
                  1e-6)
          << name;
  }
}

TEST(CallOrder, ACallThroughAPointerThatPassesTooFewArgumentsIsNone) {
  std::string more = kFacts;
  more.replace(more.find(R"(["argument",64,1])"), 17, R"(["argument",64,2])");
  const auto found = predicted(more);
  EXPECT_EQ(found.at({"leaf", 0}), std::pair((651.0 + 458) / 2, CountTier::measured));
  EXPECT_EQ(found.at({"named", 0}), found.at({"leaf", 0}));
}

// As if other unknown calls through pointers led to it too: 1302 and 916 entries for 651 and 458 calls.
TEST(CallOrder, WhatSeveralCallsThroughPointersLeadToGoesWithTheNearestOfThem) {
  const std::vector<facts::Module> modules = modules_of(kFacts);
  const ModuleCounts ten{{1, 1, 650, 1302, 1302, 0, 0}, {}}, twelve{{1, 1, 457, 916, 916, 0, 0}, {}};
  const std::vector<Sighting> seen{{1, {{"n", 10}, {"p", 1}, {"r", 0}}, {{modules[0].id, &ten}}},
                                   {1, {{"n", 12}, {"p", 1}, {"r", 0}}, {{modules[0].id, &twelve}}}};
  for (const BlockCount& block : BlockCounts(modules, seen, symbol_of, {"n"}).at(seen).blocks)
    if (const std::string& name = modules[0].functions[block.function.function].name;
        name == "leaf" || name == "named")
      EXPECT_NEAR(symbolic::evaluate(block.per_visit, {{"n", 20}, {"p", 1}, {"r", 0}}).value(), 2 * 931.0,
                  1e-9)
          << name;
}

}  // namespace
}  // namespace parcast::program
