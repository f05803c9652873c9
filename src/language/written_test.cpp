// SPDX-License-Identifier: Apache-2.0
// Written programs compared with hand calculations. Counts, bytes and seconds by nodes and by the trace
// generated from the structure must be equal.
#include "language/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/binding.h"
#include "model/model_file.h"
#include "structure/generate.h"

namespace parcast::program::written {
namespace {

using testing::ElementsAre;
using Parameters = std::map<std::string, double>;

Model model_of(const std::string& text) {
  auto model = model_of_text("program test\n" + text, "test.program");
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : to_string(model.error()));
  return model.ok() ? *model : Model{};
}

/// Operations of one rank.
struct Done {
  std::map<std::string, std::int64_t> calls;  // by MPI name; for an exchange, its messages
  std::int64_t messages = 0, bytes = 0, received = 0, collective_bytes = 0;
  double seconds = 0;
};

Done by_trace(const trace::Trace& trace, std::int32_t rank) {
  Done out;
  trace::Walker walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]);
  while (walker.next()) {
    if (walker.item().what() == trace::Item::What::compute) {
      out.seconds += static_cast<double>(walker.item().time()) * 1e-12;
      continue;
    }
    const trace::Operation& operation = trace.operations[walker.item().index()];
    const std::string& call = trace.places[operation.place].call;
    const auto bytes = static_cast<std::int64_t>(operation.bytes);
    const bool exchange = call == "MPI_Sendrecv",
               send = operation.kind == trace::Kind::send || operation.kind == trace::Kind::start_send;
    if (!exchange) ++out.calls[call];
    if (operation.kind == trace::Kind::collective) out.collective_bytes += bytes;
    if (send) ++out.messages, out.bytes += bytes;
    if (operation.kind == trace::Kind::receive || operation.kind == trace::Kind::start_receive)
      out.received += bytes;
  }
  out.calls.erase("MPI_Waitall");  // traces omit waits for nothing
  return out;
}

Done by_nodes(const Model& model, const Point& point, std::int32_t rank) {
  Done out;
  const auto binding = bind(model, point, rank);
  EXPECT_TRUE(binding.ok());
  const auto value = [&](const Count& count) {
    const auto found = value_of(count, *binding);
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : to_string(found.error()));
    return found.ok() ? std::llround(found->value) : -1;
  };
  for (const Node& node : model.nodes) {
    if (node.kind != NodeKind::call) continue;
    EXPECT_EQ(node.executions.origin, Origin::exact);
    if (const auto executions = value(node.executions);
        executions != 0 && node.label != "MPI_Sendrecv" && node.label != "MPI_Waitall")
      out.calls[node.label] += executions;
    out.messages += value(node.messages);
    out.bytes += value(node.bytes);
    out.received += value(node.received_bytes);
    out.collective_bytes += value(node.collective_bytes);
  }
  for (const Segment& segment : model.segments) {
    double each = 0;
    for (const auto& argument : segment.cost.arguments) {
      const auto found = symbolic::evaluate(argument, *binding);
      EXPECT_TRUE(found.ok()) << (found.ok() ? "" : to_string(found.error()));
      each += found.ok() ? *found : 0;
    }
    out.seconds += static_cast<double>(value(segment.executions)) * each;
  }
  return out;
}

void expect_same(const Done& a, const Done& b, const std::string& where) {
  EXPECT_EQ(a.calls, b.calls) << where;
  EXPECT_EQ(a.messages, b.messages) << where;
  EXPECT_EQ(a.bytes, b.bytes) << where;
  EXPECT_EQ(a.received, b.received) << where;
  EXPECT_EQ(a.collective_bytes, b.collective_bytes) << where;
  EXPECT_NEAR(a.seconds, b.seconds, 1e-9 * a.seconds + 2e-9) << where;
}

/// Checks that nodes and trace agree at every rank, and returns the result.
std::vector<Done> done(const Model& model, std::int32_t processes, const Parameters& parameters = {}) {
  std::vector<Done> out;
  const Point point{parameters, processes};
  const auto trace = generate(model, point);
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : to_string(trace.error()));
  if (!trace) return std::vector<Done>(static_cast<std::size_t>(processes));
  for (const std::string& sentence : trace->assumptions)
    EXPECT_THAT(sentence, testing::Not(testing::HasSubstr("in an order that none had")));
  for (std::int32_t rank = 0; rank < processes; ++rank) {
    out.push_back(by_trace(*trace, rank));
    expect_same(out.back(), by_nodes(model, point, rank),
                "rank " + std::to_string(rank) + " of " + std::to_string(processes));
  }
  return out;
}

std::vector<Done> done(const std::string& text, std::int32_t processes, const Parameters& parameters = {}) {
  return done(model_of(text), processes, parameters);
}

std::vector<double> seconds_of(const std::vector<Done>& ranks) {
  std::vector<double> out;
  for (const Done& each : ranks) out.push_back(std::round(each.seconds * 1e12) / 1e12);
  return out;
}

// Loops and shares ------------------------------------------------------------------------------------------

TEST(Written, CyclicIterationsAreThoseThatBruteForceDealsOut) {
  const Model all =
      model_of("parameter a = 1\nparameter b = 100\nparallel do i = a..b cyclic\n  compute 1 us\nbarrier\n");
  const Model nodes = model_of(
      "host program\nparameter a = 1\nparameter b = 100\nparallel do i = a..b cyclic\n  compute 1 "
      "us\nbarrier\n");
  for (std::int32_t p = 1; p <= 17; ++p)
    for (const std::int64_t b : {0, 1, 2, 5, 16, 17, 18, 34, 100})
      for (std::int32_t r = 0; r < p; ++r) {
        std::int64_t mine = 0, of_node = 0;
        for (std::int64_t i = 1; i <= b; ++i)
          mine += (i - 1) % p == r, of_node += p > 1 && r > 0 && (i - 1) % (p - 1) == r - 1;
        const Point point{{{"a", 1}, {"b", static_cast<double>(b)}}, p};
        EXPECT_NEAR(by_nodes(all, point, r).seconds, 1e-6 * static_cast<double>(mine), 1e-15)
            << p << " " << b << " " << r;
        EXPECT_NEAR(by_nodes(nodes, point, r).seconds, 1e-6 * static_cast<double>(of_node), 1e-15)
            << p << " " << b << " " << r;
      }
}

TEST(Written, CostsByTheIndexSumUpAsBruteForceSays) {
  const std::string body = "\n  for j = 1..i\n    compute i + 2*j us\nbarrier\n";
  const Model cyclic = model_of("parameter n = 10\nparallel do i = 3..n cyclic" + body),
              block = model_of("parameter n = 10\nparallel do i = 3..n block" + body);
  for (std::int32_t p = 1; p <= 7; ++p)
    for (const std::int64_t n : {2, 3, 9, 20})
      for (std::int32_t r = 0; r < p; ++r) {
        const std::int64_t all = std::max<std::int64_t>(0, n - 2), share = all / p, rest = all % p,
                           begin = 3 + r * share + std::min<std::int64_t>(r, rest),
                           end = begin + share + (r < rest);
        std::int64_t by_cycle = 0, by_block = 0;
        for (std::int64_t i = 3; i <= n; ++i)
          for (std::int64_t j = 1; j <= i; ++j)
            by_cycle += (i - 3) % p == r ? i + 2 * j : 0, by_block += i >= begin && i < end ? i + 2 * j : 0;
        const Point point{{{"n", static_cast<double>(n)}}, p};
        EXPECT_NEAR(by_nodes(cyclic, point, r).seconds, 1e-6 * static_cast<double>(by_cycle), 1e-12)
            << p << " " << n << " " << r;
        EXPECT_NEAR(by_nodes(block, point, r).seconds, 1e-6 * static_cast<double>(by_block), 1e-12)
            << p << " " << n << " " << r;
      }
}

TEST(Written, LoopsMultiply) {
  const auto ranks =
      done("parameter n = 3\nrepeat n\n  compute 2 us\n  repeat 4\n    allreduce 8 B\n    compute 1 us\n", 3,
           {{"n", 5}});
  for (const Done& each : ranks) {
    EXPECT_THAT(each.calls, ElementsAre(std::pair("MPI_Allreduce", 20)));
    EXPECT_EQ(each.collective_bytes, 160);
    EXPECT_NEAR(each.seconds, 30e-6, 1e-12);
  }
}

TEST(Written, LoopsThatAreNotEnteredLeaveTheirComputingOut) {
  const auto ranks = done(
      "parameter n = 3\ncompute 5 us\nrepeat n\n  compute 2 us\n  barrier\n  compute 1 us\ncompute 7 "
      "us\nbarrier\n",
      2, {{"n", 0}});
  EXPECT_THAT(seconds_of(ranks), ElementsAre(12e-6, 12e-6));
  EXPECT_THAT(ranks[0].calls, ElementsAre(std::pair("MPI_Barrier", 1)));
}

// Conditions ------------------------------------------------------------------------------------------------

TEST(Written, ConditionsTellRanksApart) {
  const auto who = [](const std::string& condition) {
    std::vector<std::int64_t> out;
    for (const Done& each :
         done("if " + condition + "\n  compute 1 us\n  send 8 B to 0\nelse\n  compute 2 us\nif " + condition +
                  "\n  compute 3 us\n",
              5)) {
      out.push_back(each.messages);
      EXPECT_NEAR(each.seconds, each.messages == 1 ? 4e-6 : 2e-6, 1e-12) << condition;
    }
    return out;
  };
  EXPECT_THAT(who("r == 0"), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(who("r > 0"), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(who("r != 0"), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(who("r == p - 1"), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(who("r < p - 1"), ElementsAre(1, 1, 1, 1, 0));
  EXPECT_THAT(who("0 < r < p - 1"), ElementsAre(0, 1, 1, 1, 0));
  EXPECT_THAT(who("r even"), ElementsAre(1, 0, 1, 0, 1));
  EXPECT_THAT(who("r odd"), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(who("r == 3"), ElementsAre(0, 0, 0, 1, 0));
  EXPECT_THAT(who("2*r > p"), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(who("r > 0 and r <= 2"), ElementsAre(0, 1, 1, 0, 0));
  EXPECT_THAT(who("p > 4"), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(who("p > 5"), ElementsAre(0, 0, 0, 0, 0));
}

TEST(Written, CoordinatesTellRanksApart) {
  std::vector<std::int64_t> out;  // 3 x 2
  for (const Done& each : done("grid 2\nif c0 == g0 - 1\n  send 8 B to 0\nif c1 == 0\n  send 8 B to 0\n", 6))
    out.push_back(each.messages);
  EXPECT_THAT(out, ElementsAre(1, 0, 1, 0, 2, 1));
}

TEST(Written, ChanceCountsComputingAndTheFirstRounds) {
  const auto compute = done("if probability 0.25\n  compute 8 us\nbarrier\n", 2);
  EXPECT_NEAR(compute[0].seconds, 2e-6, 1e-12);
  const Model model = model_of(
      "parameter n = 10\nrepeat n\n  compute 1 us\n  if probability 0.25\n    allreduce 8 B\n    compute 2 "
      "us\n  barrier\n");
  for (const auto& [n, often] : {std::pair{8, 2}, {10, 3}, {1, 0}, {0, 0}}) {
    const auto ranks = done(model, 3, {{"n", n}});
    EXPECT_EQ(ranks[2].collective_bytes, 8 * often);
    EXPECT_NEAR(ranks[2].seconds, 1e-6 * n + 2e-6 * often, 1e-12);
    if (n > 0) EXPECT_EQ(ranks[2].calls.at("MPI_Barrier"), n);
  }
  ASSERT_EQ(model.structure->assumptions.size(), 1u);
  EXPECT_EQ(model.structure->assumptions[0],
            "test.program:5: what happens with probability 0.25 happens in the first of the rounds, as many "
            "as that gives, and on all ranks in the same");
  EXPECT_EQ(model.notices[0].text, model.structure->assumptions[0]);
}

// Partners --------------------------------------------------------------------------------------------------

TEST(Written, PartnersAreThoseOfTheirRule) {
  // Rank r sends 1 + r bytes, so the received bytes identify the sender.
  const auto from = [](const std::string& head, const std::string& to, const std::string& source,
                       std::int32_t p) {
    const Model model =
        model_of(head + "start receive 8 B from " + source + "\nstart send 8 B to " + to + "\nwait all\n");
    const auto trace = generate(model, {{}, p});
    std::vector<std::string> out;
    for (std::int32_t rank = 0; trace && rank < p; ++rank) {
      std::string text;
      trace::Walker walker(trace->sequences[trace->sequence_of[static_cast<std::size_t>(rank)]]);
      while (walker.next()) {
        const auto& operation = trace->operations[walker.item().index()];
        if (operation.kind == trace::Kind::start_receive) text += "<" + std::to_string(rank + operation.peer);
        if (operation.kind == trace::Kind::start_send) text += ">" + std::to_string(rank + operation.peer);
        if (operation.kind == trace::Kind::wait)
          text += " " + std::to_string(trace->request_sets[operation.requests].size());
      }
      out.push_back(text);
    }
    done(model, p);
    return out;
  };
  EXPECT_THAT(from("", "r + 1", "r - 1", 3), ElementsAre(">1 1", "<0>2 2", "<1 1"));
  EXPECT_THAT(from("", "(r + 1) mod p", "mod(r - 1, p)", 3), ElementsAre("<2>1 2", "<0>2 2", "<1>0 2"));
  EXPECT_THAT(from("", "r xor 1", "r xor 1", 3), ElementsAre("<1>1 2", "<0>0 2", ""));
  EXPECT_THAT(from("", "r xor 3", "r xor 3", 5), ElementsAre("<3>3 2", "<2>2 2", "<1>1 2", "<0>0 2", ""));
  EXPECT_THAT(from("", "p - 1", "p - 1", 3), ElementsAre("<2>2 2", "<2>2 2", "<2>2 2"));
  EXPECT_THAT(from("", "1", "0", 3), ElementsAre("<0>1 2", "<0>1 2", "<0>1 2"));
  EXPECT_THAT(from("grid 2\n", "(+1, 0)", "(-1, 0)", 6),
              ElementsAre(">2 1", ">3 1", "<0>4 2", "<1>5 2", "<2 1", "<3 1"));
  EXPECT_THAT(from("grid 2 periodic 1\n", "(0, +1)", "(0, -1)", 6),
              ElementsAre("<1>1 2", "<0>0 2", "<3>3 2", "<2>2 2", "<5>5 2", "<4>4 2"));
  EXPECT_THAT(from("grid 2 periodic\n", "(-1, +1)", "(+1, -1)", 6),
              ElementsAre("<3>5 2", "<2>4 2", "<5>1 2", "<4>0 2", "<1>3 2", "<0>2 2"));
  EXPECT_THAT(from("host program\n", "node 1", "host", 3), ElementsAre("<0>2 2", "<0>2 2", "<0>2 2"));
}

TEST(Written, RoundsChangePartnersAndSizes) {
  // Dissemination, recursive doubling, binomial spreading: at 8 ranks each has log2(p) rounds.
  for (const Done& each :
       done("rounds k = 0..log2(p)-1\n  compute 1 us\n  shift 8 B to (r + 2^k) mod p from (r - 2^k) mod p\n",
            8)) {
    EXPECT_EQ(each.messages, 3);
    EXPECT_EQ(each.bytes, 24);
    EXPECT_NEAR(each.seconds, 3e-6, 1e-12);
  }
  for (const Done& each : done("rounds k = 0..log2(p)-1\n  exchange 8*2^k B with r xor 2^k\n", 16))
    EXPECT_EQ(each.bytes, 8 * 15);
  for (const Done& each :
       done("parameter N = 64\nrounds k = 0..log2(p)-1\n  exchange N/2^k B with r xor 2^k\n", 8, {{"N", 64}}))
    EXPECT_EQ(each.bytes, 64 + 32 + 16);
  const auto up = done(
      "for i = 1..5\n  if r == 0\n    send 8*i + 16 B to 1\n  if r == 1\n    receive 8*i + 16 B from 0\n", 2);
  EXPECT_EQ(up[0].bytes, 8 * 15 + 5 * 16);
  EXPECT_EQ(up[1].received, 8 * 15 + 5 * 16);
  const auto down = done("parameter N = 6\nfor i = 1..N\n  broadcast 8*(N - i) B from 0\n", 2, {{"N", 6}});
  EXPECT_EQ(down[1].collective_bytes, 8 * 15);
  const auto gathered =
      done("if r == 0\n  rounds k = 1..p-1\n    receive 8 B from k\nelse\n  send 8 B to 0\n", 5);
  EXPECT_EQ(gathered[0].received, 32);
  const auto spread = done(
      "rounds k = 0..log2(p)-1\n  start receive 8 B from r - 2^k\n  start send 8 B to r + 2^k\n  wait all\n",
      8);
  for (std::size_t r = 0; r < 8; ++r) {
    std::int64_t to = 0;
    for (std::size_t step = 1; step < 8; step *= 2) to += r + step < 8;
    EXPECT_EQ(spread[r].messages, to) << r;
  }
}

// Collectives -----------------------------------------------------------------------------------------------

TEST(Written, CollectivesCountWhatARecordingCounts) {
  const auto bytes = [](const std::string& statement) {
    return done(statement + "\n", 4)[2].collective_bytes;
  };
  EXPECT_EQ(bytes("broadcast 32 B from 0"), 32);
  EXPECT_EQ(bytes("reduce 32 B to 1"), 32);
  EXPECT_EQ(bytes("allreduce 1 KiB"), 1024);
  EXPECT_EQ(bytes("gather 32 B to 0"), 32);
  EXPECT_EQ(bytes("scatter 32 B from 0"), 32);
  EXPECT_EQ(bytes("allgather 32 B"), 32);
  EXPECT_EQ(bytes("alltoall 32 B"), 128);
  EXPECT_EQ(bytes("reduce_scatter 32 B"), 128);
  EXPECT_EQ(bytes("barrier"), 0);
  EXPECT_EQ(bytes("scan 32 B"), 32);
}

TEST(Written, RowsColumnsAndNodesHaveTheirOwn) {
  const std::string text =
      "grid 2\nallreduce 8 B among rows\nallreduce 16 B among columns\nallreduce 32 B among dimension 0\n";
  const auto ranks = done(text, 6);  // 3 x 2
  for (const Done& each : ranks) EXPECT_EQ(each.collective_bytes, 56);
  const auto trace = generate(model_of(text), {{}, 6});
  ASSERT_TRUE(trace.ok());
  std::vector<std::size_t> sizes;
  for (const trace::Operation& operation : trace->operations)
    sizes.push_back(trace->communicators[operation.communicator].members.size());
  EXPECT_THAT(sizes, testing::UnorderedElementsAre(2, 2, 2, 3, 3, 3, 3));
  const auto nodes = done("host program\nnodes\n  reduce 8 B to node 1 among nodes\n", 4);
  EXPECT_EQ(nodes[0].collective_bytes, 0);
  EXPECT_EQ(nodes[3].collective_bytes, 8);
  const auto reduced = generate(model_of("host program\nreduce 8 B to node 1 among nodes\n"), {{}, 4});
  ASSERT_TRUE(reduced.ok());
  ASSERT_EQ(reduced->operations.size(), 1u);
  EXPECT_EQ(reduced->operations[0].root, 1);
  EXPECT_THAT(reduced->communicators[reduced->operations[0].communicator].members, ElementsAre(1, 2, 3));
  for (const char* root : {"node 2", "2"}) {  // among nodes, a number is the number of a member
    const auto given = generate(
        model_of(std::string("host program\nbroadcast 8 B from ") + root + " among nodes\n"), {{}, 4});
    ASSERT_TRUE(given.ok());
    EXPECT_EQ(given->operations[0].root, 2) << root;
  }
}

// Data ------------------------------------------------------------------------------------------------------

TEST(Written, SharesOfDataAreThoseOfMpiCodes) {
  const Model model = model_of(
      "parameter N = 10\nparameter M = 7\ngrid 2\ndata A (N, M) of 8 B distributed (BLOCK, CYCLIC)\ndata b "
      "(M) of 4 B\n"
      "allreduce A.row\nallgather A.column\nscan A.bytes\nbroadcast 2*b.bytes from 0\ngather 3*A.element to "
      "0\n");
  const auto ranks = done(model, 6, {{"N", 10}, {"M", 7}});  // 3 x 2: rows 4, 3, 3; columns 4, 3
  const std::int64_t rows[] = {4, 4, 3, 3, 3, 3}, columns[] = {4, 3, 4, 3, 4, 3};
  for (std::size_t r = 0; r < 6; ++r)
    EXPECT_EQ(ranks[r].collective_bytes, 8 * columns[r] + 8 * rows[r] + 8 * rows[r] * columns[r] + 56 + 24);
  ASSERT_TRUE(model.footprint);
  const auto footprint = symbolic::evaluate(*model.footprint, *bind(model, {{{"N", 10}, {"M", 7}}, 6}, 0));
  EXPECT_EQ(*footprint, 8 * 16 + 28);
  const auto striped = done(
      "parameter N = 10\ndata A (N, 3) of 8 B distributed (BLOCK, WHOLE)\nscan A.bytes\n", 4, {{"N", 10}});
  EXPECT_EQ(striped[1].collective_bytes, 8 * 9);
  EXPECT_EQ(striped[3].collective_bytes, 8 * 6);
}

// Computing -------------------------------------------------------------------------------------------------

TEST(Written, UnitsOfTime) {
  const auto seconds = [](const std::string& amount) {
    return done("compute " + amount + "\nbarrier\n", 2)[0].seconds;
  };
  EXPECT_NEAR(seconds("12.5 ns"), 12.5e-9, 1e-15);
  EXPECT_NEAR(seconds("3 us"), 3e-6, 1e-15);
  EXPECT_NEAR(seconds("4*p ms"), 8e-3, 1e-12);
  EXPECT_NEAR(seconds("1 s"), 1, 1e-12);
  EXPECT_NEAR(seconds("2 min"), 120, 1e-9);
  EXPECT_NEAR(seconds("1 us, 2 us"), 3e-6, 1e-15);
}

TEST(Written, StandardErrorsReachTheCosts) {
  const Model model = model_of(
      "measured on \"AMD EPYC\"\ncompute 10 us +- 5 % measured\ncompute 20 us +- 1 us "
      "measured\nbarrier\ncompute 30 us\n");
  EXPECT_EQ(model.recorded_on, "AMD EPYC");
  ASSERT_EQ(model.segments.size(), 2u);
  EXPECT_EQ(model.segments[0].cost.origin, Origin::measured);
  EXPECT_EQ(model.segments[1].cost.origin, Origin::assumed);
  const auto predicted = model.segments[0].cost.growth->predict(std::vector<double>{10e-6, 20e-6}, 0.9);
  EXPECT_NEAR(predicted.value, 30e-6, 1e-12);
  EXPECT_NEAR(predicted.high - predicted.value, 30e-6 * (std::exp(1.64485 * std::hypot(0.5, 1) / 30) - 1),
              1e-9);
}

TEST(Written, ComputingKeepsTheTreeOfItsStatements) {
  const Model model = model_of(
      "parameter n = 4\ncompute 1 us \"before\"\nfor i = 1..n \"rows\"\n  if r == 0\n    compute 2*i us\n  "
      "compute 3 us\nbarrier\ncompute 4 us\n");
  const Step& barrier = model.structure->steps[0];
  ASSERT_EQ(barrier.computing.size(), 1u);
  const Computing& computing = barrier.computing[0];
  EXPECT_EQ(computing.after, model.structure->step_count);
  ASSERT_EQ(computing.parts.size(), 2u);
  EXPECT_EQ(computing.parts[0].label, "before");
  EXPECT_EQ(computing.parts[0].where, "test.program:3");
  const ComputingPart& rows = computing.parts[1];
  EXPECT_EQ(rows.kind, ComputingPart::Kind::iteration);
  EXPECT_EQ(rows.label, "rows");
  EXPECT_EQ(symbolic::to_text(rows.executions), "n");
  ASSERT_EQ(rows.parts.size(), 2u);
  EXPECT_EQ(rows.parts[0].kind, ComputingPart::Kind::condition);
  const auto at = [&](const ComputingPart& part, int rank) {
    return *symbolic::evaluate(part.seconds, *bind(model, {{{"n", 5}}, 3}, rank));
  };
  EXPECT_NEAR(at(rows, 0), 30e-6 + 15e-6, 1e-12);
  EXPECT_NEAR(at(rows, 1), 15e-6, 1e-12);
  EXPECT_NEAR(at(rows.parts[0], 0), 30e-6, 1e-12);
  EXPECT_NEAR(at(rows.parts[0].parts[0], 0), 30e-6, 1e-12);
  EXPECT_NEAR(at(rows.parts[0], 1), 0, 1e-15);
  EXPECT_NEAR(at(rows.parts[1], 2), 15e-6, 1e-12);
  ASSERT_EQ(model.structure->tail.size(), 1u);
  EXPECT_EQ(model.structure->tail[0].parts.size(), 1u);
}

TEST(Written, ComputingIsFoundWhateverWasDoneBefore) {
  // With guards, loops and missing partners in between; done() checks the sum of seconds in the trace.
  for (const std::int32_t p : {2, 3, 4, 7}) {
    const auto ranks = done(
        "parameter n = 3\ncompute 1 us\nrepeat n\n  compute 2 us\n  if r > 0\n    compute 4 us\n    receive "
        "8 B from r - 1\n    compute 8 us\n  compute 16 us\n"
        "  send 8 B to r + 1\n  compute 32 us\n  repeat 2\n    compute 64 us\n    if r even\n      send 8 B "
        "to r + 2\n    compute 128 us\ncompute 256 us\nallreduce 8 B\ncompute 512 us\n",
        p, {{"n", 3}});
    for (std::size_t r = 0; r < ranks.size(); ++r)
      EXPECT_NEAR(ranks[r].seconds, 1e-6 * (1 + 3 * (2 + (r > 0 ? 12 : 0) + 16 + 32 + 2 * 192) + 256 + 512),
                  1e-11)
          << r << " of " << p;
  }
}

TEST(Written, ComputingThatChangesFromRoundToRoundIsSpreadAndSaid) {
  const Model model = model_of("parameter n = 4\nfor i = 1..n\n  compute i^2 us\n  broadcast 8*i B from 0\n");
  EXPECT_NEAR(done(model, 2, {{"n", 5}})[0].seconds, 55e-6, 1e-11);
  ASSERT_EQ(model.notices.size(), 1u);
  EXPECT_EQ(model.notices[0].text,
            "test.program:3: computing that differs from round to round is spread evenly over the rounds: "
            "the sum is right, not its course");
}

// Regions and definitions -----------------------------------------------------------------------------------

TEST(Written, RegionsAndCallsAreInTheTreeAndInPlaces) {
  const Model model = model_of(
      "define halo\n  shift 8 B to (r + 1) mod p from (r - 1) mod p\nregion solve\n  repeat 3\n    call "
      "halo\n  region norm\n    allreduce 8 B\n");
  std::vector<std::string> labels;
  for (const Node& node : model.nodes) labels.push_back(node.label);
  EXPECT_THAT(labels, ElementsAre("test", "solve", "loop", "halo", "MPI_Sendrecv", "norm", "MPI_Allreduce"));
  EXPECT_EQ(model.nodes[4].where, "test.program:3");
  const trace::Place& shift = model.structure->places[1];
  EXPECT_EQ(shift.region, "solve/halo");
  EXPECT_EQ(shift.function, "halo");
  EXPECT_EQ(shift.file, "test.program");
  EXPECT_EQ(shift.line, 3);
  EXPECT_EQ(shift.call, "MPI_Sendrecv");
  const Step& loop = model.structure->steps[0];
  EXPECT_EQ(loop.kind, Step::Kind::loop);
  EXPECT_EQ(model.structure->places[loop.place].call, "repeat");
  EXPECT_EQ(model.structure->places[loop.place].line, 5);
}

TEST(Written, ConditionsAreStepsOfOneRoundWithAGuard) {
  const Model model = model_of("if r == 0\n  send 8 B to 1\nelse\n  barrier\n");
  ASSERT_EQ(model.structure->steps.size(), 2u);
  const Step& then = model.structure->steps[0];
  EXPECT_EQ(then.kind, Step::Kind::loop);
  EXPECT_EQ(then.guard, (Guard{Guard::Kind::first}));
  EXPECT_EQ(then.rounds.expression, symbolic::Expression(1));
  EXPECT_EQ(model.structure->places[then.place].call, "if");
  EXPECT_EQ(model.structure->steps[1].guard, (Guard{Guard::Kind::not_first}));
}

// Files -----------------------------------------------------------------------------------------------------

TEST(Written, ModelsComeBackFromTheirFile) {
  for (const std::string name : {"trapezoid", "estar", "shallow_water"}) {
    const auto model =
        read_program(std::string(PARCAST_SOURCE_DIR "/examples/") + name + "/" + name + ".program");
    ASSERT_TRUE(model.ok()) << (model.ok() ? "" : to_string(model.error()));
    const std::string json = to_json(*model);
    const auto back = model_from_json(json, "back");
    ASSERT_TRUE(back.ok()) << to_string(back.error());
    EXPECT_EQ(to_json(*back), json);
    EXPECT_EQ(back->written_in, name + ".program");
    Parameters parameters;
    for (const Parameter& parameter : model->parameters) parameters[parameter.name] = 37;
    for (const std::int32_t p : {3, 4, 6}) {
      const auto here = done(*model, p, parameters), there = done(*back, p, parameters);
      for (std::size_t r = 0; r < here.size(); ++r) expect_same(here[r], there[r], name);
    }
  }
  const Model priced = model_of("compute 3 double_add, 4 operations, 8 B\nbarrier\n");
  EXPECT_TRUE(model_from_json(to_json(priced), "back").ok());
}

TEST(Written, WhatAMachinePricesHasNoTraceBefore) {
  const auto trace = generate(model_of("compute 3 operations\nbarrier\n"), {{}, 2});
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().what, "computing of test is given in operations, which a machine prices");
}

TEST(Written, TrapezoidByHand) {
  const auto model = read_program(PARCAST_SOURCE_DIR "/examples/trapezoid/trapezoid.program");
  ASSERT_TRUE(model.ok());
  const auto ranks = done(*model, 4, {{"N", 100}, {"times", 7}});  // 3 nodes, 99 points
  for (const Done& each : ranks) EXPECT_EQ(each.calls.at("MPI_Bcast"), 7);
  EXPECT_EQ(ranks[0].collective_bytes, 7 * 24);
  EXPECT_EQ(ranks[0].received, 7 * 8);
  EXPECT_EQ(ranks[1].messages, 7);
  EXPECT_EQ(ranks[2].messages, 0);
  EXPECT_EQ(ranks[3].collective_bytes, 7 * 32);
  EXPECT_NEAR(ranks[0].seconds, 0, 1e-15);
  for (int r = 1; r < 4; ++r) EXPECT_NEAR(ranks[static_cast<std::size_t>(r)].seconds, 7 * 33 * 1.5e-9, 1e-11);
}

/// Four lines with independent errors of 20 % have together 10 %, as one argument.
TEST(Written, LinesThatTakeAlikeAreOneArgumentWithTheErrorOfTheirSum) {
  const auto model = model_of_text(
      "program four\nparameter n = 10\n" +
          std::string(
              "compute n us +- 20 %\ncompute n us +- 20 %\ncompute n us +- 20 %\ncompute n us +- 20 %\n") +
          "allreduce 8 B\n",
      "four.program");
  ASSERT_TRUE(model) << to_string(model.error());
  const auto& growth = *model->segments.at(0).cost.growth;
  ASSERT_EQ(growth.arguments.size(), 1u);
  const auto seconds = symbolic::evaluate(model->segments.at(0).cost.arguments.at(0), {{"n", 10}});
  ASSERT_TRUE(seconds);
  EXPECT_NEAR(*seconds, 40e-6, 1e-15);
  EXPECT_NEAR(growth.hypotheses.at(0).factor(0, 0), 0.1, 1e-12);
}

}  // namespace
}  // namespace parcast::program::written
