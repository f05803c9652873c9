// SPDX-License-Identifier: Apache-2.0
#include "report/model_text.h"

#include <gmock/gmock.h>

#include "model/binding.h"
#include "symbolic/expression.h"

namespace parcast::report {
namespace {

using program::NodeKind;
using testing::HasSubstr;
using testing::Not;

program::Count count(const symbolic::Expression& expression, Origin origin) {
  program::Count out;
  out.expression = expression, out.origin = origin;
  return out;
}

program::Node node(int id, int parent, NodeKind kind, const char* label, program::Count executions) {
  program::Node out;
  out.id = id, out.parent = parent, out.kind = kind, out.label = label,
  out.executions = std::move(executions);
  return out;
}

/// wave { solve { loop { MPI_Send }; MPI_Reduce } }
program::Model wave() {
  const auto n = symbolic::symbol("N", symbolic::SymbolKind::parameter);
  program::Model out;
  out.program = "wave";
  out.recorded_on = "some processor, 2 cores";
  out.parameters = {{"N", {64, 128, 256}}};
  out.processes = {1, 2, 4};
  out.nodes = {node(0, program::kNone, NodeKind::program, "wave", count(1, Origin::exact)),
               node(1, 0, NodeKind::region, "solve", count(1, Origin::exact)),
               node(2, 1, NodeKind::loop, "", count(n * n, Origin::exact)),
               node(3, 2, NodeKind::call, "MPI_Send", count(2 * n, Origin::exact)),
               node(4, 1, NodeKind::call, "MPI_Reduce", count(3, Origin::ambiguous)),
               node(5, 1, NodeKind::call, "parcast_region_end", count(1, Origin::exact))};
  out.nodes[0].children = {1}, out.nodes[1].children = {2, 4, 5}, out.nodes[2].children = {3};
  out.nodes[3].bytes = count(16 * n * n, Origin::fitted);
  out.nodes[3].where = "wave.c:12";
  out.nodes[4].pattern = recording::Pattern::reduce;
  out.nodes[4].executions.alternatives = {n};
  out.nodes[4].executions.advice = "record one run at N = 96";
  out.nodes[5].call_class = recording::CallClass::region_end;
  program::Segment inside, after;
  inside.from = inside.to = 3, inside.owner = 2, inside.executions = count(n, Origin::exact),
  inside.share = 0.995;
  inside.cost.arguments = {n};
  statistics::GrowthModel growth;
  growth.arguments = {"a"};
  growth.hypotheses = {{{{2.5e-9, {2}, {0}}}, 1.0, 0.01}};
  inside.cost.growth = growth;
  inside.cost.origin = Origin::fitted;
  after.from = 4, after.to = program::kNone, after.owner = 1, after.executions = count(1, Origin::exact),
  after.share = 0.005;
  after.cost.origin = Origin::constant;
  out.segments = {after, inside};
  out.share_by_origin = {{"exact", 0.9}, {"fitted", 0.1}};
  out.sources.resize(6);
  out.notices = {{"never-varied", "steps never varied", "record another value"}};
  out.unfollowed = {{"MPI_Pack", count(2 * n, Origin::exact)}};
  return out;
}

TEST(ModelText, ShowsTheTreeTheComputingAndWhatIsOpen) {
  EXPECT_EQ(model_text(wave(), {}),
            "wave, from 6 recordings\n"
            "\n"
            "  p           1, 2, 4\n"
            "  N           64, 128, 256\n"
            "  source      wave.c\n"
            "  recorded on some processor, 2 cores\n"
            "\n"
            "  region, loop, call  executions  moves  found      share  line\n"
            "  wave                1                  exact       100%\n"
            "    solve             1                  exact       100%\n"
            "      loop            N^2                exact       100%\n"
            "        MPI_Send      2*N         8*N B  fitted              12\n"
            "      MPI_Reduce      3                  ambiguous\n"
            "\n"
            "  computing, lines of wave.c  executions  time each    found   share\n"
            "  solve: computing, line 12   N           2.50 ns N^2  fitted   100%\n"
            "  ... 1 more (1 %), --all\n"
            "\n"
            "  counts (executions, bytes) are exact for 90 % of the time, fitted for 10 %\n"
            "  ! steps never varied; record another value\n"
            "  ! calls that are counted but not modelled: MPI_Pack (2*N)\n"
            "  ! MPI_Reduce may be 3 or N; record one run at N = 96\n");
}

TEST(ModelText, TimesAreProductsOfPowersWithAUnit) {
  const auto n = symbolic::symbol("N", symbolic::SymbolKind::parameter);
  const auto p = symbolic::symbol("p", symbolic::SymbolKind::processes);
  const auto time_of = [&](const symbolic::Expression& first, const symbolic::Expression& second,
                           std::vector<double> exponents) {
    program::Model model = wave();
    program::Cost& cost = model.segments[1].cost;
    cost.arguments = {first, second};
    statistics::GrowthModel growth;
    growth.arguments = {"a", "b"};
    growth.hypotheses = {{{{2e-8, std::move(exponents), {0, 0}}}, 1.0, 0.01}};
    cost.growth = growth;
    const std::string text = model_text(model, {});
    const std::size_t from = text.find("20.0 ns"), end = text.find("  fitted", from);
    return text.substr(from, end - from);
  };
  EXPECT_EQ(time_of(n * n / p, n, {1, 1}), "20.0 ns N^3/p");
  EXPECT_EQ(time_of(n, p, {0, -1}), "20.0 ns/p");
  EXPECT_EQ(time_of(n, min(2, p), {1.5, 1.13}), "20.0 ns N^(3/2) min(2, p)^1.13");
  EXPECT_EQ(time_of(n / p, p, {0.606, 0}), "20.0 ns (N/p)^0.606");
}

TEST(ModelText, EndsWithTheRunToRecordNext) {
  program::Model model = wave();
  model.notices.push_back({"next-run", "one recording at p = 3, N = 65 would separate most alternatives",
                           "parcast record -- mpirun -n 3 './my wave' 65"});
  EXPECT_THAT(
      model_text(model, {}),
      testing::EndsWith("  ! MPI_Reduce may be 3 or N; the run below would separate most alternatives\n"
                        "  next: one recording at p = 3, N = 65 would separate most alternatives\n"
                        "    parcast record -- mpirun -n 3 './my wave' 65\n"));
}

TEST(ModelText, AMessageShowsItsBytesItsPartnerAndWhoSendsIt) {
  const auto n = symbolic::symbol("N", symbolic::SymbolKind::parameter);
  const symbolic::Expression inner = symbolic::conditional(program::rank_symbol() - 1, 1, 0);
  program::Model model = wave();
  program::Node& send = model.nodes[3];
  send.messages = count(2 * n * inner, Origin::exact),
  send.bytes = count(16 * n * (n + 2) * inner, Origin::exact);
  EXPECT_THAT(model_text(model, {}),
              HasSubstr("MPI_Send      2*N         8*N + 16 B where rank >= 1  exact"));
  send.relation = program::PeerRelation::offset, send.amounts = {-1};
  EXPECT_THAT(model_text(model, {}), HasSubstr("MPI_Send      2*N         8*N + 16 B to rank - 1  exact"));
  send.messages = count(6 * n, Origin::exact), send.bytes = count(6 * n * n, Origin::exact);
  EXPECT_THAT(model_text(model, {}), HasSubstr("3 x N B to rank - 1"));
  send.messages = count(2 * n, Origin::exact), send.bytes = count(n * n + 7, Origin::fitted);
  EXPECT_THAT(model_text(model, {}), HasSubstr("N^2 + 7 B in all"));
}

TEST(ModelText, SaysWhereExactCountsHold) {
  program::Model model = wave();
  EXPECT_THAT(model_text(model, {}), Not(HasSubstr("exact where")));
  model.sources.clear();
  for (const double n : {64, 96, 256})
    for (const int p : {1, 2, 3}) {
      program::Source source;
      source.parameters = {{"N", n}};
      source.processes = p;
      model.sources.push_back(source);
    }
  // Ambiguous without alternatives and open variables: exact at multiples of 32.
  model.nodes[2].executions.origin = Origin::ambiguous;
  const std::string text = model_text(model, {});
  EXPECT_THAT(
      text,
      HasSubstr("exact where N is a multiple of 32, as in every recording; a recording at p = 1, N = 65"));
}

TEST(ModelText, AllAddsRegionMarksAndSmallSegments) {
  const std::string text = model_text(wave(), {}, true);
  EXPECT_THAT(text, HasSubstr("      end  "));
  EXPECT_THAT(text, HasSubstr("solve: computing to the end"));
  EXPECT_THAT(text, Not(HasSubstr("--all")));
}

TEST(ModelText, LongCandidatesAreCutBetweenWords) {
  auto model = wave();
  program::Count* ambiguous = nullptr;
  for (program::Node& each : model.nodes)
    if (each.executions.origin == Origin::ambiguous) ambiguous = &each.executions;
  ASSERT_NE(ambiguous, nullptr);
  const symbolic::Expression n = symbolic::symbol("N", symbolic::SymbolKind::parameter);
  symbolic::Expression tree = 0;
  for (std::int64_t power = 1; power <= 1 << 20; power *= 2) tree = tree + symbolic::floor(n / power);
  ambiguous->alternatives = {tree};
  const std::string text = model_text(model, {});
  const auto from = text.find("may be 3 or ");
  ASSERT_NE(from, std::string::npos);
  const std::string said = text.substr(from, text.find("; record one run") - from);
  EXPECT_THAT(said, testing::EndsWith(" ..."));
  EXPECT_LT(said.size(), 150u);
  EXPECT_THAT(said, HasSubstr("floor(N/524288) + floor("));
  EXPECT_GT(symbolic::readable_text(tree).size(), 300u);
}

TEST(ModelText, LongFormulasLoseTheirMiddleExceptWithAll) {
  program::Model model = wave();
  const auto n = symbolic::symbol("N", symbolic::SymbolKind::parameter);
  symbolic::Expression sum = n;
  for (int k = 2; k < 60; ++k) sum = sum + symbolic::floor(n / k);
  model.segments[1].executions = count(sum, Origin::constant);
  EXPECT_THAT(model_text(model, {}), ::testing::HasSubstr("bytes left out]"));
  EXPECT_LT(model_text(model, {}).size(), model_text(wave(), {}).size() + 600);
  EXPECT_THAT(model_text(model, {}, true), ::testing::Not(::testing::HasSubstr("bytes left out]")));
}

TEST(ModelText, LongTreesAreCut) {
  auto model = wave();
  for (int i = 6; i < 60; ++i) {
    model.nodes.push_back(node(i, 0, NodeKind::region, "part", count(1, Origin::exact)));
    model.nodes[0].children.push_back(i);
  }
  EXPECT_THAT(model_text(model, {}), HasSubstr("  ... 19 more, --all"));
}

TEST(ModelText, AnEmptyModelAndALoopInTheTreeDoNotCrash) {
  EXPECT_THAT(model_text({}, {}), HasSubstr(", from 0 recordings"));
  auto model = wave();
  model.nodes[2].children.push_back(1);  // a damaged file: a child above its parent
  EXPECT_THAT(model_text(model, {}, true), HasSubstr("MPI_Reduce"));
}

}  // namespace
/// Rows that become shorter: N broadcasts of 8 (N + 1 - k) bytes, k = 0 .. N - 1, of 4 N (N + 3) in all.
TEST(ModelText, SizesThatChangeInEachRoundAreShownFromTheFirstToTheLast) {
  program::Model model = wave();
  const auto n = symbolic::symbol("N", symbolic::SymbolKind::parameter);
  model.nodes[4].label = "MPI_Bcast";
  model.nodes[4].pattern = recording::Pattern::broadcast;
  model.nodes[4].executions = count(n, Origin::exact);
  model.nodes[4].collective_bytes = count(4 * n * (n + 3), Origin::exact);
  EXPECT_THAT(model_text(model, {}), HasSubstr("4*N + 12 B"));
  program::Step rounds, row;
  rounds.kind = program::Step::Kind::rounds;
  rounds.rounds = count(n, Origin::exact);
  row.place = 0;
  row.operation = trace::Kind::collective;
  row.bytes.change = program::Change::down;
  row.bytes.count = count(8 * n + 8, Origin::exact);
  row.bytes.slope = count(8, Origin::exact);
  rounds.body = {row};
  model.structure.emplace();
  model.structure->places.resize(1);
  model.structure->places[0].call = "MPI_Bcast";
  model.structure->steps = {rounds};
  EXPECT_THAT(model_text(model, {}), HasSubstr("8*N + 8 .. 16 B"));
  model.structure->steps[0].body[0].bytes.slope = count(4, Origin::exact);
  EXPECT_THAT(model_text(model, {}), HasSubstr("4*N + 12 B")) << "other sizes than the recorded ones";
}

}  // namespace parcast::report
