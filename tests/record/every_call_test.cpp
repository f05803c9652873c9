// SPDX-License-Identifier: Apache-2.0
// Every call that the recorder follows, at several process counts: the same counts as an independent tool,
// and the details that the program is known to produce.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

struct Setting {
  Mpi mpi;
  int processes;
  bool threads = false;  // MPI_THREAD_MULTIPLE
};
void PrintTo(const Setting& setting, std::ostream* out) {
  *out << name_of(setting.mpi) << " on " << setting.processes << (setting.threads ? " with threads" : "");
}

// The result of a setting, recorded once for all tests of a process.
struct Recorded {
  Scratch scratch;
  Outcome outcome;
  Result<Recording> recording = Recording{};
};

const Recorded& recorded_once(const Setting& setting) {
  static std::map<std::string, Recorded> all;
  const auto [found, is_new] = all.try_emplace(testing::PrintToString(setting));
  Recorded& run = found->second;
  if (!is_new) return run;
  fs::create_directory(run.scratch / "shim");
  run.outcome = run_recorded(
      run.scratch,
      {setting.processes, program("every_call", setting.mpi) + (setting.threads ? " multiple" : ""),
       "SHIM_OUT=" + (run.scratch / "shim").string() + " EVERY_CALL_FILES=" + run.scratch.path().string(),
       ":" + counting_shim(setting.mpi), setting.mpi});
  run.recording = recorded(run.scratch);
  return run;
}

class EveryCall : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { read(GetParam()); }

  void read(const Setting& setting) {
    run_ = &recorded_once(setting);
    ASSERT_EQ(run_->outcome.exit_code, 0) << run_->outcome.errors;
    ASSERT_TRUE(run_->recording) << to_string(run_->recording.error());
    recording_ = &*run_->recording;
    processes_ = setting.processes;
    ASSERT_TRUE(recording_->losses.empty()) << recording_->losses.front().what;
    ASSERT_EQ(recording_->processes, processes_);
  }

  CallClass kind(const Event& event) const { return recording_->calls[event.call].kind; }
  const std::string& name(const Event& event) const { return recording_->calls[event.call].name; }

  std::vector<Event> events(int rank, const std::string& call) const {
    std::vector<Event> found;
    for (const Event& event : recording_->ranks[static_cast<std::size_t>(rank)].events)
      if (name(event) == call) found.push_back(event);
    return found;
  }

  Event with_tag(int rank, const std::string& call, int tag) const {
    for (const Event& event : events(rank, call))
      if (event.message.tag == tag && event.message.peer != kNoPeer) return event;
    ADD_FAILURE() << call << " with tag " << tag << " is missing";
    return {};
  }

  const Recorded* run_ = nullptr;
  const Recording* recording_ = nullptr;
  int processes_ = 0;
};

TEST_P(EveryCall, CountsEqualThoseOfAnIndependentTool) {
  for (const RankCounts& counts : count(*recording_)) {
    std::map<std::string, std::uint64_t> ours;
    for (const auto& [call, number] : counts.calls)
      if (call != "MPI_Init") ours[call] = number;
    ours["messages"] = counts.messages_sent;
    ours["bytes"] = counts.bytes_sent;
    ours["collective"] = counts.collective_bytes;
    ours["put"] = counts.put_bytes;
    ours["got"] = counts.got_bytes;
    ours["written"] = counts.written_bytes;
    ours["read"] = counts.read_bytes;
    std::map<std::string, std::uint64_t> theirs;
    std::istringstream lines(slurp(run_->scratch / ("shim/shim-" + std::to_string(counts.rank) + ".txt")));
    std::string word;
    for (std::uint64_t number; lines >> word >> number;) theirs[word] = number;
    ASSERT_GT(theirs.size(), 150u);
    for (const auto& [name, number] : theirs)
      EXPECT_EQ(ours[name], number) << name << ", rank " << counts.rank;
    EXPECT_EQ(ours.size(), theirs.size());
  }
}

TEST_P(EveryCall, TheProgramPrintsAndReturnsTheSame) {
  std::vector<std::string> lines;
  for (const Outcome& outcome :
       {run_->outcome, run_plain(run_->scratch, {processes_, program("every_call", GetParam().mpi),
                                                 "EVERY_CALL_FILES=" + run_->scratch.path().string(), "",
                                                 GetParam().mpi})}) {
    EXPECT_EQ(outcome.exit_code, 0);
    std::istringstream stream(outcome.output);
    std::vector<std::string> these;
    for (std::string line; std::getline(stream, line);) these.push_back(line);
    std::sort(these.begin(), these.end());
    lines.push_back(testing::PrintToString(these));
  }
  EXPECT_EQ(lines[0], lines[1]);
}

TEST_P(EveryCall, EveryRequestIsCompletedOnce) {
  for (const RankRecording& rank : recording_->ranks) {
    std::multiset<std::uint32_t> started, completed;
    for (const Event& event : rank.events)
      if (event.request) started.insert(event.request);
    for (const Completion& completion : rank.completions) completed.insert(completion.request);
    // a receive from, and a send to, MPI_PROC_NULL complete at once, and no process waits for them
    EXPECT_EQ(started, completed) << "rank " << rank.rank;
    EXPECT_GT(started.size(), 80u);
  }
}

TEST_P(EveryCall, TimesAreInOrder) {
  for (const RankRecording& rank : recording_->ranks) {
    EXPECT_TRUE(rank.finalised);
    EXPECT_LT(rank.overhead_per_event, 2e-6);
    std::int64_t before = rank.events.front().enter;
    for (const Event& event : rank.events) {
      EXPECT_GE(event.enter, before);
      EXPECT_GE(event.exit, event.enter);
      EXPECT_GE(event.compute, 0);
      EXPECT_LE(event.compute, event.enter - before + 2000) << name(event);
      before = event.exit;
    }
    EXPECT_GE(rank.wall, rank.total_compute);
  }
}

TEST_P(EveryCall, PointToPointInDetail) {
  const int p = processes_;
  for (int r = 0; r < p; ++r) {
    const int next = (r + 1) % p, before = (r + p - 1) % p;
    const Event received = events(r, "MPI_Recv").front();  // any source, any tag, room for 16 doubles
    EXPECT_EQ(received.received.peer, before);
    EXPECT_EQ(received.received.tag, 2);
    EXPECT_EQ(received.received.bytes, 32u);
    EXPECT_EQ(events(r, "MPI_Send").at(1).message.peer, kNoPeer);
    EXPECT_EQ(events(r, "MPI_Send").at(1).message.bytes, 0u);
    const Event derived = with_tag(r, "MPI_Sendrecv", 40);
    EXPECT_EQ(derived.message.bytes, 64u);
    EXPECT_EQ(derived.received.bytes, 64u);
    EXPECT_EQ(derived.message.peer, next);
    EXPECT_EQ(derived.received.peer, before);
    EXPECT_EQ(with_tag(r, "MPI_Sendrecv", 41).message.bytes, 0u);
    const Event probe = events(r, "MPI_Probe").front();
    EXPECT_EQ(probe.message.peer, kAnySource);
    EXPECT_EQ(probe.received.peer, before);
    EXPECT_EQ(probe.received.bytes, 56u);
    EXPECT_EQ(probe.message.bytes, 0u);
    EXPECT_EQ(events(r, "MPI_File_write_at").at(0).message.tag, 0);
    const auto matched = events(r, "MPI_Mrecv");
    EXPECT_EQ(matched.front().received.peer, before);
    EXPECT_EQ(matched.front().received.bytes, 24u);
    const auto starts = events(r, "MPI_Startall");
    ASSERT_EQ(starts.size(), 3u);
    EXPECT_EQ(starts[2].message.bytes, 100000u);
    EXPECT_EQ(starts[2].message.tag, 32);
    EXPECT_EQ(kind(starts[0]), CallClass::start_receive);
    EXPECT_EQ(kind(starts[1]), CallClass::start_send);
    EXPECT_FALSE(starts[0].continued);
    EXPECT_TRUE(starts[1].continued);
    EXPECT_EQ(starts[1].message.bytes, 64u);
    EXPECT_EQ(starts[1].message.peer, next);
  }
}

TEST_P(EveryCall, CompletionsTellWhoSentWhat) {
  const RankRecording& rank = recording_->ranks.front();
  const Event isend = with_tag(0, "MPI_Isend", 10);
  std::uint32_t receive = 0;
  for (const Event& event : rank.events)
    if (name(event) == "MPI_Irecv" && event.received.tag == 10) receive = event.request;
  bool seen_send = false, seen_receive = false;
  const auto from_no_one = [&](const Event& event) {
    return name(event) == "MPI_Irecv" && event.received.tag == 9;
  };
  const auto nothing = std::find_if(rank.events.begin(), rank.events.end(), from_no_one);
  ASSERT_NE(nothing, rank.events.end());
  EXPECT_EQ(nothing->received.peer, kNoPeer);
  for (const Completion& completion : rank.completions) {
    if (completion.request == nothing->request) EXPECT_EQ(completion.source, kNoPeer);
    if (completion.request == isend.request) seen_send = completion.source == kNoPeer;
    if (completion.request == receive)
      seen_receive = completion.source == processes_ - 1 && completion.tag == 10 && completion.bytes == 4;
  }
  EXPECT_TRUE(seen_send);
  EXPECT_TRUE(seen_receive);
}

TEST_P(EveryCall, CollectivesInDetail) {
  const auto p = static_cast<std::uint64_t>(processes_);
  for (int rank = 0; rank < processes_; ++rank) {
    const auto r = static_cast<std::uint64_t>(rank);
    for (const std::string prefix : {"MPI_", "MPI_I"}) {
      const auto call = [&](std::string name) {
        if (prefix == "MPI_I") name[0] = static_cast<char>(std::tolower(name[0]));
        const auto found = events(rank, prefix + name);
        EXPECT_FALSE(found.empty()) << name;
        return found;
      };
      const Event broadcast = call("Bcast").front();
      EXPECT_EQ(broadcast.message.peer, processes_ - 1);
      EXPECT_EQ(broadcast.message.bytes, r == p - 1 ? 40u : 0u);
      EXPECT_EQ(broadcast.received.bytes, r == p - 1 ? 0u : 40u);
      const Event reduce = call("Reduce").front();
      EXPECT_EQ(reduce.message.bytes, 24u);
      EXPECT_EQ(reduce.received.bytes, r == 0 ? 24u : 0u);
      const Event in_place = call("Gather").at(1);
      EXPECT_EQ(in_place.message.bytes, 16u);
      EXPECT_EQ(in_place.received.bytes, r == 0 ? 16 * p : 0u);
      const Event gatherv = call("Gatherv").front();
      EXPECT_EQ(gatherv.message.bytes, 8 * (r + 1));
      EXPECT_EQ(gatherv.received.bytes, r == 0 ? 8 * p * (p + 1) / 2 : 0u);
      const Event scatterv = call("Scatterv").front();
      EXPECT_EQ(scatterv.message.bytes, r == 0 ? 8 * p * (p + 1) / 2 : 0u);
      EXPECT_EQ(scatterv.received.bytes, 8 * (r + 1));
      EXPECT_EQ(call("Allgather").at(1).message.bytes, 16u);
      EXPECT_EQ(call("Allgatherv").at(1).message.bytes, 8 * (r + 1));
      EXPECT_EQ(call("Alltoall").front().message.bytes, 24 * p);
      EXPECT_EQ(call("Alltoallv").front().message.bytes, 8 * p * (r + 1));
      EXPECT_EQ(call("Alltoallv").front().received.bytes, 8 * p * (p + 1) / 2);
      EXPECT_EQ(call("Alltoallw").front().message.bytes, 16 * p);
      EXPECT_EQ(call("Reduce_scatter").front().message.bytes, 8 * p * (p + 1) / 2);
      EXPECT_EQ(call("Reduce_scatter").front().received.bytes, 8 * (r + 1));
      EXPECT_EQ(call("Scan").front().message.bytes, 32u);
    }
    const Call& alltoallw = recording_->calls[events(rank, "MPI_Alltoallw").front().call];
    EXPECT_EQ(alltoallw.kind, CallClass::collective);
    EXPECT_EQ(alltoallw.pattern, Pattern::alltoall);
  }
}

TEST_P(EveryCall, CommunicatorsKeepTheirMembersWhenHandlesAreUsedAgain) {
  for (int r = 0; r < processes_; ++r) {
    const RankRecording& rank = recording_->ranks[static_cast<std::size_t>(r)];
    std::vector<std::int32_t> world, half;
    for (int i = 0; i < processes_; ++i) world.push_back(i);
    for (int i = processes_ - 1; i >= 0; --i)
      if (i % 2 == r % 2) half.push_back(i);
    EXPECT_EQ(rank.communicators[0].world_ranks, world);
    EXPECT_EQ(rank.communicators[events(r, "MPI_Comm_split").front().created].world_ranks, half);
    // the last 20 splits but one, of a window, alternate between all ranks and MPI_COMM_SELF; each frees its
    // result
    const auto splits = events(r, "MPI_Comm_split");
    const auto reductions = events(r, "MPI_Allreduce");
    for (std::size_t i = 0; i < 20; ++i) {
      const Event& split = splits[splits.size() - 21 + i];
      const Event& reduction = reductions[reductions.size() - 20 + i];
      ASSERT_NE(split.created, 0u);
      EXPECT_EQ(reduction.communicator, split.created);
      EXPECT_EQ(rank.communicators[split.created].world_ranks, i % 2 ? std::vector<std::int32_t>{r} : world);
    }
  }
}

TEST_P(EveryCall, CartesianTopologiesAreKnown) {
  const std::map<int, std::vector<std::int32_t>> extents{{2, {2, 1}}, {3, {3, 1}}, {4, {2, 2}}};
  const auto& dims = extents.at(processes_);
  for (int r = 0; r < processes_; ++r) {
    const RankRecording& rank = recording_->ranks[static_cast<std::size_t>(r)];
    const Communicator& grid = rank.communicators[events(r, "MPI_Cart_create").front().created];
    EXPECT_EQ(grid.dimensions, dims);
    EXPECT_EQ(grid.periodic, (std::vector<bool>{true, false}));
    EXPECT_EQ(grid.coordinates, (std::vector<std::int32_t>{r / dims[1], r % dims[1]}));
    const Communicator& line = rank.communicators[events(r, "MPI_Cart_sub").front().created];
    EXPECT_EQ(line.dimensions, (std::vector<std::int32_t>{dims[1]}));
    const Event shift = with_tag(r, "MPI_Sendrecv_replace", 50);
    EXPECT_EQ(shift.message.peer, (r + dims[1]) % processes_);  // one step down the periodic dimension
  }
}

TEST_P(EveryCall, PeersAcrossAnIntercommunicatorAreWorldRanks) {
  // Both groups are in reverse order; member i of one exchanges messages with member i of the other.
  std::vector<std::vector<int>> groups(2);
  for (int i = processes_ - 1; i >= 0; --i) groups[static_cast<std::size_t>(i % 2)].push_back(i);
  for (std::size_t i = 0; i < groups[1].size(); ++i) {
    EXPECT_EQ(with_tag(groups[0][i], "MPI_Sendrecv", 61).message.peer, groups[1][i]);
    EXPECT_EQ(with_tag(groups[1][i], "MPI_Sendrecv", 61).message.peer, groups[0][i]);
  }
}

TEST_P(EveryCall, NothingIsLeftUnfollowed) {
  for (const RankRecording& rank : recording_->ranks)
    EXPECT_TRUE(rank.unfollowed.empty()) << rank.unfollowed.front().name;
}

TEST_P(EveryCall, OneSidedAccessNamesItsTarget) {
  for (int r = 0; r < processes_; ++r) {
    const int next = GetParam().mpi == kOpenMpi ? (r + 1) % processes_ : r;  // every_call.c explains why
    const auto puts = events(r, "MPI_Put");
    ASSERT_EQ(puts.size(), 4u);
    EXPECT_EQ(kind(puts[0]), CallClass::one_sided);
    EXPECT_EQ(puts[0].message.peer, kNoPeer);
    EXPECT_EQ(puts[0].message.bytes, 0u);
    EXPECT_EQ(puts[1].message.peer, next);
    EXPECT_EQ(puts[1].message.bytes, 8u);
    EXPECT_EQ(puts[3].message.peer, r);  // its rank in the window's communicator differs
    const auto rget = events(r, "MPI_Rget").at(0);
    EXPECT_EQ(rget.received.peer, next);
    EXPECT_EQ(rget.received.bytes, 4u);
    EXPECT_NE(rget.request, 0u);
    EXPECT_EQ(events(r, "MPI_Compare_and_swap").at(0).message.bytes, 8u);
    EXPECT_EQ(kind(events(r, "MPI_Win_unlock").at(0)), CallClass::epoch);
    const Event fence = events(r, "MPI_Win_fence").at(0);
    EXPECT_EQ(recording_->calls[fence.call].pattern, Pattern::barrier);
  }
}

TEST_P(EveryCall, EpochsNameTheirWindowOwnerAndGroup) {
  for (int r = 0; r < processes_; ++r) {
    const bool ring = GetParam().mpi == kOpenMpi;
    const int next = ring ? (r + 1) % processes_ : r, before = ring ? (r + processes_ - 1) % processes_ : r;
    const auto about = [&](const std::string& call, std::size_t i = 0) {
      const Event event = events(r, call).at(i);
      return std::tuple(event.message.peer, event.message.tag, event.received.tag, event.received.bytes);
    };
    EXPECT_EQ(about("MPI_Win_lock"), std::tuple(next, 1, 2, 0u));
    EXPECT_EQ(about("MPI_Win_flush"), std::tuple(next, 0, 2, 0u));
    EXPECT_EQ(about("MPI_Win_flush_local"), std::tuple(next, 0, 2, 0u));
    EXPECT_EQ(about("MPI_Win_unlock"), std::tuple(next, 0, 2, 0u));
    EXPECT_EQ(about("MPI_Win_lock_all"), std::tuple(kNoPeer, 1, 2, 0u));
    EXPECT_EQ(about("MPI_Win_unlock_all"), std::tuple(kNoPeer, 0, 2, 0u));
    EXPECT_EQ(about("MPI_Win_lock", 1), std::tuple(r, 2, 1, 0u));  // the first window of another communicator
    EXPECT_NE(events(r, "MPI_Win_lock").at(1).communicator, 0u);
    const auto group = [&](const std::string& call) {
      std::vector<std::int32_t> ranks;
      for (const Share& share :
           recording_->ranks[static_cast<std::size_t>(r)].shares.at(events(r, call).at(0).sent_shares)) {
        EXPECT_EQ(share.count, 1u);
        ranks.push_back(share.first);
      }
      return ranks;
    };
    EXPECT_EQ(group("MPI_Win_post"), std::vector{before});
    EXPECT_EQ(group("MPI_Win_start"), std::vector{next});
    for (const char* call : {"MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"})
      EXPECT_EQ(about(call), std::tuple(kNoPeer, 0, 3, 0u)) << call;
    EXPECT_EQ(about("MPI_Win_test", events(r, "MPI_Win_test").size() - 1), std::tuple(kNoPeer, 1, 3, 0u));
  }
}

TEST_P(EveryCall, FilesTellTheirBytes) {
  for (int r = 0; r < processes_; ++r) {
    EXPECT_EQ(events(r, "MPI_File_write_at").at(0).message.bytes, 32u);
    EXPECT_EQ(events(r, "MPI_File_read_at").at(0).received.bytes, 32u);
    // the bytes read, not those requested
    EXPECT_EQ(events(r, "MPI_File_read_at").at(1).received.bytes, 12u);
    EXPECT_EQ(kind(events(r, "MPI_File_close").at(0)), CallClass::input_output);
  }
}

using Bytes = std::map<std::int32_t, std::uint64_t>;

Bytes spread(const std::vector<Share>& shares) {
  Bytes bytes;
  for (const Share& share : shares)
    for (std::uint32_t i = 0; i < share.count; ++i)
      bytes[share.first + static_cast<std::int32_t>(i) * share.stride] += share.bytes;
  return bytes;
}

TEST_P(EveryCall, CollectivesWithUnequalPartsTellThemPerPartner) {
  const auto p = static_cast<std::uint64_t>(processes_);
  for (int rank = 0; rank < processes_; ++rank) {
    const RankRecording& in = recording_->ranks[static_cast<std::size_t>(rank)];
    Bytes growing, own;
    for (std::uint64_t i = 0; i < p; ++i) {
      growing[static_cast<std::int32_t>(i)] = 8 * (i + 1);
      own[static_cast<std::int32_t>(i)] = 8 * (static_cast<std::uint64_t>(rank) + 1);
    }
    const Event alltoallv = events(rank, "MPI_Alltoallv").front();
    EXPECT_EQ(spread(in.shares[alltoallv.sent_shares]), own);
    EXPECT_EQ(spread(in.shares[alltoallv.received_shares]), growing);
    const Event gatherv = events(rank, "MPI_Gatherv").front();
    EXPECT_EQ(spread(in.shares[gatherv.received_shares]), rank == 0 ? growing : Bytes{});
    EXPECT_EQ(spread(in.shares[events(rank, "MPI_Allgatherv").front().received_shares]), growing);
    EXPECT_EQ(spread(in.shares[events(rank, "MPI_Reduce_scatter").front().sent_shares]), growing);
    EXPECT_EQ(events(rank, "MPI_Alltoall").front().sent_shares, 0u);
  }
}

TEST_P(EveryCall, NeighbourhoodsTellTheirNeighbours) {
  for (int r = 0; r < processes_; ++r) {
    const RankRecording& in = recording_->ranks[static_cast<std::size_t>(r)];
    const int last = processes_ - 1, next = (r + 1) % processes_, before = (r + last) % processes_;
    Bytes line, unequal;
    if (r > 0) line[r - 1] = 12, unequal[r - 1] = 8;
    if (r < last) line[r + 1] = 12, unequal[r + 1] = 24;
    const Event alltoall = events(r, "MPI_Neighbor_alltoall").front();
    EXPECT_EQ(recording_->calls[alltoall.call].pattern, Pattern::neighbourhood);
    EXPECT_EQ(spread(in.shares[alltoall.sent_shares]), line);
    EXPECT_EQ(alltoall.message.bytes, 12 * line.size());
    const Event alltoallv = events(r, "MPI_Neighbor_alltoallv").front();
    EXPECT_EQ(spread(in.shares[alltoallv.sent_shares]), unequal);
    const Event ring = events(r, "MPI_Ineighbor_allgather").front();
    EXPECT_EQ(spread(in.shares[ring.sent_shares]), (Bytes{{next, 16}}));
    EXPECT_EQ(spread(in.shares[ring.received_shares]), (Bytes{{before, 16}}));
    EXPECT_NE(ring.request, 0u);
  }
}

TEST_P(EveryCall, SitesAreFunctionFileAndLine) {
  Recording resolved = *recording_;
  resolve_sites(resolved);
  const RankRecording& rank = resolved.ranks.front();
  const Site& site = rank.sites[events(0, "MPI_Ssend").front().site];
  EXPECT_EQ(site.function, "point_to_point");
  EXPECT_EQ(fs::path(site.file).filename(), "every_call.c");
  // relative names are relative to the folder in which compilers were started
  std::ifstream source(fs::path(PARCAST_BINARY_DIR) / site.file);
  std::string line;
  for (int i = 0; i < site.line; ++i) std::getline(source, line);
  EXPECT_NE(line.find("MPI_Ssend"), std::string::npos) << site.file << ":" << site.line << ": " << line;
  EXPECT_EQ(rank.sites[events(0, "MPI_Init").front().site].function, "main");
}

TEST_P(EveryCall, TheSameWithThreads) {
  read({GetParam().mpi, GetParam().processes, true});
  for (const RankCounts& counts : count(*recording_)) EXPECT_EQ(counts.calls.at("MPI_Startall"), 2u);
}

std::vector<Setting> settings() {
  std::vector<Setting> out;
  for (const Mpi mpi : families())
    for (const int processes : {2, 3, 4}) out.push_back({mpi, processes});
  return out;
}
INSTANTIATE_TEST_SUITE_P(By, EveryCall, testing::ValuesIn(settings()), [](const auto& each) {
  return name_of(each.param.mpi) + "_on_" + std::to_string(each.param.processes);
});

}  // namespace
}  // namespace parcast::record_tests
