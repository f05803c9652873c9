// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/test_random_trace.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "predict/simulate/test_generator.h"

namespace parcast::simulate::testing {

namespace {

/// Possible values of the parameters. With few values many events happen at equal times: on a grid all times
/// are multiples of ten picoseconds.
struct Values {
  std::vector<std::int64_t> latency, overhead, gap, per_byte, rendezvous_per_byte, copying, handshake,
      startup, correction_per_byte;
};

const std::vector<Values>& styles() {
  static const std::vector<Values> all{
      // the grid
      {{10, 10, 20},
       {0, 0, 10},
       {0, 10},
       {0, 10 * kOne},
       {0, 10 * kOne},
       {0},
       {kNotGiven, 0, 20, 40},
       {-10, 10},
       {0}},
      {{0, 0, 10},
       {0, 0, 0, 10},
       {0},
       {0},
       {0},
       {0, 0, kOne / 4},
       {kNotGiven, 0, 1, 20},
       {-10, 0, 10},
       {-kOne / 8, 0}},
      {{0, 10, 20, 50},
       {0, 10, 20, 50},
       {0, 10, 20, 50},
       {0, kOne, kOne / 2, kOne / 3},
       {0, kOne, kOne / 2 + 1},
       {0, 0, kOne / 2, kOne / 7},
       {kNotGiven, 0, 1, 20, 21},
       {-500, -10, 10, 1000},
       {-kOne / 8, -3, 0, kOne / 16}},
      {{0, 1, 3, 900, 1000000},
       {0, 1, 7, 300, 2000},
       {0, 1, 7, 300, 2000},
       {kOne, kOne / 3, 100 * kOne},
       {0, kOne / 2 + 1, 90 * kOne},
       {0, kOne / 4, 2 * kOne},
       {kNotGiven, 0, 1, 21, 5000},
       {-500, 0, 1000},
       {-kOne / 8, -3, 0, kOne / 16}},
  };
  return all;
}

Link random_link(Draw& draw, const Values& values) {
  Link link;
  link.latency = draw.of(values.latency);
  link.send_overhead = draw.of(values.overhead);
  link.receive_overhead = draw.of(values.overhead);
  link.gap = draw.of(values.gap);
  link.gap_per_byte = draw.of(values.per_byte);
  link.rendezvous_gap_per_byte = draw.of(values.rendezvous_per_byte);
  link.send_overhead_per_byte = draw.of(values.copying);
  link.receive_overhead_per_byte = draw.of(values.copying);
  link.eager_limit = draw.of({kNotGiven, 0, 64, 4096, 65536});
  link.handshake = draw.of(values.handshake);
  std::int64_t from = draw.of({0, 1, 64});
  for (std::uint64_t left = draw.one_in(2) ? 0 : draw.between(1, 2); left > 0; --left) {
    Correction correction;
    correction.from_bytes = from;
    correction.startup = draw.of(values.startup);
    correction.per_byte = draw.of(values.correction_per_byte);
    link.corrections.push_back(correction);
    from += draw.of({1, 64, 4032});
  }
  return link;
}

/// One or two possible algorithms for half of the patterns.
std::map<recording::Pattern, machine::AlgorithmChoices> random_algorithms(Draw& draw) {
  std::map<recording::Pattern, machine::AlgorithmChoices> out;
  for (int number = static_cast<int>(recording::Pattern::barrier);
       number <= static_cast<int>(recording::Pattern::scan); ++number) {
    const auto pattern = static_cast<recording::Pattern>(number);
    const auto known = machine::algorithms_of(pattern);
    if (draw.one_in(2)) continue;
    out[pattern].push_back({0, known[draw.below(known.size())]});
    if (draw.one_in(2))
      out[pattern].push_back(
          {static_cast<std::uint64_t>(draw.of({64 << 10, 100, 1})), known[draw.below(known.size())]});
  }
  return out;
}

}  // namespace

Platform random_platform(Draw& draw, std::size_t ranks, bool on_a_grid) {
  Platform platform;
  platform.name = "random";
  const Values& values = styles()[on_a_grid ? 0 : 1 + draw.below(styles().size() - 1)];
  const std::uint32_t links = draw.between(1, 3);
  for (std::uint32_t k = 0; k < links; ++k) platform.links.push_back(random_link(draw, values));
  platform.inside_socket = draw.between(0, links - 1);
  platform.inside_node = draw.between(0, links - 1);
  platform.between_nodes = draw.between(0, links - 1);
  if (!draw.one_in(3)) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      platform.node_of.push_back(static_cast<std::int32_t>(draw.below(3)));
      platform.socket_of.push_back(2 * platform.node_of.back() + static_cast<std::int32_t>(draw.below(2)));
    }
  }
  if (!on_a_grid) platform.compute_ratio = draw.of({kOne, kOne, kOne / 2, kOne / 3, 3 * kOne / 2});
  platform.attention = draw.one_in(2) ? Attention::calls : Attention::always;
  platform.collectives = random_algorithms(draw);
  if (!on_a_grid && draw.one_in(4))
    platform.noise = Noise{
        .seed = draw.below(100), .each = draw.one_in(2) ? 0.25 : 0, .lasting = draw.one_in(2) ? 0.5 : 0};
  return platform;
}

Case random_case(std::uint64_t seed, bool accesses) {
  Generator generator(seed, 1);
  if (!accesses) generator.without_accesses();
  generator.fill(60);
  Platform platform = generator.platform();
  return {to_trace(generator.finish()), std::move(platform)};
}

Case with_share(Case of, std::uint64_t seed) {
  Draw draw(seed);
  of.platform.share.part = std::vector{0.5, 0.05, 1.0 / 3, 0.9}[draw.below(4)];
  of.platform.share.period = draw.of({1, 7, 50, 1000, 20000, 3000000});
  return of;
}

namespace {

/// Communications are drawn one after the other for both of their ranks. No send waits for its receive, so
/// the earliest unfinished one can always be done.
class Plain {
 public:
  explicit Plain(std::uint64_t seed)
      : draw_(seed), bodies_(draw_.between(2, 8)), outstanding_(bodies_.size()), begun_(bodies_.size()) {}

  Case make() {
    for (std::uint32_t left = draw_.between(5, 60); left > 0; --left) {
      if (draw_.one_in(12))
        together();
      else
        message();
      const std::int32_t rank = any_rank();
      if (draw_.one_in(2)) body(rank).push_back(compute(draw_.of({0, 10, 10, 20, 700, 1000, 100000})));
      if (draw_.one_in(3)) wait_for_some(any_rank(), false);
    }
    for (std::int32_t rank = 0; rank < ranks(); ++rank) wait_for_some(rank, true);
    Program program;
    const std::uint32_t rounds = draw_.one_in(2) ? 1 : draw_.between(2, 30);
    for (Body& each : bodies_)
      program.ranks.push_back(rounds == 1 || each.empty() ? std::move(each)
                                                          : Body{loop(rounds, std::move(each))});
    return {to_trace(program), platform()};
  }

 private:
  std::int32_t ranks() const { return static_cast<std::int32_t>(bodies_.size()); }
  std::int32_t any_rank() { return static_cast<std::int32_t>(draw_.below(bodies_.size())); }
  Body& body(std::int32_t rank) { return bodies_[static_cast<std::size_t>(rank)]; }

  void begin(std::int32_t rank, Node node) {
    body(rank).push_back(std::move(node));
    outstanding_[static_cast<std::size_t>(rank)].push_back(++begun_[static_cast<std::size_t>(rank)]);
  }

  void message() {
    const std::int32_t from = any_rank(),
                       to = (from + 1 + static_cast<std::int32_t>(draw_.below(bodies_.size() - 1))) % ranks();
    const auto bytes = static_cast<std::uint64_t>(draw_.of({0, 1, 8, 8, 100, 5000}));
    const auto tag = static_cast<std::int32_t>(draw_.below(2));
    if (draw_.one_in(2))
      body(from).push_back(send(to, bytes, trace::Mode::standard, tag));
    else
      begin(from, start_send(to, bytes, trace::Mode::standard, tag));
    if (draw_.one_in(3))
      body(to).push_back(receive(from, tag));
    else
      begin(to, start_receive(from, tag));
  }

  void together() {
    const auto pattern = static_cast<recording::Pattern>(draw_.of(
        {static_cast<int>(recording::Pattern::barrier), static_cast<int>(recording::Pattern::broadcast),
         static_cast<int>(recording::Pattern::allreduce)}));
    const std::uint64_t bytes = pattern == recording::Pattern::barrier ? 0 : 8;
    const std::int32_t root = pattern == recording::Pattern::broadcast ? any_rank() : 0;
    for (Body& each : bodies_) each.push_back(collective(pattern, bytes, root));
  }

  void wait_for_some(std::int32_t rank, bool all) {
    const auto r = static_cast<std::size_t>(rank);
    std::vector<std::uint32_t> distances;
    std::vector<std::uint64_t> left;
    for (const std::uint64_t number : outstanding_[r]) {
      if (all || !draw_.one_in(4))
        distances.insert(distances.begin(), static_cast<std::uint32_t>(begun_[r] + 1 - number));
      else
        left.push_back(number);
    }
    outstanding_[r] = std::move(left);
    if (!distances.empty()) body(rank).push_back(wait(std::move(distances)));
  }

  Platform platform() {
    Platform out;
    out.name = "plain";
    const Values& values = styles()[draw_.one_in(3) ? 0 : 2 + draw_.below(styles().size() - 2)];
    for (int k = 0; k < 2; ++k) {
      Link link = random_link(draw_, values);
      link.eager_limit = kNotGiven;
      if (draw_.one_in(2)) link.corrections.clear();  // no message overtakes another
      link.latency = std::max<std::int64_t>(link.latency, 10);
      out.links.push_back(std::move(link));
    }
    out.inside_socket = out.inside_node = 1;
    for (std::int32_t rank = 0; rank < ranks(); ++rank)
      out.node_of.push_back(rank / 2), out.socket_of.push_back(rank / 2);
    return out;
  }

  Draw draw_;
  std::vector<Body> bodies_;
  std::vector<std::vector<std::uint64_t>> outstanding_;  // of each rank, numbered from 1
  std::vector<std::uint64_t> begun_;
};

}  // namespace

Case plain_case(std::uint64_t seed) {
  return Plain(seed).make();
}

}  // namespace parcast::simulate::testing
