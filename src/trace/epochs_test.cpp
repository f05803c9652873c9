// SPDX-License-Identifier: Apache-2.0
// Epochs of one-sided access in handmade recordings, and their words in the trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "trace/from_recording.h"

namespace parcast::trace {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Pattern;
using recording::Recording;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

constexpr std::int32_t kShared = 1, kAlone = 2;

class Program {
 public:
  explicit Program(std::int32_t processes) {
    recording.processes = processes;
    for (std::int32_t rank = 0; rank < processes; ++rank) {
      recording::RankRecording& each = recording.ranks.emplace_back();
      each.rank = rank;
      each.finalised = each.complete = true;
      each.regions = {""};
      each.sites.emplace_back();
      each.shares.emplace_back();
      each.communicators.emplace_back();
      for (std::int32_t member = 0; member < processes; ++member)
        each.communicators[0].world_ranks.push_back(member);
    }
  }
  void add(std::int32_t rank, const std::string& name, Event event, std::int64_t compute = 0) {
    auto& on = recording.ranks[static_cast<std::size_t>(rank)];
    const auto known = std::find_if(recording.calls.begin(), recording.calls.end(),
                                    [&](const auto& call) { return call.name == name; });
    event.call = static_cast<std::uint16_t>(known - recording.calls.begin());
    if (known == recording.calls.end()) recording.calls.push_back(about(name));
    event.compute = compute;
    event.enter = (on.events.empty() ? 0 : on.events.back().exit) + compute;
    event.exit = event.enter + 10;
    on.events.push_back(event);
  }
  /// Adds a list of partners to a rank and returns its number.
  std::uint32_t group(std::int32_t rank, std::vector<recording::Share> members) {
    auto& shares = recording.ranks[static_cast<std::size_t>(rank)].shares;
    shares.push_back(std::move(members));
    return static_cast<std::uint32_t>(shares.size() - 1);
  }
  Recording recording;

 private:
  static recording::Call about(const std::string& name) {
    if (name == "MPI_Put" || name == "MPI_Get") return {name, CallClass::one_sided, Pattern::none};
    if (name == "MPI_Win_test") return {name, CallClass::test, Pattern::none};
    return {name, CallClass::epoch,
            name == "MPI_Win_post" || name == "MPI_Win_start" ? Pattern::neighbourhood : Pattern::none};
  }
};

/// An event on window `number` that names an owner and a kind of lock.
Event of(std::int32_t number, std::int32_t owner = recording::kNoPeer, std::int32_t what = 0) {
  return {.message = {owner, what, 0}, .received = {recording::kNoPeer, number + 1, 0}};
}
Event naming(std::int32_t number, std::uint32_t group) {
  return {.received = {recording::kNoPeer, number + 1, 0}, .sent_shares = group};
}
Event put(std::int32_t owner) {
  return {.message = {owner, 0, 8}};
}
Event unchecked(Event event) {
  event.received.bytes = 1;
  return event;
}

struct Traced {
  Trace trace;
  std::vector<std::string> warnings;
};
Traced traced(const Recording& recording) {
  auto result = from_recording(recording);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  if (!result) return {};
  const auto good = check(result->trace);
  EXPECT_TRUE(good) << (good ? "" : to_string(good.error()));
  return {std::move(result->trace), std::move(result->warnings)};
}

Lines lines(const Trace& trace, std::int32_t rank) {
  static const std::map<Kind, std::string> kinds{
      {Kind::send, "send"},         {Kind::start_receive, "start receive"}, {Kind::wait, "wait"},
      {Kind::start_write, "write"}, {Kind::lock_shared, "share"},           {Kind::lock_exclusive, "lock"},
      {Kind::unlock, "unlock"}};
  Lines out;
  for (Walker walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]); walker.next();) {
    if (walker.item().what() == Item::What::compute) {
      out.push_back("compute " + std::to_string(walker.item().time()));
      continue;
    }
    const Operation& o = trace.operations[walker.item().index()];
    std::string text = kinds.at(o.kind) + (o.mode == Mode::buffered ? " buffered" : "");
    if (o.kind == Kind::wait)
      for (const std::uint32_t since : trace.request_sets[o.requests]) text += " " + std::to_string(since);
    else if (o.kind == Kind::start_write)
      text += " " + std::to_string(rank + o.peer);
    else
      text += " " + (o.peer == kAny ? "all" : std::to_string(rank + o.peer)) + " tag " +
              std::to_string(o.tag) + (o.communicator > 0 ? " in " + std::to_string(o.communicator) : "");
    out.push_back(text);
  }
  return out;
}

TEST(Epochs, PostStartCompleteAndWaitAreMessagesOfACommunicatorOfTheirOwn) {
  Program run(4);
  run.add(0, "MPI_Win_post", naming(1, run.group(0, {{3, 0, 1, 0}, {1, 1, 2, 0}})), 5);
  run.add(0, "MPI_Win_wait", of(1));
  run.add(1, "MPI_Win_start", naming(1, run.group(1, {{0, 0, 1, 0}, {3, 0, 1, 0}})));
  run.add(1, "MPI_Put", put(0));
  run.add(1, "MPI_Win_complete", of(1), 2);
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("compute 5000", "send buffered 3 tag 2 in 1", "send buffered 1 tag 2 in 1",
                          "send buffered 2 tag 2 in 1", "start receive 3 tag 3 in 1",
                          "start receive 1 tag 3 in 1", "start receive 2 tag 3 in 1", "wait 1 2 3"));
  EXPECT_THAT(lines(trace, 1), ElementsAre("start receive 0 tag 2 in 1", "start receive 3 tag 2 in 1",
                                           "wait 1 2", "write 0", "compute 2000", "wait 1",
                                           "send buffered 0 tag 3 in 1", "send buffered 3 tag 3 in 1"));
  EXPECT_THAT(trace.communicators[1].members, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(trace.assumptions, Contains(HasSubstr("1 MPI_Win_start: taken to wait for the posts")));
}

TEST(Epochs, AnEmptyGroupIsOfNobody) {
  Program run(2);
  run.add(0, "MPI_Win_post", naming(0, 0));
  run.add(0, "MPI_Win_start", naming(0, 0));
  run.add(0, "MPI_Win_complete", of(0));
  run.add(0, "MPI_Win_wait", of(0), 3);
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 3000"));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Epochs, WithoutACheckNobodyTellsThatHeIsReady) {
  Program run(2);
  run.add(0, "MPI_Win_post", unchecked(naming(0, run.group(0, {{1, 0, 1, 0}}))));
  run.add(0, "MPI_Win_wait", of(0));
  run.add(1, "MPI_Win_start", unchecked(naming(0, run.group(1, {{0, 0, 1, 0}}))));
  run.add(1, "MPI_Win_complete", of(0));
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("start receive 1 tag 1 in 1", "wait 1"));
  EXPECT_THAT(lines(trace, 1), ElementsAre("send buffered 0 tag 1 in 1"));
}

TEST(Epochs, TestsAreTheWaitWhenTheyFindItOverAndWaitingBefore) {
  Program run(2);
  run.add(0, "MPI_Win_post", naming(0, run.group(0, {{1, 0, 1, 0}})));
  run.add(0, "MPI_Win_test", of(0), 4);
  run.add(0, "MPI_Win_test", of(0));
  run.add(0, "MPI_Win_test", of(0, recording::kNoPeer, recording::kEpochEnded), 1);
  run.add(0, "MPI_Put", put(1), 7);
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("send buffered 1 tag 0 in 1", "compute 5000", "start receive 1 tag 1 in 1",
                          "wait 1", "compute 7000", "write 1"));
}

TEST(Epochs, LocksNameTheirWindowAndOwner) {
  Program run(3);
  run.add(1, "MPI_Win_lock", of(0, 2, kAlone), 6);
  run.add(1, "MPI_Put", put(2));
  run.add(1, "MPI_Put", put(0));
  run.add(1, "MPI_Win_flush", of(0, 0));
  run.add(1, "MPI_Win_lock", of(4, 1, kShared));
  run.add(1, "MPI_Win_unlock", of(4, 1));
  run.add(1, "MPI_Win_unlock", of(0, 2), 3);
  run.add(1, "MPI_Win_lock_all", of(0, recording::kNoPeer, kShared));
  run.add(1, "MPI_Win_unlock_all", of(0));
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 1), ElementsAre("compute 6000", "lock 2 tag 0", "write 2", "write 0", "wait 1",
                                           "share 1 tag 4", "unlock 1 tag 4", "compute 3000", "wait 2",
                                           "unlock 2 tag 0", "share all tag 0", "unlock all tag 0"));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(trace.assumptions, Contains(HasSubstr("3 locks of windows: granted as their requests come")));
}

TEST(Epochs, WindowsOfOtherCommunicatorsAreOthers) {
  Program run(3);
  for (auto& rank : run.recording.ranks) rank.communicators.push_back({{2, 1}, {}, {}, {}});
  Event lock = of(0, 2, kAlone), unlock = of(0, 2);
  lock.communicator = unlock.communicator = 1;
  run.add(1, "MPI_Win_lock", of(0, 2, kAlone));
  run.add(1, "MPI_Win_lock", lock);
  run.add(1, "MPI_Win_unlock", unlock);
  run.add(1, "MPI_Win_unlock", of(0, 2));
  EXPECT_THAT(lines(traced(run.recording).trace, 1),
              ElementsAre("lock 2 tag 0", "lock 2 tag 0 in 1", "unlock 2 tag 0 in 1", "unlock 2 tag 0"));
}

TEST(Epochs, LocksWithoutACheckSendNothing) {
  Program run(2);
  run.add(0, "MPI_Win_lock_all", unchecked(of(0, recording::kNoPeer, kShared)));
  run.add(0, "MPI_Put", put(1));
  run.add(0, "MPI_Win_unlock_all", of(0));
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("write 1", "wait 1"));
  EXPECT_THAT(trace.assumptions, Contains(HasSubstr("1 lock of a window by MPI_MODE_NOCHECK")));
}

TEST(Epochs, RecordingsThatDoNotTellTheWindowLeaveThemOut) {
  Program run(2);
  run.add(0, "MPI_Win_lock", {}, 1);
  run.add(0, "MPI_Put", put(1));
  run.add(0, "MPI_Win_unlock", {});
  run.add(0, "MPI_Win_post", {});
  run.add(0, "MPI_Win_start", {});
  run.add(0, "MPI_Win_complete", {});
  run.add(0, "MPI_Win_wait", {});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 11000", "write 1", "wait 1", "compute 30000"));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("4 synchronisations of one-sided access are left out")));
}

}  // namespace
}  // namespace parcast::trace
