// SPDX-License-Identifier: Apache-2.0
#include "machine/extrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/machine_file.h"
#include "machine/tools.h"

namespace parcast::machine {
namespace {

using testing::HasSubstr;

Machine set(std::initializer_list<const char*> assignments) {
  Machine machine = ideal_machine();
  for (const char* assignment : assignments) {
    const auto done = set_parameter(machine, assignment);
    EXPECT_TRUE(done) << (done ? "" : to_string(done.error()));
  }
  return machine;
}

std::string refused(const char* assignment) {
  Machine machine = ideal_machine();
  const auto done = set_parameter(machine, assignment);
  EXPECT_FALSE(done) << assignment;
  EXPECT_FALSE(machine.extrap);
  return done ? "" : to_string(done.error());
}

TEST(Extrap, BareNumbersAreInTheUnitsOfThePaper) {
  const Machine machine =
      set({"MipsRatio=0.41", "CommStartupTime=10", "ByteTransferTime=0.118", "RequestMsgSize=64"});
  ASSERT_TRUE(machine.extrap);
  EXPECT_EQ((*machine.extrap)[ExtrapKey::mips_ratio], 0.41);
  EXPECT_EQ((*machine.extrap)[ExtrapKey::comm_startup_time], 10);
  EXPECT_EQ((*machine.extrap)[ExtrapKey::byte_transfer_time], 0.118);
  EXPECT_EQ((*machine.extrap)[ExtrapKey::request_msg_size], 64);
}

TEST(Extrap, UnitsAreConverted) {
  const Machine machine = set({"CommStartupTime=1.5ms", "ByteTransferTime=118ns/B", "RequestMsgSize=2KiB"});
  EXPECT_DOUBLE_EQ((*machine.extrap)[ExtrapKey::comm_startup_time], 1500);
  EXPECT_DOUBLE_EQ((*machine.extrap)[ExtrapKey::byte_transfer_time], 0.118);
  EXPECT_EQ((*machine.extrap)[ExtrapKey::request_msg_size], 2048);
}

TEST(Extrap, ChoicesHaveNamesAndNumbersAndTheWordsOfSpeedy) {
  for (const char* assignment :
       {"ProcessMsgType=Interrupt", "ProcessMsgType=4", "ProcessMsgType=Interruptible"})
    EXPECT_EQ((*set({assignment}).extrap)[ExtrapKey::process_msg_type], 4) << assignment;
  EXPECT_EQ((*set({"ProcessMsgType=AtBarriersAndRepliesOnly"}).extrap)[ExtrapKey::process_msg_type], 0);
  EXPECT_EQ((*set({"Topology=PipelinedRing"}).extrap)[ExtrapKey::topology], 4);
  EXPECT_EQ((*set({"BarrierByMsgs=False"}).extrap)[ExtrapKey::barrier_by_msgs], 0);
  EXPECT_EQ((*set({"BarrierEntryTime=7"}).extrap)[ExtrapKey::entry_time], 7);
}

TEST(Extrap, EveryNameIsFoundAgain) {
  for (std::size_t i = 0; i < kExtrapKeys; ++i)
    EXPECT_EQ(extrap_key(extrap_fields()[i].name), static_cast<ExtrapKey>(i));
  EXPECT_FALSE(extrap_key("Latency"));
}

TEST(Extrap, WhatCannotBeIsRefused) {
  EXPECT_THAT(refused("Topology=Shraed"), HasSubstr("did you mean Shared?"));
  EXPECT_THAT(refused("ProcessMsgType=5"), HasSubstr("known are NoInterrupt"));
  EXPECT_THAT(refused("CommStartupTime=-1"), HasSubstr("cannot be negative"));
  EXPECT_THAT(refused("CommStartupTime=2KiB"), HasSubstr("CommStartupTime"));
  EXPECT_THAT(refused("MipsRatio=0"), HasSubstr("no time"));
  EXPECT_THAT(refused("CommStartUpTime=1"), HasSubstr("did you mean CommStartupTime?"));
}

TEST(Extrap, AFileGivesItBack) {
  Machine machine = extrap_machine();
  machine.name = "a";
  machine.nodes = 8;
  (*machine.extrap)[ExtrapKey::topology] = 3;
  (*machine.extrap)[ExtrapKey::byte_transfer_time] = 0.118;
  const std::string text = to_toml(machine);
  const auto read = machine_from_toml(text, "a.machine.toml");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->extrap, machine.extrap);
  EXPECT_EQ(to_toml(*read), text);
  EXPECT_THAT(text, HasSubstr("EntryTime = 5\n"));
  EXPECT_THAT(text, HasSubstr("Topology = \"RingWithContention\"\n"));
}

TEST(Extrap, AFilesMistakesAreShownWhereTheyStand) {
  const auto error = [](const std::string& line) {
    const auto read = machine_from_toml("name = \"a\"\n[extrap]\n" + line + "\n", "a.machine.toml");
    EXPECT_FALSE(read);
    return read ? "" : to_string(read.error());
  };
  EXPECT_THAT(error("ComStartupTime = 1"),
              HasSubstr("a.machine.toml:3:1: error: \"ComStartupTime\" is not known here"));
  EXPECT_THAT(error("Topology = \"Tree\""), HasSubstr("a.machine.toml:3:12"));
  EXPECT_THAT(error("CommStartupTime = -3"), HasSubstr("cannot be negative"));
  EXPECT_THAT(error("CommStartupTime = true"), HasSubstr("a number, or a text in quotes"));
  EXPECT_TRUE(
      machine_from_toml("name = \"a\"\nnodes = 4\n[extrap]\nCommStartupTime = \"12us\"\n", "a.machine.toml"));
}

TEST(Extrap, Table1OfThePaper) {
  const Extrap table = extrap_table_1();
  EXPECT_EQ(table[ExtrapKey::entry_time], 5);
  EXPECT_EQ(table[ExtrapKey::exit_time], 5);
  EXPECT_EQ(table[ExtrapKey::check_time], 2);
  EXPECT_EQ(table[ExtrapKey::exit_check_time], 2);
  EXPECT_EQ(table[ExtrapKey::model_time], 10);
  EXPECT_EQ(table[ExtrapKey::barrier_by_msgs], 1);
  EXPECT_EQ(table[ExtrapKey::barrier_msg_size], 16);
}

TEST(Extrap, DiffNamesWhatDiffers) {
  Machine a = extrap_machine(), b = a;
  (*b.extrap)[ExtrapKey::model_time] = 11;
  const auto differences = changes(a, b);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].name, "extrap.ModelTime");
}

}  // namespace
}  // namespace parcast::machine
