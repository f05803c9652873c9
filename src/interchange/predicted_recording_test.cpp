// SPDX-License-Identifier: Apache-2.0
#include "interchange/predicted_recording.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "interchange/otf2.h"
#include "predict/simulate/simulate.h"
#include "recording/event_classes.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using recording::Pattern;
using trace::Item;
using trace::Kind;

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "parcast-predicted-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~Scratch() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

constexpr Time kMicrosecond = 1'000'000;

/// A ring of three ranks. Each step computes for 5 us, exchanges with the neighbours in main/halo, and
/// reduces 8 bytes over ranks 1 and 2 in main.
trace::Trace ring(std::uint32_t steps) {
  trace::Trace trace;
  trace.program = "ring";
  trace.ranks = 3;
  trace.communicators.push_back({{1, 2}});
  trace.places = {{"main/halo", "step", "ring.c", 7, "MPI_Sendrecv"},
                  {"main", "step", "ring.c", 9, "MPI_Allreduce"}};
  trace.request_sets = {{1, 2}};
  trace.operations = {
      {.kind = Kind::wait, .requests = 0, .place = 0},
      {.kind = Kind::collective, .pattern = Pattern::allreduce, .communicator = 1, .bytes = 8, .place = 1}};
  for (const std::int32_t peer : {1, -2})
    trace.operations.push_back({.kind = Kind::start_send, .peer = peer, .tag = 1, .bytes = 100, .place = 0});
  for (const std::int32_t peer : {-1, 2})
    trace.operations.push_back(
        {.kind = Kind::start_receive, .peer = peer, .tag = 1, .bytes = 100, .place = 0});
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const std::uint32_t receive = rank == 0 ? 5 : 4, send = rank == 2 ? 3 : 2;
    trace::Sequence sequence{Item::loop(rank == 0 ? 4 : 5, steps), Item::compute(5 * kMicrosecond),
                             Item::operation(receive), Item::operation(send), Item::operation(0)};
    if (rank > 0) sequence.push_back(Item::operation(1));
    sequence.push_back(Item::compute(2 * kMicrosecond));
    trace.sequences.push_back(sequence);
    trace.sequence_of.push_back(rank);
  }
  return trace;
}

simulate::Platform platform() {
  simulate::Platform made;
  made.name = "far";
  made.links = {
      {.latency = kMicrosecond, .send_overhead = kMicrosecond / 4, .receive_overhead = kMicrosecond / 2}};
  made.node_of = made.socket_of = {0, 0, 1};
  return made;
}

class PredictedRing : public testing::Test {
 protected:
  PredictedRing() : run_(trace_, platform_) {
    const std::array<simulate::Observer*, 1> observers{&run_};
    outcome_ = *simulate::simulate(trace_, platform_, simulate::Trust::none, observers);
    run_.finish();
  }
  trace::Trace trace_ = ring(10);
  simulate::Platform platform_ = platform();
  PredictedRecording run_;
  simulate::Outcome outcome_;
};

TEST_F(PredictedRing, LastsAsLongAsTheSimulationOnEachRank) {
  const recording::Recording& recording = run_.recording();
  for (const auto& rank : recording.ranks) {
    const simulate::RankOutcome& expected = outcome_.ranks[static_cast<std::size_t>(rank.rank)];
    EXPECT_EQ(rank.wall, expected.end / 1000);
    EXPECT_EQ(rank.total_compute, expected.compute / 1000);
    std::int64_t last = 0, inside = 0;
    for (const auto& event : rank.events) {
      EXPECT_EQ(event.enter - event.compute, last);
      inside += event.exit - event.enter;
      last = event.exit;
    }
    EXPECT_EQ(inside, (expected.end - expected.compute) / 1000);
  }
  EXPECT_EQ(recording.ranks[2].host, "node 1");
}

TEST_F(PredictedRing, CountsAreThoseOfTheProgram) {
  const auto counts = recording::count(run_.recording());
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[1].calls.at("MPI_Sendrecv"), 10u);
  EXPECT_EQ(counts[1].calls.at("MPI_Allreduce"), 10u);
  EXPECT_EQ(counts[0].calls.count("MPI_Allreduce"), 0u);
  EXPECT_EQ(counts[1].messages_sent, 10u);
  EXPECT_EQ(counts[1].bytes_sent, 1000u);
}

TEST_F(PredictedRing, AnArchiveOfItIsTheSameRunAgain) {
  const Scratch scratch;
  TimeLine line;
  line.zero.assign(3, 0);
  const auto exported = export_otf2(run_.recording(), line, scratch / "ring.otf2");
  ASSERT_TRUE(exported) << to_string(exported.error());
  EXPECT_TRUE(exported->warnings.empty());
  EXPECT_EQ(exported->records.at("MpiSend"), 30u);
  EXPECT_EQ(exported->records.at("MpiCollectiveEnd"), 20u);
  const auto imported = import_otf2(scratch / "ring.otf2", scratch / "again.recording");
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_TRUE(imported->damage.empty());
  const auto again = recording::read_recording(scratch / "again.recording");
  ASSERT_TRUE(again) << to_string(again.error());
  const auto pairs = recording::pair_classes(run_.recording(), *again);
  ASSERT_EQ(pairs.size(), 4u);
  for (const recording::ClassPair& pair : pairs) {
    EXPECT_EQ(pair.a.count, pair.b.count) << pair.region << " " << pair.call;
    EXPECT_DOUBLE_EQ(pair.a.seconds, pair.b.seconds) << pair.region << " " << pair.call;
  }
  EXPECT_DOUBLE_EQ(recording::longest_wall(*again), static_cast<double>(outcome_.makespan) / 1e12);
}

TEST(PredictedRecording, TooLongARunIsRefusedBeforeItBegins) {
  EXPECT_TRUE(PredictedRecording::check_size(ring(1000), 1 << 30));
  const auto refused = PredictedRecording::check_size(ring(1'000'000'000), 1 << 30);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find(".perfetto-trace"), std::string::npos);
}

}  // namespace
}  // namespace parcast::interchange
