// SPDX-License-Identifier: Apache-2.0
// The three engines agree on random programs, in total and call by call, if their assumptions coincide
// (bulk-synchronous programs, no contention, no noise).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "predict/by_interpretation.h"
#include "predict/by_simulation.h"
#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using program::Partner;
using program::Step;
using recording::Pattern;

/// Times are integer nanoseconds at every requested point, so that no engine rounds.
machine::Machine system_of_tables() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  add_table(m, Pattern::allreduce, "ceil_log2", 4e-6, 15e-7, 3e-9, 1e-9);
  add_table(m, Pattern::barrier, "ceil_log2", 1e-6, 2e-6, 0, 0);
  add_table(m, Pattern::alltoall, "peers", 2e-6, 1e-6, 1e-9, 1e-9);
  add_table(m, Pattern::allgather, "peers", 3e-6, 1e-6, 2e-9, 1e-9);
  return m;
}

struct Call {
  const char* name;
  Pattern pattern;
};
constexpr Call kCalls[] = {{"MPI_Allreduce", Pattern::allreduce},
                           {"MPI_Barrier", Pattern::barrier},
                           {"MPI_Alltoall", Pattern::alltoall},
                           {"MPI_Allgather", Pattern::allgather}};

/// Consecutive and nested loops, each with computing, then a collective or an exchange on the ring, repeated
/// some times. Tree and structure are built in parallel.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : draw_(seed), builder_("random" + std::to_string(seed)) {
    builder_.add_parameter("n", {64, 128, 256});
    builder_.add_parameter("steps", {10, 20, 40});
    builder_.model.processes = {2, 4};
    structure_.processes = {2, 4};
    for (std::uint64_t loops = 1 + draw_() % 3; loops > 0; --loops) {
      const Expression rounds =
          draw_() % 2 ? parameter("steps") : Expression(static_cast<std::int64_t>(2 + draw_() % 5));
      structure_.steps.push_back(loop(0, rounds, 1, draw_() % 3 == 0));
    }
    structure_.step_count = next_;
    number(structure_.steps);
    builder_.model.structure = structure_;
  }
  const program::Model& model() const { return builder_.model; }

 private:
  /// The first operation of a round follows the same computing, whatever came before.
  Step loop(NodeId parent, const Expression& rounds, const Expression& times, bool nested) {
    Step out;
    out.kind = Step::Kind::loop;
    out.id = next_++;
    out.rounds = exact(rounds);
    const NodeId node = builder_.loop(parent, rounds * times);
    for (std::uint64_t calls = 1 + draw_() % 3; calls > 0; --calls) {
      if (draw_() % 4 == 0)
        add_exchange(out.body, node, rounds * times);
      else
        add_collective(out.body, node, rounds * times);
    }
    if (nested) out.body.push_back(loop(node, 3, rounds * times, false));
    return out;
  }

  Expression seconds() {
    const Expression n = parameter("n"),
                     nanoseconds = Expression(static_cast<std::int64_t>(1 + draw_() % 50)) / 1000000000;
    switch (draw_() % 3) {
      case 0:
        return nanoseconds * n * n / p();
      case 1:
        return nanoseconds * n;
      default:
        return nanoseconds * 1000;
    }
  }

  /// Adds the segment that ends in a call, whatever it begins with.
  void computing(NodeId node, NodeId call, const Expression& executions, Step& first) {
    const Expression each = seconds();
    builder_.segment(node, call, call, executions, proportional(each, 1));
    first.computing = {{kAnything, 0, each, Origin::fitted}};
  }

  Step operation(trace::Kind kind, const std::string& call, std::int32_t line) {
    Step out;
    out.id = next_++;
    out.operation = kind;
    structure_.places.push_back({"", "main", "/home/me/random.c", line, call});
    out.place = static_cast<std::uint32_t>(structure_.places.size()) - 1;
    out.root = exact(0), out.bytes.count = exact(0);
    return out;
  }

  void add_collective(std::vector<Step>& body, NodeId node, const Expression& executions) {
    const Call& call = kCalls[draw_() % 4];
    const Expression bytes = call.pattern == Pattern::barrier ? Expression(0)
                             : draw_() % 2                    ? 8 * parameter("n")
                                                              : Expression(8);
    const std::int32_t line = ++line_;
    const NodeId id = builder_.collective(node, call.name, call.pattern, program::Synchronisation::global,
                                          executions, bytes);
    builder_.node(id).where = "random.c:" + std::to_string(line);
    Step step = operation(trace::Kind::collective, call.name, line);
    step.pattern = call.pattern;
    step.bytes.count = exact(bytes);
    computing(node, id, executions, step);
    body.push_back(std::move(step));
  }

  void add_exchange(std::vector<Step>& body, NodeId node, const Expression& executions) {
    const Expression bytes = 8 * parameter("n");
    const std::int32_t line = ++line_;
    const NodeId id = builder_.message(node, "MPI_Sendrecv", recording::CallClass::send_receive,
                                       program::PeerRelation::offset_ring, {1}, executions, bytes);
    builder_.node(id).where = "random.c:" + std::to_string(line);
    Step receive = operation(trace::Kind::start_receive, "MPI_Sendrecv", line),
         send = operation(trace::Kind::start_send, "MPI_Sendrecv", line),
         wait = operation(trace::Kind::wait, "MPI_Sendrecv", line);
    receive.partner = {.kind = Partner::Kind::ring, .amount = -1};
    send.partner = {.kind = Partner::Kind::ring, .amount = 1};
    receive.bytes.count = send.bytes.count = exact(bytes);
    wait.awaited = {{receive.id, program::Awaited::Which::all}, {send.id, program::Awaited::Which::all}};
    computing(node, id, executions, receive);
    for (Step* each : {&receive, &send, &wait}) body.push_back(std::move(*each));
  }

  /// Adds the computing for each predecessor: an entry for each step and number of loops entered.
  void number(std::vector<Step>& steps) {
    for (Step& step : steps) {
      number(step.body);
      if (step.computing.empty()) continue;
      const program::Computing each = step.computing.front();
      step.computing.clear();
      for (std::uint32_t after = 0; after <= next_; ++after)
        for (std::uint32_t loops = 0; loops < 3; ++loops)
          step.computing.push_back({after, loops, each.seconds, each.origin});
    }
  }

  static constexpr std::uint32_t kAnything = 0;
  std::mt19937_64 draw_;
  Builder builder_;
  program::Structure structure_;
  std::uint32_t next_ = 0;
  std::int32_t line_ = 0;
};

/// Returns seconds by source line, computing and its call together.
std::map<std::string, double> by_line(const Prediction& prediction) {
  std::map<std::string, double> out;
  for (const RegionTime& region : prediction.regions) {
    // Computing from line 1 to line 2 is "random.c:1-2".
    const auto at = region.where.find_last_of(":-");
    out[at == std::string::npos ? region.where : region.where.substr(at + 1)] += region.seconds.value;
  }
  return out;
}

TEST(ThreeEngines, AgreeOnRandomBulkSynchronousPrograms) {
  const machine::Machine machine = system_of_tables();
  const std::vector<std::pair<int, int>> points{{2, 64}, {4, 128}, {8, 64}, {16, 256}, {5, 100}, {12, 120}};
  int programs = 0;
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const program::Model model = RandomProgram(seed).model();
    const auto [p, n] = points[seed % points.size()];
    const Question question = ask(p, {{"n", n}, {"steps", 7 + static_cast<double>(seed % 40)}});
    const auto equation = equation_engine().predict(model, machine, question),
               interpret = interpret_engine().predict(model, machine, question),
               simulate = simulate_engine().predict(model, machine, question);
    ASSERT_TRUE(equation) << to_string(equation.error());
    ASSERT_TRUE(interpret) << to_string(interpret.error());
    ASSERT_TRUE(simulate) << to_string(simulate.error());
    const double whole = equation->seconds.value, near = 1e-9 * whole;
    EXPECT_NEAR(interpret->seconds.value, whole, near);
    EXPECT_NEAR(simulate->seconds.value, whole, near);
    EXPECT_NEAR(interpret->parts.compute.value, equation->parts.compute.value, near);
    EXPECT_NEAR(interpret->parts.message_startup.value, equation->parts.message_startup.value, near);
    EXPECT_NEAR(interpret->parts.transfer.value, equation->parts.transfer.value, near);
    EXPECT_NEAR(interpret->parts.wait.value, equation->parts.wait.value, near);
    EXPECT_NEAR(simulate->parts.compute.value, equation->parts.compute.value, near);
    EXPECT_NEAR(interpret->seconds.high, equation->seconds.high, 1e-6 * whole);
    const auto lines = by_line(*equation), own = by_line(*interpret), simulated = by_line(*simulate);
    ASSERT_EQ(lines.size(), own.size());
    for (const auto& [line, seconds] : lines) {
      ASSERT_TRUE(own.contains(line) && simulated.contains(line)) << line;
      EXPECT_NEAR(own.at(line), seconds, near) << line;
      EXPECT_NEAR(simulated.at(line), seconds, near) << line;
    }
    ++programs;
    if (HasFailure()) return;
  }
  EXPECT_EQ(programs, 240);
}

TEST(ThreeEngines, TellTheSameMemoryOfANode) {
  program::Model model = RandomProgram(0).model();
  model.residence.arguments = {parameter("n")};
  model.residence.growth = proportional(parameter("n"), 1e4).growth;
  machine::Machine machine = system_of_tables();
  machine.memory_per_node = 1e6;
  for (const Engine* engine : engines()) {
    if (engine->name() == "extrap") continue;  // its ranks have a node each
    SCOPED_TRACE(std::string(engine->name()));
    const auto answer = engine->predict(model, machine, ask(4, {{"n", 128}, {"steps", 10}}));
    ASSERT_TRUE(answer) << to_string(answer.error());
    ASSERT_TRUE(answer->memory_per_node.has_value());
    EXPECT_DOUBLE_EQ(answer->memory_per_node->value, 1.28e6);
    EXPECT_EQ(std::count_if(answer->warnings.begin(), answer->warnings.end(),
                            [](const Warning& warning) { return warning.code == "memory"; }),
              1);
  }
}

}  // namespace
}  // namespace parcast::predict
