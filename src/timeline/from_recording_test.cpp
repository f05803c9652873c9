// SPDX-License-Identifier: Apache-2.0
#include "timeline/from_recording.h"

#include <gmock/gmock.h>

namespace parcast::timeline {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Pattern;
using recording::Recording;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint16_t kSend = 0, kReceive = 1, kAllreduce = 2, kBegin = 3, kEnd = 4, kWait = 5,
                        kStartReceive = 6;

Event event(std::uint16_t call, Time enter, Time exit, Time compute, std::uint32_t region = 0) {
  Event made;
  made.call = call, made.enter = enter, made.exit = exit, made.compute = compute, made.region = region;
  return made;
}

Event send(Time enter, Time exit, Time compute, std::int32_t to, std::int32_t tag = 7) {
  Event made = event(kSend, enter, exit, compute);
  made.message = {to, tag, 800};
  return made;
}

Event receive(Time enter, Time exit, Time compute, std::int32_t from, std::int32_t tag = 7) {
  Event made = event(kReceive, enter, exit, compute);
  made.received = {from, tag, 800};
  return made;
}

Recording recording_of(const std::vector<std::pair<std::vector<Event>, Time>>& ranks) {
  Recording made;
  made.processes = static_cast<std::int32_t>(ranks.size());
  made.calls = {{"MPI_Send", CallClass::send, Pattern::none},
                {"MPI_Recv", CallClass::receive, Pattern::none},
                {"MPI_Allreduce", CallClass::collective, Pattern::allreduce},
                {"begin", CallClass::region_begin, Pattern::none},
                {"end", CallClass::region_end, Pattern::none},
                {"MPI_Wait", CallClass::wait, Pattern::none},
                {"MPI_Irecv", CallClass::start_receive, Pattern::none}};
  for (const auto& [events, wall] : ranks) {
    recording::RankRecording rank;
    rank.rank = static_cast<std::int32_t>(made.ranks.size());
    rank.regions = {"", "main", "main/solve"};
    rank.communicators.resize(1);
    rank.events = events, rank.wall = wall;
    made.ranks.push_back(rank);
  }
  return made;
}

Clocks clocks(std::vector<std::uint64_t> zero) {
  return {std::move(zero), true, {}};
}

std::string text(const Timeline& timeline, std::size_t lane) {
  std::string out;
  for (const Span& span : timeline.lanes[lane].spans)
    out += std::to_string(span.begin) + ".." + std::to_string(span.end) + " " +
           std::string(name_of(span.activity)) + (span.name ? " " + timeline.names[span.name] : "") +
           (span.region ? " in " + timeline.regions[span.region] : "") + "; ";
  return out;
}

// Rank 1 is in its receive 600 ns before the send, and in the reduction 1000 ns before rank 0.
Recording late_sender() {
  return recording_of({{{send(1000, 1100, 1000, 1), event(kAllreduce, 3000, 3300, 1900)}, 3300},
                       {{receive(400, 1200, 400, 0), event(kAllreduce, 2000, 3300, 800)}, 4000}});
}

TEST(FromRecording, WaitingEndsWhenTheOtherSideCame) {
  const Timeline timeline = from_recording(late_sender(), clocks({0, 0}));
  EXPECT_EQ(text(timeline, 0),
            "0..1000 computing; 1000..1100 point to point MPI_Send; 1100..3000 computing; 3000..3300 "
            "collectives MPI_Allreduce; ");
  EXPECT_EQ(text(timeline, 1),
            "0..400 computing; 400..1000 waiting MPI_Recv; 1000..1200 point to point MPI_Recv; 1200..2000 "
            "computing; 2000..3000 waiting MPI_Allreduce; 3000..3300 collectives MPI_Allreduce; 3300..4000 "
            "computing; ");
  EXPECT_THAT(timeline.messages, ElementsAre(Message{0, 1, 1000, 1200, 800, 7}));
  EXPECT_THAT(timeline.path, ElementsAre(Step{0, 0, 3000}, Step{1, 3000, 4000}));
  EXPECT_EQ(timeline.length, 4000);
  EXPECT_THAT(timeline.notes, IsEmpty());
}

TEST(FromRecording, RanksAreMovedByTheirClocks) {
  const Timeline timeline = from_recording(late_sender(), clocks({5000, 5700}));  // rank 1 began 700 ns later
  EXPECT_EQ(timeline.lanes[1].spans[0].begin, 700);
  // It enters the receive at 1100, after the send.
  EXPECT_EQ(timeline.lanes[1].spans[1], (Span{1100, 1900, Activity::point_to_point, 2, 0, 1}));
  EXPECT_EQ(timeline.length, 4700);
}

TEST(FromRecording, AWaitForAStartedReceiveWaitsForItsSender) {
  Event started = event(kStartReceive, 100, 110, 100), wait = event(kWait, 500, 950, 390);
  started.request = wait.first_completion = 0;
  started.request = 3;
  wait.first_completion = 0, wait.completion_count = 1;
  Recording made = recording_of({{{started, wait}, 1000}, {{send(900, 920, 900, 0)}, 1000}});
  made.ranks[0].completions = {{3, 1, 7, 800}};
  const Timeline timeline = from_recording(made, clocks({0, 0}));
  EXPECT_THAT(text(timeline, 0), HasSubstr("500..900 waiting MPI_Wait; 900..950 point to point MPI_Wait"));
  EXPECT_THAT(timeline.messages, ElementsAre(Message{1, 0, 900, 950, 800, 7}));
}

TEST(FromRecording, ASendThatWaitsForItsReceiverWaits) {
  const Timeline timeline = from_recording(
      recording_of({{{send(100, 800, 100, 1)}, 900}, {{receive(700, 800, 700, 0)}, 900}}), clocks({0, 0}));
  EXPECT_THAT(text(timeline, 0), HasSubstr("100..700 waiting MPI_Send; 700..800 point to point MPI_Send"));
}

TEST(FromRecording, TagsAndOrderDecideWhichMessageIsMeant) {
  const Timeline timeline = from_recording(
      recording_of({{{send(10, 20, 10, 1, 1), send(30, 40, 10, 1, 2), send(50, 60, 10, 1, 1)}, 100},
                    {{receive(1, 45, 1, 0, 2), receive(46, 47, 1, 0, 1), receive(48, 70, 1, 0, 1)}, 100}}),
      clocks({0, 0}));
  EXPECT_THAT(timeline.messages, ElementsAre(Message{0, 1, 10, 47, 800, 1}, Message{0, 1, 30, 45, 800, 2},
                                             Message{0, 1, 50, 70, 800, 1}));
}

TEST(FromRecording, ComputingIsInTheRegionThatIsOpen) {
  Event off = event(kEnd, 20000, 20000, 8000, 2);  // 2000 ns without a processor
  const Timeline timeline =
      from_recording(recording_of({{{event(kBegin, 10, 10, 10, 1), event(kBegin, 10000, 10000, 9990, 2), off,
                                     event(kEnd, 20100, 20100, 100, 1)},
                                    20200}}),
                     clocks({0}));
  EXPECT_EQ(text(timeline, 0),
            "0..10 computing; 10..10000 computing in main; 10000..18000 computing in main/solve; "
            "18000..20000 off the processor in main/solve; 20000..20100 computing in main; 20100..20200 "
            "computing; ");
}

TEST(FromRecording, MeansAndUnknownClocksHaveNoWaiting) {
  Recording means = late_sender();
  for (auto& rank : means.ranks)
    for (Event& each : rank.events) each.estimated = true;
  const Timeline of_means = from_recording(means, clocks({0, 0}));
  EXPECT_THAT(of_means.messages, IsEmpty());
  EXPECT_THAT(of_means.path, IsEmpty());
  EXPECT_EQ(of_means.estimated, 1);
  EXPECT_THAT(of_means.notes.front(), HasSubstr("--keep-times"));
  Clocks apart = clocks({0, 0});
  apart.are_comparable = false;
  EXPECT_THAT(from_recording(late_sender(), apart).path, IsEmpty());
  // By these clocks the message is received 1100 ns before it is sent.
  EXPECT_THAT(from_recording(late_sender(), clocks({2000, 0})).notes.back(), HasSubstr("by the clocks"));
}

TEST(FromRecording, ManySpansAreSummedAndItIsSaid) {
  std::vector<Event> events;
  for (Time i = 0; i < 5000; ++i) events.push_back(event(kAllreduce, 100 * i + 60, 100 * i + 100, 60));
  const Timeline timeline = from_recording(recording_of({{events, 500'000}}), clocks({0}), {.spans = 100});
  EXPECT_LE(timeline.lanes[0].spans.size(), 100u);
  EXPECT_EQ(timeline.spans, 10'000u);
  EXPECT_EQ(sums_of(timeline)[0], 300'000);
  EXPECT_THAT(timeline.notes.back(), HasSubstr("10,000 spans"));
}

}  // namespace
}  // namespace parcast::timeline
