// SPDX-License-Identifier: Apache-2.0
// [system] of machine files: reading, writing, errors, and the systems that are shipped.
#include "machine/system_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "machine/machine_file.h"
#include "machine/routes.h"
#include "machine/test_systems.h"

namespace parcast::machine {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(PARCAST_SOURCE_DIR) / "src/machine/systems";

std::string file(const std::string& units) {
  return "name = \"x\"\n" + units;
}

Error refused(const std::string& units) {
  const auto machine = machine_from_toml(file(units), "x.machine.toml");
  EXPECT_FALSE(machine);
  return machine ? Error{} : machine.error();
}

const std::string kTwo = R"([system.units.pair]
communication = { topology = "bus", latency = "1us", gap_per_byte = "1ns/B" }
[system.units.node]
parent = "pair"
count = 2
processing = { speed = 1e6 }
communication = { send_overhead = { value = "2us", standard_error = "1us", samples = 3, origin = "measured" } }
)";

TEST(SystemFiles, leave_out_what_follows_from_the_parts) {
  const auto machine = machine_from_toml(file(kTwo), "x.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  ASSERT_TRUE(machine->system);
  const Unit &pair = machine->system->units[0], &node = machine->system->units[1];
  EXPECT_EQ(pair.processing.kind, Decomposition::compound);
  EXPECT_EQ(pair.communication.kind, Decomposition::compound);
  EXPECT_EQ(pair.memory.kind, Decomposition::none);
  EXPECT_EQ(pair.communication.topology, Topology::bus);
  EXPECT_EQ(pair.communication.link.latency.value, 1e-6);
  EXPECT_EQ(node.count, 2);
  EXPECT_EQ(node.communication.link.send_overhead.samples, 3);
  EXPECT_EQ(node.communication.link.send_overhead.origin, Origin::measured);
}

TEST(SystemFiles, of_all_that_a_unit_can_have_read_back_as_they_were_written) {
  Machine machine = test::cluster();
  System system = test::hypercube_with_host(8);
  system.units[0].note = "said \"so\"";
  system.units[5].memory.levels = {
      MemoryLevel{.name = "L1", .capacity = test::assumed(8e3), .shared_by = 2},
      MemoryLevel{.name = "memory", .bandwidth = {1e9, 1e7, 4, Origin::measured}}};
  system.units[4].communication.topology = Topology::torus, system.units[4].communication.extents = {4, 2};
  system.units[0].communication.connections[0].link.corrections = {
      {1024, test::assumed(-1e-7), test::assumed(1e-10)}};
  system.units[4].input_output.kind = Decomposition::none;
  system.units[2].input_output.latency = test::assumed(3e-3);
  machine.system = std::make_shared<const System>(system);
  const std::string text = to_toml(machine);
  const auto back = machine_from_toml(text, "x.machine.toml");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_toml(*back), text);
  System named = system, read = *back->system;
  EXPECT_EQ(to_json(read), to_json(named));
}

TEST(SystemFiles, of_a_derived_system_read_back_too) {
  Machine machine = test::cluster();
  machine.system = std::make_shared<const System>(*system_of(machine));
  const std::string text = to_toml(machine);
  const auto back = machine_from_toml(text, "x.machine.toml");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_toml(*back), text);
}

TEST(SystemFiles, errors_show_the_place_and_what_was_meant) {
  Error error =
      refused(kTwo + "[system.units.disk]\nparent = \"nod\"\ninput_output = { bandwidth = \"1GB/s\" }\n");
  EXPECT_EQ(error.where, "x.machine.toml:9:15");
  EXPECT_EQ(error.what, "the unit disk is a part of nod, which is not a unit (known-parents)");
  EXPECT_NE(error.hint.find("^ did you mean node?"), std::string::npos) << error.hint;
  EXPECT_NE(refused("[system.units.a]\ncout = 2\n").hint.find("^ did you mean count?"), std::string::npos);
  EXPECT_NE(refused("[system.units.a]\ncommunication = { topology = \"hypercub\" }\n")
                .hint.find("^ did you mean hypercube?"),
            std::string::npos);
  EXPECT_NE(refused("[system.units.a]\nprocessing = \"compond\"\n").hint.find("^ did you mean compound?"),
            std::string::npos);
  EXPECT_NE(refused("[system.units.a]\ncommunication = { latency = \"1us\", forwarding = \"store\" }\n")
                .hint.find("known are cut_through, store_and_forward"),
            std::string::npos);
  EXPECT_NE(
      refused("[system.units.a]\ncommunication = { latensy = \"1us\" }\n").hint.find("did you mean latency?"),
      std::string::npos);
  EXPECT_EQ(refused("[system.units.a]\ncommunication = { latency = 2.1 }\n").what,
            "latency is 2.1, but needs a unit");
  EXPECT_EQ(refused("[system.units.a]\ncount = 0\n").what,
            "count is 0, but must be between 1 and 2147483647");
  EXPECT_EQ(refused("[system.unit.a]\ncount = 1\n").what, "\"unit\" is not known here");
  EXPECT_EQ(refused("[system]\n").what, "the system has no units (one-root)");
}

TEST(SystemFiles, all_rules_that_are_broken_are_said_at_once) {
  const Error error = refused(
      "[system.units.pair]\ncommunication = { topology = \"hypercube\", latency = \"1us\" "
      "}\n[system.units.node]\nparent = \"pair\"\ncount = 3\nprocessing = {}\ncommunication = { latency = "
      "\"1us\" }\n");
  EXPECT_EQ(error.where, "x.machine.toml:4:15");
  EXPECT_EQ(error.what, "the unit node has simple processing without a speed above 0 (numbers)");
  EXPECT_NE(
      error.hint.find(
          "\nthe unit pair joins 3 instances as a hypercube (topology-fits): a hypercube has a power of two"),
      std::string::npos)
      << error.hint;
}

TEST(ShippedSystems, are_in_order_and_read_back_as_they_were_written) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const auto machine = read_machine(entry.path());
    ASSERT_TRUE(machine) << to_string(machine.error());
    EXPECT_EQ(machine->name, name_of_file(entry.path()));
    EXPECT_TRUE(machine->system);
    EXPECT_FALSE(source_of(*machine, "system").empty());
    const std::string text = to_toml(*machine);
    EXPECT_EQ(to_toml(*machine_from_toml(text, "x")), text);
    ++count;
  }
  EXPECT_EQ(count, 3);
}

TEST(ShippedSystems,
     the_hypercube_takes_the_published_startup_to_a_neighbour_and_the_service_module_to_the_host) {
  const auto machine = read_machine(kFolder / "ipsc860-host.machine.toml");
  ASSERT_TRUE(machine);
  auto mapping = map_ranks(*system_of(*machine), 17, *map_rule_from("host+block"));
  ASSERT_TRUE(mapping);
  auto routes = Routes::of(std::move(*mapping));
  ASSERT_TRUE(routes);
  const Link near = routes->link(routes->between(1, 2)), far = routes->link(routes->between(1, 16)),
             host = routes->link(routes->between(16, 0));
  EXPECT_NEAR(near.send_overhead.value + near.latency.value + near.receive_overhead.value, 65e-6, 1e-18);
  EXPECT_NEAR(far.latency.value, 40e-6, 1e-18) << "four links of the cube";
  EXPECT_DOUBLE_EQ(far.gap_per_byte.value, near.gap_per_byte.value) << "bytes stream through";
  EXPECT_EQ(routes->text(16, 0),
            "node 15 -> cube (4 hops by node 14, node 12, node 8) -> node 0 -> service -> ethernet -> host");
  EXPECT_NEAR(host.latency.value, 40e-6 + 65e-6 + 0.5e-3 + 1e-3, 1e-15);
  EXPECT_NEAR(host.gap_per_byte.value, 2 * 333.333e-9 + 1e-6, 1e-18);
}

TEST(SystemsAsJson, name_units_components_and_numbers) {
  const auto json = nlohmann::json::parse(to_json(test::hypercube_with_host(8)));
  EXPECT_EQ(json["schema"], "parcast.system/1");
  EXPECT_EQ(json["processors"], 9);
  EXPECT_EQ(json["units"][5]["name"], "node");
  EXPECT_EQ(json["units"][5]["instances"], 8);
  EXPECT_EQ(json["units"][5]["processing"]["speed"]["value"], 1e7);
  EXPECT_EQ(json["units"][5]["input_output"]["kind"], "void");
  EXPECT_EQ(json["units"][4]["communication"]["topology"], "hypercube");
  EXPECT_EQ(json["units"][0]["communication"]["connections"][0]["link"]["latency"]["unit"], "s");
}

}  // namespace
}  // namespace parcast::machine
