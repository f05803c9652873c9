// SPDX-License-Identifier: Apache-2.0
#include "machine/memory_sharing.h"

#include <gmock/gmock.h>

#include "machine/machine_file.h"
#include "machine/tools.h"

namespace parcast::machine {
namespace {

using ::testing::HasSubstr;

MemorySharing measured(const std::vector<std::pair<std::int32_t, double>>& points) {
  MemorySharing out;
  for (const auto& [cores, bandwidth] : points)
    out.points.push_back({cores, {bandwidth, 0, 0, Origin::assumed}});
  return out;
}

const MemorySharing kSaturating = measured({{1, 10e9}, {2, 16e9}, {4, 20e9}});

TEST(MemorySharing, gives_what_was_measured_and_goes_straight_between) {
  const std::vector<std::pair<double, double>> known{{0.5, 0.5}, {1, 1}, {1.5, 1.3}, {2, 1.6},
                                                     {3, 1.8},   {4, 2}, {64, 2}};
  for (const auto& [cores, streams] : known)
    EXPECT_NEAR(shared_streams(kSaturating, cores), streams, 1e-15) << cores;
}

TEST(MemorySharing, that_falls_counts_as_level_and_one_that_outgrows_the_cores_as_in_proportion) {
  EXPECT_DOUBLE_EQ(shared_streams(measured({{1, 10e9}, {2, 16e9}, {3, 15e9}}), 3), 1.6);
  EXPECT_DOUBLE_EQ(shared_streams(measured({{1, 10e9}, {2, 25e9}}), 2), 2);
}

// Ranks that only stream: each gets B(k) / k.
TEST(MemorySharing, of_pure_streams_each_gets_its_part_of_the_bandwidth) {
  EXPECT_DOUBLE_EQ(shared_speed(kSaturating, 1, 1), 1);
  EXPECT_NEAR(shared_speed(kSaturating, 1, 2), 0.8, 1e-15);
  EXPECT_NEAR(shared_speed(kSaturating, 1, 3), 0.6, 1e-15);
  EXPECT_NEAR(shared_speed(kSaturating, 1, 4), 0.5, 1e-15);
  EXPECT_NEAR(shared_speed(kSaturating, 1, 8), 0.25, 1e-15);
}

// If one core gets the full bandwidth, k ranks whose memory part is m slow down once k m > 1: P(k) = min(k
// P(1), P_sat) (Treibig and Hager 2010).
TEST(MemorySharing, with_memory_that_saturates_at_once_slows_as_the_roofline_of_many_cores) {
  const MemorySharing flat = measured({{1, 10e9}, {2, 10e9}});
  for (const double bound : {0.1, 0.25, 0.5, 0.9})
    for (std::int32_t k = 1; k <= 20; ++k)
      EXPECT_NEAR(shared_speed(flat, bound, k), std::min(1.0, 1 / (bound * k)), 1e-14) << bound << " " << k;
}

// By hand: 3 ranks, half of their time for memory, B(q) = 1 + 0.6 (q - 1) up to 2. If all take r times as
// long, q = 3 (1 - 0.5 / r) access the memory at once, and r B(q) = 1.5: r (1 + 0.6 (2 - 1.5 / r)) = 2.2 r -
// 0.9 = 1.5, r = 2.4 / 2.2, q = 1.625.
TEST(MemorySharing, counts_those_who_are_at_the_memory_at_the_same_time) {
  EXPECT_NEAR(shared_speed(kSaturating, 0.5, 3), 2.2 / 2.4, 1e-14);
}

TEST(MemorySharing, never_speeds_up_with_more_ranks_or_more_for_memory) {
  for (const MemorySharing& sharing :
       {kSaturating, measured({{1, 10e9}, {3, 12e9}, {5, 40e9}, {6, 30e9}}), measured({{1, 7e9}})})
    for (int part = 0; part <= 20; ++part)
      for (std::int32_t k = 1; k < 40; ++k) {
        const double speed = shared_speed(sharing, part / 20.0, k);
        EXPECT_LE(speed, 1);
        EXPECT_LE(shared_speed(sharing, part / 20.0, k + 1), speed + 1e-15);
        if (part < 20) EXPECT_LE(shared_speed(sharing, (part + 1) / 20.0, k), speed + 1e-15);
      }
}

const std::string kFile = R"(name = "here"
nodes = 1
cores_per_node = 4

[memory_sharing]
by = "socket"
[[memory_sharing.points]]
cores = 1
bandwidth = "10GB/s"
[[memory_sharing.points]]
cores = 4
bandwidth = { value = "20GB/s", standard_error = "1GB/s", samples = 3, origin = "measured" }

[links.core]
latency = "1us"
gap_per_byte = "1ns/B"
)";

TEST(MemorySharing, is_read_and_written) {
  const auto machine = machine_from_toml(kFile, "here");
  ASSERT_TRUE(machine) << to_string(machine.error());
  ASSERT_TRUE(machine->memory_sharing);
  EXPECT_TRUE(machine->memory_sharing->by_socket);
  ASSERT_EQ(machine->memory_sharing->points.size(), 2u);
  EXPECT_EQ(machine->memory_sharing->points[1].cores, 4);
  EXPECT_EQ(machine->memory_sharing->points[1].bandwidth.value, 20e9);
  EXPECT_EQ(machine->memory_sharing->points[1].bandwidth.standard_error, 1e9);
  const auto again = machine_from_toml(to_toml(*machine), "here");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_toml(*again), to_toml(*machine));
  EXPECT_TRUE(again->memory_sharing->by_socket);
  EXPECT_EQ(known_parameters(*machine).at("memory_sharing.4.bandwidth").value, 20e9);
}

TEST(MemorySharing, is_set_point_by_point) {
  Machine machine = ideal_machine();
  ASSERT_TRUE(set_parameter(machine, "memory_sharing.4.bandwidth=20GB/s"));
  EXPECT_THAT(to_string(check_memory_sharing(machine).error()), HasSubstr("has no point for one core alone"));
  ASSERT_TRUE(set_parameter(machine, "memory_sharing.1.bandwidth=10GB/s"));
  ASSERT_TRUE(set_parameter(machine, "memory_sharing.by=socket"));
  ASSERT_TRUE(check_memory_sharing(machine));
  EXPECT_TRUE(machine.memory_sharing->by_socket);
  EXPECT_DOUBLE_EQ(shared_speed(*machine.memory_sharing, 1, 4), 0.5);
  EXPECT_FALSE(set_parameter(machine, "memory_sharing.by=rack"));
  EXPECT_FALSE(set_parameter(machine, "memory_sharing.0.bandwidth=1GB/s"));
}

TEST(MemorySharing, that_breaks_a_rule_is_refused_where_it_stands) {
  const auto refused = [](std::string from, std::string to) {
    std::string file = kFile;
    file.replace(file.find(from), from.size(), to);
    const auto machine = machine_from_toml(file, "here");
    return machine ? std::string("accepted") : to_string(machine.error());
  };
  EXPECT_THAT(refused("\"socket\"", "\"rack\""), HasSubstr("\"rack\" shares no memory"));
  EXPECT_THAT(refused("cores = 1\n", "cores = 2\n"), HasSubstr("no point for one core alone"));
  EXPECT_THAT(refused("cores = 4\n", "cores = 1\n"), HasSubstr("write each number of cores once"));
  EXPECT_THAT(refused("cores = 4\n", ""), HasSubstr("has no number of cores"));
  EXPECT_THAT(refused("bandwidth = \"10GB/s\"\n", ""), HasSubstr("1 cores share has no bandwidth"));
  EXPECT_THAT(refused("by = ", "bye = "), HasSubstr("did you mean by?"));
}

}  // namespace
}  // namespace parcast::machine
