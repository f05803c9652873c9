// SPDX-License-Identifier: Apache-2.0
// The engine of ExtraP's model against the plain interpreter of the same page, and the page's statements
// about all programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "predict/simulate/extrap/test_machine.h"
#include "predict/simulate/extrap/test_reference.h"
#include "predict/simulate/test_generator.h"
#include "predict/simulate/test_outcomes.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate::extrap {
namespace {

using machine::ExtrapKey;
using recording::Pattern;
using simulate::testing::access;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::Draw;
using simulate::testing::Program;
using simulate::testing::receive;
using simulate::testing::send;
using testing::machine_with;
using testing::run;
using testing::us;
using trace::Kind;

constexpr std::uint64_t kCases = 1200;

/// Small integers, so that many events happen at the same moment.
Platform random_machine(Draw& draw) {
  Platform platform{.name = "random", .assumptions = {}};
  Parameters& p = platform.parameters;
  for (Time* each : {&p.pack_startup, &p.get_try, &p.get_startup, &p.get, &p.processing, &p.comm_startup,
                     &p.to_network_startup, &p.add_startup, &p.add_try, &p.add, &p.entry, &p.exit, &p.check,
                     &p.exit_check, &p.model})
    *each = draw.of({0, 0, 1, 10, 10, 20, 50, 1000});
  for (Rate* each : {&p.byte_pack, &p.byte_transfer, &p.byte_to_network})
    *each = draw.of({0, 0, kOne / 16, kOne / 8, kOne});
  p.mips_ratio = draw.of({kOne, kOne, kOne / 2, 3 * kOne});
  p.service = static_cast<Service>(draw.below(5));
  p.delta = draw.of({7, 10, 25, 1000, 100000});
  p.topology = static_cast<Topology>(draw.below(5));
  p.request_bytes = static_cast<std::uint64_t>(draw.of({0, 1, 16, 100}));
  p.barrier_bytes = static_cast<std::uint64_t>(draw.of({0, 16}));
  p.barrier_by_messages = !draw.one_in(3);
  platform.collectives = simulate::testing::random_platform(draw, 1, false).collectives;
  return platform;
}

TEST(ExtrapEngineAndReference, agree_on_random_programs) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Draw draw(seed ^ 0x5eed);
    const trace::Trace trace = simulate::testing::random_case(seed).trace;
    const Platform platform = random_machine(draw);
    const auto barrier = draw.one_in(2) ? BarrierAlgorithm::linear : BarrierAlgorithm::logarithmic;
    const auto engine = simulate_with(trace, platform, [&](std::uint32_t) { return barrier; });
    ASSERT_TRUE(engine) << to_string(engine.error());
    EXPECT_TRUE(engine->waiting.empty());
    simulate::testing::expect_same(*engine, reference::interpret(trace, platform, barrier));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(ExtrapEngineAndReference, agree_on_who_hangs) {
  std::size_t hang = 0;
  for (int kind = 0; kind < simulate::testing::kMistakes; ++kind) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      SCOPED_TRACE(::testing::Message() << "broken_case(" << seed << ", " << kind << ")");
      Draw draw(seed ^ 0x5eed);
      const trace::Trace trace = simulate::testing::broken_case(seed, kind).trace;
      const Platform platform = random_machine(draw);
      const auto engine =
          simulate_with(trace, platform, [](std::uint32_t) { return BarrierAlgorithm::linear; });
      if (!engine) {
        EXPECT_NE(engine.error().what.find("call different collectives"), std::string::npos)
            << engine.error().what;
        continue;
      }
      const Outcome reference = reference::interpret(trace, platform, BarrierAlgorithm::linear);
      ASSERT_EQ(engine->waiting.size(), reference.waiting.size());
      for (std::size_t i = 0; i < reference.waiting.size(); ++i)
        EXPECT_EQ(engine->waiting[i].rank, reference.waiting[i].rank);
      hang += reference.waiting.empty() ? 0 : 1;
      if (reference.waiting.empty()) simulate::testing::expect_same(*engine, reference);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  EXPECT_GT(hang, 50u);
}

TEST(ExtrapProperties, polling_with_a_period_beyond_all_computing_is_no_interrupt) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draw draw(seed);
    const trace::Trace trace = simulate::testing::random_case(seed).trace;
    Platform never = random_machine(draw), seldom = never;
    never.parameters.service = Service::no_interrupt;
    seldom.parameters.service = Service::periodic_polling;
    seldom.parameters.delta = Time{1} << 57;
    simulate::testing::expect_same(*simulate(trace, seldom), *simulate(trace, never));
    if (HasNonfatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(ExtrapProperties, polling_with_ever_shorter_periods_tends_to_interrupt) {
  const Program program{.ranks = {{access(Kind::read, 1, 1000)}, {compute(us(1000))}}};
  const machine::Extrap model;
  const auto end = [&](double service, double delta) {
    return run(program, machine_with({{"CommStartupTime", 123.456789},
                                      {"ByteTransferTime", 0.01},
                                      {"GetMsgTime", 3},
                                      {"MsgProcessingTime", 5},
                                      {"ProcessMsgType", service},
                                      {"Delta", delta}}))
        .ranks[0]
        .end;
  };
  const Time interrupt = end(4, 0);
  EXPECT_EQ(interrupt, us(123.456789 + 3 + 5 + 123.456789 + 10 + 3));
  for (double delta = 100; delta > 1e-5; delta /= 10) {
    EXPECT_GE(end(2, delta), interrupt);
    EXPECT_LT(end(2, delta), interrupt + us(delta));
  }
  EXPECT_EQ(end(2, 1e-6), interrupt);
  EXPECT_EQ(end(2, 1e6), end(0, 0));
}

/// Programs in which no message waits for anything, whatever the times.
std::vector<Program> without_contention() {
  return {
      {.ranks = {{access(Kind::read, 1, 1000), access(Kind::write, 1, 50)}, {}}},
      {.ranks = {{compute(us(20)), send(1, 1000), receive(1)}, {receive(0), compute(us(30)), send(0, 0)}}},
      {.ranks = {{collective(Pattern::barrier, 0)}, {compute(us(5)), collective(Pattern::barrier, 0)}}},
      {.ranks = {{collective(Pattern::broadcast, 100)}, {collective(Pattern::broadcast, 100)}}}};
}

TEST(ExtrapProperties, no_longer_time_makes_a_run_without_contention_shorter) {
  for (const Program& program : without_contention()) {
    for (std::size_t i = 0; i < machine::kExtrapKeys; ++i) {
      const machine::ExtrapField& field = machine::extrap_fields()[i];
      const auto key = static_cast<ExtrapKey>(i);
      if (field.unit == machine::ExtrapUnit::choice || key == ExtrapKey::delta) continue;
      for (double service = 0; service < 5; ++service) {
        for (double topology = 0; topology < 5; ++topology) {
          Time before = 0;
          for (const double value : {0.001, 0.5, 1.0, 2.0, 3.0, 10.0, 41.0, 500.0}) {
            machine::Extrap model = machine::extrap_table_1();
            model[ExtrapKey::pack_startup_time] = model[ExtrapKey::get_msg_try_time] =
                model[ExtrapKey::comm_startup_time] = 1;
            model[ExtrapKey::byte_transfer_time] = 0.01;
            model[key] = field.unit == machine::ExtrapUnit::bytes ? value * 1000 : value;
            const Time after =
                run(program,
                    machine_with({{"ProcessMsgType", service}, {"Topology", topology}, {"Delta", 7}}, model))
                    .makespan;
            EXPECT_GE(after, before) << field.name << " = " << value;
            before = after;
          }
          EXPECT_GT(before, 0);
        }
      }
    }
  }
}

TEST(ExtrapProperties, contention_is_never_faster) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    const auto nodes = draw.between(2, 9);
    std::vector<Body> ranks(nodes);
    // each sends one message, to a rank to which no other sends
    for (std::uint32_t rank = 0; rank < nodes; ++rank) {
      ranks[rank].push_back(compute(us(static_cast<double>(draw.below(50)))));
      ranks[rank].push_back(
          send(static_cast<std::int32_t>((rank + 1 + seed % (nodes - 1)) % nodes), draw.below(2000)));
      ranks[rank].push_back(
          receive(static_cast<std::int32_t>((rank + nodes - 1 - seed % (nodes - 1)) % nodes)));
    }
    const auto on = [&](Topology topology) {
      Platform platform = machine_with({{"CommStartupTime", 20}, {"ByteTransferTime", 0.1}});
      platform.parameters.topology = topology;
      return testing::ends(run(ranks, platform));
    };
    const auto direct = on(Topology::fully_connected), shared = on(Topology::shared),
               ring = on(Topology::ring), contended = on(Topology::ring_with_contention),
               pipelined = on(Topology::pipelined_ring);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      EXPECT_GE(shared[rank], direct[rank]);
      EXPECT_GE(contended[rank], ring[rank]);
      EXPECT_GE(ring[rank], pipelined[rank]);
      EXPECT_GE(pipelined[rank], direct[rank]);
    }
  }
}

TEST(ExtrapProperties, messages_are_twice_the_remote_accesses_and_owners_in_barriers_serve_them) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw(seed);
    const auto nodes = draw.between(2, 9);
    std::vector<Body> ranks(nodes);
    std::uint64_t accesses = 0;
    for (Body& body : ranks) {
      for (std::uint32_t left = draw.between(0, 4); left > 0; --left) {
        const auto owner = static_cast<std::int32_t>(draw.below(nodes));
        accesses += &body != &ranks[static_cast<std::size_t>(owner)];
        body.push_back(access(draw.one_in(2) ? Kind::read : Kind::write, owner, draw.below(1000)));
      }
      body.push_back(collective(Pattern::barrier, 0));
    }
    const Outcome outcome = run(ranks, random_machine(draw));
    EXPECT_TRUE(outcome.waiting.empty());
    EXPECT_EQ(outcome.messages, 2 * accesses);
  }
}

TEST(ExtrapProperties, a_logarithmic_barrier_is_never_slower_than_a_linear_one) {
  std::size_t faster = 0, same = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Draw draw(seed);
    Program program;
    program.ranks.assign(draw.between(1, 17), Body{collective(Pattern::barrier, 0)});
    Platform linear = random_machine(draw), logarithmic = linear;
    logarithmic.parameters.barrier = BarrierAlgorithm::logarithmic;
    const Time a = run(program, linear).makespan, b = run(program, logarithmic).makespan;
    EXPECT_LE(b, a);
    ++(b < a ? faster : same);
  }
  EXPECT_GT(faster, 50u);
  EXPECT_GT(same, 50u);
}

TEST(ExtrapProperties, on_the_identity_machine_computing_is_all) {
  const Program program{
      .ranks = {{compute(us(100)), access(Kind::read, 1, 1000), collective(Pattern::barrier, 0)},
                {compute(us(250)), send(0, 8), collective(Pattern::barrier, 0)}}};
  const Outcome outcome = run(program, machine_with({{"ProcessMsgType", 4}}));
  EXPECT_GE(outcome.makespan, us(250));
  EXPECT_LE(outcome.makespan, us(250) + 4);  // a picosecond per message
}

}  // namespace
}  // namespace parcast::simulate::extrap
