// SPDX-License-Identifier: Apache-2.0
#include "report/machine_text.h"

#include <gmock/gmock.h>

namespace parcast::report {
namespace {

using testing::HasSubstr;

machine::Machine small_machine() {
  machine::Machine out;
  out.name = "here";
  out.description = "some processor, Open MPI v4.1.4";
  out.measured_at = "2026-11-21T08:00:00Z";
  out.launcher = "mpirun -n {p}";
  out.cores_per_node = 2;
  out.memory_per_node = 24e9;
  out.core_speed = {2.5e9, 0, 30, Origin::measured};
  out.noise = {0.012, 0, 0, Origin::measured};
  machine::Link core;
  core.latency = {4.2e-7, 1.26e-8, 50, Origin::measured};
  core.gap_per_byte = {1.5e-10, 0, 50, Origin::measured};
  core.eager_limit = {4096, 0, 0, Origin::assumed};
  machine::Link network = core;
  network.latency = {2e-6, 0, 0, Origin::assumed};
  out.links = {{"network", network}, {"core", core}};
  out.memory = {{"L1",
                 {32768, 0, 0, Origin::measured},
                 {5e10, 0, 9, Origin::measured},
                 {1.2e-9, 0, 9, Origin::measured},
                 {}}};
  machine::PatternCost allreduce;
  allreduce.pattern = recording::Pattern::allreduce;
  allreduce.name = "allreduce";
  allreduce.points.resize(12);
  machine::PatternCost::Piece piece;
  piece.growth = "log2";
  piece.startup = {1e-6, 0, 12, Origin::measured};
  piece.startup_growth = {8e-7, 0, 12, Origin::measured};
  piece.per_byte = {2e-10, 0, 12, Origin::measured};
  piece.relative_error = 0.043;
  allreduce.pieces = {piece};
  out.patterns = {allreduce};
  out.notes = {"the gap could not be told from the overheads"};
  return out;
}

TEST(MachineText, ShowsWhatComputingHidesAndWhatNoiseMadeOfIt) {
  machine::Machine machine = small_machine();
  machine.allreduce_overlap = {1.04, 0.02, 9, Origin::measured};
  machine.links["core"].rendezvous_overlap = {0.87, 0.03, 9, Origin::measured};
  machine.links["core"].eager_overlap = {-0.07, 0.09, 9, Origin::measured};
  const std::string text = machine_text(machine, {});
  EXPECT_THAT(text, HasSubstr("MPI_Iallreduce hidden  100 % (measured 104 % ± 2.0 %)  measured, 9 samples"));
  EXPECT_THAT(text, HasSubstr("0 % (measured -7.0 % ± 9.0 %)"));
  EXPECT_THAT(text, HasSubstr("87 % ± 3.0 %"));
}

TEST(MachineText, ShowsLinksSideBySideFromNearToFar) {
  EXPECT_EQ(machine_text(small_machine(), {}),
            "here  1 node of 2 cores, 24.0 GB each\n"
            "  some processor, Open MPI v4.1.4\n"
            "  measured 2026-11-21T08:00:00Z with mpirun -n {p}\n"
            "\n"
            "  core speed  2.50 G operations/s  measured, 30 samples\n"
            "  noise                     1.2 %  measured\n"
            "\n"
            "  messages between           core     network\n"
            "  latency           420 ns ± 3.0%     2.00 us\n"
            "  gap per byte         0.150 ns/B  0.150 ns/B\n"
            "  eager limit             4.10 kB     4.10 kB\n"
            "\n"
            "  memory  capacity  bandwidth, one core  all cores, each  latency\n"
            "  L1       32.8 kB            50.0 GB/s                -  1.20 ns\n"
            "\n"
            "  pattern    from  startup                  per byte    points  off by\n"
            "  allreduce   0 B  1.00 us + 800 ns log2 p  0.200 ns/B      12   4.3 %\n"
            "\n"
            "  ! the gap could not be told from the overheads\n");
}

TEST(MachineText, AValueThatItsErrorExceedsIsNotMeasured) {
  machine::Machine machine = small_machine();
  machine.links["core"].latency.standard_error = 4.3e-7;  // of 420 ns
  machine.links["core"].gap_per_byte.standard_error = 1.5e-10;
  machine.allreduce_overlap = {0.2, 1.1, 9, Origin::measured};
  const std::string text = machine_text(machine, {});
  EXPECT_THAT(text, HasSubstr("  latency                not measured     2.00 us\n"));
  EXPECT_THAT(text, HasSubstr("0.150 ns/B ± 100%  0.150 ns/B"));
  EXPECT_THAT(text, HasSubstr("MPI_Iallreduce hidden         not measured  measured, 9 samples\n"));
}

TEST(MachineText, ALevelOfMemoryWithoutValuesHasNoRow) {
  machine::Machine machine = small_machine();
  machine.memory.push_back({.name = "memory"});
  EXPECT_THAT(machine_text(machine, {}), testing::Not(HasSubstr("  memory        -")));
  machine.memory = {{.name = "memory"}};
  EXPECT_THAT(machine_text(machine, {}), testing::Not(HasSubstr("bandwidth, one core")));
}

TEST(MachineText, ShowsTheAlgorithmsThatAreNotTheUsual) {
  machine::Machine machine = small_machine();
  machine.collectives[recording::Pattern::barrier] = {{0, machine::Algorithm::linear}};
  EXPECT_NE(machine_text(machine, {}).find("\n  collective  simulated by\n  barrier     linear\n"),
            std::string::npos)
      << machine_text(machine, {});
}

TEST(MachineDiff, PutsWhatDiffersFirst) {
  EXPECT_EQ(machine_diff_text("here", "cluster",
                              {{{"links.core.gap", Dimension::time, 1e-7, 1.01e-7, true},
                                {"links.core.latency", Dimension::time, 1e-6, 2.5e-6, false},
                                {"links.network.latency", Dimension::time, std::nullopt, 2e-6, false}},
                               {}},
                              {}),
            "  parameter                 here  cluster  cluster / here\n"
            "  links.core.latency     1.00 us  2.50 us           x2.50\n"
            "  links.network.latency        -  2.00 us\n"
            "  links.core.gap          100 ns   101 ns           x1.01  within intervals\n"
            "  1 of 3 parameters agree within their intervals\n");
}

TEST(MachineDiff, AnUnresolvedValueHasNoRatio) {
  EXPECT_EQ(
      machine_diff_text("here", "there", {{{"links.core.gap", Dimension::time, 1e-7, 1.01e-7, true}}, {}}, {},
                        {{}, {"links.core.gap"}}),
      "  parameter         here         there  there / here\n"
      "  links.core.gap  100 ns  not measured                within intervals\n"
      "  1 of 1 parameter agree within their intervals\n");
}

TEST(MachineDiff, TablesAreComparedByTheirPoints) {
  EXPECT_EQ(machine_diff_text("here", "there", {{}, {{"barrier", 2, 2, 1.01}, {"scan", 12, 9, 0.8}}}, {}),
            "  parameter          here  there  there / here\n"
            "  scan, 12 points                       x0.800  9 within intervals\n"
            "  barrier, 2 points                      x1.01  within intervals\n"
            "  0 of 0 parameters and 11 of 14 measured points agree within their intervals\n");
}

TEST(MachineChanges, SayOldAndNew) {
  EXPECT_EQ(machine_changes_text({{"nodes", Dimension::none, 1, 1048576, false},
                                  {"links.core.latency", Dimension::time, 1.5e-7, 2e-6, false},
                                  {"links.node.latency", Dimension::time, std::nullopt, 2e-6, false}},
                                 {}),
            "  nodes                    1  ->  1,048,576\n"
            "  links.core.latency  150 ns  ->  2.00 us\n"
            "  links.node.latency       -  ->  2.00 us\n");
  EXPECT_EQ(machine_changes_text({}, {}), "  nothing changes\n");
}

TEST(MachineText, AMachineOfNothingIsSaidToHaveNothing) {
  const std::string text = machine_text({}, {});
  EXPECT_THAT(text, HasSubstr("1 node of 1 core\n"));
  EXPECT_EQ(text.find("messages between"), std::string::npos);
}

TEST(MachineText, shows_the_network_with_its_shape) {
  machine::Machine machine = small_machine();
  EXPECT_THAT(machine_text(machine, {}), testing::Not(HasSubstr("bandwidth of a link")));
  machine::Network& network = machine.network.emplace();
  network.topology = "dragonfly";
  network.groups = 9, network.routers_per_group = 4, network.nodes_per_router = 2,
  network.global_links_per_router = 3;
  network.bandwidth = {12.5e9, 0, 0, Origin::assumed};
  network.hop_latency = {1e-7, 0, 0, Origin::assumed};
  const std::string text = machine_text(machine, {});
  EXPECT_THAT(text, HasSubstr("dragonfly"));
  EXPECT_THAT(text, HasSubstr("9 groups of 4 routers, each with 2 nodes and 3 global links"));
  EXPECT_THAT(text, testing::ContainsRegex("bandwidth of a link +12.5 GB/s +assumed"));
  EXPECT_THAT(text, testing::ContainsRegex("latency of a hop +100 ns"));
  EXPECT_THAT(text, testing::Not(HasSubstr("between groups")));
}

}  // namespace
}  // namespace parcast::report
