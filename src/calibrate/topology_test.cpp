// SPDX-License-Identifier: Apache-2.0
// Nodes described to hwloc in its own words, written as XML by it, and read back.
#include "calibrate/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "machine/machine_file.h"

#ifdef PARCAST_HWLOC
#include <hwloc.h>
#endif

namespace parcast::calibrate {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::filesystem::path kFile = std::filesystem::temp_directory_path() / ("parcast-topology-" + std::to_string(::getpid()) + ".xml");

#ifdef PARCAST_HWLOC
Result<Topology> of(const char* description) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  EXPECT_EQ(hwloc_topology_export_xml(topology, kFile.c_str(), 0), 0);
  hwloc_topology_destroy(topology);
  auto out = topology_from_xml(kFile);
  std::filesystem::remove(kFile);
  return out;
}

TEST(Topology, ToldByXmlIsThatOfTheNode) {
  const auto found = of("pack:2 numa:2(memory=17179869184) l3:1(size=33554432) core:4 l2:1(size=1048576) l1d:1(size=32768) pu:2");
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->sockets, 2);
  EXPECT_EQ(found->memories, 4);
  EXPECT_EQ(found->cores, 16);
  EXPECT_EQ(found->threads_per_core, 2);
  EXPECT_EQ(found->memory, 4 * 17179869184.);
  ASSERT_EQ(found->caches.size(), 3u);
  for (const auto& [at, name, bytes, shared] : {std::tuple(0, "L1", 32768., 1), std::tuple(1, "L2", 1048576., 1), std::tuple(2, "L3", 33554432., 4)}) {
    EXPECT_EQ(found->caches[at].name, name);
    EXPECT_EQ(found->caches[at].bytes, bytes);
    EXPECT_EQ(found->caches[at].shared_by, shared);
  }
}

TEST(Topology, WithoutCoresItsThreadsCount) {
  const auto found = of("pack:2 pu:6");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cores, 12);
  EXPECT_EQ(found->threads_per_core, 1);
}

TEST(Topology, OfThisHostHasACoreForEachOrFewerThanItsProcessors) {
  const auto found = this_topology();
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_GE(found->cores, 1);
  EXPECT_LE(found->cores * found->threads_per_core, ::sysconf(_SC_NPROCESSORS_CONF));
}

TEST(Topology, BadXmlIsASentence) {
  for (const char* text : {"", "<topology>", "not XML at all", "<?xml version=\"1.0\"?><platform version=\"4\"/>"}) {
    std::ofstream(kFile) << text;
    const auto found = topology_from_xml(kFile);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().where, kFile.string());
    EXPECT_THAT(found.error().hint, HasSubstr("lstopo --of xml"));
  }
  std::filesystem::remove(kFile);
  EXPECT_FALSE(topology_from_xml(kFile));
}
#else
TEST(Topology, WithoutHwlocItIsSaid) { EXPECT_THAT(topology_from_xml(kFile).error().what, HasSubstr("without hwloc")); }
#endif

TEST(Topology, AsAMachineKeepsWhatIsNotToldUnknown) {
  Topology topology;
  topology.sockets = 2, topology.cores = 16, topology.threads_per_core = 2, topology.memories = 4, topology.memory = 64e9;
  topology.caches = {{"L1", 32768, 1}, {"L3", 33554432, 8}};
  machine::Machine machine = machine_of(topology, "node.xml");
  machine.name = "x";
  const auto back = machine::machine_from_toml(machine::to_toml(machine), "x");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->threads_per_core, 2);
  EXPECT_EQ(back->memories_per_node, 4);
  EXPECT_EQ(back->memory[1].shared_by, 8);
  EXPECT_EQ(back->memory[1].capacity.origin, Origin::assumed);
  EXPECT_EQ(source_of(*back, "memory.L3.capacity"), "node.xml");
  EXPECT_EQ(back->core_speed.origin, Origin::unknown);
  EXPECT_EQ(back->memory[0].latency.origin, Origin::unknown);
  EXPECT_TRUE(back->links.empty());
  EXPECT_THAT(back->notes, Contains(HasSubstr("unknown")));
}

}  // namespace
}  // namespace parcast::calibrate
