// SPDX-License-Identifier: Apache-2.0
#include "machine/described.h"

#include <gmock/gmock.h>

namespace parcast::machine {
namespace {

using testing::HasSubstr;

TEST(Described, BandwidthsAreInBitsOrBytes) {
  EXPECT_DOUBLE_EQ(*parse_bandwidth("100Gb/s"), 12.5e9);
  EXPECT_DOUBLE_EQ(*parse_bandwidth("400Mbit/s"), 50e6);
  EXPECT_DOUBLE_EQ(*parse_bandwidth("12.5GB/s"), 12.5e9);
  EXPECT_DOUBLE_EQ(*parse_bandwidth("8b/s"), 1);
  for (const char* wrong : {"", "100", "Gb/s", "100Gb", "0GB/s", "-1GB/s", "nanGB/s", "1e400GB/s", "1GB/sec"})
    EXPECT_FALSE(parse_bandwidth(wrong)) << wrong;
}

TEST(Described, AClusterInOneLine) {
  const std::vector<std::string> words{"nodes=4", "cores=16", "sockets=2", "latency=1.5us",
                                       "bandwidth=100Gb/s"};
  const auto machine = described_machine(words);
  ASSERT_TRUE(machine) << machine.error().what;
  EXPECT_EQ(machine->nodes, 4);
  EXPECT_EQ(machine->cores_per_node, 16);
  EXPECT_EQ(machine->sockets_per_node, 2);
  const Link& network = machine->links.at("network");
  EXPECT_DOUBLE_EQ(network.latency.value, 1.5e-6);
  EXPECT_DOUBLE_EQ(network.gap_per_byte.value, 8e-11);  // 8 bits at 100 Gb/s
  EXPECT_EQ(network.latency.origin, Origin::assumed);
}

std::string refused(const std::vector<std::string>& words) {
  const auto machine = described_machine(words);
  return machine ? "" : machine.error().what;
}

TEST(Described, WrongWordsAreNamed) {
  EXPECT_THAT(refused({"nodes=4"}), HasSubstr("needs latency and bandwidth"));
  EXPECT_THAT(refused({"nodes=0", "latency=1us", "bandwidth=1GB/s"}), HasSubstr("nodes=0 is not a whole"));
  EXPECT_THAT(refused({"nodes=nan", "latency=1us", "bandwidth=1GB/s"}), HasSubstr("nodes=nan"));
  EXPECT_THAT(refused({"cores=2.5", "latency=1us", "bandwidth=1GB/s"}), HasSubstr("cores=2.5"));
  EXPECT_THAT(refused({"cores=3", "sockets=2", "latency=1us", "bandwidth=1GB/s"}),
              HasSubstr("do not divide"));
  EXPECT_THAT(refused({"latency=1us", "bandwidth=fast"}), HasSubstr("bandwidth=fast"));
  EXPECT_NE(refused({"latncy=1us", "bandwidth=1GB/s"}), "");
}

TEST(Described, TheCoreOfAnotherMachineIsTakenWithoutItsNetwork) {
  Machine from;
  from.description = "some processor";
  from.core_speed = {3e9, 1e7, 5, Origin::measured};
  from.links["network"].latency.value = 9;
  from.nodes = 7;
  auto machine = described_machine(std::vector<std::string>{"latency=1us", "bandwidth=1GB/s"});
  ASSERT_TRUE(machine);
  take_core(from, *machine);
  EXPECT_EQ(machine->description, "some processor");
  EXPECT_EQ(machine->core_speed.value, 3e9);
  EXPECT_EQ(machine->links.at("network").latency.value, 1e-6);
  EXPECT_EQ(machine->nodes, 1);
}

TEST(DescribedMachine, AHintIsForTheWordThatIsWrong) {
  const auto no_unit = described_machine(std::vector<std::string>{"latency=1.5", "bandwidth=1GB/s"});
  ASSERT_FALSE(no_unit);
  EXPECT_THAT(no_unit.error().hint, testing::HasSubstr("1.5us"));
  const auto mistyped = described_machine(std::vector<std::string>{"latensy=1us", "bandwidth=1GB/s"});
  ASSERT_FALSE(mistyped);
  EXPECT_EQ(mistyped.error().hint, "did you mean latency?");
}

}  // namespace
}  // namespace parcast::machine
