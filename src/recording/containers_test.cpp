// SPDX-License-Identifier: Apache-2.0
#include "recording/containers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <set>

#include "recording/container.h"
#include "recording/counts_file.h"
#include "recording/gather.h"
#include "recording/recording_file.h"
#include "recording/sample_rank.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;

/// Writes rank files as processes leave them: finished, or killed with unused room at the end.
void write_rank(const fs::path& folder, int rank, int processes, const char* host, bool killed = false) {
  SampleRank file(folder / ("rank-" + std::to_string(rank) + ".rec"), rank, processes);
  std::memset(file.writer.header->host, 0, sizeof file.writer.header->host);
  std::strcpy(file.writer.header->host, host);
  parcast_writer_seal_header(&file.writer);
  auto words = SampleRank::message((rank + 1) % processes, 1, 800);
  words.push_back(400);
  for (int i = 0; i < 10 + rank; ++i)
    file.event(3, 1000, 500, {PARCAST_HAS_MESSAGE | PARCAST_HAS_COMPUTE, words});
  if (!killed) file.finish();
}

class Gathering : public testing::Test {
 protected:
  Gathering() {
    fs::create_directory(local_);
    fs::create_directory(into_);
  }
  void four_ranks() const {
    for (const int rank : {2, 0, 3, 1}) write_rank(local_, rank, 4, rank < 2 ? "alpha" : "beta", rank == 1);
  }
  parcast_gathered gather(const fs::path& from, const fs::path& into) const {
    parcast_gathered gathered;
    parcast_gather(from.c_str(), into.c_str(), 1, &gathered);
    return gathered;
  }
  std::set<std::string> names_in(const fs::path& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }
  /// Returns a summary of what a reader finds, for comparison.
  static std::string given_by(const Recording& recording) {
    std::string text = recording.digest + " " + std::to_string(recording.losses.size());
    for (const RankCounts& counts : count(recording))
      text += " " + std::to_string(counts.rank) + ":" + std::to_string(counts.events) + ":" +
              std::to_string(counts.bytes_sent);
    return text;
  }

  Scratch scratch_;
  fs::path local_ = scratch_ / "local", into_ = scratch_ / "x.recording";
};

TEST_F(Gathering, ChangesNothingOfWhatIsRead) {
  four_ranks();
  const auto before = read_recording(local_);
  ASSERT_TRUE(before);
  EXPECT_GT(fs::file_size(local_ / "rank-1.rec"), 250'000u) << "the killed one has room at its end";
  const auto gathered = gather(local_, into_);
  EXPECT_EQ(gathered.error, 0) << gathered.where;
  EXPECT_EQ(gathered.ranks, 4u);
  EXPECT_EQ(gathered.containers, 2u);
  EXPECT_FALSE(fs::exists(local_));
  EXPECT_EQ(names_in(into_), (std::set<std::string>{"node-alpha.recs", "node-beta.recs"}));
  EXPECT_LT(fs::file_size(into_ / "node-alpha.recs"), 30'000u);
  EXPECT_EQ(gathered.bytes,
            fs::file_size(into_ / "node-alpha.recs") + fs::file_size(into_ / "node-beta.recs"));
  const auto after = read_recording(into_);
  ASSERT_TRUE(after) << to_string(after.error());
  EXPECT_EQ(given_by(*after), given_by(*before));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(after->ranks[i].host, i < 2 ? "alpha" : "beta");
}

/// Writes counts for a rank file; one file is empty, as when there was no room for it.
void write_counts(const fs::path& folder, int rank, const char* host) {
  const std::string path = folder / ("rank-" + std::to_string(rank) + ".counts");
  if (rank == 3) {
    std::ofstream(path).flush();
    return;
  }
  parcast_counts_file file;
  parcast_counts_header header{};
  header.rank = rank;
  header.processes = 4;
  header.started = 1'700'000'000'000'000'000;  // as in SampleRank
  header.modules = 1;
  header.set_bytes = 4096;
  std::strcpy(header.host, host);
  const parcast_counts_row row{0xab, 2, 0, 0, 0, 0};
  ASSERT_EQ(parcast_counts_open(&file, path.c_str(), &header, &row, 1 << 20), 0);
  for (const std::uint16_t kind : {PARCAST_SET_START, PARCAST_SET_OTHERS, PARCAST_SET_THREAD}) {
    const parcast_set_key key{kind, 0, 0, 0, 0};
    parcast_stop reason;
    char* memory = parcast_counts_add(&file, &key, &reason);
    ASSERT_TRUE(memory);
    memory[8] = static_cast<char>(kind + 10 * rank);
  }
}

TEST_F(Gathering, TakesTheirCountsAlong) {
  four_ranks();
  for (const int rank : {0, 1, 2, 3}) write_counts(local_, rank, rank < 2 ? "alpha" : "beta");
  const auto before = read_recording(local_);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->losses.size(), 2u) << "one rank was killed, another's counts found no room";
  EXPECT_EQ(total_counts(before->ranks[2].counted),
            (std::vector<std::vector<std::uint64_t>>{{0, 3 * 20 + 1 + 2 + 4}}));
  fs::copy(local_, scratch_ / "kept");
  const auto gathered = gather(local_, into_);
  EXPECT_EQ(gathered.error, 0) << gathered.where;
  EXPECT_EQ(gathered.ranks, 4u);
  EXPECT_EQ(gathered.beside, 4u);
  EXPECT_FALSE(fs::exists(local_));
  EXPECT_EQ(names_in(into_), (std::set<std::string>{"node-alpha.recs", "node-beta.recs"}));
  const auto check = [&] {
    const auto after = read_recording(into_);
    ASSERT_TRUE(after) << to_string(after.error());
    EXPECT_EQ(given_by(*after), given_by(*before));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(after->ranks[i].counted.kept, i != 3);
      EXPECT_EQ(total_counts(after->ranks[i].counted), total_counts(before->ranks[i].counted)) << i;
      EXPECT_EQ(after->ranks[i].counted.sets.size(), before->ranks[i].counted.sets.size()) << i;
    }
  };
  check();
  // a gathering that ended before removing packed files is completed by the next one, whatever remains of it
  fs::copy(scratch_ / "kept", local_);
  fs::remove(local_ / "rank-0.rec");
  fs::remove(local_ / "rank-2.counts");
  const auto again = gather(local_, into_);
  EXPECT_EQ(again.known + again.beside, 6u);
  EXPECT_EQ(again.containers, 0u);
  check();
}

TEST_F(Gathering, LeavesTheCountsOfWhatStillRuns) {
  four_ranks();
  for (const int rank : {0, 1}) write_counts(local_, rank, "alpha");
  const std::string host = [] {
    char name[64] = "";
    ::gethostname(name, sizeof name - 1);
    return std::string(name);
  }();
  {  // as if this process were the rank and still ran
    std::fstream file(local_ / "rank-1.rec", std::ios::in | std::ios::out | std::ios::binary);
    parcast_header header;
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    std::memset(header.host, 0, sizeof header.host);
    std::strncpy(header.host, host.c_str(), sizeof header.host - 1);
    header.process_id = static_cast<std::uint64_t>(::getpid());
    std::memset(header.command, 0, sizeof header.command);
    const std::string command = slurp("/proc/self/cmdline").substr(0, sizeof header.command - 1);
    std::memcpy(header.command, command.data(), command.size());
    header.live[PARCAST_LIVE_FINALISED] = {0, PARCAST_TWIN};
    file.seekp(0);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
  }
  const auto gathered = gather(local_, into_);
  EXPECT_EQ(gathered.running, 1u);
  EXPECT_EQ(gathered.ranks, 3u);
  EXPECT_EQ(gathered.beside, 1u);
  EXPECT_EQ(names_in(local_), (std::set<std::string>{"rank-1.rec", "rank-1.counts"}));
}

TEST_F(Gathering, InPlacePacksAFolderOfManyHosts) {
  four_ranks();
  const auto before = read_recording(local_);
  EXPECT_EQ(gather(local_, local_).error, 0);
  EXPECT_EQ(names_in(local_), (std::set<std::string>{"node-alpha.recs", "node-beta.recs"}));
  EXPECT_EQ(given_by(read_recording(local_).value()), given_by(*before));
}

TEST_F(Gathering, GivesTheSameBytesForTheSameRanks) {
  four_ranks();
  fs::copy(local_, scratch_ / "again");
  fs::create_directory(scratch_ / "y.recording");
  gather(local_, into_);
  gather(scratch_ / "again", scratch_ / "y.recording");
  for (const char* name : {"node-alpha.recs", "node-beta.recs"})
    EXPECT_EQ(slurp(into_ / name), slurp(scratch_ / "y.recording" / name));
}

TEST_F(Gathering, TwiceIsHarmless) {
  four_ranks();
  gather(local_, into_);
  const std::string first = slurp(into_ / "node-alpha.recs");
  const auto again = gather(local_, into_);
  EXPECT_EQ(again.error, 0);
  EXPECT_EQ(again.ranks + again.containers, 0u);
  EXPECT_EQ(gather(into_, into_).containers, 0u);
  EXPECT_EQ(slurp(into_ / "node-alpha.recs"), first);
  EXPECT_EQ(names_in(into_).size(), 2u);
}

TEST_F(Gathering, ThatWasEndedBeforeTheRankFilesWereRemovedIsFinishedByTheNext) {
  four_ranks();
  fs::copy(local_, scratch_ / "kept");
  const auto before = read_recording(local_);
  gather(local_, into_);
  fs::create_directory(local_);
  for (const char* name : {"rank-1.rec", "rank-3.rec"}) fs::copy(scratch_ / "kept" / name, local_ / name);
  fs::copy(scratch_ / "kept/rank-0.rec", into_ / "rank-0.rec");
  EXPECT_EQ(given_by(read_recording(into_).value()), given_by(*before)) << "the same bytes twice are no loss";
  const auto gathered = gather(local_, into_);
  EXPECT_EQ(gathered.known, 2u);
  EXPECT_EQ(gathered.containers, 0u);
  EXPECT_FALSE(fs::exists(local_));
  EXPECT_EQ(gather(into_, into_).known, 1u);
  EXPECT_EQ(names_in(into_).size(), 2u);
}

/// Records the names created in a folder.
class Watch {
 public:
  explicit Watch(const fs::path& folder) : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    ::inotify_add_watch(descriptor_, folder.c_str(), IN_CREATE);
  }
  ~Watch() { ::close(descriptor_); }
  std::vector<std::string> names() const {
    alignas(inotify_event) char room[4096];
    std::vector<std::string> names;
    const ssize_t got = ::read(descriptor_, room, sizeof room);
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(room + at);
      names.emplace_back(event->name);
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return names;
  }

 private:
  int descriptor_;
};

TEST_F(Gathering, ThatWasEndedBetweenTheTwoNamesOfAContainerKeepsIt) {
  std::ofstream(local_ / "notes") << "so that the folder stays";
  write_rank(local_, 0, 2, "alpha");
  const Watch watch(into_);
  gather(local_, into_);
  const auto names = watch.names();
  ASSERT_EQ(names.size(), 2u);
  ASSERT_EQ(names[0][0], '.');
  const std::string made = slurp(into_ / "node-alpha.recs");
  fs::create_hard_link(into_ / "node-alpha.recs", into_ / names[0]);
  write_rank(local_, 1, 2, "alpha");
  EXPECT_EQ(gather(local_, into_).error, 0);
  EXPECT_EQ(slurp(into_ / "node-alpha.recs"), made);
  EXPECT_EQ(names_in(into_), (std::set<std::string>{"node-alpha.recs", "node-alpha-2.recs"}));
  EXPECT_TRUE(read_recording(into_)->losses.empty());
}

TEST_F(Gathering, ARankToldDifferentlyTwiceIsALossThatNamesBoth) {
  four_ranks();
  gather(local_, into_);
  fs::create_directory(local_);
  SampleRank::now += 1;
  {
    SampleRank other(local_ / "rank-2.rec", 2, 4);
    std::strcpy(other.writer.header->host, "beta");
    other.event(5, 1, 1);
    other.finish();
  }
  EXPECT_EQ(gather(local_, into_).ranks, 1u);
  EXPECT_EQ(names_in(into_), (std::set<std::string>{"node-alpha.recs", "node-beta.recs", "node-beta-2.recs"}))
      << "no file is replaced";
  const auto recording = read_recording(into_);
  ASSERT_TRUE(recording);
  std::string twice;
  for (const Loss& loss : recording->losses)
    if (loss.what.starts_with("rank 2 is recorded twice")) twice += loss.what;
  for (const char* name : {"node-beta.recs", "node-beta-2.recs"})
    EXPECT_NE(twice.find(name), std::string::npos) << twice;
}

TEST_F(Gathering, KeepsWorldsApart) {
  four_ranks();
  fs::create_symlink("first", local_ / PARCAST_WORLD_LINK);
  fs::create_directory(local_ / "world-second");
  write_rank(local_ / "world-second", 0, 2, "alpha");
  EXPECT_EQ(gather(local_, into_).error, 0);
  EXPECT_FALSE(fs::exists(local_));
  // another node, where the second world's process came first
  fs::create_directory(local_);
  fs::create_symlink("second", local_ / PARCAST_WORLD_LINK);
  write_rank(local_, 1, 2, "gamma");
  EXPECT_EQ(gather(local_, into_).error, 0);
  EXPECT_EQ(names_in(into_ / "world-second"), (std::set<std::string>{"node-alpha.recs", "node-gamma.recs"}));
  const auto second = read_recording(into_ / "world-second");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->losses.empty()) << second->losses.front().what;
  EXPECT_EQ(second->ranks.size(), 2u);
  EXPECT_EQ(read_recording(into_)->worlds, std::vector<std::string>{"world-second"});
}

TEST_F(Gathering, LeavesAFolderWithAnythingElseInIt) {
  four_ranks();
  std::ofstream(local_ / "notes") << "mine";
  std::ofstream(local_ / "rank-x.rec") << "mine";
  std::ofstream(local_ / "rank-007.rec") << "mine";
  EXPECT_EQ(gather(local_, into_).ranks, 4u);
  EXPECT_EQ(names_in(local_), (std::set<std::string>{"notes", "rank-x.rec", "rank-007.rec"}));
}

TEST_F(Gathering, OfFoldersThatAreNotThereIsNoFailureOrOneThatSaysWhere) {
  EXPECT_EQ(gather(scratch_ / "absent", into_).error, 0);
  four_ranks();
  const auto nowhere = gather(local_, scratch_ / "absent");
  EXPECT_EQ(nowhere.error, ENOENT);
  EXPECT_EQ(nowhere.where, (scratch_ / "absent").string());
  EXPECT_EQ(names_in(local_).size(), 4u);
}

TEST_F(Gathering, ThatAnotherProcessIsAtIsLeftToIt) {
  four_ranks();
  const int held = ::open(local_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  parcast_gathered gathered;
  EXPECT_EQ(parcast_gather(local_.c_str(), into_.c_str(), 0, &gathered), 0);
  EXPECT_EQ(gathered.busy, 1u);
  EXPECT_EQ(names_in(local_).size(), 4u);
  ::close(held);
}

/// Runs a function in a child process and returns its exit code.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Gathering, BeyondTheFileSizeLimitLeavesTheRanksWhereTheyAre) {
  four_ranks();
  const auto before = read_recording(local_);
  const int code = in_child([&] {
    const rlimit limit{5'000, 5'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    parcast_gathered gathered;
    parcast_gather(local_.c_str(), into_.c_str(), 1, &gathered);
    return gathered.error == EFBIG && gathered.left == 4 && gathered.ranks == 0 ? 0 : 1;
  });
  EXPECT_EQ(code, 0) << "no signal, and the failure is told";
  EXPECT_TRUE(names_in(into_).empty()) << "no temporary is left";
  EXPECT_EQ(given_by(read_recording(local_).value()), given_by(*before));
  EXPECT_EQ(gather(local_, into_).ranks, 4u);
}

TEST_F(Gathering, KilledAtAnyMomentLosesNothing) {
  int done = 0, interrupted = 0;
  four_ranks();
  const auto before = given_by(read_recording(local_).value());
  fs::copy(local_, scratch_ / "kept");
  for (int delay = 0; done < 20 && delay < 4000; delay += 40) {
    fs::remove_all(local_);
    fs::remove_all(into_);
    fs::copy(scratch_ / "kept", local_);
    fs::create_directory(into_);
    const pid_t child = ::fork();
    if (child == 0) {
      parcast_gathered gathered;
      ::_exit(parcast_gather(local_.c_str(), into_.c_str(), 1, &gathered));
    }
    ::usleep(static_cast<useconds_t>(delay));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    WIFEXITED(status) ? ++done : ++interrupted;
    std::error_code ignored;
    // every rank is in one of the two folders, complete
    fs::create_directory(scratch_ / "all");
    if (fs::exists(local_))
      fs::copy(local_, scratch_ / "all", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    for (const std::string& name : names_in(into_)) fs::copy(into_ / name, scratch_ / "all" / name);
    const auto all = read_recording(scratch_ / "all");
    ASSERT_TRUE(all) << to_string(all.error());
    EXPECT_EQ(given_by(*all), before) << delay;
    fs::remove_all(scratch_ / "all");
    EXPECT_EQ(gather(local_, into_).error, 0);
    EXPECT_EQ(names_in(into_), (std::set<std::string>{"node-alpha.recs", "node-beta.recs"}))
        << "no temporary is left";
    EXPECT_EQ(given_by(read_recording(into_).value()), before);
  }
  EXPECT_GT(interrupted, 0);
}

TEST_F(Gathering, LeavesTheFilesOfProcessesThatStillRun) {
  write_rank(local_, 0, 2, "alpha");
  {  // as this process would write it
    SampleRank own(local_ / "rank-1.rec", 1, 2);
    auto* header = own.writer.header;
    std::memset(header->host, 0, sizeof header->host);
    ::gethostname(header->host, sizeof header->host - 1);
    header->process_id = static_cast<std::uint64_t>(::getpid());
    std::memset(header->command, 0, sizeof header->command);
    std::ifstream("/proc/self/cmdline").read(header->command, sizeof header->command - 1);
    parcast_writer_seal_header(&own.writer);
  }
  const auto gathered = gather(local_, into_);
  EXPECT_EQ(gathered.ranks, 1u);
  EXPECT_EQ(gathered.running, 1u);
  EXPECT_EQ(names_in(local_), std::set<std::string>{"rank-1.rec"});
}

TEST_F(Gathering, OfDamagedAndEmptyFilesKeepsThemAsTheyAre) {
  write_rank(local_, 0, 3, "alpha");
  std::ofstream(local_ / "rank-1.rec") << "damaged";
  std::ofstream(local_ / "rank-2.rec") << std::string(70'000, '\0');
  const auto before = read_recording(local_);
  EXPECT_EQ(gather(local_, into_).ranks, 3u);
  const auto after = read_recording(into_);
  ASSERT_TRUE(after) << to_string(after.error());
  EXPECT_EQ(after->digest, before->digest);
  EXPECT_EQ(after->losses.size(), before->losses.size());
}

/// One container with four ranks, truncated and changed in memory.
class Container : public Gathering {
 protected:
  Container() {
    for (int rank = 0; rank < 4; ++rank) write_rank(local_, rank, 4, "alpha", rank == 1);
    for (int rank = 0; rank < 4; ++rank)
      files_.push_back(slurp(local_ / ("rank-" + std::to_string(rank) + ".rec")));
    gather(local_, into_);
    whole_ = slurp(into_ / "node-alpha.recs");
    parts_ = parts_of(whole_, "c", losses_).value();
  }
  std::string file_of(std::string_view container, const ContainerPart& part,
                      std::vector<Loss>& losses) const {
    return unpacked(container.substr(part.at, part.length), part, "c", losses);
  }

  std::vector<std::string> files_;
  std::string whole_;
  std::vector<Loss> losses_;
  std::vector<ContainerPart> parts_;
};

TEST_F(Container, CutAnywhereGivesAllWholePartsAndTheBeginningOfTheNext) {
  ASSERT_EQ(parts_.size(), 4u);
  ASSERT_TRUE(losses_.empty());
  for (std::size_t length = 8; length < whole_.size(); ++length) {
    const std::string_view cut(whole_.data(), length);
    std::vector<Loss> losses;
    const auto found = parts_of(cut, "c", losses);
    ASSERT_TRUE(found) << length;
    ASSERT_FALSE(losses.empty()) << length;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool begun = parts_[i].at <= length, whole = parts_[i].at + parts_[i].length <= length;
      ASSERT_EQ(i < found->size(), begun) << length;
      if (!begun) continue;
      ASSERT_EQ((*found)[i].cut, !whole) << length;
      const std::string file = file_of(cut, (*found)[i], losses);
      if (whole)
        ASSERT_EQ(file, files_[i]) << length;
      else
        ASSERT_EQ(file, files_[i].substr(0, length - parts_[i].at)) << length;
    }
  }
}

TEST_F(Container, CutInARecordingSaysWhatIsMissing) {
  const auto cut = [&](std::uint64_t length) {
    std::ofstream(into_ / "node-alpha.recs", std::ios::binary) << whole_.substr(0, length);
    return read_recording(into_);
  };
  const auto recording = cut(parts_[2].at + 9000);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_EQ(count(*recording)[0].events, 10u);
  EXPECT_GT(count(*recording)[2].events, 0u) << "what is there of it";
  EXPECT_LT(count(*recording)[2].events, 12u);
  std::string said;
  for (const Loss& loss : recording->losses) said += loss.what + "\n";
  EXPECT_NE(said.find("node-alpha.recs: the file ends at byte " + std::to_string(parts_[2].at + 9000) +
                      " of " + std::to_string(whole_.size()) + "; 3 files of 4 found"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("node-alpha.recs/rank-2.rec: it is there up to its byte 9000"), std::string::npos)
      << said;
  EXPECT_FALSE(cut(20)) << "an error where nothing is left";
  EXPECT_FALSE(cut(0));
}

TEST_F(Container, ChangedAnywhereIsToldOrHarmless) {
  for (std::size_t at = 0; at < whole_.size(); at += 7) {
    std::string changed = whole_;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    std::vector<Loss> losses;
    const auto found = parts_of(changed, "c", losses);
    if (!found) continue;
    std::set<std::int32_t> same;
    for (const ContainerPart& part : *found)
      if (file_of(changed, part, losses) == files_[static_cast<std::size_t>(part.rank)])
        same.insert(part.rank);
    ASSERT_TRUE(!losses.empty() || same.size() == 4) << at;
    ASSERT_GE(same.size(), 3u) << at;
  }
}

TEST(ContainerBytes, ThatAreAnythingElseAreRefused) {
  std::vector<Loss> losses;
  for (const std::string bytes : {"", "short", "0123456789abcdef"})
    EXPECT_FALSE(parts_of(bytes, "c", losses));
  EXPECT_TRUE(losses.empty());
}

TEST_F(Gathering, ThatIsYetToComeIsSaidWhereARecordingHoldsNoRank) {
  fs::create_symlink("/scratch/parcast-x", into_ / PARCAST_LOCAL_LINK);
  const auto nothing = read_recording(into_);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().hint.find("wrote to /scratch/parcast-x on their nodes"), std::string::npos)
      << nothing.error().hint;
}

TEST(LocalFolder, IsOfOneRecordingAlone) {
  char path[4200], other[4200];
  ASSERT_TRUE(parcast_local_folder(path, sizeof path, "/scratch/", "/home/a/x.recording"));
  EXPECT_TRUE(std::string(path).starts_with("/scratch/parcast-x.recording-")) << path;
  ASSERT_TRUE(parcast_local_folder(other, sizeof other, "/scratch", "/home/b/x.recording"));
  EXPECT_STRNE(path, other);
  ASSERT_TRUE(parcast_local_folder(other, sizeof other, "/scratch", "/home/a/x.recording/"));
  EXPECT_STREQ(path, other);
  EXPECT_FALSE(parcast_local_folder(path, 20, "/scratch", "/home/a/x.recording"));
  EXPECT_FALSE(parcast_local_folder(path, sizeof path, "", "/home/a/x.recording"));
}

}  // namespace
}  // namespace parcast::recording
