// SPDX-License-Identifier: Apache-2.0
// Units of structures and traces written by hand.
#include "structure/graph/application_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace parcast::program {
namespace {

using recording::Pattern;
using symbolic::Expression;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::Kind;

Count exact(const Expression& e) {
  Count out;
  out.expression = e;
  out.origin = Origin::exact;
  return out;
}

/// A structure built step by step, in order; steps are numbered when they are made.
class Hand {
 public:
  Step operation(Kind kind, const std::string& call, std::int32_t line, const std::string& region = "") {
    Step out;
    out.id = structure.step_count++;
    out.operation = kind;
    structure.places.push_back({region, "step", "/home/me/app.c", line, call});
    out.place = static_cast<std::uint32_t>(structure.places.size()) - 1;
    out.root = exact(0), out.bytes.count = exact(0);
    return out;
  }
  Step allreduce(std::int32_t line, const std::string& region = "") {
    Step out = operation(Kind::collective, "MPI_Allreduce", line, region);
    out.pattern = Pattern::allreduce, out.bytes.count = exact(8);
    return out;
  }
  Step send_to_right(std::int32_t line, const std::string& region = "") {
    Step out = operation(Kind::send, "MPI_Send", line, region);
    out.partner = {.kind = Partner::Kind::offset, .amount = 1}, out.bytes.count = exact(100);
    return out;
  }
  /// Returns the three steps of an exchange around a ring.
  std::vector<Step> exchange(std::int32_t line, const std::string& region = "") {
    std::vector<Step> out{operation(Kind::start_receive, "MPI_Sendrecv", line, region),
                          operation(Kind::start_send, "MPI_Sendrecv", line, region),
                          operation(Kind::wait, "MPI_Sendrecv", line, region)};
    out[0].partner = {.kind = Partner::Kind::ring, .amount = -1},
    out[1].partner = {.kind = Partner::Kind::ring, .amount = 1};
    out[0].bytes.count = out[1].bytes.count = exact(8 * parameter_symbol("n"));
    out[2].awaited = {{out[0].id, Awaited::Which::all}, {out[1].id, Awaited::Which::all}};
    return out;
  }
  Step loop(const Expression& rounds, std::vector<Step> body, Origin origin = Origin::exact) {
    Step out;
    out.kind = Step::Kind::loop;
    out.id = structure.step_count++;
    out.rounds = exact(rounds);
    out.rounds.origin = origin;
    out.body = std::move(body);
    return out;
  }
  Model model(std::vector<Step> steps) {
    structure.steps = std::move(steps);
    structure.processes = {2, 4};
    Model out;
    out.program = "app";
    out.parameters = {{"n", {64, 128, 256}}, {"steps", {10, 20, 40}}};
    out.processes = {2, 4};
    out.structure = structure;
    return out;
  }

  Structure structure;
};

Step guarded(Step step, Guard::Kind guard) {
  step.guard.kind = guard;
  return step;
}

/// Returns "class path", in order of the tree, except start, spawn and end.
std::vector<std::string> paths(const ApplicationGraph& graph, UnitId from = 0) {
  std::vector<std::string> out;
  for (const UnitId child : graph.units[from].children) {
    const ApplicationUnit& unit = graph.units[child];
    if (unit.kind != UnitClass::start && unit.kind != UnitClass::spawn && unit.kind != UnitClass::end)
      out.push_back(std::string(to_string(unit.kind)) + " " + unit.path);
    const auto inside = paths(graph, child);
    out.insert(out.end(), inside.begin(), inside.end());
  }
  return out;
}
std::vector<std::string> paths_of(const Model& model) {
  const auto graph = application_graph(model);
  return graph ? paths(*graph) : std::vector<std::string>{to_string(graph.error())};
}

TEST(ApplicationGraph, LoopsInLoopsAreUnitsInUnits) {
  Hand h;
  std::vector<Step> inner{h.allreduce(10)};
  std::vector<Step> outer{h.allreduce(9), h.loop(3, std::move(inner))};
  const Model model = h.model({h.loop(parameter_symbol("steps"), std::move(outer)), h.allreduce(20)});
  EXPECT_THAT(paths_of(model), ElementsAre("IterSync repeat steps", "Comm repeat steps/MPI_Allreduce",
                                           "IterSync repeat steps/repeat 3",
                                           "Comm repeat steps/repeat 3/MPI_Allreduce", "Comm MPI_Allreduce"));
}

TEST(ApplicationGraph, ALoopWhoseRoundsWereFittedIsUndetermined) {
  Hand h;
  std::vector<Step> body{h.allreduce(10)};
  const auto graph =
      application_graph(h.model({h.loop(parameter_symbol("steps"), std::move(body), Origin::fitted)}));
  ASSERT_TRUE(graph);
  EXPECT_THAT(paths(*graph), ElementsAre("IterND repeat steps", "Comm repeat steps/MPI_Allreduce"));
  EXPECT_EQ(graph->units[graph->find("repeat steps")].origin, Origin::fitted);
}

TEST(ApplicationGraph, RegionsAreWhereTheyStand) {
  Hand h;
  std::vector<Step> body{h.send_to_right(10, "main/solve"), h.allreduce(11, "main/solve"),
                         h.allreduce(12, "main/check"), h.allreduce(13, "main")};
  const Model model = h.model(
      {h.allreduce(5), h.loop(parameter_symbol("steps"), std::move(body)), h.allreduce(20, "main/solve")});
  // The loop's steps share `main`: the loop is inside it, and so are the following steps.
  EXPECT_THAT(
      paths_of(model),
      ElementsAre("Comm MPI_Allreduce", "Call main", "IterSync main/repeat steps",
                  "Call main/repeat steps/solve", "Comm main/repeat steps/solve/MPI_Send",
                  "Comm main/repeat steps/solve/MPI_Allreduce", "Call main/repeat steps/check",
                  "Comm main/repeat steps/check/MPI_Allreduce", "Comm main/repeat steps/MPI_Allreduce",
                  "Call main/solve", "Comm main/solve/MPI_Allreduce"));
  const auto graph = application_graph(model);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->units[graph->find("main/repeat steps/solve/MPI_Send")].region, "main/solve");
  EXPECT_EQ(graph->units[graph->find("main/repeat steps/solve/MPI_Send")].where, "app.c:10");
  EXPECT_EQ(graph->units[graph->find("main/repeat steps/solve/MPI_Send")].detail, "to rank r + 1, 100 B");
}

// From the reduction before the loop, from the one of the iteration before, and from one of rank 0 alone.
TEST(ApplicationGraph, ComputingIsFromTheCallBeforeItInMostIterations) {
  Hand h;
  Step before = h.allreduce(5), first = h.allreduce(10), last = h.allreduce(12), alone = h.send_to_right(14);
  alone.guard = {.kind = Guard::Kind::first};
  first.computing = {
      {before.id, 1, 1, Origin::fitted}, {last.id, 0, 1, Origin::fitted}, {alone.id, 0, 1, Origin::fitted}};
  last.computing = {{first.id, 0, 1, Origin::fitted}};
  const auto graph =
      application_graph(h.model({before, h.loop(parameter_symbol("steps"), {first, last, alone})}));
  ASSERT_TRUE(graph);
  const auto lines = [&](const std::string& path) { return graph->units[graph->find(path)].where; };
  EXPECT_EQ(lines("repeat steps/compute before MPI_Allreduce"), "app.c:12-10");
  EXPECT_EQ(lines("repeat steps/compute before MPI_Allreduce#2"), "app.c:10-12");
}

TEST(ApplicationGraph, StepsOfOneGuardAreOneCondition) {
  Hand h;
  std::vector<Step> steps{guarded(h.send_to_right(10), Guard::Kind::not_last),
                          guarded(h.send_to_right(11), Guard::Kind::not_last),
                          guarded(h.send_to_right(12), Guard::Kind::even), h.allreduce(13)};
  EXPECT_THAT(paths_of(h.model(std::move(steps))),
              ElementsAre("CondtSync ranks with r < p - 1", "Comm ranks with r < p - 1/MPI_Send",
                          "Comm ranks with r < p - 1/MPI_Send#2", "CondtSync ranks with even r",
                          "Comm ranks with even r/MPI_Send", "Comm MPI_Allreduce"));
}

TEST(ApplicationGraph, AnExchangeIsOneUnit) {
  Hand h;
  const auto graph = application_graph(h.model(h.exchange(10)));
  ASSERT_TRUE(graph);
  EXPECT_THAT(paths(*graph), ElementsAre("Comm MPI_Sendrecv"));
  EXPECT_EQ(graph->units[graph->find("MPI_Sendrecv")].detail,
            "from rank (r - 1) mod p, 8*n B; to rank (r + 1) mod p, 8*n B");
  EXPECT_TRUE(graph->edges.empty());  // no messages were matched
}

TEST(ApplicationGraph, BarriersAndWaitsOnlySynchronise) {
  Hand h;
  Step barrier = h.operation(Kind::collective, "MPI_Barrier", 10),
       begun = h.operation(Kind::start_receive, "MPI_Irecv", 11),
       wait = h.operation(Kind::wait, "MPI_Wait", 12);
  barrier.pattern = Pattern::barrier;
  begun.partner = {.kind = Partner::Kind::ring, .amount = -1};
  wait.awaited = {{begun.id, Awaited::Which::all}};
  EXPECT_THAT(paths_of(h.model({barrier, begun, wait})),
              ElementsAre("Sync MPI_Barrier", "Comm MPI_Irecv", "Sync MPI_Wait"));
}

TEST(ApplicationGraph, NoTwoPathsAreAlike) {
  Hand h;
  std::vector<Step> first{h.allreduce(10), h.allreduce(11)}, second{h.allreduce(12)};
  const auto graph = application_graph(h.model({h.loop(3, std::move(first)), h.loop(3, std::move(second))}));
  ASSERT_TRUE(graph);
  EXPECT_THAT(paths(*graph),
              ElementsAre("IterSync repeat 3", "Comm repeat 3/MPI_Allreduce", "Comm repeat 3/MPI_Allreduce#2",
                          "IterSync repeat 3#2", "Comm repeat 3#2/MPI_Allreduce"));
  for (const ApplicationUnit& unit : graph->units) {
    EXPECT_EQ(graph->find(unit.path), unit.id) << unit.path;
    for (const UnitId child : unit.children) EXPECT_EQ(graph->units[child].parent, unit.id);
  }
  EXPECT_EQ(graph->find("repeat 4"), kNoUnit);
}

TEST(ApplicationGraph, ComputingStandsBeforeItsCallAndAtTheEnd) {
  Hand h;
  std::vector<Step> steps{h.allreduce(10), h.allreduce(11)};
  const Expression second = 1;
  steps[1].computing = {{0, 0, second, Origin::fitted}};
  h.structure.tail = {{1, 0, second, Origin::fitted}};
  const auto graph = application_graph(h.model(std::move(steps)));
  ASSERT_TRUE(graph);
  EXPECT_THAT(paths(*graph), ElementsAre("Comm MPI_Allreduce", "Seq compute before MPI_Allreduce",
                                         "Comm MPI_Allreduce#2", "Seq compute at the end"));
  const std::vector<UnitId>& top = graph->units[0].children;
  EXPECT_EQ(graph->units[top.front()].kind, UnitClass::start);
  EXPECT_EQ(graph->units[top[1]].kind, UnitClass::spawn);
  EXPECT_EQ(graph->units[top.back()].kind, UnitClass::end);
  EXPECT_EQ(graph->start, top.front());
  EXPECT_EQ(graph->end, top.back());
}

TEST(ApplicationGraph, AModelWithoutAStructureHasNone) {
  Model model;
  model.program = "app";
  const auto none = application_graph(model);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("does not hold what the ranks do in order"));
  Hand h;
  h.structure.missing = {"ranks do other things", "", "record again"};
  const auto missing = application_graph(h.model({}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what,
            "the model does not hold what the ranks do in order: ranks do other things");
}

/// Each operation has its unit and the unit of the computing before it.
TEST(ApplicationGraph, OperationsOfATraceHaveTheirUnits) {
  Hand h;
  std::vector<Step> body = h.exchange(10, "solve");
  for (std::uint32_t after = 0; after <= 5; ++after)
    for (std::uint32_t loops = 0; loops < 2; ++loops)
      body[0].computing.push_back({after, loops, Expression(1) / 1000000, Origin::fitted});
  std::vector<Step> steps{h.loop(parameter_symbol("steps"), std::move(body)),
                          guarded(h.send_to_right(20), Guard::Kind::first)};
  Point point;
  point.processes = 4;
  point.parameters = {{"n", 64}, {"steps", 7}};
  const auto of = graph_trace(h.model(std::move(steps)), point);
  ASSERT_TRUE(of) << to_string(of.error());
  const ApplicationGraph& graph = of->graph;
  const UnitId exchange = graph.find("solve/repeat steps/MPI_Sendrecv"),
               send = graph.find("ranks with r = 0/MPI_Send");
  ASSERT_NE(exchange, kNoUnit);
  ASSERT_NE(send, kNoUnit);
  ASSERT_EQ(of->unit_of.size(), of->trace.operations.size());
  ASSERT_EQ(of->computing_of.size(), of->trace.operations.size());
  ASSERT_EQ(of->part_of_call.size(), of->trace.operations.size());
  for (std::size_t i = 0; i < of->trace.operations.size(); ++i) {
    const Kind kind = of->trace.operations[i].kind;
    EXPECT_EQ(of->unit_of[i], kind == Kind::send ? send : exchange);
    EXPECT_EQ(of->part_of_call[i], trace::begins_request(kind));
    if (kind != Kind::send)
      EXPECT_EQ(graph.units[of->computing_of[i]].path, "solve/repeat steps/compute before MPI_Sendrecv");
  }
}

/// Units of a trace are its regions and calls; loops only fold it.
TEST(ApplicationGraph, OfATraceIsOfRegionsAndCalls) {
  trace::Trace trace;
  trace.program = "app";
  trace.ranks = 2;
  trace.places = {{"main/solve", "step", "app.c", 12, "MPI_Send"},
                  {"main/solve", "step", "app.c", 14, "MPI_Recv"},
                  {"main", "main", "app.c", 30, "MPI_Barrier"},
                  {"", "main", "app.c", 31, "MPI_Send"}};
  trace.operations = {{.kind = Kind::send, .peer = 1, .bytes = 8, .place = 0},
                      {.kind = Kind::receive, .peer = -1, .bytes = 8, .place = 1},
                      {.kind = Kind::collective, .pattern = Pattern::barrier, .place = 2},
                      {.kind = Kind::send, .peer = 0, .bytes = 8, .place = 3}};
  trace.sequences = {{trace::Item::loop(2, 10), trace::Item::compute(5), trace::Item::operation(0),
                      trace::Item::operation(2)},
                     {trace::Item::loop(1, 10), trace::Item::operation(1), trace::Item::operation(2)}};
  trace.sequence_of = {0, 1};
  const GraphTrace of = graph_trace(trace);
  EXPECT_THAT(
      paths(of.graph),
      ElementsAre("Call main", "Call main/solve", "Seq main/solve/compute before MPI_Send",
                  "Comm main/solve/MPI_Send", "Seq main/solve/compute before MPI_Recv",
                  "Comm main/solve/MPI_Recv", "Seq main/compute before MPI_Barrier", "Sync main/MPI_Barrier",
                  "Seq compute before MPI_Send", "Comm MPI_Send", "Seq compute at the end"));
  EXPECT_EQ(of.unit_of[0], of.graph.find("main/solve/MPI_Send"));
  EXPECT_EQ(of.computing_of[0], of.graph.find("main/solve/compute before MPI_Send"));
  EXPECT_EQ(of.tail, of.graph.find("compute at the end"));
  EXPECT_TRUE(of.graph.edges.empty());
  EXPECT_EQ(of.trace.ranks, 2);
}

TEST(ApplicationGraph, CallsWithoutANameAreToldApartByWhatTheyDo) {
  trace::Trace trace;
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::start_send, .peer = 1, .bytes = 8},
                      {.kind = Kind::start_receive, .peer = -1, .bytes = 8},
                      {.kind = Kind::wait, .requests = 0}};
  trace.request_sets = {{1}};
  trace.sequences = {{trace::Item::operation(0), trace::Item::operation(2)},
                     {trace::Item::operation(1), trace::Item::operation(2)}};
  trace.sequence_of = {0, 1};
  const GraphTrace of = graph_trace(trace);
  EXPECT_NE(of.unit_of[0], of.unit_of[1]);
  EXPECT_NE(of.unit_of[0], of.unit_of[2]);
  EXPECT_NE(of.unit_of[1], of.unit_of[2]);
  EXPECT_EQ(of.graph.units[of.unit_of[0]].kind, UnitClass::communication);
  EXPECT_EQ(of.graph.units[of.unit_of[2]].kind, UnitClass::synchronisation);
  EXPECT_THAT(of.part_of_call, ElementsAre(false, false, false));
}

}  // namespace
}  // namespace parcast::program
