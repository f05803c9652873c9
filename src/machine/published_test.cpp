// SPDX-License-Identifier: Apache-2.0
// The machines from publications: each file is valid, gives the source of every value, and gives messages the
// cost computed by hand from the publication.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "machine/cost.h"
#include "machine/extrap.h"
#include "machine/machine_file.h"
#include "symbolic/expression.h"

namespace parcast::machine {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PARCAST_SOURCE_DIR) / "src/machine/published";

std::vector<Machine> published() {
  std::vector<Machine> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    auto machine = read_machine(entry.path());
    EXPECT_TRUE(machine) << entry.path() << (machine ? "" : to_string(machine.error()));
    if (machine) out.push_back(std::move(*machine));
    if (machine) EXPECT_EQ(out.back().name, name_of_file(entry.path()));
  }
  return out;
}

/// Returns the seconds from send to receipt.
double message_seconds(const std::string& name, const std::string& link, double bytes) {
  const auto machine = read_machine(kFolder / (name + ".machine.toml"));
  if (!machine) return NAN;
  const auto cost = point_to_point(*machine, link, Side::end_to_end, 1,
                                   symbolic::symbol("m", symbolic::SymbolKind::parameter));
  symbolic::Binding at = cost_binding(*machine);
  at["m"] = bytes;
  return symbolic::evaluate(cost.startup + cost.transfer, at).value();
}

TEST(PublishedMachines, SayOfEveryValueWhereItIsFrom) {
  const auto machines = published();
  EXPECT_EQ(machines.size(), 15u);
  for (const Machine& machine : machines) {
    EXPECT_FALSE(source_of(machine, "nodes").empty()) << machine.name;
    EXPECT_FALSE(machine.description.empty()) << machine.name;
    EXPECT_FALSE(known_parameters(machine).empty()) << machine.name;
    // with published values
    const bool compared = machine.name == "archer" || machine.name == "cirrus" || machine.name == "t3e";
    const bool said = !machine.notes.empty() &&
                      machine.notes.front().find("not compared with its printed table") != std::string::npos;
    EXPECT_EQ(said, !compared) << machine.name;
    for (const auto& [name, parameter] : known_parameters(machine)) {
      EXPECT_FALSE(source_of(machine, name).empty()) << machine.name << " " << name;
      EXPECT_EQ(parameter.origin, compared ? Origin::measured : Origin::assumed)
          << machine.name << " " << name;
    }
  }
}

TEST(PublishedMachines, ReadBackAsTheyWereWritten) {
  for (const Machine& machine : published()) {
    const std::string text = to_toml(machine);
    const auto again = machine_from_toml(text, machine.name);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(to_toml(*again), text);
    EXPECT_EQ(again->sources, machine.sources);
  }
}

/// On a machine with published startup and bandwidth, a message of 1 KiB takes startup + 1024 B / bandwidth.
TEST(PublishedMachines, AMessageTakesStartupAndBytesByBandwidth) {
  struct Row {
    const char* name;
    double startup_us, megabytes_per_second;
  };
  for (const Row& row : {Row{"ncube-1", 384, 0.4},
                         {"ncube-2", 154, 1.7},
                         {"ipsc-860", 65, 3},
                         {"touchstone-delta", 77, 8},
                         {"paragon", 29, 154},
                         {"cm-5", 95, 9},
                         {"meiko-cs2", 83, 43},
                         {"sp-2", 35, 35},
                         {"t3d", 21, 27},
                         {"t3e", 5, 0.875 * 340}})
    EXPECT_NEAR(message_seconds(row.name, "network", 1024) /
                    (row.startup_us * 1e-6 + 1024 / (row.megabytes_per_second * 1e6)),
                1, 1e-5)
        << row.name;
}

/// A message of m bytes takes CommStartupTime + m ByteTransferTime in ExtraP's model: as by the links.
TEST(PublishedMachines, ExtrapsParametersGiveAMessageTheSameTime) {
  using enum ExtrapKey;
  int found = 0;
  for (const Machine& machine : published()) {
    if (!machine.extrap) continue;
    ++found;
    const Extrap& extrap = *machine.extrap;
    EXPECT_NEAR(1e-6 * (extrap[comm_startup_time] + 1024 * extrap[byte_transfer_time]) /
                    message_seconds(machine.name, "network", 1024),
                1, 1e-5)
        << machine.name;
    for (const ExtrapKey key : {comm_startup_time, byte_transfer_time, entry_time, barrier_by_msgs})
      EXPECT_FALSE(source_of(machine, "extrap." + std::string(extrap_name(key))).empty()) << machine.name;
    EXPECT_EQ(extrap[mips_ratio], 1) << machine.name;
    EXPECT_EQ(extrap[barrier_by_msgs], machine.name == "cm-5" ? 0 : 1) << machine.name;
  }
  EXPECT_EQ(found, 3);
}

TEST(PublishedMachines, AnActiveMessageTakesItsOverheadsAsWell) {
  EXPECT_NEAR(message_seconds("berkeley-now", "network", 1024), (2.9 + 5.0 + 2.9) * 1e-6 + 1024 / 38e6,
              1e-10);
  EXPECT_NEAR(message_seconds("paragon-am", "network", 1024), (1.8 + 6.5 + 1.8) * 1e-6 + 1024 / 141e6, 1e-10);
  EXPECT_NEAR(message_seconds("meiko-cs2-am", "network", 1024), (1.7 + 7.5 + 1.7) * 1e-6 + 1024 / 47e6,
              1e-10);
}

/// The line through both measured ends: 8 bytes and 2,000,000.
TEST(PublishedMachines, ABenchmarksPingPongComesOutAtBothSizes) {
  struct Row {
    const char *name, *link;
    double latency_us, gigabytes_per_second;
  };
  for (const Row& row : {Row{"archer", "network", 1.7485, 7.0579},
                         {"archer", "node", 0.490846, 11.697},
                         {"cirrus", "network", 2.14376, 3.2113},
                         {"cirrus", "node", 0.547474, 12.466}}) {
    EXPECT_NEAR(message_seconds(row.name, row.link, 8) / (row.latency_us * 1e-6), 1, 1e-5) << row.name;
    EXPECT_NEAR(message_seconds(row.name, row.link, 2e6) / (2e-3 / row.gigabytes_per_second), 1, 1e-5)
        << row.name;
  }
}

}  // namespace
}  // namespace parcast::machine
