// SPDX-License-Identifier: Apache-2.0
#include "build_model/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "build_model/peers.h"
#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

const std::vector<std::string> kParameters{"n"};
constexpr std::int32_t kProcesses[] = {1, 2, 3, 4, 6, 9, 12};

symbolic::Expression formula(const std::string& text) {
  const auto out = symbolic::parse(text, symbol_kinds({{"n", {}}}));
  EXPECT_TRUE(out) << text;
  return out ? *out : symbolic::Expression(0);
}

symbolic::Binding binding_at(std::int32_t p, std::int32_t rank, double n) {
  const std::vector<double> values{n};
  return binding_of(place_at(values, p, rank, {}), kParameters, values);
}

double value_at(const symbolic::Expression& expression, std::int32_t p, std::int32_t rank, double n) {
  const auto value = symbolic::evaluate(expression, binding_at(p, rank, n));
  EXPECT_TRUE(value);
  return value ? *value : -1;
}

Node send(PeerRelation relation, std::vector<std::int64_t> amounts, const std::string& bytes) {
  Node node;
  node.kind = NodeKind::call;
  node.label = "MPI_Isend";
  node.call_class = recording::CallClass::start_send;
  node.relation = relation, node.amounts = std::move(amounts);
  node.bytes.expression = formula(bytes), node.bytes.origin = Origin::exact;
  return node;
}

/// Returns the bytes of all ranks whose partner is this one.
double brute_force(const Node& of, std::int32_t p, std::int32_t rank, double n) {
  double sum = 0;
  for (std::int32_t sender = 0; sender < p; ++sender) {
    const Place place = place_at(std::vector<double>{n}, p, sender, {});
    if (partner({of.relation, of.amounts}, place, 0) == rank)
      sum += value_at(of.bytes.expression, p, sender, n);
  }
  return sum;
}

const Node kSends[] = {
    send(PeerRelation::offset, {1}, "8*(n + r)*if(p - 1 - r >= 1, 1, 0)"),
    send(PeerRelation::offset, {-2}, "8*(n + r)*if(r >= 2, 1, 0)"),
    send(PeerRelation::offset_ring, {1}, "8*n + r"),
    send(PeerRelation::grid_shift, {0, -1, 2, 0}, "8*(floor((n - c2_1 - 1)/g2_1) + 3)*if(c2_0 >= 1, 1, 0)"),
    send(PeerRelation::grid_shift, {1, 1, 2, 0}, "8*n*(c2_0 + r)*if(g2_1 >= c2_1 + 2, 1, 0)"),
    send(PeerRelation::grid_shift, {0, 1, 2, 1}, "8*(n + c2_0 + r)"),
    send(PeerRelation::grid_shift, {2, -1, 3, 1}, "8*(n + c3_0 + 10*c3_1 + 100*c3_2)"),
};

TEST(Arriving, IsWhatThePartnersSend) {
  for (const Node& each : kSends) {
    const auto arrives = arriving(each);
    ASSERT_TRUE(arrives) << to_text(each.bytes.expression);
    for (const std::int32_t p : kProcesses)
      for (std::int32_t rank = 0; rank < p; ++rank)
        EXPECT_EQ(value_at(*arrives, p, rank, 17), brute_force(each, p, rank, 17))
            << to_text(each.bytes.expression) << " p = " << p << " rank " << rank;
  }
}

TEST(Arriving, NothingIsGuessed) {
  EXPECT_FALSE(arriving(send(PeerRelation::several, {1, 5}, "8*n")));
  EXPECT_FALSE(arriving(send(PeerRelation::exclusive_or, {1}, "8*n")));
  // the place in another grid does not follow from a shift in this one
  EXPECT_FALSE(arriving(send(PeerRelation::grid_shift, {0, 1, 2, 0}, "8*c3_0")));
}

/// A halo exchange: four sends and a wait in a loop.
struct Halo {
  Model model;
  Inputs inputs;
  Traces traces;
  std::map<std::int32_t, NodeId> node_of_key;
  static constexpr std::int32_t kWaitKey = 4;

  explicit Halo(double of_wait = 1) {
    model.nodes.resize(7);
    model.nodes[0].id = 0, model.nodes[0].kind = NodeKind::program;
    model.nodes[1].kind = NodeKind::loop;
    const Node sends[] = {send(PeerRelation::grid_shift, {0, -1, 2, 0},
                               "8*(floor((n - c2_1 - 1)/g2_1) + 3)*if(c2_0 >= 1, 1, 0)"),
                          send(PeerRelation::grid_shift, {0, 1, 2, 0},
                               "8*(floor((n - c2_1 - 1)/g2_1) + 3)*if(g2_0 >= c2_0 + 2, 1, 0)"),
                          send(PeerRelation::grid_shift, {1, -1, 2, 0},
                               "8*(floor((n - c2_0 - 1)/g2_0) + 1)*if(c2_1 >= 1, 1, 0)"),
                          send(PeerRelation::grid_shift, {1, 1, 2, 0},
                               "8*(floor((n - c2_0 - 1)/g2_0) + 1)*if(g2_1 >= c2_1 + 2, 1, 0)")};
    for (std::size_t k = 0; k < 4; ++k) model.nodes[2 + k] = sends[k];
    Node& wait = model.nodes[6];
    wait.kind = NodeKind::call, wait.label = "MPI_Waitall", wait.call_class = recording::CallClass::wait;
    wait.received_bytes = {formula("7*n"), Origin::fitted, {}, {}, {}, 0.4, ""};
    for (std::size_t k = 1; k < model.nodes.size(); ++k)
      model.nodes[k].id = static_cast<NodeId>(k), model.nodes[k].parent = k == 1 ? 0 : 1;
    for (std::int32_t key = 0; key < 5; ++key) node_of_key[key] = key + 2;
    inputs.parameters = kParameters;
    for (const double n : {12., 17.})
      for (const std::int32_t p : kProcesses) {
        for (std::int32_t rank = 0; rank < p; ++rank) {
          Trace trace{inputs.runs.size(), rank, true, {}, {}, {}, {}, {}};
          double bytes = 0;
          for (const Node& each : sends) bytes += of_wait * brute_force(each, p, rank, n);
          trace.calls[kWaitKey].received_bytes = static_cast<std::int64_t>(bytes);
          traces.traces.push_back(std::move(trace));
        }
        inputs.runs.push_back({{n}, p});
      }
  }

  const Count& received() {
    identify_arrivals(model, inputs, traces, node_of_key);
    return model.nodes[6].received_bytes;
  }
};

/// Sends to neighbours in no grid: the bytes have a fitted law. `received`: of each process, less what it
/// sends; 0 together.
Halo irregular(const std::vector<std::int64_t>& received) {
  Halo halo;
  for (std::size_t k = 2; k < 6; ++k) halo.model.nodes[k].bytes = {};
  halo.model.nodes[2].relation = PeerRelation::several;
  halo.model.nodes[2].bytes = {formula("5*n"), Origin::fitted, {}, {}, {}, 0.05, ""};
  halo.traces.traces.clear(), halo.inputs.runs.clear();
  const auto processes = static_cast<std::int32_t>(received.size());
  for (const double n : {100., 200.}) {
    for (std::int32_t rank = 0; rank < processes; ++rank) {
      Trace trace{halo.inputs.runs.size(), rank, true, {}, {}, {}, {}, {}};
      trace.calls[0].bytes = static_cast<std::int64_t>(5 * n);
      trace.calls[Halo::kWaitKey].received_bytes =
          trace.calls[0].bytes + received[static_cast<std::size_t>(rank)];
      halo.traces.traces.push_back(std::move(trace));
    }
    halo.inputs.runs.push_back({{n}, processes});
  }
  return halo;
}

TEST(Arrivals, AnIrregularExchangeReceivesByTheLawOfItsSends) {
  const Count received = irregular({10, -25, 15}).received();
  EXPECT_EQ(received.expression, formula("5*n"));
  EXPECT_EQ(received.origin, Origin::fitted);
  // Differences of 10, 25, 15 from 500 and 1,000.
  const double apart = std::sqrt((100 + 625 + 225) * (1 / 250'000. + 1 / 1'000'000.) / 6);
  EXPECT_NEAR(received.relative_error, std::hypot(0.05, apart), 1e-12);
}

TEST(Arrivals, AnExchangeThatLosesBytesOrIsLopsidedKeepsItsOwnLaw) {
  for (const std::vector<std::int64_t>& received :
       {std::vector<std::int64_t>{10, -25, 16}, std::vector<std::int64_t>{400, -400, 0},
        std::vector<std::int64_t>{500, 0, -500}})
    EXPECT_EQ(irregular(received).received().expression, formula("7*n"));
  Halo surer = irregular({10, -25, 15});
  surer.model.nodes[6].received_bytes.relative_error = 0.01;
  EXPECT_EQ(surer.received().expression, formula("7*n"));
}

TEST(Arrivals, AWaitReceivesWhatItsNeighboursSend) {
  Halo halo;
  const Count received = halo.received();
  EXPECT_EQ(received.origin, Origin::exact);
  for (const std::int32_t p : {16, 24, 30})
    for (std::int32_t rank = 0; rank < p; ++rank) {
      double bytes = 0;
      for (std::size_t k = 2; k < 6; ++k) bytes += brute_force(halo.model.nodes[k], p, rank, 101);
      EXPECT_EQ(value_at(received.expression, p, rank, 101), bytes) << p << " " << rank;
    }
}

TEST(Arrivals, ASumThatIsNotRecordedIsNotTaken) {
  Halo halo(2);
  EXPECT_EQ(halo.received().origin, Origin::fitted);
}

TEST(Arrivals, NothingIsTakenFromTracesThatWereCut) {
  Halo halo;
  for (Trace& trace : halo.traces.traces) trace.complete = false;
  EXPECT_EQ(halo.received().origin, Origin::fitted);
}

TEST(Arrivals, DoubtsOfTheSendsStay) {
  Halo halo;
  Count& sent = halo.model.nodes[3].bytes;
  sent.origin = Origin::ambiguous, sent.open = {"p"},
  sent.advice = "a recording at p = 8 would decide between them";
  // the first differs from 13 processes on, which no recording shows; recordings refute the second
  sent.alternatives = {
      formula("8*(floor((n - c2_1 - 1)/g2_1) + 3)*if(g2_0 >= c2_0 + 2, 1, 0) + if(p >= 13, 8, 0)"),
      formula("9*n")};
  const Count received = halo.received();
  EXPECT_EQ(received.origin, Origin::ambiguous);
  EXPECT_EQ(received.open, std::vector<std::string>{"p"});
  EXPECT_EQ(received.advice, sent.advice);
  ASSERT_EQ(received.alternatives.size(), 1u);
  EXPECT_EQ(value_at(received.alternatives.front(), 16, 5, 101) - value_at(received.expression, 16, 5, 101),
            8);
}

}  // namespace
}  // namespace parcast::program
