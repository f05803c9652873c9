// SPDX-License-Identifier: Apache-2.0
#include "report/interpretation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace parcast::report {
namespace {

using nlohmann::json;
using program::UnitId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using trace::Item;
using trace::Kind;
using trace::Time;

constexpr Time kSecond = 1'000'000'000'000;

/// Rank 0 computes 3 s and sends 1,000 bytes to rank 1, ten times; rank 1 computes 5 s at the end.
trace::Trace two(const std::string& program = "halo") {
  trace::Trace trace;
  trace.program = program;
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::send, .peer = 1, .tag = 7, .bytes = 1000, .place = 0},
                      {.kind = Kind::receive, .peer = -1, .tag = 7, .bytes = 1000, .place = 1}};
  trace.sequences = {{Item::loop(2, 10), Item::compute(3 * kSecond), Item::operation(0)},
                     {Item::operation(1, 10), Item::compute(5 * kSecond)}};
  trace.sequence_of = {0, 1};
  trace.places = {{"main", "step", "halo.c", 12, "MPI_Send"},
                  {"main/solve", "step", "halo.c", 15, "MPI_Recv"}};
  return trace;
}

/// L is 1 s, and a byte takes 1 ms: a message of 1,000 bytes takes 2 s.
machine::Machine slow() {
  machine::Machine m;
  m.name = "slow";
  m.nodes = 64, m.cores_per_node = 1;
  const auto known = [](double value) { return machine::Parameter{value, 0, 30, Origin::measured}; };
  machine::Link link;
  link.latency = known(1), link.send_overhead = known(0), link.receive_overhead = known(0),
  link.gap = known(0), link.gap_per_byte = known(1e-3);
  m.links["network"] = link;
  return m;
}

predict::Interpreted interpreted(trace::Trace trace, interpret::Options options = {}) {
  predict::HowInterpreted how;
  how.options = std::move(options);
  how.options.edges = true;
  auto out = predict::interpret_on(program::graph_trace(std::move(trace)), slow(), how);
  EXPECT_TRUE(out) << to_string(out.error());
  return std::move(*out);
}

std::vector<interpret::Evaluated> evaluated(const trace::Trace& trace) {
  std::vector<interpret::Evaluated> all;
  interpreted(trace, {.evaluated = [&](const interpret::Evaluated& each) { all.push_back(each); }});
  return all;
}

std::string text(const predict::Interpreted& of, const UnitsShown& shown = {}) {
  return interpretation_text({of, {}}, shown, {.width = 120});
}

/// Rank 0 computes 30 s. Rank 1 has the first message after 5 s, and each further one 3 s later: the last
/// after 32 s; then it computes 5 s.
TEST(InterpretationText, SaysTheTimeAndOfWhatItIsMade) {
  const predict::Interpreted of = interpreted(two());
  EXPECT_EQ(of.result.makespan, 37 * kSecond);
  const std::string all = text(of);
  EXPECT_THAT(all, HasSubstr("halo, 2 ranks, on slow, mapped block"));
  EXPECT_THAT(all, HasSubstr("37.0 s      20 calls interpreted"));
  EXPECT_THAT(all, HasSubstr("  unit, lines of halo.c    executions    time  compute  messages    idle\n"));
  EXPECT_THAT(all, HasSubstr("      computing, line 12            5  15.0 s   15.0 s\n"));
  EXPECT_THAT(all, HasSubstr("        MPI_Recv, line 15           5  16.0 s             10.0 s  6.00 s\n"));
  EXPECT_THAT(all, Not(HasSubstr("computing, line 15")));  // no rank computes there
}

TEST(InterpretationText, ABroadTerminalAlsoHasMessagesBytesAndClasses) {
  const predict::Interpreted of = interpreted(two());
  const auto at = [&](int width) { return interpretation_text({of, {}}, {}, {.width = width}); };
  EXPECT_THAT(at(80), Not(HasSubstr("bytes")));
  EXPECT_THAT(at(130), HasSubstr("sent   bytes\n"));
  EXPECT_THAT(at(130), HasSubstr("10  10,000\n"));
  EXPECT_THAT(at(160), HasSubstr("class"));
  std::istringstream narrow(at(80));
  for (std::string line; std::getline(narrow, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(InterpretationText, PartsOfTheGraphCanBeShown) {
  const predict::Interpreted of = interpreted(two());
  const std::string part = text(of, {.pattern = "main/solve", .statistic = UnitStatistic::idle});
  EXPECT_THAT(part, HasSubstr("MPI_Recv"));
  EXPECT_THAT(part, Not(HasSubstr("MPI_Send")));
  EXPECT_THAT(part, HasSubstr("    idle\n"));
  EXPECT_TRUE(unit_rows(of, {.pattern = "nowhere"}).empty());
  EXPECT_THAT(unit_rows(of, {.pattern = "main*", .depth = 0, .by_rank = true}), Not(SizeIs(0)));
  EXPECT_THAT(unit_rows(of, {.depth = 0}), SizeIs(1));
  EXPECT_EQ(unit_statistic_from("bytes"), UnitStatistic::bytes);
  EXPECT_FALSE(unit_statistic_from("colour"));
}

/// At every level, for every rank and for all, a unit is the sum of the units in it; the sum of a rank is the
/// run's end.
void expect_sums(const predict::Interpreted& of) {
  const auto& units = of.program.graph.units;
  std::map<std::pair<UnitId, std::int32_t>, interpret::Statistics> rows;
  for (const bool by_rank : {false, true})
    for (const UnitRow& row : unit_rows(of, {.by_rank = by_rank})) rows[{row.unit, row.rank}] = row.sum;
  ASSERT_EQ(rows.size(), units.size() * (1 + static_cast<std::size_t>(of.result.ranks)));
  for (const auto& [key, sum] : rows) {
    const auto& [unit, rank] = key;
    if (units[unit].children.empty()) continue;
    interpret::Statistics inside = unit == 0   ? interpret::Statistics{}
                                   : rank >= 0 ? of.result.statistics(rank, unit)
                                               : interpret::Statistics{};
    for (const UnitId child : units[unit].children) inside += rows.at({child, rank});
    inside.executions = sum.executions;
    EXPECT_EQ(inside, sum) << units[unit].path << " of rank " << rank;
  }
  for (std::int32_t rank = 0; rank < of.result.ranks; ++rank)
    EXPECT_EQ(rows.at({0, rank}).time(), of.result.makespan);
  EXPECT_EQ(rows.at({0, -1}).time(), of.result.makespan * of.result.ranks);
}

TEST(InterpretationText, SumsAgreeAtEveryLevel) {
  const predict::Interpreted of = interpreted(two());
  expect_sums(of);
  const auto whole = unit_rows(of, {.depth = 0}).front().sum;
  EXPECT_EQ(whole.compute, 35 * kSecond);
  EXPECT_EQ(whole.startup, 10 * kSecond);   // the latency of ten messages
  EXPECT_EQ(whole.transfer, 10 * kSecond);  // their bytes
  EXPECT_EQ(whole.wait, 2 * 37 * kSecond - 55 * kSecond);
  EXPECT_EQ(whole.messages, 10);
  EXPECT_EQ(whole.bytes, 10000);
}

/// A thousand orders of following the chains give the same text, byte by byte.
TEST(InterpretationText, TheOrderOfChainsDoesNotShow) {
  const UnitsShown shown{.by_rank = true};
  const predict::Interpreted first = interpreted(two());
  const std::string expected = interpretation_to_json({first, {}, 0}, shown),
                    graph = graph_to_json(first.program.graph);
  for (std::uint64_t order = 0; order < 1000; ++order) {
    const predict::Interpreted of = interpreted(two(), {.shuffle = order});
    ASSERT_EQ(interpretation_to_json({of, {}, 0}, shown), expected) << order;
    ASSERT_EQ(graph_to_json(of.program.graph), graph) << order;
  }
}

TEST(InterpretationText, JsonHasWholePicoseconds) {
  const predict::Interpreted of = interpreted(two());
  const json all = json::parse(interpretation_to_json({of, {{"n", 64}}, 0}, {}));
  EXPECT_EQ(all.at("schema"), "parcast.interpretation/1");
  EXPECT_EQ(all.at("seconds"), 37.0);
  EXPECT_EQ(all.at("parameters").at("n"), 64);
  EXPECT_EQ(all.at("hangs"), false);
  EXPECT_EQ(all.at("ends"), json::array({30.0, 37.0}));
  EXPECT_THAT(all.at("units"), SizeIs(of.program.graph.units.size()));
  for (const json& unit : all.at("units")) {
    const json& sum = unit.at("sum");
    EXPECT_TRUE(sum.at("picoseconds").is_number_integer());
    EXPECT_EQ(
        sum.at("picoseconds").get<Time>(),
        sum.at("compute").get<Time>() + sum.at("communication").get<Time>() + sum.at("idle").get<Time>());
    EXPECT_EQ(sum.at("communication").get<Time>(),
              sum.at("startup").get<Time>() + sum.at("transfer").get<Time>());
  }
}

TEST(InterpretationText, CsvHasARowForEachUnit) {
  const predict::Interpreted of = interpreted(two());
  std::istringstream rows(interpretation_csv(of, {}));
  std::string row;
  std::getline(rows, row);
  EXPECT_EQ(row, "path,class,rank,executions,seconds,compute,communication,idle,messages,bytes,where");
  std::size_t count = 0;
  bool send = false, receive = false;
  for (; std::getline(rows, row); ++count) {
    EXPECT_EQ(std::ranges::count(row, ','), 10) << row;
    send |= row == "main/compute before MPI_Send,Seq,all,10,30,30,0,0,0,0,halo.c:12";
    receive |= row == "main/solve/MPI_Recv,Comm,all,10,32,0,20,12,0,0,halo.c:15";
  }
  EXPECT_EQ(count, of.program.graph.units.size());
  EXPECT_TRUE(send && receive) << interpretation_csv(of, {});
}

/// 37 columns: a second for each character.
TEST(InterpretationText, ATimeLineShowsWhoWaits) {
  const trace::Trace trace = two();
  const std::string lines = timeline_text(interpreted(trace), evaluated(trace), {.width = 14 + 37});
  EXPECT_THAT(lines, HasSubstr("1.00 s for each character"));
  EXPECT_THAT(lines, HasSubstr("rank 0    ##############################       \n"));
  // 3 s for rank 0 and 2 s for the first message, then 1 s of waiting before each further one.
  EXPECT_THAT(lines, HasSubstr("rank 1    ...==.==.==.==.==.==.==.==.==.==#####\n"));
}

TEST(InterpretationText, AGraphForGraphvizEscapesQuotes) {
  trace::Trace trace = two("say \"halo\" \\ twice");
  trace.places[0].region = "a \"quoted\" region";
  const std::string dot = graph_to_dot(interpreted(std::move(trace)).program.graph);
  EXPECT_THAT(dot, HasSubstr("digraph \"say \\\"halo\\\" \\\\ twice\" {\n"));
  EXPECT_THAT(dot, HasSubstr("label=\"a \\\"quoted\\\" region\\nCall\", style=rounded"));
  EXPECT_THAT(dot, HasSubstr("style=dashed, constraint=false, label=\"10 messages, 10000 B\""));
  // an even number in each line, without escaped ones
  for (std::size_t at = 0, quotes = 0; at < dot.size(); ++at) {
    if (dot[at] == '\\')
      ++at;
    else if (dot[at] == '"')
      ++quotes;
    else if (dot[at] == '\n') {
      EXPECT_EQ(quotes % 2, 0u);
      quotes = 0;
    }
  }
}

TEST(InterpretationText, AGraphAsJsonHasItsEdges) {
  const predict::Interpreted of = interpreted(two());
  const json graph = json::parse(graph_to_json(of.program.graph));
  EXPECT_EQ(graph.at("schema"), "parcast.application-graph/1");
  ASSERT_THAT(graph.at("edges"), SizeIs(1));
  const json& edge = graph.at("edges").front();
  EXPECT_EQ(graph.at("units").at(edge.at("from").get<std::size_t>()).at("path"), "main/MPI_Send");
  EXPECT_EQ(graph.at("units").at(edge.at("to").get<std::size_t>()).at("path"), "main/solve/MPI_Recv");
  EXPECT_EQ(edge.at("messages"), 10);
  EXPECT_EQ(edge.at("bytes"), 10000);
  for (std::size_t id = 0; id < graph.at("units").size(); ++id) {
    EXPECT_EQ(graph.at("units").at(id).at("id"), id);
    for (const json& child : graph.at("units").at(id).at("children"))
      EXPECT_EQ(graph.at("units").at(child.get<std::size_t>()).at("parent"), id);
  }
}

TEST(InterpretationText, NamesInAnotherEncodingAreReplacedInJson) {
  trace::Trace trace = two("Str\xf6mung");
  trace.places[0].region = "main/L\xf6sung";
  const predict::Interpreted of = interpreted(trace);
  const auto all = evaluated(trace);
  for (const std::string& text :
       {interpretation_to_json({of, {}}, {}), graph_to_json(of.program.graph), animation_to_json(of, all)}) {
    EXPECT_THAT(text, HasSubstr("\uFFFD"));
    EXPECT_TRUE(json::accept(text));
  }
}

/// In order of time: each unit of a rank becomes active, and becomes red before the next one is active.
TEST(InterpretationText, AnAnimationGoesFromActiveToRed) {
  const trace::Trace trace = two();
  const json film = json::parse(animation_to_json(interpreted(trace), evaluated(trace)));
  EXPECT_EQ(film.at("schema"), "parcast.animation/1");
  EXPECT_EQ(film.at("unit"), "ps");
  const json& changes = film.at("changes");
  EXPECT_THAT(changes, SizeIs(2 * (10 + 10 + 10 + 1)));
  Time before = 0;
  std::map<int, int> active;  // rank -> its active unit, or -1
  for (const json& change : changes) {
    EXPECT_GE(change.at("time").get<Time>(), before);
    before = change.at("time").get<Time>();
    const int unit = change.at("unit").get<int>();
    int& own = active.try_emplace(change.at("rank").get<int>(), -1).first->second;
    if (change.at("colour") == "active") {
      EXPECT_EQ(own, -1);
      own = unit;
    } else {
      EXPECT_EQ(change.at("colour"), "red");
      EXPECT_EQ(own, unit);
      own = -1;
    }
  }
  EXPECT_EQ(before, 37 * kSecond);
  for (const auto& [rank, unit] : active) EXPECT_EQ(unit, -1) << rank;
}

TEST(InterpretationText, AHangSaysWhoWaitsWhere) {
  trace::Trace trace = two();
  trace.operations[1].tag = 8;
  const predict::Interpreted of = interpreted(trace);
  const std::string hang = text(of);
  EXPECT_THAT(hang, HasSubstr("the run would hang: 1 of 2 ranks can never go on"));
  EXPECT_THAT(hang, HasSubstr("MPI_Recv"));
  EXPECT_THAT(hang, HasSubstr("halo.c:15"));
  const json all = json::parse(interpretation_to_json({of, {}, 0}, {}));
  EXPECT_EQ(all.at("hangs"), true);
  EXPECT_TRUE(all.at("seconds").is_null());
  EXPECT_THAT(all.at("waiting"), SizeIs(1));
  EXPECT_EQ(all.at("fewest"), json::array({1}));
}

TEST(InterpretationText, MappingsStandBesideEachOther) {
  const std::vector<predict::Interpreted> all{interpreted(two()), interpreted(two())};
  EXPECT_THAT(mappings_text(all, {.width = 120}),
              HasSubstr("  mapping  seconds  compute  communication  idle\n  block      37.00    17.50       "
                        "   10.00  9.50\n"));
  const json both = json::parse(mappings_to_json(all));
  EXPECT_EQ(both.at("schema"), "parcast.mappings/1");
  ASSERT_THAT(both.at("mappings"), SizeIs(2));
  EXPECT_EQ(both.at("mappings").at(0).at("seconds"), 37.0);
}

TEST(InterpretationText, CallsCanBeComparedWithARecording) {
  const auto classes = interpreted_classes(interpreted(two()));
  const auto found = std::ranges::find_if(
      classes, [](const recording::EventClass& each) { return each.call == "MPI_Recv"; });
  ASSERT_NE(found, classes.end());
  EXPECT_EQ(found->region, "main/solve");
  EXPECT_EQ(found->count, 10u);
  EXPECT_DOUBLE_EQ(found->seconds, 32);
}

}  // namespace
}  // namespace parcast::report
