// SPDX-License-Identifier: Apache-2.0
#include "interchange/simgrid_platform.h"

#include <gmock/gmock.h>

#include "interchange/simgrid_units.h"
#include "machine/machine_file.h"

namespace parcast::interchange {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string platform(const std::string& cluster) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
         "version=\"4.1\">\n<zone id=\"world\" routing=\"Full\">\n" +
         cluster + "\n</zone>\n</platform>\n";
}

const char* const kPlain =
    R"(<cluster id="acme" prefix="node-" suffix=".acme.org" radical="0-9,20,30-34" speed="2.5Gf" core="8" bw="125MBps" lat="50us")";

Result<machine::Machine> read(const std::string& more) {
  return simgrid_platform(platform(std::string(kPlain) + " " + more + "/>"), "acme.xml");
}
std::string error_of(const std::string& text) {
  const auto machine = simgrid_platform(text, "acme.xml");
  return machine ? "no error" : to_string(machine.error());
}

TEST(SimgridPlatform, AClusterIsNodesCoresAndTwoLinksBetweenNodes) {
  const auto machine = read("");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->name, "acme");
  EXPECT_EQ(machine->nodes, 16);
  EXPECT_EQ(machine->cores_per_node, 8);
  EXPECT_EQ(machine->core_speed.value, 2.5e9);
  ASSERT_EQ(machine->links.size(), 1u);
  EXPECT_DOUBLE_EQ(machine->links.at("network").latency.value, 100e-6);
  EXPECT_DOUBLE_EQ(machine->links.at("network").gap_per_byte.value, 8e-9);
  EXPECT_EQ(machine->links.at("network").latency.origin, Origin::assumed);
}

TEST(SimgridPlatform, ABackboneAddsItsLatencyAndMayBeTheSlowest) {
  auto machine = read(R"(bb_bw="2.25GBps" bb_lat="500us")");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_DOUBLE_EQ(machine->links.at("network").latency.value, 600e-6);
  EXPECT_DOUBLE_EQ(machine->links.at("network").gap_per_byte.value, 8e-9);
  EXPECT_THAT(machine->notes, Contains(HasSubstr("share the backbone of 2.25 GB/s")));
  machine = read(R"(bb_bw="50MBps" bb_sharing_policy="FATPIPE")");
  ASSERT_TRUE(machine);
  EXPECT_DOUBLE_EQ(machine->links.at("network").latency.value, 100e-6);
  EXPECT_DOUBLE_EQ(machine->links.at("network").gap_per_byte.value, 20e-9);
  EXPECT_THAT(machine->notes, Not(Contains(HasSubstr("share"))));
}

TEST(SimgridPlatform, ALoopbackIsTheLinkInsideANode) {
  const auto machine = read(R"(loopback_bw="500MBps" loopback_lat="19us")");
  ASSERT_TRUE(machine);
  EXPECT_DOUBLE_EQ(machine->links.at("node").latency.value, 19e-6);
  EXPECT_DOUBLE_EQ(machine->links.at("node").gap_per_byte.value, 2e-9);
  EXPECT_FALSE(read(R"(loopback_bw="500MBps")"));
}

TEST(SimgridPlatform, WhatAMachineCannotSayIsNoted) {
  const auto machine = read(R"(limiter_link="25MBps" sharing_policy="SHARED" availability_file="a.txt")");
  ASSERT_TRUE(machine);
  EXPECT_DOUBLE_EQ(machine->links.at("network").gap_per_byte.value, 40e-9);
  for (const char* said : {"limiter", "shares its link", "availability_file", "count as 0"})
    EXPECT_THAT(machine->notes, Contains(HasSubstr(said)));
  const auto states = simgrid_platform(
      platform(R"(<cluster id="c" radical="0-3" speed="1Gf,0.5Gf" bw="1GBps" lat="1us"/>)"), "c.xml");
  ASSERT_TRUE(states);
  EXPECT_EQ(states->core_speed.value, 1e9);
  EXPECT_THAT(states->notes, Contains(HasSubstr("2 speeds")));
}

TEST(SimgridPlatform, FilesOfVersionThreeAndNestedZonesAreRead) {
  const auto machine = simgrid_platform(
      R"(<platform version="3"><config id="General"><prop id="smpi/os" value="0:1e-6:0"/></config><AS id="a" routing="Full"><AS id="b" routing="Full">
<cluster id="c" prefix="" suffix="" radical="7" power="1E9" bw="1.25E8" lat="5.0E-5"/></AS></AS></platform>)",
      "old.xml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->nodes, 1);
  EXPECT_EQ(machine->core_speed.value, 1e9);
  EXPECT_DOUBLE_EQ(machine->links.at("network").latency.value, 1e-4);
  EXPECT_THAT(machine->notes, Contains("the setting smpi/os was not taken"));
}

TEST(SimgridPlatform, TheMachineIsWrittenAndReadBack) {
  const auto machine = read(R"(bb_bw="2GBps" loopback_bw="1GBps" loopback_lat="1us")");
  ASSERT_TRUE(machine);
  const auto again = machine::machine_from_toml(machine::to_toml(*machine), "again");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(machine::to_toml(*again), machine::to_toml(*machine));
}

TEST(SimgridPlatform, NamesThatAreNoUtf8DoNotSpoilTheMachine) {
  const auto machine = simgrid_platform(
      platform("<cluster id=\"ac\xff\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>"), "c.xml");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->name, "ac?");
  EXPECT_TRUE(machine::machine_from_toml(machine::to_toml(*machine), "again"));
  EXPECT_EQ(simgrid_platform(
                platform("<cluster id=\"\" radical=\"0\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>"), "c.xml")
                ->name,
            "cluster");
}

TEST(SimgridPlatform, WhatIsNotUnderstoodIsRefusedWithItsLine) {
  const auto cluster = [](const std::string& more) {
    return platform(std::string(kPlain) + " " + more + "/>");
  };
  EXPECT_THAT(error_of(cluster(R"(topology="TORUS" topo_parameters="4,4,4")")),
              HasSubstr("acme.xml:5: error: the cluster is a TORUS"));
  EXPECT_THAT(error_of(cluster(R"(loopback_bw="0Bps" loopback_lat="0s")")), HasSubstr("loopback_bw is 0"));
  EXPECT_THAT(error_of(platform("<host id=\"a\" speed=\"1Gf\"/>")),
              HasSubstr("acme.xml: error: the platform has no <cluster>"));
  EXPECT_THAT(error_of(platform(std::string(kPlain) + "/>\n" + kPlain + "/>")),
              HasSubstr("acme.xml:6: error: the platform has 2 clusters"));
  EXPECT_THAT(error_of("<platform>\n<zone>\n"), HasSubstr("this is not XML"));
  EXPECT_THAT(error_of("<machine/>"), HasSubstr("it has no <platform>"));
  EXPECT_THAT(error_of(""), HasSubstr("this is not XML"));
  for (const char* bad : {R"(<cluster id="c" radical="3-1" speed="1Gf" bw="1GBps" lat="1us"/>)",
                          R"(<cluster id="c" speed="1Gf" bw="1GBps" lat="1us"/>)",
                          R"(<cluster id="c" radical="0-3" bw="1GBps" lat="1us"/>)",
                          R"(<cluster id="c" radical="0-3" speed="1Gf" lat="1us"/>)",
                          R"(<cluster id="c" radical="0-3" speed="1Gf" bw="1GBps"/>)",
                          R"(<cluster id="c" radical="0-3" speed="1Gf" bw="1GBps" lat="1GBps"/>)",
                          R"(<cluster id="c" radical="0-3" speed="1Gf" bw="-1GBps" lat="1us"/>)",
                          R"(<cluster id="c" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" core="0"/>)",
                          R"(<cluster id="c" radical="0-99999999999" speed="1Gf" bw="1GBps" lat="1us"/>)",
                          R"(<cluster id="c" radical="0-3" speed="1Gf" bw="1GBps" lat="nan"/>)"})
    EXPECT_THAT(error_of(platform(bad)), HasSubstr("acme.xml:5: error: ")) << bad;
}

TEST(SimgridPlatform, IsToldFromOtherFiles) {
  EXPECT_TRUE(is_simgrid_platform(platform("")));
  EXPECT_FALSE(is_simgrid_platform("num_ranks 2\n"));
  EXPECT_FALSE(is_simgrid_platform("<html><body/></html>"));
  EXPECT_FALSE(is_simgrid_platform(""));
}

TEST(SimgridUnits, AreThoseOfPlatformFiles) {
  const auto value = [](const char* text, SimgridDimension dimension) {
    return simgrid_value(text, dimension).value();
  };
  EXPECT_EQ(value("1Gf", SimgridDimension::speed), 1e9);
  EXPECT_EQ(value("98.095Mf", SimgridDimension::speed), 98.095e6);
  EXPECT_EQ(value("2 gigaflops", SimgridDimension::speed), 2e9);
  EXPECT_EQ(value("5f", SimgridDimension::speed), 5);
  EXPECT_EQ(value("125MBps", SimgridDimension::bandwidth), 125e6);
  EXPECT_EQ(value("1Gbps", SimgridDimension::bandwidth), 125e6);
  EXPECT_EQ(value("8KiBps", SimgridDimension::bandwidth), 8192);
  EXPECT_EQ(value("1e9", SimgridDimension::bandwidth), 1e9);
  EXPECT_DOUBLE_EQ(value("50us", SimgridDimension::latency), 50e-6);
  EXPECT_DOUBLE_EQ(value("3ps", SimgridDimension::latency), 3e-12);
  EXPECT_EQ(value("1m", SimgridDimension::latency), 60);
  for (const char* bad : {"", "x", "-1us", "1us/B", "inf", "1e999"})
    EXPECT_FALSE(simgrid_value(bad, SimgridDimension::latency)) << bad;
  EXPECT_FALSE(simgrid_value("1GBps", SimgridDimension::speed));
}

}  // namespace
}  // namespace parcast::interchange
