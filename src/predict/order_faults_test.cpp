// SPDX-License-Identifier: Apache-2.0
// Orders of operations that no run can have: messages without a receive, more messages than the model counts.
#include "predict/order_faults.h"

#include <gtest/gtest.h>

#include "trace/builder.h"

namespace parcast::predict {
namespace {

using trace::Kind;

/// Rank 0 sends three messages to rank 1, which receives `received` of them.
trace::Trace three_messages(std::uint32_t received, std::int32_t from, std::int32_t tag) {
  trace::Builder builder("test", 2);
  trace::RankBuilder sender(builder, 0), receiver(builder, 1);
  for (int k = 0; k < 3; ++k) sender.add({.kind = Kind::send, .peer = 1, .tag = 7, .bytes = 8});
  for (std::uint32_t k = 0; k < received; ++k)
    receiver.add({.kind = Kind::receive, .peer = from, .tag = tag, .bytes = 8});
  (void)sender.finish(), (void)receiver.finish();
  return builder.finish();
}

constexpr std::int32_t kAny = trace::kAny;

TEST(OrderFaults, AMessageWithoutAReceiveIsNoRun) {
  EXPECT_EQ(unmatched_messages(three_messages(2, -1, 7)),
            "at p = 2 the order of operations found has messages without a "
            "receive, or receives without a message: 1");
}

TEST(OrderFaults, AnotherTagIsNoReceiveOfTheMessage) {
  EXPECT_EQ(unmatched_messages(three_messages(3, -1, 8)),
            "at p = 2 the order of operations found has messages without a "
            "receive, or receives without a message: 6");
}

TEST(OrderFaults, AReceiveFromAnyRankTakesAnyMessage) {
  EXPECT_EQ(unmatched_messages(three_messages(3, kAny, kAny)), "");
  EXPECT_EQ(unmatched_messages(three_messages(1, kAny, 7)),
            "at p = 2 the order of operations found has messages without a "
            "receive, or receives without a message: 2");
}

TEST(OrderFaults, MessagesAreThoseThatTheModelCounts) {
  program::Model model;  // counts no messages
  EXPECT_EQ(other_message_count(model, {{}, 2}, three_messages(3, -1, 7)),
            "at p = 2 the order of operations found has 3 messages, and the model counts 0");
  EXPECT_EQ(other_message_count(model, {{}, 2}, trace::Builder("test", 2).finish()), "");
  model.sources.emplace_back().processes = 2;
  model.sources.back().parameters = {{"steps", 40}};
  EXPECT_EQ(other_message_count(model, {{{"steps", 40}}, 2}, three_messages(3, -1, 7)), "") << "was recorded";
  EXPECT_NE(other_message_count(model, {{{"steps", 80}}, 2}, three_messages(3, -1, 7)), "")
      << "p = 2 was recorded, with other steps";
}

}  // namespace
}  // namespace parcast::predict
