// SPDX-License-Identifier: Apache-2.0
// The engine `extrap` on written programs, whose time follows from ExtraP's parameters by hand.
#include "predict/by_extrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "language/written.h"
#include "machine/extrap.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using by_hand::ask;
using machine::ExtrapKey;
using testing::HasSubstr;

/// Ten rounds of n us of computing and a message of 8 n bytes to the next rank of a ring.
program::Model rounds() {
  auto model = program::written::model_of_text(
      "program test\nparameter n = 100\nrepeat 10\n  compute n us\n  shift 8*n B to (r + 1) mod p from (r - "
      "1) mod p\n",
      "test.program");
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : to_string(model.error()));
  return model.ok() ? *model : program::Model{};
}

machine::Machine extrap_machine() {
  machine::Machine out = by_hand::simple_machine(1e-6, 0, 0);
  out.extrap.emplace();
  return out;
}

double seconds(const machine::Machine& machine, std::int32_t p, double n) {
  const auto answer = extrap_engine().predict(rounds(), machine, ask(p, {{"n", n}}));
  EXPECT_TRUE(answer) << (answer ? "" : to_string(answer.error()));
  return answer ? answer->seconds.value : 0;
}

TEST(ByExtrap, WithoutCostsARunTakesItsComputing) {
  EXPECT_NEAR(seconds(extrap_machine(), 4, 100), 10 * 100e-6, 1e-10);  // 1 ps a message at the least
}

TEST(ByExtrap, MipsRatioScalesComputing) {
  machine::Machine machine = extrap_machine();
  (*machine.extrap)[ExtrapKey::mips_ratio] = 0.25;
  EXPECT_NEAR(seconds(machine, 4, 100), 0.25 * 10 * 100e-6, 1e-10);
}

TEST(ByExtrap, AMessageCostsItsStartupAndItsBytes) {
  machine::Machine machine = extrap_machine();
  (*machine.extrap)[ExtrapKey::comm_startup_time] = 50;    // us
  (*machine.extrap)[ExtrapKey::byte_transfer_time] = 0.1;  // us per byte
  for (const std::int32_t p : {2, 4, 16})
    EXPECT_NEAR(seconds(machine, p, 100), 10 * (100e-6 + 50e-6 + 800 * 0.1e-6), 1e-12) << p;
}

TEST(ByExtrap, PartsAreOfTheRankThatEndsLast) {
  machine::Machine machine = extrap_machine();
  (*machine.extrap)[ExtrapKey::comm_startup_time] = 50;
  const auto answer = extrap_engine().predict(rounds(), machine, ask(4, {{"n", 100}}));
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->parts.compute.value, 1e-3, 1e-12);
  EXPECT_NEAR(answer->parts.wait.value, 10 * 50e-6, 1e-12);
  EXPECT_EQ(answer->nodes, 4);
  ASSERT_EQ(answer->regions.size(), 1u);
  EXPECT_EQ(answer->regions[0].seconds.value, answer->seconds.value);
}

TEST(ByExtrap, MachinesWithoutItsParametersAreRefused) {
  machine::Machine machine = extrap_machine();
  machine.extrap.reset();
  const auto answer = extrap_engine().predict(rounds(), machine, ask(4, {{"n", 100}}));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("has no section [extrap]"));
}

}  // namespace
}  // namespace parcast::predict
