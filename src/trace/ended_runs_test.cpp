// SPDX-License-Identifier: Apache-2.0
// Recordings of runs that ended, whose traces must not be reported as deadlocked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/call_class.h"
#include "trace/from_recording.h"

namespace parcast::trace {
namespace {

using recording::CallClass;
using recording::Completion;
using recording::Event;
using recording::Message;
using recording::Pattern;
using recording::RankRecording;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A recording to which events are appended, in order on each rank, 10 ns each.
class Events {
 public:
  explicit Events(std::int32_t processes) {
    recording.processes = processes;
    for (std::int32_t rank = 0; rank < processes; ++rank) {
      RankRecording& each = recording.ranks.emplace_back();
      each.rank = rank;
      each.finalised = each.complete = true;
      each.regions = {""};
      each.sites = {{}, {0, 16, "solve", "solve.c", 12, {}}};
      each.shares.emplace_back();
      each.communicators.emplace_back();
      for (std::int32_t member = 0; member < processes; ++member)
        each.communicators[0].world_ranks.push_back(member);
    }
  }

  RankRecording& rank(std::int32_t number) { return recording.ranks[static_cast<std::size_t>(number)]; }

  void add(std::int32_t number, const std::string& call, CallClass kind, Event event = {},
           const std::vector<Completion>& completions = {}, Pattern pattern = Pattern::none) {
    RankRecording& on = rank(number);
    event.call = number_of(call, kind, pattern);
    event.site = 1;
    if (event.exit == 0) {
      event.enter = on.events.empty() ? 0 : on.events.back().exit;
      event.exit = event.enter + 10;
    }
    event.first_completion = static_cast<std::uint32_t>(on.completions.size());
    event.completion_count = static_cast<std::uint32_t>(completions.size());
    on.completions.insert(on.completions.end(), completions.begin(), completions.end());
    on.events.push_back(event);
  }
  void send(std::int32_t on, std::int32_t to) {
    add(on, "MPI_Send", CallClass::send, {.message = {to, 3, 8}});
  }
  void receive(std::int32_t on, std::int32_t from) {
    add(on, "MPI_Recv", CallClass::receive, {.received = {from, 3, 8}});
  }
  void reduce(std::int32_t on) {
    add(on, "MPI_Allreduce", CallClass::collective, {.message = {recording::kNoPeer, 0, 8}}, {},
        Pattern::allreduce);
  }

  FromRecording traced(Rehearsed rehearsed = Rehearsed::all) {
    auto made = from_recording(recording, Matching::arrival, rehearsed);
    EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
    return made ? std::move(*made) : FromRecording{};
  }

  recording::Recording recording;

 private:
  std::uint16_t number_of(const std::string& name, CallClass kind, Pattern pattern) {
    for (std::size_t i = 0; i < recording.calls.size(); ++i)
      if (recording.calls[i].name == name && recording.calls[i].kind == kind)
        return static_cast<std::uint16_t>(i);
    recording.calls.push_back({name, kind, pattern});
    return static_cast<std::uint16_t>(recording.calls.size() - 1);
  }
};

std::vector<std::pair<Kind, Mode>> words_of(const Trace& trace, std::size_t rank) {
  std::vector<std::pair<Kind, Mode>> out;
  for (Walker walker(trace.sequences[trace.sequence_of[rank]]); walker.next();)
    if (walker.item().what() == Item::What::operation) {
      const Operation& operation = trace.operations[walker.item().index()];
      out.emplace_back(operation.kind, operation.mode);
    }
  return out;
}

TEST(EndedRun, ACancelledReceiveIsNoReceive) {
  Events run(2);
  run.add(0, "MPI_Irecv", CallClass::start_receive, {.received = {1, 7, 4}, .request = 1});
  run.add(0, "MPI_Cancel", CallClass::none, {.request = 1});
  run.add(0, "MPI_Wait", CallClass::wait, {}, {{1, recording::kNoPeer}});
  const FromRecording made = run.traced(Rehearsed::threads);
  EXPECT_THAT(words_of(made.trace, 0), IsEmpty());
  EXPECT_THAT(made.trace.assumptions,
              ElementsAre(HasSubstr("1 request is left out that the program cancelled")));
}

TEST(EndedRun, ACancelledReceiveThatIsFreedIsNoReceiveEither) {
  Events run(2);
  run.add(0, "MPI_Irecv", CallClass::start_receive, {.received = {1, 7, 4}, .request = 1});
  run.add(0, "MPI_Cancel", CallClass::none, {.request = 1});
  EXPECT_THAT(words_of(run.traced(Rehearsed::threads).trace, 0), IsEmpty());
}

TEST(EndedRun, AReceiveThatWasToBeCancelledAndGotItsMessageIsOne) {
  Events run(2);
  run.add(0, "MPI_Irecv", CallClass::start_receive, {.received = {1, 7, 4}, .request = 1});
  run.add(0, "MPI_Cancel", CallClass::none, {.request = 1});
  run.add(0, "MPI_Wait", CallClass::wait, {}, {{1, 1, 7, 4}});
  EXPECT_THAT(
      words_of(run.traced(Rehearsed::threads).trace, 0),
      ElementsAre(std::pair(Kind::start_receive, Mode::standard), std::pair(Kind::wait, Mode::standard)));
}

TEST(EndedRun, RecordingsThatDoNotNameWhatIsCancelledShowItWhereItIsComplete) {
  Events run(2);
  run.add(0, "MPI_Irecv", CallClass::start_receive, {.received = {1, 7, 4}, .request = 1});
  run.add(0, "MPI_Isend", CallClass::start_send, {.message = {1, 7, 4}, .request = 2});
  run.add(0, "MPI_Cancel", CallClass::none);
  run.add(0, "MPI_Waitall", CallClass::wait, {}, {{1, recording::kNoPeer}, {2, recording::kNoPeer}});
  EXPECT_THAT(
      words_of(run.traced(Rehearsed::threads).trace, 0),
      ElementsAre(std::pair(Kind::start_send, Mode::standard), std::pair(Kind::wait, Mode::standard)));
}

TEST(EndedRun, ACancelledSendIsNoSend) {
  Events run(2);
  run.add(0, "MPI_Issend", CallClass::start_send, {.message = {1, 7, 4}, .request = 1});
  run.add(0, "MPI_Cancel", CallClass::none, {.request = 1});
  run.add(0, "MPI_Wait", CallClass::wait, {}, {{1, recording::kNoPeer, PARCAST_SEND_CANCELLED}});
  EXPECT_THAT(words_of(run.traced(Rehearsed::threads).trace, 0), IsEmpty());
}

TEST(EndedRun, PersistentSendsHaveTheModeThatTheyWerePreparedWith) {
  Events run(2);
  for (const std::int32_t mode : std::initializer_list<std::int32_t>{
           PARCAST_MODE_STANDARD, PARCAST_MODE_BUFFERED, PARCAST_MODE_SYNCHRONOUS, 0})
    run.add(0, "MPI_Start", CallClass::start_send,
            {.message = {1, 7, 4}, .received = {recording::kNoPeer, mode, 0}});
  const FromRecording made = run.traced(Rehearsed::threads);
  EXPECT_THAT(words_of(made.trace, 0), ElementsAre(std::pair(Kind::start_send, Mode::standard),
                                                   std::pair(Kind::start_send, Mode::buffered),
                                                   std::pair(Kind::start_send, Mode::synchronous),
                                                   std::pair(Kind::start_send, Mode::standard)));
  // the last send
  EXPECT_THAT(made.trace.assumptions, ElementsAre(HasSubstr("1 send by MPI_Start or MPI_Startall")));
}

TEST(EndedRun, CallsWithWiderCountsHaveTheModesOfTheOthers) {
  Events run(2);
  for (const char* call : {"MPI_Bsend_c", "MPI_Ssend_c", "MPI_Rsend_c"})
    run.add(0, call, CallClass::send, {.message = {1, 7, 4}});
  for (const char* call : {"MPI_Ibsend_c", "MPI_Issend_c"})
    run.add(0, call, CallClass::start_send, {.message = {1, 7, 4}, .request = 1});
  EXPECT_THAT(words_of(run.traced(Rehearsed::threads).trace, 0),
              ElementsAre(std::pair(Kind::send, Mode::buffered), std::pair(Kind::send, Mode::synchronous),
                          std::pair(Kind::send, Mode::standard), std::pair(Kind::start_send, Mode::buffered),
                          std::pair(Kind::start_send, Mode::synchronous)));
}

TEST(EndedRun, WhereRecordingWasOffIsSaid) {
  Events run(2);
  run.add(0, "MPI_Pcontrol", CallClass::none);
  run.receive(1, 0);
  run.reduce(0), run.reduce(1);
  const FromRecording made = run.traced();
  EXPECT_THAT(
      made.missing,
      ElementsAre("1 message that was received is not in the recording, MPI_Recv (solve.c:12) on rank 1 from "
                  "rank 0: recording was off on rank 0 (MPI_Pcontrol); it is taken as come"));
  EXPECT_THAT(words_of(made.trace, 1), ElementsAre(std::pair(Kind::collective, Mode::standard)));
}

TEST(EndedRun, ARankThatWasKilledOwesWhatOthersHadOfIt) {
  Events run(3);
  run.rank(2).finalised = run.rank(2).complete = false;
  run.receive(0, 2), run.receive(0, 2);
  run.reduce(0), run.reduce(1);
  EXPECT_THAT(
      run.traced().missing,
      ElementsAre("2 messages that were received are not in the recording, the first MPI_Recv (solve.c:12) "
                  "on rank 0 from rank 2: rank 2 did not reach MPI_Finalize; they are taken as come",
                  "2 collectives are not recorded on all members, the first MPI_Allreduce (solve.c:12) on "
                  "rank 0, not on rank 2: rank 2 did not reach MPI_Finalize; they are left out"));
}

TEST(EndedRun, WhatIsMissingForNoKnownCauseIsSaidSo) {
  Events run(2);
  run.receive(1, 0);
  EXPECT_THAT(run.traced().missing, ElementsAre(HasSubstr("the cause is not known")));
}

TEST(EndedRun, ThreadsThatCommunicateAreAlwaysRehearsed) {
  Events run(2);
  for (const std::int32_t rank : {0, 1}) {
    run.add(rank, "MPI_Recv", CallClass::receive,
            {.thread = 1, .enter = 10, .exit = 50, .received = {1 - rank, 3, 8}});
    run.add(rank, "MPI_Send", CallClass::send,
            {.thread = 0, .enter = 30, .exit = 40, .message = {1 - rank, 3, 8}});
  }
  const FromRecording made = run.traced(Rehearsed::threads);
  EXPECT_THAT(made.missing, IsEmpty());
  EXPECT_THAT(
      words_of(made.trace, 0),
      ElementsAre(std::pair(Kind::start_receive, Mode::standard), std::pair(Kind::start_send, Mode::standard),
                  std::pair(Kind::wait, Mode::standard), std::pair(Kind::wait, Mode::standard)));
  EXPECT_THAT(made.trace.assumptions,
              ElementsAre(HasSubstr("2 calls of further threads"), HasSubstr("2 blocking receives")));
}

}  // namespace
}  // namespace parcast::trace
