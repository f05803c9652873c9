// SPDX-License-Identifier: Apache-2.0
#include "report/machine_summary.h"

#include <gmock/gmock.h>

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns a table of t(m, p) = startup (p - 1) + m per_byte, measured on these process counts.
machine::PatternCost table(const std::string& name, double startup, double per_byte,
                           const std::vector<std::int32_t>& processes) {
  machine::PatternCost out;
  out.name = name;
  if (const auto priced = machine::priced_by(name)) out.pattern = priced->pattern;
  machine::PatternCost::Piece piece;
  piece.growth = "peers";
  piece.startup_growth = {startup, 0, 9, Origin::measured};
  piece.per_byte = {per_byte, 0, 9, Origin::measured};
  out.pieces = {piece};
  for (const std::int32_t p : processes) out.points.push_back({p, 8, startup * (p - 1), 0, 9});
  return out;
}

machine::Machine measured_machine() {
  machine::Machine out;
  out.name = "here";
  out.description = "some processor, Open MPI v4.1.4";
  out.measured_at = "2026-11-21T08:00:00Z";
  out.launcher = "mpirun -n {p}";
  out.nodes = 2, out.cores_per_node = 4;
  out.core_speed = {2.5e9, 0, 30, Origin::measured};
  out.shared_core_speed = {2e9, 0, 30, Origin::measured};
  out.noise = {0.012, 0, 100, Origin::measured};
  out.drift = {0.03, 0, 4, Origin::measured};
  out.operations = {{"double_add", {1e-9, 0, 5, Origin::measured}, {}}};
  machine::Link core;
  core.latency = {4e-7, 1.2e-8, 50, Origin::measured};
  core.gap_per_byte = {2e-10, 0, 50, Origin::measured};
  core.eager_limit = {4096, 0, 5, Origin::measured};
  core.rendezvous_gap_per_byte = {1e-10, 1e-11, 50, Origin::measured};
  core.send_overhead = {1e-7, 0, 50, Origin::measured};
  machine::Link network = core;
  network.latency = {2e-6, 3e-6, 50, Origin::measured};
  network.rendezvous_gap_per_byte = {}, network.eager_limit = {};
  out.links = {{"network", network}, {"core", core}};
  out.memory = {{"L1", {32768, 0, 1, Origin::measured}, {5e10, 0, 9, Origin::measured}, {}, {}, 1},
                {"L2", {1e6, 0, 1, Origin::measured}, {2e10, 0, 9, Origin::measured}, {}, {}, 1},
                {"memory", {}, {1e10, 5e8, 9, Origin::measured}, {}, {4e9, 0, 9, Origin::measured}, 0}};
  out.patterns = {table("allreduce", 1e-6, 1e-9, {2, 4, 8}), table("barrier", 5e-7, 0, {2, 4}),
                  table("halo2d", 3e-6, 2e-9, {2, 4, 8}), table("scan", 1e-6, 1e-9, {2})};
  out.notes = {"the gap is an upper bound",
               "too noisy; use a longer --budget",
               "one pass; use a longer --budget",
               "2 processes shared a core; use --launcher 'srun -n {p}'",
               "the growth is assumed; measure with parcast calibrate --processes 1,2,4",
               "few counts; add 1 to --processes"};
  return out;
}

TEST(MachineSummary, HasALinkForEachDistanceAndTheCostOfCallsOnTheLargestCommonCount) {
  // On 4 processes: allreduce 3 us + 1e6 B * 1 ns/B, halo2d 9 us + 1e6 B * 2 ns/B.
  EXPECT_EQ(machine_summary(measured_machine(), "parcast machine show here", {false, 80}),
            "here  2 nodes of 4 cores\n"
            "  some processor, Open MPI v4.1.4\n"
            "  measured 2026-11-21T08:00:00Z with mpirun -n {p}\n"
            "\n"
            "              one core             all cores, each\n"
            "  core speed  2.50 G operations/s  2.00 G operations/s\n"
            "  memory      10.0 GB/s ± 5.0%     4.00 GB/s\n"
            "  last cache  L2, 1.00 MB\n"
            "\n"
            "  messages between   small message  bandwidth          eager up to\n"
            "  cores of a socket  500 ns ± 2.4%  10.0 GB/s ± 10.0%  4.10 kB\n"
            "  nodes              not measured   5.00 GB/s          all sizes\n"
            "\n"
            "  4 processes  allreduce  barrier   halo2d\n"
            "  8 B            3.01 us  1.50 us  9.02 us\n"
            "  1 MB           1.00 ms           2.01 ms\n"
            "\n"
            "  equal work varies by 1.2 % in time, the core's speed varies by 3.0 % between\n"
            "    launches\n"
            "  ! too noisy; use a longer --budget\n"
            "  ! 2 processes shared a core; use --launcher 'srun -n {p}'\n"
            "  ! the growth is assumed; measure with parcast calibrate --processes 1,2,4\n"
            "  3 more notes: parcast machine show here --notes\n"
            "  left out: operations, overheads of messages, caches, 1 pattern: parcast\n"
            "    machine show here --all\n");
}

// Half of a round trip is known better than its parts: 400 + 100 + 200 ns, and the square of the error is
// 30^2 + 10^2 + 20^2 - 2 * 300 - 2 * 150 = 500 ns^2, so 22.4 of 700 ns.
TEST(MachineSummary, ASmallMessageTakesItsLatencyAndBothOverheads) {
  machine::Machine machine = measured_machine();
  machine::Link& core = machine.links["core"];
  core.latency.standard_error = 3e-8;
  core.send_overhead = {1e-7, 1e-8, 50, Origin::measured};
  core.receive_overhead = {2e-7, 2e-8, 50, Origin::measured};
  machine.covariance[{"links.core.latency", "links.core.receive_overhead"}] = -3e-16;
  machine.covariance[{"links.core.latency", "links.core.send_overhead"}] = -1.5e-16;
  EXPECT_THAT(machine_summary(machine, "show", {}), HasSubstr("\n  cores of a socket  700 ns ± 3.2%  "));
}

TEST(MachineSummary, NotesPrintsEverySentence) {
  const std::string text = machine_notes(measured_machine(), "parcast machine show here", {false, 80, true});
  EXPECT_THAT(text, HasSubstr("  - the gap is an upper bound\n"));
  EXPECT_THAT(text, HasSubstr("  - few counts; add 1 to --processes\n"));
  EXPECT_THAT(text, Not(HasSubstr("more note")));
}

TEST(MachineSummary, NamesTheCacheWhoseBandwidthStandsInForThatOfMemory) {
  machine::Machine machine = measured_machine();
  machine.memory.back() = {.name = "memory"};
  EXPECT_THAT(machine_summary(machine, "show", {}), HasSubstr("\n  L2 cache    20.0 GB/s "));
}

TEST(MachineSummary, APublishedMachineHasItsLinksOnly) {
  machine::Machine machine;
  machine.name = "old";
  machine.nodes = 8;
  machine.links["network"].latency = {1e-4, 0, 0, Origin::assumed};
  machine.links["network"].gap_per_byte = {0, 0, 0, Origin::assumed};
  machine.sources = {{"links", "a paper"}};
  EXPECT_EQ(machine_summary(machine, "parcast machine show old", {}),
            "old  8 nodes of 1 core\n"
            "\n"
            "  messages between  small message  bandwidth  eager up to\n"
            "  nodes             100 us         unlimited  all sizes\n"
            "\n"
            "  nothing was measured here: the values are published or assumed\n"
            "  left out: sources: parcast machine show old --all\n");
}

}  // namespace
}  // namespace parcast::report
