// SPDX-License-Identifier: Apache-2.0
// Handmade recordings, and their traces word by word.
#include "trace/from_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "recording/cycle.h"
#include "recording/sample_rank.h"
#include "recording/unfold.h"

namespace parcast::trace {
namespace {

using recording::Asked;
using recording::CallClass;
using recording::Completion;
using recording::Event;
using recording::Message;
using recording::Pattern;
using recording::RankRecording;
using recording::Recording;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

const std::map<std::string, std::pair<CallClass, Pattern>> kCalls{
    {"MPI_Send", {CallClass::send, Pattern::none}},
    {"MPI_Ssend", {CallClass::send, Pattern::none}},
    {"MPI_Bsend", {CallClass::send, Pattern::none}},
    {"MPI_Recv", {CallClass::receive, Pattern::none}},
    {"MPI_Sendrecv", {CallClass::send_receive, Pattern::none}},
    {"MPI_Isend", {CallClass::start_send, Pattern::none}},
    {"MPI_Issend", {CallClass::start_send, Pattern::none}},
    {"MPI_Startall", {CallClass::start_send, Pattern::none}},
    {"MPI_Irecv", {CallClass::start_receive, Pattern::none}},
    {"MPI_Wait", {CallClass::wait, Pattern::none}},
    {"MPI_Test", {CallClass::test, Pattern::none}},
    {"MPI_Probe", {CallClass::probe, Pattern::none}},
    {"MPI_Iprobe", {CallClass::poll, Pattern::none}},
    {"MPI_Mprobe", {CallClass::probe, Pattern::none}},
    {"MPI_Imrecv", {CallClass::start_receive, Pattern::none}},
    {"MPI_Barrier", {CallClass::collective, Pattern::barrier}},
    {"MPI_Bcast", {CallClass::collective, Pattern::broadcast}},
    {"MPI_Allreduce", {CallClass::collective, Pattern::allreduce}},
    {"MPI_Ibarrier", {CallClass::start_collective, Pattern::barrier}},
    {"MPI_Iallreduce", {CallClass::start_collective, Pattern::allreduce}},
    {"MPI_Neighbor_alltoall", {CallClass::collective, Pattern::neighbourhood}},
    {"MPI_Ineighbor_alltoall", {CallClass::start_collective, Pattern::neighbourhood}},
    {"MPI_Comm_dup", {CallClass::communicator, Pattern::none}},
    {"MPI_Comm_free", {CallClass::communicator, Pattern::none}},
    {"MPI_Comm_create_group", {CallClass::communicator, Pattern::none}},
    {"MPI_Put", {CallClass::one_sided, Pattern::none}},
    {"MPI_Get", {CallClass::one_sided, Pattern::none}},
    {"MPI_Rget", {CallClass::one_sided, Pattern::none}},
    {"MPI_Fetch_and_op", {CallClass::one_sided, Pattern::none}},
    {"MPI_Win_lock", {CallClass::epoch, Pattern::none}},
    {"MPI_Win_flush", {CallClass::epoch, Pattern::none}},
    {"MPI_Win_sync", {CallClass::epoch, Pattern::none}},
    {"MPI_Win_fence", {CallClass::epoch, Pattern::barrier}},
    {"MPI_File_write", {CallClass::input_output, Pattern::none}},
    {"MPI_Finalize", {CallClass::finalise, Pattern::none}},
    {"begin", {CallClass::region_begin, Pattern::none}},
};

/// A recording of some ranks to which events are appended. An event begins `compute` nanoseconds after the
/// previous one and takes 10.
class Program {
 public:
  explicit Program(std::int32_t processes) {
    recording.program = "program";
    recording.processes = processes;
    for (const auto& [name, about] : kCalls) {
      numbers_[name] = static_cast<std::uint16_t>(recording.calls.size());
      recording.calls.push_back({name, about.first, about.second});
    }
    for (const auto& [what, asked] :
         {std::pair("named", Asked::named), std::pair("from any", Asked::any_source),
          std::pair("of any tag", Asked::any_tag), std::pair("of anything", Asked::anything)})
      for (const auto& [call, kind] :
           {std::pair("MPI_Recv", CallClass::receive), std::pair("MPI_Mrecv", CallClass::receive),
            std::pair("MPI_Sendrecv", CallClass::send_receive)}) {
        numbers_[std::string(call) + " " + what] = static_cast<std::uint16_t>(recording.calls.size());
        recording.calls.push_back({call, kind, Pattern::none, asked});
      }
    for (std::int32_t rank = 0; rank < processes; ++rank) {
      RankRecording& each = recording.ranks.emplace_back();
      each.rank = rank;
      each.finalised = each.complete = true;
      each.regions = {"", "main", "main/halo"};
      each.sites = {{}, {0, 16, "solve", "solve.c", 12, {}}};
      each.shares.emplace_back();
      each.communicators.emplace_back();
      for (std::int32_t member = 0; member < processes; ++member)
        each.communicators[0].world_ranks.push_back(member);
    }
  }

  RankRecording& rank(std::int32_t number) { return recording.ranks[static_cast<std::size_t>(number)]; }

  void add(std::int32_t number, const std::string& call, std::int64_t compute, Event event = {},
           const std::vector<Completion>& completions = {}) {
    RankRecording& on = rank(number);
    event.call = numbers_.at(call);
    event.compute = compute;
    event.enter = (on.events.empty() ? 0 : on.events.back().exit) + compute;
    event.exit = event.enter + 10;
    event.first_completion = static_cast<std::uint32_t>(on.completions.size());
    event.completion_count = static_cast<std::uint32_t>(completions.size());
    on.completions.insert(on.completions.end(), completions.begin(), completions.end());
    on.events.push_back(event);
  }

  Recording recording;

 private:
  std::map<std::string, std::uint16_t> numbers_;
};

struct Traced {
  Trace trace;
  std::vector<std::string> warnings;
};
Traced traced(const Recording& recording, Matching matching = Matching::arrival) {
  auto result = from_recording(recording, matching);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  if (!result) return {};
  const auto good = check(result->trace);
  EXPECT_TRUE(good) << (good ? "" : to_string(good.error()));
  return {std::move(result->trace), std::move(result->warnings)};
}

std::string text(const Trace& trace, const Operation& o) {
  static const std::map<Kind, std::string> kinds{{Kind::send, "send"},
                                                 {Kind::receive, "receive"},
                                                 {Kind::start_send, "start send"},
                                                 {Kind::start_receive, "start receive"},
                                                 {Kind::wait, "wait"},
                                                 {Kind::collective, "collective"},
                                                 {Kind::start_read, "start read"},
                                                 {Kind::start_write, "start write"},
                                                 {Kind::probe, "probe"}};
  static const std::map<Mode, std::string> modes{
      {Mode::standard, ""}, {Mode::synchronous, " synchronous"}, {Mode::buffered, " buffered"}};
  std::string out = kinds.at(o.kind) + modes.at(o.mode);
  if (o.kind == Kind::wait) {
    for (const std::uint32_t since : trace.request_sets[o.requests]) out += " " + std::to_string(since);
    return out;
  }
  if (o.kind == Kind::collective)
    out += " " + std::to_string(static_cast<int>(o.pattern)) + " root " + std::to_string(o.root);
  else
    out += " to " + (o.peer == kAny ? "any" : std::to_string(o.peer)) + " tag " +
           (o.tag == kAny ? "any" : std::to_string(o.tag));
  if (o.communicator > 0) out += " in " + std::to_string(o.communicator);
  return out + " " + std::to_string(o.bytes) + " B";
}

/// Returns what a rank does, one line per word.
Lines lines(const Trace& trace, std::int32_t rank) {
  Lines out;
  for (const Item item : trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]) {
    if (item.what() == Item::What::compute) out.push_back("compute " + std::to_string(item.time()));
    if (item.what() == Item::What::loop)
      out.push_back("loop " + std::to_string(item.words()) + " x " + std::to_string(item.times()));
    if (item.what() != Item::What::operation) continue;
    out.push_back(text(trace, trace.operations[item.index()]) +
                  (item.times() > 1 ? " x " + std::to_string(item.times()) : ""));
  }
  return out;
}

Message with(std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
  return {peer, tag, bytes};
}
Event sent(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t request = 0) {
  return {.message = with(peer, tag, bytes), .request = request};
}
Event received(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t request = 0) {
  return {.received = with(peer, tag, bytes), .request = request};
}
/// `collective` with the number of Pattern: 2 for a barrier, 4 for an allreduce.
std::string collective(Pattern pattern, const std::string& rest) {
  return "collective " + std::to_string(static_cast<int>(pattern)) + rest;
}

TEST(FromRecording, BlockingCallsAreWordsWithTheComputingBefore) {
  Program run(3);
  run.add(1, "MPI_Send", 5, sent(2, 7, 100));
  run.add(1, "MPI_Ssend", 0, sent(0, 7, 100));
  run.add(1, "MPI_Bsend", 2, sent(0, 7, 100));
  run.add(1, "MPI_Recv", 1, received(0, 3, 64));
  run.add(1, "MPI_Sendrecv", 0, {.message = with(2, 1, 8), .received = with(0, 2, 16)});
  run.add(1, "MPI_Finalize", 9);
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 1),
              ElementsAre("compute 5000", "send to 1 tag 7 100 B", "send synchronous to -1 tag 7 100 B",
                          "compute 2000", "send buffered to -1 tag 7 100 B", "compute 1000",
                          "receive to -1 tag 3 64 B", "start receive to -1 tag 2 16 B",
                          "start send to 1 tag 1 8 B", "wait 1 2", "compute 9000"));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("2 blocking receives")));
  EXPECT_THAT(lines(trace, 0), IsEmpty());
  EXPECT_EQ(trace.program, "program");
}

/// Ranks 0 and 2 are one group of an intercommunicator, 1 and 3 the other; each rank lists the other group.
Program with_two_groups() {
  Program program(4);
  for (std::int32_t number = 0; number < 4; ++number) {
    recording::Communicator& inter = program.rank(number).communicators.emplace_back();
    inter.world_ranks = number % 2 == 0 ? std::vector<std::int32_t>{1, 3} : std::vector<std::int32_t>{0, 2};
  }
  return program;
}

TEST(FromRecording, ABroadcastOfAnIntercommunicatorIsOneOfItsRootAndTheOtherGroup) {
  Program program = with_two_groups();
  for (std::int32_t number = 0; number < 4; ++number) {
    Event event;
    event.communicator = 1;
    event.message.peer = number == 2 ? recording::kNoPeer : 0;
    (number == 0 ? event.message.bytes : event.received.bytes) = number == 2 ? 0 : 1000;
    program.add(number, "MPI_Bcast", 0, event);
  }
  const Trace trace = traced(program.recording).trace;
  ASSERT_TRUE(check(trace));
  for (std::int32_t number = 0; number < 4; ++number) {
    const Sequence& words = trace.sequences[trace.sequence_of[static_cast<std::size_t>(number)]];
    const auto at = std::ranges::find(words, Item::What::operation, &Item::what);
    ASSERT_EQ(at != words.end(), number != 2) << number;
    if (number == 2) continue;
    const Operation& operation = trace.operations[at->index()];
    EXPECT_EQ(operation.pattern, Pattern::broadcast);
    EXPECT_EQ(operation.bytes, 1000u);
    EXPECT_EQ(operation.root, 0);
    EXPECT_THAT(trace.communicators[operation.communicator].members, ElementsAre(0, 1, 3));
  }
}

TEST(FromRecording, ReductionsOfAllOfAnIntercommunicatorKeepTheirBytesInBothGroups) {
  Program program = with_two_groups();
  for (std::int32_t number = 0; number < 4; ++number) {
    Event event;
    event.communicator = 1;
    event.message.bytes = 64;
    program.add(number, "MPI_Allreduce", 0, event);
  }
  const Trace trace = traced(program.recording).trace;
  ASSERT_EQ(trace.operations.size(), 1u);
  EXPECT_EQ(trace.operations[0].pattern, Pattern::allreduce);
  EXPECT_EQ(trace.operations[0].bytes, 64u);
  EXPECT_EQ(trace.communicators[trace.operations[0].communicator].members.size(), 4u);
}

TEST(FromRecording, NobodyIsNoPartnerAndWhoIsOutsideIsCounted) {
  Program run(2);
  run.add(0, "MPI_Send", 1, sent(recording::kNoPeer, 7, 0));
  run.add(0, "MPI_Sendrecv", 1, {.message = with(recording::kNoPeer, 1, 0), .received = with(1, 2, 16)});
  run.add(0, "MPI_Sendrecv", 1, {.message = with(1, 1, 4), .received = with(recording::kNoPeer, 2, 0)});
  run.add(0, "MPI_Send", 1, sent(recording::kOutside, 7, 4));
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 2000", "receive to 1 tag 2 16 B", "compute 1000",
                                           "send to 1 tag 1 4 B", "compute 1000"));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 message has a partner outside")));
}

TEST(FromRecording, WaitsNameTheRequestsThatWereCompleted) {
  Program run(2);
  run.add(0, "MPI_Irecv", 0, received(1, 1, 8, 1));
  // begun with MPI_PROC_NULL: not a request of the trace
  run.add(0, "MPI_Irecv", 0, received(recording::kNoPeer, 1, 0, 2));
  run.add(0, "MPI_Issend", 0, sent(1, 1, 8, 3));
  run.add(0, "MPI_Test", 0);
  run.add(0, "MPI_Iprobe", 0);
  run.add(0, "MPI_Isend", 0, sent(1, 2, 8, 4));
  run.add(0, "MPI_Wait", 0, {}, {{2, recording::kNoPeer, 0, 0}});
  run.add(0, "MPI_Wait", 0, {}, {{1, 1, 1, 8}, {2, -1, 0, 0}, {4, -1, 0, 0}});
  run.add(0, "MPI_Test", 3, {}, {{3, -1, 0, 0}});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(
      lines(trace, 0),
      ElementsAre("start receive to 1 tag 1 8 B", "start send synchronous to 1 tag 1 8 B", "compute 20000",
                  "start send to 1 tag 2 8 B", "wait 1 3", "compute 3000", "wait 2"));
}

TEST(FromRecording, PollsAreWaitingWhereTheyFindSomethingInTheEnd) {
  Program run(2);
  run.add(0, "MPI_Irecv", 0, received(1, 1, 8, 1));
  run.add(0, "MPI_Irecv", 0, received(1, 2, 8, 2));
  run.add(0, "MPI_Test", 1);  // these two polls ...
  run.add(0, "MPI_Iprobe", 2, {.message = with(1, 3, 0)});
  // ... were waiting for this one; the computing in between counts
  run.add(0, "MPI_Test", 3, {}, {{1, 1, 1, 8}});
  run.add(0, "MPI_Test", 0);  // 10 ns, after which the program chose to send
  run.add(0, "MPI_Send", 4, sent(1, 7, 100));
  run.add(0, "MPI_Test", 0);  // 10 ns; no later call at this place finds anything
  run.add(0, "MPI_Iprobe", 0, {.message = with(1, 3, 0), .received = with(1, 3, 8)});
  run.add(0, "MPI_Iprobe", 0, {.message = with(1, 4, 0)});
  run.add(0, "MPI_Iprobe", 5, {.message = with(1, 4, 0), .received = with(1, 4, 8)});
  run.add(0, "MPI_Wait", 0, {}, {{2, 1, 2, 8}});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("start receive to 1 tag 1 8 B", "start receive to 1 tag 2 8 B", "compute 6000",
                          "wait 2", "compute 14000", "send to 1 tag 7 100 B", "compute 15000", "wait 1"));
  EXPECT_THAT(trace.assumptions,
              ElementsAre(HasSubstr("something else (20.0 ns, all ranks together), count")));
}

TEST(FromRecording, WhatKeepsARankFromItsOwnCoreCountsAsComputing) {
  for (const int cores : {2, 1, 0}) {  // 1: the two ranks share the core; 0: unknown
    Program run(2);
    for (RankRecording& rank : run.recording.ranks) rank.host = "node", rank.cores = cores;
    run.rank(0).overhead_per_event = 3e-9;
    run.add(0, "MPI_Send", 5, sent(1, 7, 100));
    run.add(0, "MPI_Send", 50, sent(1, 8, 100));
    run.rank(0).events[1].compute = 40;  // of the 50 ns between the calls; the recorder used 3
    run.rank(0).events[1].switched = true;
    run.add(0, "MPI_Send", 50, sent(1, 9, 100));
    run.rank(0).events[2].compute = 40;  // not switched: the recorder used the rest
    const auto [trace, warnings] = traced(run.recording);
    EXPECT_THAT(
        lines(trace, 0),
        ElementsAre("compute 5000", "send to 1 tag 7 100 B", cores == 2 ? "compute 47000" : "compute 40000",
                    "send to 1 tag 8 100 B", "compute 40000", "send to 1 tag 9 100 B"));
    EXPECT_THAT(trace.assumptions, testing::SizeIs(cores == 2 ? 1 : 0));
  }
}

TEST(FromRecording, MeansHaveTheirShareOfWhatKeptTheRankFromItsCore) {
  Program run(1);
  RankRecording& rank = run.rank(0);
  rank.host = "node", rank.cores = 1;
  run.add(0, "MPI_Comm_free", 400);
  run.add(0, "MPI_Comm_free", 600);
  for (Event& event : rank.events) event.estimated = true;
  rank.total_compute = 1000;
  rank.wall = 1270;  // 20 in calls, 250 off the processor
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 1250000"));
}

TEST(FromRecording, FurtherRequestsOfOneCallTakeNoComputing) {
  Program run(2);
  run.add(0, "MPI_Startall", 4, sent(1, 1, 8, 1));
  run.add(0, "MPI_Startall", 4, {.message = with(1, 2, 8), .request = 2, .continued = true});
  run.add(0, "MPI_Wait", 0, {}, {{1, -1, 0, 0}, {2, -1, 0, 0}});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 4000", "start send to 1 tag 1 8 B",
                                           "start send to 1 tag 2 8 B", "wait 1 2"));
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("2 sends by MPI_Start")));
}

/// Nonblocking receives with wildcards, and one that never completes.
Program nonblocking_of_any() {
  Program run(4);
  run.add(0, "MPI_Irecv", 0, received(recording::kAnySource, -1, 80, 1));
  run.add(0, "MPI_Irecv", 0, received(recording::kAnySource, 5, 80, 2));
  run.add(0, "MPI_Irecv", 0, received(2, -1, 80, 3));
  run.add(0, "MPI_Irecv", 0, received(recording::kAnySource, 5, 80, 4));  // never completes
  run.add(0, "MPI_Wait", 0, {}, {{2, 3, 5, 80}});
  run.add(0, "MPI_Wait", 0, {}, {{1, 1, 9, 80}, {3, 2, 6, 80}});
  return run;
}

TEST(FromRecording, ReceivesFromAnybodyTakeWhatArrives) {
  const auto [trace, warnings] = traced(nonblocking_of_any().recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("start receive to any tag any 80 B", "start receive to any tag 5 80 B",
                          "start receive to 2 tag any 80 B", "wait 2", "wait 1 3"));
  EXPECT_THAT(
      trace.assumptions,
      ElementsAre(HasSubstr(
          "3 receives and probes from any source or with any tag: which message comes first is simulated")));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 receive is left out")));
}

TEST(FromRecording, ReceivesFromAnybodyTakeTheMessageThatCameWhereThatIsAskedFor) {
  const auto [trace, warnings] = traced(nonblocking_of_any().recording, Matching::recorded);
  EXPECT_THAT(lines(trace, 0), ElementsAre("start receive to 1 tag 9 80 B", "start receive to 3 tag 5 80 B",
                                           "start receive to 2 tag 6 80 B", "wait 2", "wait 1 3"));
  EXPECT_THAT(trace.assumptions,
              ElementsAre(HasSubstr("2 receives and probes from any source: the source is"),
                          HasSubstr("2 receives and probes with any tag: the tag is")));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 receive is left out")));
}

TEST(FromRecording, BlockingReceivesAskForWhatTheirCallSays) {
  Program run(3);
  run.add(0, "MPI_Recv named", 0, received(1, 3, 8));
  run.add(0, "MPI_Recv from any", 0, received(2, 3, 8));
  run.add(0, "MPI_Recv of any tag", 0, received(1, 4, 8));
  run.add(0, "MPI_Sendrecv of anything", 0, {.message = with(1, 1, 8), .received = with(2, 5, 16)});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("receive to 1 tag 3 8 B", "receive to any tag 3 8 B", "receive to 1 tag any 8 B",
                          "start receive to any tag any 16 B", "start send to 1 tag 1 8 B", "wait 1 2"));
  EXPECT_THAT(trace.assumptions,
              ElementsAre(HasSubstr("3 receives and probes from any source or with any tag")));
  const auto recorded = traced(run.recording, Matching::recorded);
  EXPECT_THAT(lines(recorded.trace, 0),
              ElementsAre("receive to 1 tag 3 8 B", "receive to 2 tag 3 8 B", "receive to 1 tag 4 8 B",
                          "start receive to 2 tag 5 16 B", "start send to 1 tag 1 8 B", "wait 1 2"));
  EXPECT_THAT(recorded.trace.assumptions, ElementsAre(HasSubstr("2 receives and probes from any source"),
                                                      HasSubstr("2 receives and probes with any tag")));
}

constexpr std::int32_t kAnyTag = -1;

TEST(FromRecording, TheReceiveBehindAProbeIsForTheSame) {
  Program run(3);
  run.add(0, "MPI_Probe", 1,
          {.message = with(recording::kAnySource, kAnyTag, 0), .received = with(2, 7, 24)});
  run.add(0, "MPI_Recv named", 2, received(2, 7, 24));
  run.add(0, "MPI_Recv named", 0, received(2, 7, 24));  // a different receive
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 1000", "probe to any tag any 0 B", "compute 2000",
                                           "receive to any tag any 24 B", "receive to 2 tag 7 24 B"));
  EXPECT_THAT(trace.assumptions,
              ElementsAre(HasSubstr("2 receives and probes from any source or with any tag")));
  const auto recorded = traced(run.recording, Matching::recorded);
  EXPECT_THAT(lines(recorded.trace, 0), ElementsAre("compute 1000", "probe to 2 tag 7 0 B", "compute 2000",
                                                    "receive to 2 tag 7 24 B x 2"));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(FromRecording, AReceiveOfSomethingElseLeavesWhatAProbeFound) {
  Program run(3);
  run.rank(0).communicators.push_back(run.rank(0).communicators[0]);
  run.add(0, "MPI_Probe", 0, {.message = with(recording::kAnySource, 7, 0), .received = with(2, 7, 24)});
  run.add(0, "MPI_Recv named", 0, received(1, 7, 8));
  run.add(0, "MPI_Recv named", 0, received(2, 6, 8));
  run.add(0, "MPI_Recv named", 0, {.communicator = 1, .received = with(2, 7, 8)});
  run.add(0, "MPI_Irecv", 0, received(2, 7, 24, 1));
  run.add(0, "MPI_Wait", 0, {}, {{1, 2, 7, 24}});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("probe to any tag 7 0 B", "receive to 1 tag 7 8 B", "receive to 2 tag 6 8 B",
                          "receive to 2 tag 7 in 1 8 B", "start receive to any tag 7 24 B", "wait 1"));
}

TEST(FromRecording, AnIprobeThatFoundAMessageIsWaitedForByTheReceive) {
  Program run(3);
  run.add(0, "MPI_Iprobe", 1, {.message = with(recording::kAnySource, 7, 0)});
  run.add(0, "MPI_Iprobe", 1, {.message = with(recording::kAnySource, 7, 0), .received = with(2, 7, 24)});
  run.add(0, "MPI_Recv named", 1, received(2, 7, 24));
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 3000", "receive to any tag 7 24 B"));
}

TEST(FromRecording, AMatchedReceiveIsForWhatItsProbeLookedFor) {
  Program run(3);
  run.add(0, "MPI_Mprobe", 0, {.message = with(recording::kAnySource, 7, 0), .received = with(2, 7, 24)});
  run.add(0, "MPI_Mrecv named", 0, received(2, 7, 24));
  run.add(0, "MPI_Mprobe", 0, {.message = with(1, kAnyTag, 0), .received = with(1, 8, 24)});
  run.add(0, "MPI_Imrecv", 0, received(recording::kAnySource, kAnyTag, 24, 1));
  run.add(0, "MPI_Mrecv named", 0, received(2, 9, 24));  // no recorded probe before it
  run.add(0, "MPI_Wait", 0, {}, {{1, 1, 8, 24}});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("probe to any tag 7 0 B", "receive to any tag 7 24 B", "probe to 1 tag any 0 B",
                          "start receive to 1 tag any 24 B", "receive to 2 tag 9 24 B", "wait 1"));
  EXPECT_THAT(trace.assumptions,
              ElementsAre(HasSubstr("4 receives and probes from any source"), HasSubstr("2 matched probes")));
}

TEST(FromRecording, WhatARecordingDoesNotTellIsTakenAsItCame) {
  Program run(3);
  run.add(0, "MPI_Recv", 0, received(1, 3, 8));
  run.add(0, "MPI_Probe", 0, {.message = with(recording::kAnySource, 3, 0), .received = with(2, 3, 8)});
  run.add(0, "MPI_Recv", 0, received(2, 3, 8));  // its probe named source and tag
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("receive to 1 tag 3 8 B", "probe to any tag 3 0 B", "receive to any tag 3 8 B"));
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("2 receives and probes from any"),
                                             HasSubstr("1 blocking receive: source and tag")));
}

TEST(FromRecording, AReceiveFromAnybodyThatTakesVeryLongDoesNotHoldUpTheOthers) {
  Program run(3);
  constexpr std::uint32_t kMany = 80000;
  run.add(0, "MPI_Irecv", 0, received(recording::kAnySource, 1, 8, 1));
  for (std::uint32_t i = 2; i < kMany; ++i) {
    run.add(0, "MPI_Irecv", 0, received(recording::kAnySource, 2, 8, i));
    run.add(0, "MPI_Wait", 0, {}, {{i, 2, 2, 8}});
  }
  run.add(0, "MPI_Wait", 0, {}, {{1, 1, 1, 8}});
  const auto [trace, warnings] = traced(run.recording, Matching::recorded);
  EXPECT_THAT(lines(trace, 0), ElementsAre("start receive to 1 tag 1 8 B", "loop 2 x 79998",
                                           "start receive to 2 tag 2 8 B", "wait 1", "wait 79999"));
}

TEST(FromRecording, CollectivesHaveTheirRootInTheCommunicatorAndOneNumberOnAllRanks) {
  Program run(4);
  recording::Communicator odd, alone, twice;
  odd.world_ranks = {3, 1};
  alone.world_ranks = {1};
  twice.world_ranks = {0, 1, 2, 3};
  run.rank(1).communicators.insert(run.rank(1).communicators.end(), {alone, twice, odd});
  run.rank(3).communicators.insert(run.rank(3).communicators.end(), {odd, twice});
  const auto broadcast = [](std::int32_t root, std::uint32_t communicator) {
    return Event{.communicator = communicator, .message = with(root, 0, 0), .received = with(-1, 0, 24)};
  };
  run.add(1, "MPI_Allreduce", 0, {.communicator = 1, .message = with(-1, 0, 8)});  // over a single rank
  run.add(1, "MPI_Bcast", 0, broadcast(3, 3));
  run.add(1, "MPI_Allreduce", 0, {.communicator = 2, .message = with(-1, 0, 8), .received = with(-1, 0, 8)});
  run.add(3, "MPI_Bcast", 0, broadcast(1, 1));
  run.add(3, "MPI_Allreduce", 0, {.communicator = 2, .message = with(-1, 0, 8), .received = with(-1, 0, 8)});
  run.add(3, "MPI_Bcast", 0, broadcast(2, 0));
  const auto [trace, warnings] = traced(run.recording);
  const auto made = from_recording(run.recording);
  ASSERT_TRUE(made && made->alone.size() == 1);  // one place, although more ranks call it later
  EXPECT_EQ(made->alone[0].call, "MPI_Allreduce");
  EXPECT_THAT(lines(trace, 1), ElementsAre(collective(Pattern::broadcast, " root 0 in 1 24 B"),
                                           collective(Pattern::allreduce, " root 0 in 2 8 B")));
  EXPECT_THAT(lines(trace, 3), ElementsAre(collective(Pattern::broadcast, " root 1 in 1 24 B"),
                                           collective(Pattern::allreduce, " root 0 in 2 8 B"),
                                           collective(Pattern::broadcast, " root 2 24 B")));
  EXPECT_THAT(trace.communicators[1].members, ElementsAre(3, 1));
  EXPECT_THAT(trace.communicators[2].members, ElementsAre(0, 1, 2, 3));
}

TEST(FromRecording, StartedCollectivesHappenAtTheWaitInTheOrderInWhichTheyWereStarted) {
  Program run(2);
  const auto all = [](std::uint64_t bytes, std::uint32_t request = 0) {
    return Event{.message = with(-1, 0, bytes), .request = request};
  };
  run.add(0, "MPI_Ibarrier", 0, all(0, 1));
  run.add(0, "MPI_Iallreduce", 0, all(8, 2));
  run.add(0, "MPI_Isend", 0, sent(1, 1, 4, 3));
  run.add(0, "MPI_Wait", 6, {}, {{2, -1, 0, 0}, {3, -1, 0, 0}});  // the barrier was done earlier
  run.add(0, "MPI_Wait", 0, {}, {{1, -1, 0, 0}});
  run.add(0, "MPI_Iallreduce", 0, all(16, 4));
  run.add(0, "MPI_Allreduce", 0, all(32));
  run.add(0, "MPI_Wait", 0, {}, {{4, -1, 0, 0}});
  run.add(0, "MPI_Ibarrier", 0, all(0, 5));
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("start send to 1 tag 1 4 B", "compute 6000",
                                           collective(Pattern::barrier, " root 0 0 B"),
                                           collective(Pattern::allreduce, " root 0 8 B"), "wait 1",
                                           collective(Pattern::allreduce, " root 0 16 B"),
                                           collective(Pattern::allreduce, " root 0 32 B"),
                                           collective(Pattern::barrier, " root 0 0 B")));
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("4 nonblocking collectives")));
}

TEST(FromRecording, NeighboursExchangeMessages) {
  Program run(4);
  run.rank(0).shares = {{}, {{1, 2, 2, 8}}, {{3, -2, 2, 16}}};  // to 1 and 3; from 3 and 1
  run.add(0, "MPI_Neighbor_alltoall", 1,
          {.message = with(-1, 0, 16), .received = with(-1, 0, 32), .sent_shares = 1, .received_shares = 2});
  run.add(0, "MPI_Ineighbor_alltoall", 0,
          {.message = with(-1, 0, 16), .received = with(-1, 0, 0), .sent_shares = 1, .request = 1});
  run.add(0, "MPI_Wait", 0, {}, {{1, -1, 0, 0}});
  run.add(0, "MPI_Neighbor_alltoall", 0, {.message = with(-1, 0, 16)});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0),
              ElementsAre("compute 1000", "start receive to 3 tag -1 16 B", "start receive to 1 tag -1 16 B",
                          "start send to 1 tag -1 8 B", "start send to 3 tag -1 8 B", "wait 1 2 3 4",
                          "start send to 1 tag -1 8 B", "start send to 3 tag -1 8 B", "wait 1 2"));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 neighbourhood collective is left out")));
}

TEST(FromRecording, MakingACommunicatorIsASmallAllreduce) {
  Program run(3);
  recording::Communicator pair;
  pair.world_ranks = {0, 2};
  run.rank(0).communicators.push_back(pair);
  run.add(0, "MPI_Comm_dup", 0);
  run.add(0, "MPI_Comm_create_group", 0, {.created = 1});
  run.add(0, "MPI_Comm_create_group", 0);
  run.add(0, "MPI_Comm_free", 0, {.communicator = 1});
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre(collective(Pattern::allreduce, " root 0 4 B"),
                                           collective(Pattern::allreduce, " root 0 in 1 4 B")));
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("2 calls that make communicators")));
}

TEST(FromRecording, WhatIsLeftOutIsCountedAndItsTimeIsKept) {
  Program run(2);
  run.add(0, "MPI_Win_lock", 1);
  run.add(0, "MPI_Win_lock", 1);
  run.add(0, "MPI_Win_sync", 0);
  run.add(0, "MPI_File_write", 0);
  run.add(0, "MPI_Probe", 0);
  run.add(0, "MPI_Barrier", 0);
  run.rank(0).unfollowed = {{"MPI_Pready", 6}};
  run.rank(1).complete = false;
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 42000", collective(Pattern::barrier, " root 0 0 B")));
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("1 process did not reach"), HasSubstr("6 calls are left out"),
                          HasSubstr("1 probe is"), HasSubstr("2 synchronisations of one-sided access are"),
                          HasSubstr("1 file operation is")));
}

TEST(FromRecording, OneSidedAccessesAreCompleteAtTheNextSynchronisation) {
  Program run(2);
  run.add(0, "MPI_Put", 1, sent(1, 0, 8));
  run.add(0, "MPI_Get", 0, {.received = with(1, 0, 100)});
  run.add(0, "MPI_Put", 0, sent(-1, 0, 8));  // to MPI_PROC_NULL
  run.add(0, "MPI_Win_fence", 0);
  run.add(0, "MPI_Rget", 0, {.received = with(1, 0, 200), .request = 7});
  run.add(0, "MPI_Wait", 0, {}, {{7, -1, 0, 0}});
  run.add(0, "MPI_Fetch_and_op", 0, {.message = with(1, 0, 4), .received = with(1, 0, 4)});
  run.add(0, "MPI_Win_flush", 0);
  run.add(0, "MPI_Win_flush", 0);
  run.add(1, "MPI_Win_fence", 0);
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(
      lines(trace, 0),
      ElementsAre("compute 1000", "start write to 1 tag 0 8 B", "start read to 1 tag 0 100 B", "wait 1 2",
                  collective(Pattern::barrier, " root 0 0 B"), "start read to 1 tag 0 200 B", "wait 1",
                  "start write to 1 tag 0 4 B", "start read to 1 tag 0 4 B", "wait 1 2 3"));
  EXPECT_THAT(lines(trace, 1), ElementsAre(collective(Pattern::barrier, " root 0 0 B")));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(trace.assumptions,
              ElementsAre(HasSubstr("4 one-sided accesses: begun"),
                          HasSubstr("1 one-sided access that put and get at once"), HasSubstr("2 flushes")));
}

TEST(FromRecording, PlacesSayRegionSiteAndCall) {
  Program run(2);
  run.add(0, "begin", 2, {.region = 1});
  run.add(0, "MPI_Send", 0, {.site = 1, .region = 2, .message = with(1, 0, 8)});
  run.add(1, "MPI_Recv", 0, {.message = with(-1, 0, 0), .received = with(0, 0, 8)});
  const auto [trace, warnings] = traced(run.recording);
  const Place at_send{"main/halo", "solve", "solve.c", 12, "MPI_Send"}, at_receive{"", "", "", 0, "MPI_Recv"};
  EXPECT_EQ(trace.places, (std::vector<Place>{at_send, at_receive}));
  EXPECT_EQ(trace.operations[0].place, 0u);
}

// A program without debug lines: two receives of one function, each with its own return address.
TEST(FromRecording, CallsOfAFunctionWithoutLinesAreDifferentPlaces) {
  Program run(2);
  run.rank(1).modules = {{"app", "4f2b"}};
  run.rank(1).sites = {{}, {0, 0x10, "solve", "", 0, {}}, {0, 0x2c, "solve", "", 0, {}}};
  run.add(0, "MPI_Send", 0, {.message = with(1, 0, 8)});
  run.add(0, "MPI_Send", 0, {.message = with(1, 0, 8)});
  run.add(1, "MPI_Recv", 0, {.site = 1, .message = with(-1, 0, 0), .received = with(0, 0, 8)});
  run.add(1, "MPI_Recv", 0, {.site = 2, .message = with(-1, 0, 0), .received = with(0, 0, 8)});
  const auto [trace, warnings] = traced(run.recording);
  const Place at_send{"", "", "", 0, "MPI_Send"}, first{"", "solve at 0x10", "", 0, "MPI_Recv"},
      second{"", "solve at 0x2c", "", 0, "MPI_Recv"};
  EXPECT_EQ(trace.places, (std::vector<Place>{at_send, first, second}));
}

TEST(FromRecording, AShareOfACoreComputesLonger) {
  Program run(1);
  run.rank(0).processor_share = 0.25;
  run.add(0, "MPI_Finalize", 10);
  const auto [trace, warnings] = traced(run.recording);
  EXPECT_THAT(lines(trace, 0), ElementsAre("compute 40000"));
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("1 process")));
}

TEST(FromRecording, MissingProcessesAndLostOrderAreErrors) {
  Program missing(2);
  missing.recording.processes = 3;
  EXPECT_FALSE(from_recording(missing.recording));
  Program unordered(1);
  unordered.rank(0).chapters.emplace_back().events = 12;
  const auto result = from_recording(unordered.recording);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("12 events"));
  EXPECT_EQ(result.error().where, "rank 0");
}

/// Rounds of an exchange with requests, an allreduce in every fourth round, and puts, written as the recorder
/// does.
RankRecording folded_rank(std::int32_t rank, int rounds, std::vector<recording::Call>& calls) {
  using recording::SampleRank;
  const recording::Scratch scratch;
  SampleRank file(scratch / "rank.rec", rank, 2);
  const auto call = [&](std::uint16_t number, parcast_call_class kind, parcast_pattern pattern,
                        const char* name) {
    parcast_put_call(&file.writer, &file.stream, number, static_cast<std::uint8_t>(kind),
                     static_cast<std::uint8_t>(pattern), name);
  };
  call(20, PARCAST_CLASS_start_receive, PARCAST_PATTERN_none, "MPI_Irecv");
  call(21, PARCAST_CLASS_start_send, PARCAST_PATTERN_none, "MPI_Isend");
  call(22, PARCAST_CLASS_wait, PARCAST_PATTERN_none, "MPI_Waitall");
  call(23, PARCAST_CLASS_collective, PARCAST_PATTERN_allreduce, "MPI_Allreduce");
  call(24, PARCAST_CLASS_one_sided, PARCAST_PATTERN_none, "MPI_Put");
  file.writer.ticks_per_nanosecond = 2;
  parcast_stream events{};
  parcast_cycle_begin(&events, 0);
  std::mt19937 random(7);
  const auto words = [](std::int32_t peer, std::uint64_t bytes, std::uint32_t request) {
    std::vector<std::uint64_t> all = SampleRank::message(peer, 1, bytes);
    if (request > 0) all.push_back(request);
    return all;
  };
  for (int round = 0; round < rounds; ++round) {
    const auto request = static_cast<std::uint32_t>(2 * round);
    recording::Extra receive{PARCAST_HAS_RECEIVED | PARCAST_HAS_REQUEST,
                             words(recording::kAnySource, 64, request + 1)};
    if (round == 0) receive.flags |= PARCAST_HAS_COMPUTE, receive.words.push_back(50);
    file.event(20, 2000 + random() % 500, 50, receive, 0, 0, 0, &events);
    file.event(21, 100 + random() % 9, 50,
               {PARCAST_HAS_MESSAGE | PARCAST_HAS_REQUEST, words(1 - rank, 64, request + 2)}, 0, 0, 0,
               &events);
    file.completions({{request + 1, 1 - rank, 1, 0, 64}, {request + 2, -1, 0, 0, 0}}, &events);
    file.event(22, 100, 500 + random() % 100, {}, 0, 0, 0, &events);
    file.event(24, 100, 40 + random() % 30, {PARCAST_HAS_MESSAGE, words(1 - rank, 8, 0)}, 0, 0, 0, &events);
    if (round % 4 == 3)
      file.event(23, 600, 300, {PARCAST_HAS_MESSAGE, SampleRank::message(-1, 0, 8)}, 0, 0, 0, &events);
  }
  parcast_set_live(&file.writer, PARCAST_LIVE_FINALISED, SampleRank::now);
  parcast_writer_close(&file.writer, &events);
  std::vector<recording::Loss> losses;
  auto read = recording::read_rank(recording::slurp(scratch / "rank.rec"), "rank.rec", calls, losses);
  EXPECT_TRUE(read);
  EXPECT_THAT(losses, IsEmpty());
  return read ? std::move(*read) : RankRecording{};
}

TEST(FromRecording, WhatWasFoldedStaysFolded) {
  constexpr int kRounds = 20000;
  Recording recording;
  recording.processes = 2;
  for (const std::int32_t rank : {0, 1})
    recording.ranks.push_back(folded_rank(rank, kRounds, recording.calls));
  ASSERT_FALSE(recording.ranks[0].chapters.empty());
  const auto [trace, warnings] = traced(recording);
  for (const std::int32_t rank : {0, 1}) {
    const Sequence& sequence = trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]];
    EXPECT_LT(sequence.size(), 60u);
    EXPECT_EQ(size_of(sequence).operations, 4u * kRounds + kRounds / 4);
    double computed = 0, expected = 0;  // each event has the mean, in whole nanoseconds
    for (Walker walker(sequence); walker.next();)
      if (walker.item().what() == Item::What::compute)
        computed += static_cast<double>(walker.item().time()) * 1e-3;
    for (const recording::Chapter& chapter : recording.ranks[static_cast<std::size_t>(rank)].chapters) {
      for (const recording::FoldedTransition& t : chapter.transitions) expected += t.time;
    }
    EXPECT_NEAR(computed, expected, 0.5 * 5 * kRounds);
  }
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(trace.assumptions, ElementsAre(HasSubstr("40000 receives and probes from any source"),
                                             HasSubstr("40000 one-sided accesses")));
  EXPECT_EQ(trace.request_sets, (std::vector<std::vector<std::uint32_t>>{{1, 2}}));
}

TEST(FromRecording, FoldedEventsSayWhatTheySayOneByOne) {
  Recording folded;
  folded.processes = 2;
  for (const std::int32_t rank : {0, 1}) folded.ranks.push_back(folded_rank(rank, 3001, folded.calls));
  Recording plain = folded;
  for (RankRecording& rank : plain.ranks) {
    rank.chapters.clear();
    rank.events.clear();
    rank.completions.clear();
    recording::for_each_event(
        folded.ranks[static_cast<std::size_t>(rank.rank)], folded.calls, [&](Event event, auto completions) {
          event.first_completion = static_cast<std::uint32_t>(rank.completions.size());
          rank.completions.insert(rank.completions.end(), completions.begin(), completions.end());
          rank.events.push_back(event);
        });
  }
  const Trace one = traced(folded).trace, other = traced(plain).trace;
  EXPECT_EQ(one.operations, other.operations);
  Walker a(one.sequences[one.sequence_of[0]]), b(other.sequences[other.sequence_of[0]]);
  const auto next_operation = [](Walker& walker) {
    while (walker.next())
      if (walker.item().what() == Item::What::operation) return std::int64_t{walker.item().index()};
    return std::int64_t{-1};
  };
  for (std::int64_t at = 0; at >= 0;) {
    at = next_operation(a);
    ASSERT_EQ(at, next_operation(b));
  }
}

}  // namespace
}  // namespace parcast::trace
