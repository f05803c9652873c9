// SPDX-License-Identifier: Apache-2.0
#include "machine/network.h"

#include <gmock/gmock.h>

#include "machine/machine_file.h"
#include "machine/tools.h"

namespace parcast::machine {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "name = \"m\"\nnodes = 16\n[links.network]\nlatency = \"1us\"\ngap_per_byte = \"0.1ns/B\"\n";

Result<Machine> with_network(const std::string& section) {
  return machine_from_toml(kHead + ("[network]\n" + section), "m.machine.toml");
}

std::string error_of(const std::string& section) {
  const auto machine = with_network(section);
  return machine ? "none" : to_string(machine.error());
}

TEST(NetworkSection, gives_topology_shape_and_parameters) {
  const auto machine = with_network(
      "topology = \"fat_tree\"\ndown = [4, 4]\nup = [1, 2]\nparallel = [1, 2]\nbandwidth = "
      "\"12.5GB/s\"\nhop_latency = \"100ns\"\nmemory_bandwidth = \"80GB/s\"\n");
  ASSERT_TRUE(machine) << to_string(machine.error());
  const Network& network = *machine->network;
  EXPECT_EQ(network.topology, "fat_tree");
  EXPECT_EQ(network.down, (std::vector{4, 4}));
  EXPECT_EQ(network.up, (std::vector{1, 2}));
  EXPECT_EQ(network.parallel, (std::vector{1, 2}));
  EXPECT_EQ(network.bandwidth.value, 12.5e9);
  EXPECT_DOUBLE_EQ(network.hop_latency.value, 100e-9);
  EXPECT_EQ(network.memory_bandwidth.value, 80e9);
  EXPECT_EQ(network.injection_bandwidth.origin, Origin::unknown);
  EXPECT_EQ(network_nodes(*machine), 16);
  EXPECT_EQ(shape_text(network), "4 down, 1 up; 4 down, 2 up by 2 links");
}

TEST(NetworkSection, reads_back_as_it_was_written) {
  for (const char* section :
       {"topology = \"torus\"\ndimensions = [4, 2, 2]\nbandwidth = \"2GB/s\"\ninjection_bandwidth = "
        "\"4GB/s\"\n",
        "topology = \"dragonfly\"\ngroups = 9\nrouters_per_group = 4\nnodes_per_router = "
        "2\nglobal_links_per_router = 2\nbandwidth = \"2GB/s\"\nglobal_bandwidth = \"5GB/s\"\n",
        "topology = \"crossbar\"\nbandwidth = { value = \"2GB/s\", standard_error = \"0.1GB/s\", samples = "
        "4, origin = \"measured\" }\n",
        "memory_bandwidth = \"90GB/s\"\n"}) {
    const auto machine = with_network(section);
    ASSERT_TRUE(machine) << to_string(machine.error());
    const std::string written = to_toml(*machine);
    const auto again = machine_from_toml(written, "again");
    ASSERT_TRUE(again) << to_string(again.error()) << written;
    EXPECT_EQ(to_toml(*again), written);
    EXPECT_THAT(written, HasSubstr("[network]"));
  }
}

TEST(NetworkSection, errors_say_what_is_missing_or_does_not_fit_together) {
  EXPECT_THAT(error_of("topology = \"tours\"\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("\"tours\" is not a topology"));
  EXPECT_THAT(error_of("topology = \"tours\"\n"), HasSubstr("torus"));
  EXPECT_THAT(error_of("topology = \"torus\"\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("a torus needs dimensions"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = [4, 4]\ngroups = 2\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("a torus has no groups"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = [4, 3]\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("joins 12 nodes, but the machine has 16"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = [4, 0]\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("must be between 1"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = 16\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("must be a list of whole numbers"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = [100000, 100000]\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("too large"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = [16]\n"),
              HasSubstr("the network has no bandwidth"));
  EXPECT_THAT(error_of("topology = \"torus\"\ndimensions = [16]\nbandwidth = \"1kB/s\"\n"),
              HasSubstr("must be between 1MB/s"));
  EXPECT_THAT(error_of("topology = \"fat_tree\"\ndown = [4, 4]\nup = [1]\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("down has 2 levels, but up has 1"));
  EXPECT_THAT(
      error_of(
          "topology = \"fat_tree\"\ndown = [4, 4]\nup = [1, 1]\nparallel = [2]\nbandwidth = \"1GB/s\"\n"),
      HasSubstr("but parallel has 1"));
  EXPECT_THAT(error_of("topology = \"dragonfly\"\ngroups = 10\nrouters_per_group = 4\nnodes_per_router = "
                       "2\nglobal_links_per_router = 2\nbandwidth = \"1GB/s\"\n"),
              HasSubstr("10 groups cannot all be joined with each other by 8 global links"));
  EXPECT_THAT(error_of("bandwith = \"1GB/s\"\n"), HasSubstr("bandwidth"));
  EXPECT_THAT(error_of("dimensions = [4]\nmemory_bandwidth = \"1GB/s\"\n"), HasSubstr("but no topology"));
  EXPECT_THAT(error_of("hop_latency = \"1us\"\n"), HasSubstr("neither a topology nor a memory_bandwidth"));
}

TEST(NetworkSection, is_changed_by_name) {
  Machine machine = *machine_from_toml(kHead, "m");
  for (const char* assignment : {"network.topology=torus", "network.dimensions=4x4",
                                 "network.bandwidth=2GB/s", "network.hop_latency=50ns"}) {
    const auto set = set_parameter(machine, assignment);
    ASSERT_TRUE(set) << to_string(set.error());
  }
  EXPECT_TRUE(check_complete(machine));
  EXPECT_EQ(machine.network->dimensions, (std::vector{4, 4}));
  EXPECT_EQ(machine.network->bandwidth.value, 2e9);
  EXPECT_FALSE(set_parameter(machine, "network.dimensions=4x"));
  EXPECT_FALSE(set_parameter(machine, "network.groups=2x2"));
  EXPECT_THAT(to_string(set_parameter(machine, "network.bandwith=2GB/s").error()),
              HasSubstr("network.bandwidth"));
  ASSERT_TRUE(set_parameter(machine, "network.topology=dragonfly"));
  EXPECT_TRUE(machine.network->dimensions.empty());
  EXPECT_FALSE(check_complete(machine));
}

TEST(NetworkSection, differences_are_told_by_level) {
  const Machine a =
      *with_network("topology = \"fat_tree\"\ndown = [4, 4]\nup = [1, 2]\nbandwidth = \"2GB/s\"\n");
  const Machine b =
      *with_network("topology = \"fat_tree\"\ndown = [4, 4]\nup = [1, 4]\nbandwidth = \"2GB/s\"\n");
  const auto found = changes(a, b);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "network.up.1");
  EXPECT_EQ(found[0].a, 2);
  EXPECT_EQ(found[0].b, 4);
}

TEST(NetworkSection, parameters_are_listed_by_name) {
  Machine machine = *with_network("topology = \"crossbar\"\nbandwidth = \"2GB/s\"\n");
  const auto known = known_parameters(machine);
  ASSERT_TRUE(known.contains("network.bandwidth"));
  EXPECT_EQ(known.at("network.bandwidth").value, 2e9);
  EXPECT_FALSE(known.contains("network.hop_latency"));
}

}  // namespace
}  // namespace parcast::machine
