// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "machine/fields.h"

namespace parcast::machine {
namespace {

const char* const kByHand = R"(name = "cluster"
nodes = 16
cores_per_node = 32

[links.network]
latency = "2.1us"
send_overhead = { value = "0.4us", standard_error = "10ns", samples = 40, origin = "measured" }
gap_per_byte = "0.1ns/B"
eager_limit = "64KiB"

[[memory]]
name = "L1"
capacity = "32KiB"
bandwidth = "40GB/s"

[[memory]]
name = "memory"
bandwidth = "12GB/s"

[[patterns]]
name = "allreduce"
points = [
  [2, 8, 3.1e-6, 1e-8, 200],
  [4, 8, 6.3e-6, 2e-8, 180],
]
[[patterns.pieces]]
from_bytes = "0B"
growth = "ceil_log2"
startup_growth = "3.1us"
per_byte_growth = "0.2ns/B"
[[patterns.pieces]]
from_bytes = "4KiB"
growth = "log2"
startup_growth = "4us"
)";

std::string error_of(const std::string& text) {
  const auto machine = machine_from_toml(text, "here.machine.toml");
  return machine ? "no error" : to_string(machine.error());
}

/// Returns `kByHand` with one piece of text replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kByHand;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MachineFile, AMachineWrittenByHandIsReadInBaseUnits) {
  const auto machine = machine_from_toml(kByHand, "cluster.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->nodes, 16);
  const Link& network = machine->links.at("network");
  EXPECT_EQ(network.latency.value, 2.1e-6);
  EXPECT_EQ(network.latency.origin, Origin::assumed);
  EXPECT_EQ(network.send_overhead.standard_error, 10e-9);
  EXPECT_EQ(network.send_overhead.samples, 40);
  EXPECT_EQ(network.send_overhead.origin, Origin::measured);
  EXPECT_EQ(network.receive_overhead.origin, Origin::unknown);
  EXPECT_EQ(network.eager_limit.value, 65536);
  EXPECT_EQ(machine->memory[0].bandwidth.value, 40e9);
  ASSERT_EQ(machine->patterns.size(), 1u);
  EXPECT_EQ(machine->patterns[0].pattern, recording::Pattern::allreduce);
  EXPECT_EQ(machine->patterns[0].points[1].processes, 4);
  EXPECT_EQ(machine->patterns[0].pieces[1].from_bytes, 4096);
  EXPECT_EQ(machine->patterns[0].pieces[0].growth, "ceil_log2");
}

struct Mistake {
  std::string name, text, error;
};

class MachineFileError : public ::testing::TestWithParam<Mistake> {};

TEST_P(MachineFileError, NamesThePlaceTheLineAndWhatToWrite) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().error);
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> table{
      {"UnitMissing", with("latency = \"2.1us\"", "latency = 2.1"),
       "here.machine.toml:6:11: error: latency is 2.1, but needs a unit\n"
       "    6 | latency = 2.1\n"
       "      |           ^ did you mean \"2.1us\"?"},
      {"UnitMissingInQuotes", with("latency = \"2.1us\"", "latency = \"2.1\""),
       "here.machine.toml:6:11: error: latency is \"2.1\", but needs a unit\n"
       "    6 | latency = \"2.1\"\n"
       "      |           ^ did you mean \"2.1us\"?"},
      {"UnitWrong", with("latency = \"2.1us\"", "latency = \"2.1KiB\""),
       "here.machine.toml:6:11: error: latency is \"2.1KiB\", a size in bytes, but a time is expected\n"
       "    6 | latency = \"2.1KiB\"\n"
       "      |           ^ use a unit such as us"},
      {"CostNegative", with("0.1ns/B", "-0.1ns/B"),
       "here.machine.toml:8:16: error: gap_per_byte is -0.1ns/B, but a cost or a capacity cannot be "
       "negative\n"
       "    8 | gap_per_byte = \"-0.1ns/B\"\n"
       "      |                ^"},
      {"ShareOfMoreThanACore", "name = \"x\"\ncore_share = 1.5\nshare_period = \"2ms\"\n",
       "here.machine.toml:2:14: error: core_share is 1.5, but a process has at most a whole core\n"
       "    2 | core_share = 1.5\n"
       "      |              ^ give a part between 0 and 1"},
      {"ShareWithoutAPeriod", "name = \"x\"\ncore_share = 0.05\n",
       "here.machine.toml:2:14: error: core_share has no share_period\n"
       "    2 | core_share = 0.05\n"
       "      |              ^ give the time after which a process gets its part anew, for example "
       "share_period = \"2ms\""},
      {"KeyUnknown", with("eager_limit", "eager_limits"),
       "here.machine.toml:9:1: error: \"eager_limits\" is not known here\n"
       "    9 | eager_limits = \"64KiB\"\n"
       "      | ^ did you mean eager_limit?"},
      {"LinkUnknown", with("links.network", "links.netwrok"),
       "here.machine.toml:5:8: error: \"netwrok\" is not known here\n"
       "    5 | [links.netwrok]\n"
       "      |        ^ did you mean network?"},
      {"LatencyMissing", with("latency = \"2.1us\"\n", ""),
       "here.machine.toml:5:1: error: links.network has no latency\n"
       "    5 | [links.network]\n"
       "      | ^ add latency = \"2.1us\""},
      {"LinksMissing", "name = \"x\"\nnodes = 2\n",
       "here.machine.toml:1:1: error: the machine has several processors but no links between them\n"
       "    1 | name = \"x\"\n"
       "      | ^ add a table [links.network]"},
      {"NameMissing", "nodes = 1\n",
       "here.machine.toml:1:1: error: the machine has no name\n"
       "    1 | nodes = 1\n"
       "      | ^ add name = \"here\""},
      {"PiecesUnordered", with("from_bytes = \"4KiB\"", "from_bytes = \"0B\""),
       "here.machine.toml:32:14: error: this piece of allreduce starts at 0B, but the one before it at 0B\n"
       "   32 | from_bytes = \"0B\"\n"
       "      |              ^ write the pieces from small messages to large ones"},
      {"GrowthUnknown", with("\"log2\"", "\"log\""),
       "here.machine.toml:33:10: error: \"log\" is not a growth with the number of processes\n"
       "   33 | growth = \"log\"\n"
       "      |          ^ did you mean log2?"},
      {"LevelsUnordered", with("name = \"memory\"\n", "name = \"memory\"\ncapacity = \"1KiB\"\n"),
       "here.machine.toml:18:12: error: the capacity of memory is not larger than that of L1\n"
       "   18 | capacity = \"1KiB\"\n"
       "      |            ^ list the levels from the core outwards"},
      {"NodesNotWhole", with("nodes = 16", "nodes = \"16\""),
       "here.machine.toml:2:9: error: nodes is a text, but must be a whole number\n"
       "    2 | nodes = \"16\"\n"
       "      |         ^"},
      {"RowTooShort", with("[4, 8, 6.3e-6, 2e-8, 180]", "[4, 8, 6.3e-6]"),
       "here.machine.toml:24:3: error: this row of points has 3 entries, but must have 5\n"
       "   24 |   [4, 8, 6.3e-6],\n"
       "      |   ^"},
      {"TimeNegative", with("6.3e-6", "-6.3e-6"),
       "here.machine.toml:24:3: error: row 2 of the points of allreduce has a time that is not 0 seconds or "
       "more\n"
       "   24 |   [4, 8, -6.3e-6, 2e-8, 180],\n"
       "      |   ^"},
      {"PlacementOnMoreNodesThanProcesses", "name = \"x\"\nplacements = [[2, 3, 1]]\n",
       "here.machine.toml:2:19: error: the number of nodes is 3, but must be between 1 and 2\n"
       "    2 | placements = [[2, 3, 1]]\n"
       "      |                   ^"},
      {"PlacementThatLeavesProcessesOut", "name = \"x\"\nplacements = [[8, 2, 3]]\n",
       "here.machine.toml:2:22: error: the most processes on a node is 3, but must be between 4 and 7\n"
       "    2 | placements = [[8, 2, 3]]\n"
       "      |                      ^"},
      {"OriginUnknown", with("\"measured\"", "\"measuerd\""),
       "here.machine.toml:7:84: error: \"measuerd\" is not an origin\n"
       "    7 | ...d_overhead = { value = \"0.4us\", standard_error = \"10ns\", samples = 40, origin = "
       "\"measuerd\" }\n"
       "      |                                                                                    ^ did you "
       "mean measured?"},
      {"SchemaNewer", std::string("schema = \"parcast.machine/2\"\n") + kByHand,
       "here.machine.toml:1:10: error: this machine was written by a newer Parcast (parcast.machine/2)\n"
       "    1 | schema = \"parcast.machine/2\"\n"
       "      |          ^ parcast.machine/1 is known here"},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Goldens, MachineFileError, ::testing::ValuesIn(mistakes()),
                         [](const auto& mistake) { return mistake.param.name; });

TEST(MachineFile, TextThatIsNotTomlIsShownWithItsPlace) {
  EXPECT_THAT(error_of("name = \"x\"\nnodes = = 2\n"), ::testing::StartsWith("here.machine.toml:2:"));
  // letters outside of quotes
  EXPECT_THAT(error_of("name = \"x\"\n\u00e9 = 2\n"),
              ::testing::StartsWith("here.machine.toml:2:1: error: this is not TOML"));
  EXPECT_THAT(error_of("name = \"x\"\n[links\u0486]\n"),
              ::testing::StartsWith("here.machine.toml:2:7: error: this is not TOML"));
}

TEST(MachineFile, PlacementsReadBackAndMayBeMissing) {
  auto machine = machine_from_toml(kByHand, "cluster.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_TRUE(machine->placements.empty());
  EXPECT_THAT(to_toml(*machine), ::testing::Not(::testing::HasSubstr("placements")));
  EXPECT_THAT(to_json(*machine), ::testing::Not(::testing::HasSubstr("placements")));
  machine->placements = {{2, 1, 2}, {4, 1, 4}, {16, 3, 8}};
  const std::string written = to_toml(*machine);
  EXPECT_THAT(written,
              ::testing::HasSubstr("placements = [\n  [2, 1, 2],\n  [4, 1, 4],\n  [16, 3, 8],\n]\n"));
  const auto back = machine_from_toml(written, "x");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->placements, machine->placements);
  EXPECT_EQ(to_toml(*back), written);
  EXPECT_THAT(to_json(*back), ::testing::HasSubstr("\"ranks_per_node\": 8"));
}

TEST(MachineFile, VVariantsAndOverlapsReadBack) {
  const std::string text =
      "name = \"m\"\nallreduce_overlap = -0.1\n[links.core]\nlatency = \"1us\"\ngap_per_byte = "
      "\"1ns/B\"\nrendezvous_overlap = { value = 1.02, standard_error = 0.05, samples = 9, origin = "
      "\"measured\" }\n"
      "[[patterns]]\nname = \"allgatherv\"\n[[patterns]]\nname = \"mine\"\npattern = "
      "\"alltoallv\"\n[[patterns]]\nname = \"neighbourhood\"\n";
  const auto machine = machine_from_toml(text, "m.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->allreduce_overlap.value, -0.1);
  EXPECT_EQ(machine->links.at("core").rendezvous_overlap.value, 1.02);
  EXPECT_EQ(machine->links.at("core").eager_overlap.origin, Origin::unknown);
  EXPECT_EQ(machine->patterns[0].pattern, recording::Pattern::allgather);
  EXPECT_TRUE(machine->patterns[0].uneven);
  EXPECT_EQ(machine->patterns[1].pattern, recording::Pattern::alltoall);
  EXPECT_TRUE(machine->patterns[1].uneven);
  EXPECT_EQ(machine->patterns[2].pattern, recording::Pattern::neighbourhood);
  const std::string written = to_toml(*machine);
  const auto back = machine_from_toml(written, "x");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_toml(*back), written);
  EXPECT_TRUE(back->patterns[1].uneven);
}

TEST(MachineFile, WritingAndReadingIsAFixpointForAnyDoubles) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-30, 29);  // docs/formats/numbers.md
  std::uniform_real_distribution<double> mantissa(1, 10);
  const auto draw = [&] { return mantissa(random) * std::pow(10, exponent(random)); };
  for (int round = 0; round < 50; ++round) {
    Machine machine;
    machine.name = "odd \"name\"\\\t\n\x7f";
    machine.description = "Grüße";
    machine.notes = {"one", "two\nlines"};
    machine.memory_per_node = std::floor(mantissa(random) * 1e9);
    machine.memory.resize(2);
    machine.memory[0].name = "L1", machine.memory[1].name = "memory";
    machine.links["core"], machine.links["network"];
    machine.links["core"].corrections = {{0, {}, {}}, {257, {-draw(), draw(), 7, Origin::measured}, {}}};
    PatternCost pattern;
    pattern.name = "halo2d";
    pattern.points = {{2, 0, draw(), draw(), 3}, {4, 1024.5, draw(), 0, 0}};
    pattern.pieces.resize(2);
    pattern.pieces[0].growth = "1", pattern.pieces[1].growth = "peers";
    pattern.pieces[1].from_bytes = 1000.25, pattern.pieces[1].relative_error = draw();
    machine.patterns.push_back(pattern);
    machine.placements = {{2, 1, 2}, {4, 4, 1}};
    machine.working_sets = {{1, 4096, draw(), draw()}};
    machine.covariance[{"links.core.latency", "links.core.gap"}] = -draw();
    for (const NamedParameter& named : parameters(machine))
      if (random() % 4)
        *named.parameter = {draw(), random() % 2 ? draw() : 0, static_cast<std::int64_t>(random() % 100),
                            Origin::measured};
    machine.core_share = {std::pow(10, -mantissa(random)), draw(), 5, Origin::measured};  // a part of a core
    machine.share_period = {draw(), 0, 1, Origin::measured};
    machine.memory[0].capacity = {};
    for (Link* link : {&machine.links["core"], &machine.links["network"]})
      link->latency = {draw(), 0, 0, Origin::assumed},
      link->gap_per_byte = {draw(), draw(), 5, Origin::measured};

    const std::string text = to_toml(machine);
    const auto back = machine_from_toml(text, "x");
    ASSERT_TRUE(back) << to_string(back.error());
    ASSERT_EQ(to_toml(*back), text);
    Machine copy = *back;
    const auto ours = parameters(machine), theirs = parameters(copy);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].parameter->value, theirs[i].parameter->value) << ours[i].name;
      EXPECT_EQ(ours[i].parameter->standard_error, theirs[i].parameter->standard_error) << ours[i].name;
      EXPECT_EQ(ours[i].parameter->origin, theirs[i].parameter->origin) << ours[i].name;
    }
    EXPECT_EQ(back->name, machine.name);
    EXPECT_EQ(back->notes, machine.notes);
    EXPECT_EQ(back->covariance, machine.covariance);
    EXPECT_EQ(back->patterns[0].points[0].seconds, pattern.points[0].seconds);
  }
}

TEST(MachineFile, EveryPrefixAndEveryChangedByteIsAnsweredWithAMachineOrAnError) {
  const std::string text = kByHand;
  for (std::size_t length = 0; length < text.size(); ++length)
    (void)machine_from_toml(text.substr(0, length), "x");
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto machine = machine_from_toml(damaged, "x");
    EXPECT_TRUE(!machine || check(*machine));
  }
}

TEST(MachineFile, SourcesAreTextsByNameWithOrWithoutQuotes) {
  const std::string text = std::string(kByHand) +
                           "[sources]\nlinks.network = \"a table\"\n\"memory.L1\" = \"a sheet\"\nnodes = \"a "
                           "list\"\n[environment]\nkernel = \"6.1.0\"\n";
  const auto machine = machine_from_toml(text, "cluster.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(source_of(*machine, "links.network.latency"), "a table");
  EXPECT_EQ(source_of(*machine, "memory.L1.capacity"), "a sheet");
  EXPECT_EQ(source_of(*machine, "memory.memory.bandwidth"), "");
  const auto again = machine_from_toml(to_toml(*machine), "again");
  EXPECT_EQ(again->sources, machine->sources);
  EXPECT_EQ(again->environment.at("kernel"), "6.1.0");
}

TEST(MachineFile, ASourceOfNothingIsShownWithItsPlace) {
  EXPECT_EQ(error_of("name = \"a\"\n[links.network]\nlatency = \"1us\"\ngap_per_byte = "
                     "\"1ns/B\"\n[sources]\n\"links.network.latncy\" = \"a table\"\n"),
            "here.machine.toml:6:26: error: \"links.network.latncy\" is nothing that could have a source\n"
            "    6 | \"links.network.latncy\" = \"a table\"\n"
            "      |                          ^ did you mean links.network.latency?");
}

TEST(MachineFile, MeasuresAreWrittenInTheUnitThatSuits) {
  EXPECT_EQ(format_measure(2.1e-6, Dimension::time), "2.1us");
  EXPECT_EQ(format_measure(0, Dimension::time), "0s");
  EXPECT_EQ(format_measure(65536, Dimension::data), "64KiB");
  EXPECT_EQ(format_measure(65000, Dimension::data), "65000B");
  EXPECT_EQ(format_measure(64e9, Dimension::data), "64GB");
  EXPECT_EQ(format_measure(-0.0, Dimension::time), "0s");
  EXPECT_EQ(format_measure(1.25e10, Dimension::rate), "12.5GB/s");
  EXPECT_EQ(format_measure(readable(4e-10, Dimension::time_per_byte), Dimension::time_per_byte), "0.4ns/B");
  EXPECT_EQ(format_measure(3, Dimension::none), "3");
  EXPECT_EQ(format_measure(readable(1.23456789e-6, Dimension::time), Dimension::time), "1.23457us");
}

TEST(MachineFile, NamesTheMachineThatItHolds) {
  EXPECT_EQ(name_of_file("here.machine.toml"), "here");
  EXPECT_EQ(name_of_file("some/folder/a.b.machine.toml"), "a.b");
  EXPECT_EQ(name_of_file("slow.toml"), "slow");
  EXPECT_EQ(name_of_file("slow"), "slow");
}

TEST(MachineFile, AWrittenFileReadsBack) {
  const auto path = std::filesystem::temp_directory_path() / "parcast-machine-file-test.machine.toml";
  auto machine = machine_from_toml(kByHand, "x");
  ASSERT_TRUE(machine);
  ASSERT_TRUE(write_machine(path, *machine));
  const auto back = read_machine(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_toml(*back), to_toml(*machine));
  EXPECT_FALSE(read_machine(path));
}

TEST(MachineFile, JsonSaysUnitAndOriginOfEveryNumber) {
  const auto machine = machine_from_toml(kByHand, "x");
  ASSERT_TRUE(machine);
  const std::string json = to_json(*machine);
  EXPECT_THAT(json, ::testing::HasSubstr("\"schema\": \"parcast.machine/1\""));
  EXPECT_THAT(json, ::testing::HasSubstr("\"unit\": \"s/B\""));
  EXPECT_THAT(json, ::testing::HasSubstr("\"origin\": \"assumed\""));
}

}  // namespace
}  // namespace parcast::machine
