// SPDX-License-Identifier: Apache-2.0
// Nodes that are described in hwloc's notation, written as XML by hwloc, and read back.
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

const std::filesystem::path kFile =
    std::filesystem::temp_directory_path() / ("parcast-topology-" + std::to_string(::getpid()) + ".xml");

#ifdef PARCAST_HWLOC
/// Writes the file. `allowed`: number of hardware threads, counted from the first, that a cgroup allows; 0:
/// all.
void write(const char* description, unsigned allowed = 0) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  EXPECT_EQ(hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  if (allowed > 0) {
    hwloc_bitmap_t threads = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(threads, 0, static_cast<int>(allowed) - 1);
    EXPECT_EQ(hwloc_topology_allow(topology, threads, nullptr, HWLOC_ALLOW_FLAG_CUSTOM), 0);
    hwloc_bitmap_free(threads);
  }
  EXPECT_EQ(hwloc_topology_export_xml(topology, kFile.c_str(), 0), 0);
  hwloc_topology_destroy(topology);
}

/// Writes what lstopo writes without --disallowed.
void leave_out_what_is_not_allowed() {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  EXPECT_EQ(hwloc_topology_set_xml(topology, kFile.c_str()), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  EXPECT_EQ(hwloc_topology_export_xml(topology, kFile.c_str(), 0), 0);
  hwloc_topology_destroy(topology);
}

Result<Topology> read_back() {
  auto out = topology_from_xml(kFile);
  std::filesystem::remove(kFile);
  return out;
}

Result<Topology> of(const char* description) {
  write(description);
  return read_back();
}

std::string content() {
  std::ifstream file(kFile);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Topology, ToldByXmlIsThatOfTheNode) {
  const auto found =
      of("pack:2 numa:2(memory=17179869184) l3:1(size=33554432) core:4 l2:1(size=1048576) l1d:1(size=32768) "
         "pu:2");
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->sockets, 2);
  EXPECT_EQ(found->memories, 4);
  EXPECT_EQ(found->cores, 16);
  EXPECT_EQ(found->threads_per_core, 2);
  EXPECT_EQ(found->memory, 4 * 17179869184.);
  ASSERT_EQ(found->caches.size(), 3u);
  for (const auto& [at, name, bytes, shared] :
       {std::tuple(0, "L1", 32768., 1), std::tuple(1, "L2", 1048576., 1),
        std::tuple(2, "L3", 33554432., 4)}) {
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

TEST(Topology, NodesThatAreAlikeHaveNoPeculiarity) {
  const auto found = of("pack:2 numa:2(memory=17179869184) l3:1(size=33554432) core:4 pu:2");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->core_kinds.size(), 1u);
  EXPECT_EQ(found->memory_kinds, (std::vector<MemoryKind>{{"", true, 4, 4 * 17179869184.}}));
  EXPECT_THAT(peculiarities(*found), testing::IsEmpty());
}

TEST(Topology, TwoKindsOfCoresAreToldApart) {
  const auto found = topology_from_xml(PARCAST_SOURCE_DIR "/tests/golden/machine_topology/hybrid.xml");
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->cores, 6);
  ASSERT_EQ(found->core_kinds.size(), 2u);
  EXPECT_EQ(found->core_kinds[0].name, "IntelAtom");
  EXPECT_EQ(found->core_kinds[0].cores, 4);
  EXPECT_EQ(found->core_kinds[0].threads_per_core, 1);
  EXPECT_EQ(found->core_kinds[0].caches[0].bytes, 32768);
  EXPECT_EQ(found->core_kinds[0].caches[1].shared_by, 4);
  EXPECT_EQ(found->core_kinds[1].name, "IntelCore");
  EXPECT_EQ(found->core_kinds[1].cores, 2);
  EXPECT_EQ(found->core_kinds[1].threads_per_core, 2);
  EXPECT_EQ(found->core_kinds[1].caches[0].bytes, 49152);
  EXPECT_EQ(found->caches[2].shared_by, 6);
  EXPECT_THAT(peculiarities(*found),
              testing::ElementsAre(
                  HasSubstr("2 kinds: 4 cores (IntelAtom) with 1 hardware thread, L1 of 32.8 kB, L2 of 4.19 "
                            "MB for 4, L3 of 25.2 MB for 6; 2 cores (IntelCore) with 2 hardware threads")));
}

TEST(Topology, HighBandwidthMemoryIsNoFurtherPlace) {
  const auto found = of("pack:2 [numa(memory=16GB)] [numa(memory=4GB)] core:4 pu:1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->memories, 2);
  EXPECT_EQ(found->memory, 40e9);
  EXPECT_EQ(found->memory_kinds, (std::vector<MemoryKind>{{"", true, 2, 32e9}, {"", true, 2, 8e9}}));
  EXPECT_THAT(peculiarities(*found),
              testing::ElementsAre(HasSubstr("2 kinds: 32.0 GB in 2 NUMA nodes; 8.00 GB in 2 NUMA nodes")));
}

TEST(Topology, ACgroupIsNamedAndTheNodeIsReadWholeWhereItIsThere) {
  write("pack:1 core:4 pu:2", 6);
  const std::string whole = content();
  const auto with = read_back();
  ASSERT_TRUE(with);
  EXPECT_EQ(with->cores, 4);
  EXPECT_EQ(with->threads_per_core, 2);
  EXPECT_THAT(peculiarities(*with), testing::ElementsAre(HasSubstr("allowed 6 of its 8 hardware threads")));
  std::ofstream(kFile) << whole;
  leave_out_what_is_not_allowed();
  const auto without = read_back();
  ASSERT_TRUE(without);
  EXPECT_EQ(without->cores, 3);
  EXPECT_THAT(peculiarities(*without),
              testing::ElementsAre(HasSubstr("2 hardware threads of 8 are left out")));
}

TEST(Topology, AHugeNumberOfAThreadIsRefusedWithItsLine) {
  for (const std::string type : {"PU", "NUMANode"}) {
    write("pack:1 core:2 pu:1");
    std::string text = content();
    const std::size_t at = text.find("os_index", text.find("type=\"" + type + "\""));
    text.replace(at, text.find('"', at + 10) - at, "os_index=\"4294967295");
    std::ofstream(kFile) << text;
    const auto found = read_back();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what,
              "the os_index 4294967295 of a " + type + " is not a number from 0 to 1,000,000");
    EXPECT_EQ(found.error().where,
              kFile.string() + ":" +
                  std::to_string(
                      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
  }
}

TEST(Topology, MemoryOfHwlocIsBounded) {
  write("pack:1 core:2 pu:1");
  std::string text = content();
  const std::string huge = "cpuset=\"0xf...f";  // all bits set from here on
  for (std::size_t at = 0; (at = text.find("cpuset=\"0x", at)) != std::string::npos; at += huge.size())
    text.replace(at, 10, huge + ",0x");
  std::ofstream(kFile) << text;
  const auto strange = read_back();
  if (!strange) EXPECT_FALSE(strange.error().what.empty());
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += "<object type=\"Group\">";
  std::ofstream(kFile)
      << "<?xml version=\"1.0\"?><!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><topology version=\"2.0\">" << deep;
  const auto found = read_back();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().where, kFile.string());
}

TEST(Topology, AFileOfALaterHwlocNamesTheFlagThatWritesThisOne) {
  write("pack:1 core:2 pu:1");
  std::string text = content();
  text.replace(text.find("version=\"2.0\""), 13, "version=\"3.0\"");
  std::ofstream(kFile) << text;
  const auto found = read_back();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().what, HasSubstr("was written by hwloc 3"));
  EXPECT_THAT(found.error().hint, HasSubstr("--export-xml-flags v2"));
}

TEST(Topology, BadXmlIsASentence) {
  for (const char* text :
       {"", "<topology>", "not XML at all", "<?xml version=\"1.0\"?><platform version=\"4\"/>"}) {
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
TEST(Topology, WithoutHwlocItIsSaid) {
  EXPECT_THAT(topology_from_xml(kFile).error().what, HasSubstr("without hwloc"));
}
#endif

TEST(Topology, AsAMachineKeepsWhatIsNotToldUnknown) {
  Topology topology;
  topology.sockets = 2, topology.cores = 16, topology.threads_per_core = 2, topology.memories = 4,
  topology.memory = 64e9;
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
  EXPECT_EQ(
      unknown_text(*back, topology),
      "a topology has no times: unknown are the speed of its cores, bandwidths of its memory, latencies and "
      "bandwidths of messages, "
      "measured costs of collectives; assumed are one node of this kind, pages of 4 KiB, cache lines of 64 B "
      "(parcast calibrate measures them there, parcast machine set changes them)");
  machine.nodes = 16, machine.links["network"] = {};
  EXPECT_THAT(unknown_text(machine, topology),
              HasSubstr("unknown are the speed of its cores, bandwidths of its memory, measured costs of "
                        "collectives; assumed are pages of 4 KiB"));
}

}  // namespace
}  // namespace parcast::calibrate
