// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/test_random_trace.h"

#include <utility>
#include <vector>

#include "predict/simulate/test_generator.h"

namespace parcast::simulate::testing {

namespace {

/// What a parameter may be. With few values many things happen at one time: on a grid all times are multiples of ten picoseconds.
struct Values {
  std::vector<std::int64_t> latency, overhead, gap, per_byte, rendezvous_per_byte, copying, handshake, startup, correction_per_byte;
};

const std::vector<Values>& styles() {
  static const std::vector<Values> all{
      {{10, 10, 20}, {0, 0, 10}, {0, 10}, {0, 10 * kOne}, {0, 10 * kOne}, {0}, {kNotGiven, 0, 20, 40}, {-10, 10}, {0}},  // the grid
      {{0, 0, 10}, {0, 0, 0, 10}, {0}, {0}, {0}, {0, 0, kOne / 4}, {kNotGiven, 0, 1, 20}, {-10, 0, 10}, {-kOne / 8, 0}},
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

/// For half of the patterns one or two algorithms of theirs.
std::map<recording::Pattern, machine::AlgorithmChoices> random_algorithms(Draw& draw) {
  std::map<recording::Pattern, machine::AlgorithmChoices> out;
  for (int number = static_cast<int>(recording::Pattern::barrier); number <= static_cast<int>(recording::Pattern::scan); ++number) {
    const auto pattern = static_cast<recording::Pattern>(number);
    const auto known = machine::algorithms_of(pattern);
    if (draw.one_in(2)) continue;
    out[pattern].push_back({0, known[draw.below(known.size())]});
    if (draw.one_in(2)) out[pattern].push_back({static_cast<std::uint64_t>(draw.of({64 << 10, 100, 1})), known[draw.below(known.size())]});
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
  if (!on_a_grid && draw.one_in(4)) platform.noise = Noise{.seed = draw.below(100), .each = draw.one_in(2) ? 0.25 : 0, .lasting = draw.one_in(2) ? 0.5 : 0};
  return platform;
}

Case random_case(std::uint64_t seed, bool accesses) {
  Generator generator(seed, 1);
  if (!accesses) generator.without_accesses();
  generator.fill(60);
  Platform platform = generator.platform();
  return {to_trace(generator.finish()), std::move(platform)};
}

}  // namespace parcast::simulate::testing
