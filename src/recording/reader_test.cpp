// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "recording/sample_rank.h"

namespace parcast::recording {
namespace {

std::string text_of(const Read& read) {
  if (!read.rank) return to_string(read.rank.error());
  std::string text;
  const auto add = [&text](auto... values) { ((text += std::to_string(values) + ' '), ...); };
  const RankRecording& rank = *read.rank;
  add(rank.rank, rank.finalised, rank.clock_frequency, rank.overhead_per_event, rank.cores,
      rank.dropped_events);
  add(rank.total_compute, rank.wall, rank.peak_memory);
  text += rank.host + rank.clock + rank.started + rank.mpi_library + '\n';
  for (const std::string& word : rank.command) text += word + ' ';
  for (const Call& call : read.calls)
    text += call.name + ' ', add(static_cast<int>(call.kind), static_cast<int>(call.pattern));
  for (const Event& e : rank.events) {
    add(e.call, e.thread, e.site, e.region, e.communicator, e.enter, e.exit, e.compute, e.switched,
        e.message.peer, e.message.tag, e.message.bytes, e.received.peer, e.received.tag, e.received.bytes,
        e.request, e.first_completion, e.completion_count, e.created, e.repeats, e.continued, e.stolen,
        e.sent_shares, e.received_shares);
    text += '\n';
  }
  for (const Completion& c : rank.completions) add(c.request, c.source, c.tag, c.bytes);
  for (const Site& site : rank.sites) add(site.module, site.offset);
  for (const Module& module : rank.modules) text += module.path + module.build_id + '\n';
  for (const Communicator& communicator : rank.communicators) {
    for (const auto member : communicator.world_ranks) add(member);
    for (std::size_t i = 0; i < communicator.dimensions.size(); ++i)
      add(communicator.dimensions[i], static_cast<int>(communicator.periodic[i]),
          communicator.coordinates[i]);
    text += '\n';
  }
  for (const auto& list : rank.shares)
    for (const Share& share : list) add(share.first, share.stride, share.count, share.bytes);
  for (const std::string& region : rank.regions) text += region + '\n';
  for (const PathPart& part : rank.path_parts) text += part.name, add(part.parent, part.module, part.offset);
  for (const auto& [name, value] : rank.parameters) text += name, add(value);
  for (const auto& [name, value] : rank.environment_parameters) text += name, add(value);
  for (const UnfollowedCall& call : rank.unfollowed) text += call.name, add(call.count);
  return text;
}

/// A file with every kind of record over several blocks, two events per pair; `ends` receives the positions
/// after each event.
std::string sample_file(std::vector<std::uint64_t>* ends = nullptr, std::uint32_t pairs = 2000) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  parcast_put_site(&rank.writer, &rank.stream, 1, 0, 0x1234);
  parcast_put_region(&rank.writer, &rank.stream, 1, 0, "solve");
  parcast_put_region(&rank.writer, &rank.stream, 2, 1, "halo");
  parcast_put_frame(&rank.writer, &rank.stream, 3, 2, 0, 0x1000);
  parcast_put_parameter(&rank.writer, &rank.stream, "n", 64, 0);
  parcast_put_parameter(&rank.writer, &rank.stream, "n", 96, 1);
  const std::int32_t members[] = {3, 1, 0};
  const parcast_dimension dimensions[] = {{3, 1, 1, 0}, {1, 0, 0, 0}};
  parcast_put_communicator(&rank.writer, &rank.stream, 1, members, 3, dimensions, 2, 0);
  parcast_put_call(&rank.writer, &rank.stream, 9, PARCAST_CLASS_none, PARCAST_PATTERN_none, "MPI_Put");
  const parcast_share shares[] = {{0, 2, 2, 0, 800}, {1, 0, 1, 0, 16}};
  parcast_put_shares(&rank.writer, &rank.stream, 1, shares, 2);
  for (int i = 0; i < 3; ++i) parcast_count_unfollowed(&rank.writer, 9);
  std::mt19937 random(5);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    Extra send{PARCAST_HAS_MESSAGE | PARCAST_HAS_REQUEST, SampleRank::message(static_cast<int>(i % 4), 7, i)};
    send.words.push_back(i + 1);
    if (i == 0) {
      send.flags |= PARCAST_HAS_COMPUTE;
      send.words.push_back(0);
    }
    rank.event(3, 100 + random() % 1000, 50, send, i % 2, i % 3, i % 2);
    if (ends) ends->push_back(rank.position());
    rank.completions({{i + 1, -1, 0, 0, 0}, {i + 5, 2, 9, 0, 800}});
    rank.event(5, 60, 40, {PARCAST_HAS_COMPUTE | PARCAST_WAS_SWITCHED, {i}});
    if (ends) ends->push_back(rank.position());
  }
  rank.finish();
  return slurp(scratch / "rank-0.rec");
}

TEST(Reader, WhatFoundNoRoomInATableIsALoss) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  parcast_note_left_out(&rank.writer, PARCAST_LEFT_OUT_LEVELS);
  parcast_note_left_out(&rank.writer, PARCAST_LEFT_OUT_REGIONS);
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank) << to_string(file.rank.error());
  EXPECT_FALSE(file.rank->complete);
  ASSERT_EQ(file.losses.size(), 2u);
  EXPECT_NE(file.losses[0].what.find("4,095 paths of regions"), std::string::npos) << file.losses[0].what;
  EXPECT_NE(file.losses[1].what.find("64 levels of regions"), std::string::npos) << file.losses[1].what;
}

TEST(Reader, GivesBackWhatTheWriterWrote) {
  const Read file = read(sample_file());
  ASSERT_TRUE(file.rank) << to_string(file.rank.error());
  EXPECT_TRUE(file.losses.empty()) << file.losses.front().what;
  const RankRecording& rank = *file.rank;
  EXPECT_EQ(rank.rank, 0);
  EXPECT_EQ(rank.host, "node7");
  EXPECT_EQ(rank.started, "2023-11-14T22:13:20Z");
  EXPECT_EQ(rank.command, (std::vector<std::string>{"app", "-n", "64"}));
  EXPECT_TRUE(rank.finalised);
  EXPECT_DOUBLE_EQ(rank.clock_frequency, 2e9);
  ASSERT_EQ(rank.events.size(), 4000u);
  ASSERT_EQ(rank.completions.size(), 4000u);
  EXPECT_EQ(rank.modules.at(0).build_id, "deadbeef");
  EXPECT_EQ(rank.sites.at(1).offset, 0x1234u);
  EXPECT_EQ(rank.sites.at(0).module, kNoModule);
  EXPECT_EQ(rank.regions, (std::vector<std::string>{"", "solve", "solve/halo", "solve/halo/app+0x1000"}));
  EXPECT_EQ(rank.communicators.at(0).world_ranks, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(rank.communicators.at(1).world_ranks, (std::vector<std::int32_t>{3, 1, 0}));
  EXPECT_EQ(rank.communicators.at(1).dimensions, (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(rank.communicators.at(1).periodic, (std::vector<bool>{true, false}));
  EXPECT_EQ(rank.communicators.at(1).coordinates, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(rank.parameters.at("n"), 64);
  EXPECT_EQ(rank.environment_parameters.at("n"), 96);
  ASSERT_EQ(rank.unfollowed.size(), 1u);
  EXPECT_EQ(rank.unfollowed[0].name, "MPI_Put");
  EXPECT_EQ(rank.unfollowed[0].count, 3u);

  const Event& send = rank.events[14];  // the eighth send: i = 7
  EXPECT_EQ(file.calls[send.call].name, "MPI_Send");
  EXPECT_EQ(file.calls[send.call].kind, CallClass::send);
  EXPECT_EQ(send.message.peer, 3);
  EXPECT_EQ(send.message.tag, 7);
  EXPECT_EQ(send.message.bytes, 7u);
  EXPECT_EQ(send.request, 8u);
  EXPECT_EQ(send.site, 1u);
  EXPECT_EQ(send.region, 1u);
  EXPECT_EQ(send.communicator, 1u);
  EXPECT_EQ(send.exit - send.enter, 25);
  const Event& wait = rank.events[15];
  EXPECT_TRUE(wait.switched);
  EXPECT_EQ(wait.compute, 7);
  ASSERT_EQ(wait.completion_count, 2u);
  EXPECT_EQ(rank.completions[wait.first_completion].request, 8u);
  EXPECT_EQ(rank.completions[wait.first_completion + 1].bytes, 800u);
}

TEST(Reader, ComputingTimeIsTheGapLessTheOverheadAndNeverNegative) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec", 0, 4, 10e-9);
  rank.event(3, 0, 1000, {PARCAST_HAS_COMPUTE, {0}});
  rank.event(3, 2000, 1000);  // distance 1000 ns: 990
  rank.event(3, 12, 1000);    // distance 6 ns: less than the overhead
  rank.event(3, 4000, 1000, {PARCAST_HAS_COMPUTE | PARCAST_WAS_SWITCHED, {123}});
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  EXPECT_EQ(file.rank->events[0].enter, 0);
  EXPECT_EQ(file.rank->events[0].exit, 500);
  EXPECT_EQ(file.rank->events[1].compute, 990);
  EXPECT_EQ(file.rank->events[2].compute, 0);
  EXPECT_EQ(file.rank->events[3].compute, 123);
  EXPECT_EQ(file.rank->total_compute, 990 + 123);
  EXPECT_EQ(file.rank->wall, 5006);  // (0 + 2000 + 12 + 4000 + 4 x 1000) / 2 ticks
}

TEST(Reader, AReservedShareIsKeptAndOneThatNoKernelGrantsIsNone) {
  for (const auto& [written, kept] : {std::pair{0.05, 0.05},
                                      {1.0, 1.0},
                                      {0.0, 1.0},
                                      {-1.0, 1.0},
                                      {2.0, 1.0},
                                      {1e-300, 1.0},
                                      {std::numeric_limits<double>::quiet_NaN(), 1.0}}) {
    const Scratch scratch;
    SampleRank rank(scratch / "rank-0.rec", 0, 4, 10e-9, 64u << 20, written);
    rank.finish();
    const Read file = read(slurp(scratch / "rank-0.rec"));
    ASSERT_TRUE(file.rank);
    EXPECT_EQ(file.rank->processor_share, kept) << written;
  }
}

TEST(Reader, KeepsEveryEventOfAProcessThatWasKilled) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  for (int i = 0; i < 3000; ++i) rank.event(3, 100, 10, {PARCAST_HAS_COMPUTE, {1}});
  const Read file = read(slurp(scratch / "rank-0.rec"));  // neither closed nor truncated to its size
  ASSERT_TRUE(file.rank);
  EXPECT_EQ(file.rank->events.size(), 3000u);
  EXPECT_FALSE(file.rank->finalised);
  ASSERT_EQ(file.losses.size(), 1u);
  EXPECT_NE(file.losses[0].what.find("without MPI_Finalize"), std::string::npos);
}

TEST(Reader, AnEventBeingWrittenWhenTheProcessEndedIsNotThere) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  rank.event(3, 100, 10, {PARCAST_HAS_COMPUTE, {1}});
  auto* torn =
      static_cast<parcast_event*>(parcast_reserve(&rank.writer, &rank.stream, sizeof(parcast_event)));
  torn->record.kind = PARCAST_EVENT;
  torn->enter = SampleRank::now;
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  EXPECT_EQ(file.rank->events.size(), 1u);
  EXPECT_EQ(file.losses.size(), 1u);  // only the missing MPI_Finalize
}

TEST(Reader, ThreadsAreKeptApartAndShownInOrderOfTime) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec", 0, 4, 0);
  parcast_stream second{};
  second.thread = 1;
  for (int i = 0; i < 10; ++i) {
    rank.event(
        3, 100, 100,
        {i == 0 ? std::uint8_t{PARCAST_HAS_COMPUTE} : std::uint8_t{0}, std::vector<std::uint64_t>(i == 0)});
    rank.event(
        5, 100, 100,
        {i == 0 ? std::uint8_t{PARCAST_HAS_COMPUTE} : std::uint8_t{0}, std::vector<std::uint64_t>(i == 0)}, 0,
        0, 0, &second);
  }
  parcast_writer_close(&rank.writer, nullptr);
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  ASSERT_EQ(file.rank->events.size(), 20u);
  for (std::size_t i = 2; i < 20; ++i) {
    const Event& event = file.rank->events[i];
    EXPECT_EQ(event.thread, i % 2);
    EXPECT_EQ(event.compute, 150);  // from the last event of its own thread: 100 + 100 + 100 ticks
  }
}

TEST(Reader, RepeatedPollsAreOneEvent) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec", 0, 4, 0);
  rank.event(3, 100, 100, {PARCAST_HAS_COMPUTE, {0}});
  auto* repeat =
      static_cast<parcast_repeat*>(parcast_reserve(&rank.writer, &rank.stream, sizeof(parcast_repeat)));
  repeat->record.kind = PARCAST_REPEAT;
  repeat->exit = SampleRank::now += 1000;
  repeat->count = 41;
  parcast_commit(&rank.stream, &repeat->record, sizeof *repeat);
  rank.event(3, 60, 100);
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  ASSERT_EQ(file.rank->events.size(), 2u);
  EXPECT_EQ(file.rank->events[0].repeats, 42u);
  EXPECT_EQ(file.rank->events[0].exit, 600);
  EXPECT_EQ(file.rank->events[1].compute, 30);
}

TEST(Reader, AFileCutAnywhereGivesItsWholeRecordsAndSaysSo) {
  std::vector<std::uint64_t> ends;
  const std::string whole = sample_file(&ends);
  const Read full = read(whole);
  ASSERT_TRUE(full.rank);
  const auto check = [&](std::size_t length) {
    const Read cut = read(std::string_view(whole).substr(0, length));
    if (length < PARCAST_HEADER_SIZE) {
      EXPECT_FALSE(cut.rank) << length;
      return;
    }
    ASSERT_TRUE(cut.rank) << length;
    const auto expected = std::upper_bound(ends.begin(), ends.end(), length) - ends.begin();
    ASSERT_EQ(cut.rank->events.size(), static_cast<std::size_t>(expected)) << length;
    for (std::size_t i = 0; i < cut.rank->events.size(); i += 97)
      ASSERT_EQ(cut.rank->events[i].enter, full.rank->events[i].enter) << length;
    ASSERT_EQ(cut.losses.empty(), length == whole.size()) << length;
    ASSERT_EQ(cut.rank->complete, length == whole.size()) << length;
  };
  ASSERT_GT(whole.size(), PARCAST_HEADER_SIZE + 2 * PARCAST_BLOCK_SIZE);
  const std::size_t boundary = PARCAST_HEADER_SIZE + PARCAST_BLOCK_SIZE;
  for (std::size_t length = 0; length <= whole.size();) {
    check(length);
    if (HasFatalFailure()) return;
    const bool edge =
        length + 200 > whole.size() || length < 9200 || (length + 300 > boundary && length < boundary + 300);
    length += edge ? 1 : 89;
  }
}

TEST(Reader, AFlippedBitIsDetectedOrChangesNothing) {
  const std::string whole = sample_file(nullptr, 500);
  ASSERT_GT(whole.size(), PARCAST_HEADER_SIZE + PARCAST_BLOCK_SIZE);
  const std::string truth = text_of(read(whole));
  std::mt19937_64 random(11);
  int changed = 0;
  const auto check = [&](std::size_t bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Read file = read(damaged);
    if (!file.rank || !file.losses.empty()) return void(++changed);
    ASSERT_EQ(text_of(file), truth) << "bit " << bit % 8 << " of byte " << bit / 8;
  };
  for (const auto& [from, to] : {std::pair{0, 1500}, std::pair{4096, 4150}, std::pair{8192, 8500}})
    for (int bit = 8 * from; bit < 8 * to; ++bit) {
      check(static_cast<std::size_t>(bit));
      if (HasFatalFailure()) return;
    }
  for (int i = 0; i < 3000; ++i) {
    check(random() % (8 * whole.size()));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(changed, 2800);  // nearly all bits of the blocks carry information
}

TEST(Reader, BehindDamageItGoesOn) {
  std::vector<std::uint64_t> ends;
  std::string bytes = sample_file(&ends);
  bytes[ends[100] + 20] ^= 1;  // the completions before event 101
  const Read file = read(bytes);
  ASSERT_TRUE(file.rank);
  EXPECT_EQ(file.rank->events.size(), 4000u);
  EXPECT_EQ(file.rank->completions.size(), 3998u);
  EXPECT_FALSE(file.losses.empty());
  bytes[ends[200] - 20] ^= 1;  // event 200
  const Read more = read(bytes);
  EXPECT_EQ(more.rank->events.size(), 3999u);
}

TEST(Reader, ABlockInThePlaceOfAnotherIsDetected) {
  std::string bytes = sample_file();
  std::swap_ranges(bytes.begin() + PARCAST_HEADER_SIZE,
                   bytes.begin() + PARCAST_HEADER_SIZE + PARCAST_BLOCK_SIZE,
                   bytes.begin() + PARCAST_HEADER_SIZE + PARCAST_BLOCK_SIZE);
  const Read file = read(bytes);
  ASSERT_TRUE(file.rank);
  EXPECT_FALSE(file.losses.empty());
  EXPECT_LT(file.rank->events.size(), 2000u);
}

TEST(Reader, ReferencesToWhatIsNotThereAreDroppedAndSaid) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  rank.event(3, 100, 10, {PARCAST_HAS_MESSAGE | PARCAST_HAS_COMPUTE, {0xffffff00u, 0, 1}}, 77, 78, 79);
  rank.event(99, 100, 10);  // a call without a name
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  ASSERT_EQ(file.rank->events.size(), 1u);
  EXPECT_EQ(file.rank->events[0].site, 0u);
  EXPECT_EQ(file.rank->events[0].region, 0u);
  EXPECT_EQ(file.rank->events[0].communicator, 0u);
  EXPECT_EQ(file.rank->events[0].message.peer, kNoPeer);
  EXPECT_EQ(file.losses.size(), 3u);
}

TEST(Reader, ACollectivesTagsAreItsListsOfBytesPerPartner) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  parcast_put_call(&rank.writer, &rank.stream, 7, PARCAST_CLASS_collective, PARCAST_PATTERN_alltoall,
                   "MPI_Alltoallv");
  const parcast_share sent[] = {{0, 1, 2, 0, 800}, {3, 0, 1, 0, 16}}, received[] = {{3, -1, 4, 0, 8}};
  parcast_put_shares(&rank.writer, &rank.stream, 5, sent, 2);
  parcast_put_shares(&rank.writer, &rank.stream, 2, received, 1);
  const auto lists = [](std::int32_t out, std::int32_t in) {
    auto words = SampleRank::message(-1, out, 1616);
    const auto more = SampleRank::message(-1, in, 32);
    words.insert(words.end(), more.begin(), more.end());
    return Extra{PARCAST_HAS_MESSAGE | PARCAST_HAS_RECEIVED, words};
  };
  rank.event(7, 100, 10, lists(5, 2));
  rank.event(7, 100, 10, lists(0, 0));
  rank.event(7, 100, 10, lists(9, 2));                                          // list 9 does not exist
  rank.event(3, 100, 10, {PARCAST_HAS_MESSAGE, SampleRank::message(1, 5, 8)});  // a send has a tag
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  const RankRecording& in = *file.rank;
  ASSERT_EQ(in.events.size(), 4u);
  const auto& out = in.shares.at(in.events[0].sent_shares);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].count, 2u);
  EXPECT_EQ(out[1].first, 3);
  EXPECT_EQ(out[1].bytes, 16u);
  EXPECT_EQ(in.shares.at(in.events[0].received_shares).at(0).stride, -1);
  EXPECT_EQ(in.events[0].message.tag, 0);
  EXPECT_EQ(in.events[1].sent_shares, 0u);
  EXPECT_TRUE(in.shares.at(0).empty());
  EXPECT_EQ(in.events[2].sent_shares, 0u);
  EXPECT_EQ(in.events[3].message.tag, 5);
  EXPECT_TRUE(std::any_of(file.losses.begin(), file.losses.end(), [](const Loss& loss) {
    return loss.what.find("1 references") != std::string::npos;
  }));
}

TEST(Reader, AListOfPartnersThatDoNotExistIsDamage) {
  for (const parcast_share& bad :
       {parcast_share{0, 1, 5, 0, 8}, {3, 1, 2, 0, 8}, {0, -4, 2, 0, 8}, {0, 0, 0, 0, 8}, {-4, 0, 1, 0, 8}}) {
    const Scratch scratch;
    SampleRank rank(scratch / "rank-0.rec");
    parcast_put_shares(&rank.writer, &rank.stream, 1, &bad, 1);
    rank.finish();
    const Read file = read(slurp(scratch / "rank-0.rec"));
    ASSERT_TRUE(file.rank);
    EXPECT_EQ(file.rank->shares.size(), 1u);
    EXPECT_FALSE(file.losses.empty());
  }
}

TEST(Reader, RegionsThatContainThemselvesAreCutOpen) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  parcast_put_region(&rank.writer, &rank.stream, 1, 2, "a");
  parcast_put_region(&rank.writer, &rank.stream, 2, 1, "b\x1b[31m");
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  EXPECT_EQ(file.rank->regions, (std::vector<std::string>{"", "a", "a/b?[31m"}));
  EXPECT_FALSE(file.losses.empty());
}

TEST(Reader, ReceivesTellWhatTheyAskedFor) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  std::uint16_t number = 20;
  const auto define = [&](parcast_call_class kind, int detail) {
    parcast_put_call(&rank.writer, &rank.stream, number, static_cast<std::uint8_t>(kind),
                     static_cast<std::uint8_t>(detail), "MPI_Recv");
    rank.event(number++, 10, 10);
  };
  for (const int asked : {int{PARCAST_PATTERN_none}, int{PARCAST_ASKED_named}, int{PARCAST_ASKED_any_source},
                          int{PARCAST_ASKED_any_tag}, int{PARCAST_ASKED_anything}})
    define(PARCAST_CLASS_receive, asked);
  define(PARCAST_CLASS_receive, PARCAST_ASKED_anything + 1);
  define(PARCAST_CLASS_send, PARCAST_ASKED_any_source);
  parcast_writer_close(&rank.writer, &rank.stream);
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  std::vector<Asked> asked;
  for (const Event& event : file.rank->events)
    if (file.calls[event.call].kind == CallClass::receive) asked.push_back(file.calls[event.call].asked);
  EXPECT_EQ(asked, (std::vector<Asked>{Asked::unknown, Asked::named, Asked::any_source, Asked::any_tag,
                                       Asked::anything}));
  // a receive with an invalid value, or a call that is no receive, counts as damage
  EXPECT_EQ(file.rank->events.size(), 5u);
  EXPECT_FALSE(file.losses.empty());
}

TEST(Reader, WhatIsNoRecordingIsRefusedWithASentence) {
  for (const std::string& bytes :
       {std::string(), std::string("short"), std::string(20000, '\0'), std::string(20000, 'x')}) {
    const Read file = read(bytes);
    ASSERT_FALSE(file.rank);
    EXPECT_NE(file.rank.error().what.find("not a recording"), std::string::npos);
  }
  std::string other = sample_file();
  for (const char format : {char{1}, char{PARCAST_FORMAT_VERSION + 1}}) {  // version 1 had no share of a core
    other[8] = format;
    const Read file = read(other);
    ASSERT_FALSE(file.rank);
    EXPECT_NE(file.rank.error().what.find("has format " + std::to_string(format)), std::string::npos);
  }
}

TEST(Writer, StopsAtItsLimitAndCountsWhatItDropped) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec", 0, 4, 0, 1u << 20);
  std::uint64_t kept = 0;
  for (int i = 0; i < 40000; ++i) kept += rank.event(3, 10, 10);
  rank.finish();
  const std::string bytes = slurp(scratch / "rank-0.rec");
  EXPECT_LE(bytes.size(), 1u << 20);
  const Read file = read(bytes);
  ASSERT_TRUE(file.rank);
  EXPECT_GT(kept, 20000u);
  EXPECT_EQ(file.rank->events.size(), kept);
  EXPECT_EQ(file.rank->dropped_events, 40000 - kept);
  EXPECT_TRUE(std::any_of(file.losses.begin(), file.losses.end(), [](const Loss& loss) {
    return loss.what.find("PARCAST_LIMIT") != std::string::npos;
  }));
}

TEST(Writer, NeverWritesOverAFileThatExists) {
  const Scratch scratch;
  std::ofstream(scratch / "rank-0.rec") << "precious";
  SampleRank rank(scratch / "rank-0.rec");
  EXPECT_EQ(rank.opened, EEXIST);
  EXPECT_EQ(slurp(scratch / "rank-0.rec"), "precious");
}

TEST(Writer, StopsWhenItsFileIsReplaced) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  std::filesystem::rename(scratch / "rank-0.rec", scratch / "moved");
  std::ofstream(scratch / "rank-0.rec") << "another";
  std::uint64_t kept = 0;
  for (int i = 0; i < 40000; ++i) kept += rank.event(3, 10, 10);
  rank.finish();
  EXPECT_LT(kept, 40000u);
  EXPECT_EQ(slurp(scratch / "rank-0.rec"), "another");
  EXPECT_EQ(read(slurp(scratch / "moved")).rank->events.size(), kept);
}

}  // namespace
}  // namespace parcast::recording
