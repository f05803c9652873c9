// SPDX-License-Identifier: Apache-2.0
#include "explain/outdone.h"

#include <gmock/gmock.h>

#include "predict/model_builder.h"

namespace parcast::explain {
namespace {

using predict::by_hand::measured;
using predict::by_hand::simple_machine;
using ::testing::ElementsAre;

machine::Machine named(std::string name, machine::Machine machine) {
  machine.name = std::move(name);
  return machine;
}

TEST(Outdone, AMachineThatIsSlowerInOneThingAndAlikeInAllElse) {
  const std::vector machines{named("near", simple_machine(1e-6, 1e-7, 1e-9)),
                             named("far", simple_machine(5e-6, 1e-7, 1e-9))};
  EXPECT_THAT(outdone(machines), ElementsAre(false, true));
}

TEST(Outdone, NoneThatIsBetterInSomething) {
  const std::vector machines{named("near", simple_machine(1e-6, 1e-7, 2e-9)),
                             named("wide", simple_machine(5e-6, 1e-7, 1e-9))};
  EXPECT_THAT(outdone(machines), ElementsAre(false, false));
}

TEST(Outdone, EqualMachinesDoNotOutdoEachOther) {
  const std::vector machines{named("a", simple_machine(1e-6, 1e-7, 2e-9)),
                             named("b", simple_machine(1e-6, 1e-7, 2e-9))};
  EXPECT_THAT(outdone(machines), ElementsAre(false, false));
}

TEST(Outdone, AFasterCoreIsBetter) {
  machine::Machine slow = named("slow", simple_machine(1e-6, 1e-7, 2e-9)), fast = named("fast", slow);
  slow.core_speed = measured(1e9), fast.core_speed = measured(2e9);
  EXPECT_THAT(outdone(std::vector{slow, fast}), ElementsAre(true, false));
}

TEST(Outdone, MachinesOfOtherShapeAreNotCompared) {
  machine::Machine few = named("few", simple_machine(5e-6, 1e-7, 2e-9)),
                   many = named("many", simple_machine(1e-6, 1e-7, 2e-9));
  few.cores_per_node = 8;
  EXPECT_THAT(outdone(std::vector{few, many}), ElementsAre(false, false));
}

}  // namespace
}  // namespace parcast::explain
