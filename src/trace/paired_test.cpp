// SPDX-License-Identifier: Apache-2.0
#include "trace/paired.h"

#include <gtest/gtest.h>

namespace parcast::trace {
namespace {

/// Rank 0 sends six messages in a loop; rank 1 receives them one by one.
Trace small() {
  Trace trace;
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::send, .peer = 1, .tag = 3, .bytes = 8},
                      {.kind = Kind::receive, .peer = -1, .tag = 3, .bytes = 8}};
  trace.sequences = {{Item::loop(2, 3), Item::compute(5), Item::operation(0, 2)}, {Item::operation(1, 6)}};
  trace.sequence_of = {0, 1};
  return trace;
}

TEST(Paired, EveryMessageHasAReceive) {
  EXPECT_TRUE(is_paired(small()));
  Trace fewer = small();
  fewer.sequences[1] = {Item::operation(1, 5)};
  EXPECT_FALSE(is_paired(fewer));
}

TEST(Paired, TagsAndPartnersAreThoseOfTheMessage) {
  Trace other = small();
  other.operations[1].tag = 4;
  EXPECT_FALSE(is_paired(other));
  // a ring of three: every rank sends to the next one and receives from the previous one
  Trace ring;
  ring.ranks = 3;
  ring.operations = {{.kind = Kind::start_send, .peer = 1},
                     {.kind = Kind::start_send, .peer = -2},
                     {.kind = Kind::receive, .peer = -1},
                     {.kind = Kind::receive, .peer = 2}};
  ring.sequences = {{Item::operation(0), Item::operation(2)},
                    {Item::operation(1), Item::operation(2)},
                    {Item::operation(0), Item::operation(3)}};
  ring.sequence_of = {2, 0, 1};
  EXPECT_TRUE(is_paired(ring));
  ring.sequence_of = {2, 0, 0};
  EXPECT_FALSE(is_paired(ring));
}

TEST(Paired, ReceivesFromAnyTakeWhatComes) {
  Trace any = small();
  any.operations[1].peer = kAny;
  EXPECT_TRUE(is_paired(any));
  any.sequences[1] = {Item::operation(1, 7)};
  EXPECT_FALSE(is_paired(any));
}

TEST(Paired, CollectivesAreOfAllMembers) {
  Trace all = small();
  all.operations.push_back({.kind = Kind::collective, .pattern = recording::Pattern::barrier});
  all.sequences[0].push_back(Item::operation(2));
  EXPECT_FALSE(is_paired(all));
  all.sequences[1].push_back(Item::operation(2));
  EXPECT_TRUE(is_paired(all));
  all.communicators.push_back({{1}});
  all.operations.push_back(
      {.kind = Kind::collective, .pattern = recording::Pattern::barrier, .communicator = 1});
  all.sequences[1].push_back(Item::operation(3));
  EXPECT_TRUE(is_paired(all));
}

}  // namespace
}  // namespace parcast::trace
