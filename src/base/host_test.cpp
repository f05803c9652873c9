// SPDX-License-Identifier: Apache-2.0
// The texts are copied from real systems.
#include "base/host.h"

#include <gtest/gtest.h>

namespace parcast {
namespace {

TEST(Host, AHypervisorIsAmongTheFlagsOfX86) {
  EXPECT_TRUE(
      is_virtual("processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu sse2 hypervisor lahf_lm\n", ""));
  EXPECT_TRUE(is_virtual("flags\t\t: fpu hypervisor", ""));
  EXPECT_FALSE(
      is_virtual("model name\t: no hypervisor\nflags\t\t: fpu sse2 nohypervisor\nbugs\t: hypervisor\n", ""));
  EXPECT_FALSE(is_virtual("", ""));
}

TEST(Host, OtherProcessorsTellItByTheNameOfTheirMachine) {
  const std::string_view cpuinfo = "processor\t: 0\nFeatures\t: fp asimd\n";
  for (const char* product : {"KVM Virtual Machine\n", "QEMU Virtual Machine", "VMware20,1", "VirtualBox",
                              "Virtual Machine\n", "HVM domU"})
    EXPECT_TRUE(is_virtual(cpuinfo, product)) << product;
  for (const char* product : {"Mt. Jade\n", "c6g.metal", ""})
    EXPECT_FALSE(is_virtual(cpuinfo, product)) << product;
}

TEST(Host, AFrequencyThatAllProcessorsTellAlikeIsSteady) {
  const std::string one = "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2096.017\n\n",
                    other = "processor\t: 1\ncpu MHz\t\t: 2096.017\n\n";
  EXPECT_EQ(steady_frequency(one + other), "2096.017 MHz");
  // a momentary frequency
  EXPECT_EQ(steady_frequency(one + other + "processor\t: 2\ncpu MHz\t\t: 1198.340\n"), "");
  EXPECT_EQ(steady_frequency(one), "");
  EXPECT_EQ(steady_frequency("processor\t: 0\nBogoMIPS\t: 50.00\n"), "");
}

}  // namespace
}  // namespace parcast
