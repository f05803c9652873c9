// SPDX-License-Identifier: Apache-2.0
#include "recording/counted_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>

#include "base/files.h"
#include "recording/counts_file.h"
#include "recording/counts_packing.h"
#include "recording/sample_rank.h"

namespace parcast::recording {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kStarted = 1'700'000'000'000'000'000;  // as in SampleRank
constexpr std::uint64_t kPage = 4096, kRows = 12288, kFirst = 16384;
constexpr std::uint64_t kBlank = 0x8000000000000001;

/// Bytes assembled as docs/formats/recording.md describes them, without Parcast's structures.
class Bytes {
 public:
  void put(std::uint64_t place, std::uint64_t value, int bytes = 8) {
    if (text_.size() < place + 8) text_.resize(place + 8);
    for (int i = 0; i < bytes; ++i)
      text_[place + static_cast<std::uint64_t>(i)] = static_cast<char>(value >> 8 * i);
  }
  /// Stores the check of the words from `begin` on at its place, which holds 0 so far.
  void seal(std::uint64_t begin, std::uint64_t words, std::uint64_t at) {
    Words copy(words);
    std::memcpy(copy.data(), text_.data() + begin, 8 * words);
    put(at, parcast_check(copy.data(), words, ~std::uint64_t{0}, begin), 4);
  }
  void live(int which, std::uint64_t value) {
    put(128 + 16 * static_cast<std::uint64_t>(which), value);
    put(136 + 16 * static_cast<std::uint64_t>(which), value ^ 0x5a5aa5a5c3c33c3cull);
  }
  void key(std::uint64_t set, std::uint64_t kind, std::uint64_t call = 0, std::uint64_t region = 0,
           std::uint64_t site = 0) {
    const std::uint64_t at = kPage + 16 * set;
    put(at, kind | call << 16 | region << 32);
    put(at + 8, site);
    seal(at, 2, at + 12);
  }
  void row(std::uint64_t number, std::uint64_t id, std::uint64_t counts, std::uint64_t probes,
           std::uint64_t offset) {
    const std::uint64_t at = kRows + 40 * number;
    const Words words{id, counts, probes, offset, 0};
    for (std::uint64_t i = 0; i < words.size(); ++i) put(at + 8 * i, words[i]);
    seal(at, 5, at + 36);
  }
  void words(std::uint64_t set, std::uint64_t offset, const Words& words) {
    for (std::uint64_t i = 0; i < words.size(); ++i) put(kFirst + set * 2 * kPage + offset + 8 * i, words[i]);
  }
  void header(std::uint64_t modules, std::uint64_t set_bytes) {
    put(0, 0x31544e4354534350);  // PCSTCNT1
    put(8, 1, 4);
    put(16, 0, 4);  // rank
    put(20, 4, 4);  // processes
    put(24, kStarted);
    put(32, 77);  // process
    put(40, modules);
    put(48, kFirst);
    put(56, set_bytes);
    std::memcpy(text_.data() + 64, "node7", 5);
    for (int i = 0; i < 5; ++i) live(i, 0);
    seal(0, 16, 12);
  }
  std::string text_ = std::string(kFirst, '\0');
};

/// Two modules, one page each; the second is in two libraries. Sets: start, others, after sends, a thread,
/// after waits, a thread.
Bytes sample() {
  Bytes file;
  file.header(2, 2 * kPage);
  file.row(0, 0xaaaa, 3, 1, 0);
  file.row(1, 0xbbbb, 2, 0, kPage);
  file.key(0, 1);
  file.key(1, 2);
  file.key(2, 3, 3, 4, 7);
  file.key(3, 4);
  file.key(4, 3, 5, 0, 0);
  file.key(5, 4);
  file.live(0, 6);
  file.text_.resize(kFirst + 6 * 2 * kPage);
  for (std::uint64_t set = 0; set < 6; ++set) file.words(set, 24, {kBlank});
  file.words(0, 0, {1, 0, 0});
  file.words(2, 0, {10, 0, 100, 5, 3, static_cast<std::uint64_t>(-2), 9});
  file.words(2, kPage, {0, 7});
  file.words(3, 0, {1000, 0, 0, 4, 1, 4, 4});
  file.words(4, kPage, {20, 0});
  file.words(5, 0, {2000, 1, 0, 8, 2, 6, 8});
  return file;
}

class CountedRank : public testing::Test {
 protected:
  CountedRank() {
    SampleRank rank(scratch_ / "rank-0.rec");
    parcast_put_site(&rank.writer, &rank.stream, 7, 0, 0x1234);
    parcast_put_region(&rank.writer, &rank.stream, 4, 0, "step");
    rank.event(3, 100, 100, {PARCAST_HAS_COMPUTE, {50}});
    rank.event(5, 100, 100);
    rank.finish();
    rank_ = slurp(scratch_ / "rank-0.rec");
  }
  Counted read(const std::string& counts) {
    losses_.clear();
    std::vector<Call> calls;
    const auto rank = read_rank(rank_, "rank-0.rec", calls, losses_, CountsFile{counts, "rank-0.counts"});
    EXPECT_TRUE(rank);
    calls_ = calls;
    sites_ = rank->sites;
    regions_ = rank->regions;
    return rank->counted;
  }
  std::string said() const {
    std::string text;
    for (const Loss& loss : losses_) text += loss.what + "\n";
    return text;
  }

  Scratch scratch_;
  std::string rank_;
  std::vector<Loss> losses_;
  std::vector<Call> calls_;
  std::vector<Site> sites_;
  std::vector<std::string> regions_;
};

std::vector<SetKind> kinds(const Counted& counted) {
  std::vector<SetKind> out;
  for (const CountedSet& set : counted.sets) out.push_back(set.kind);
  return out;
}

TEST_F(CountedRank, HasTheCountsOfEachSet) {
  const Counted counted = read(sample().text_);
  EXPECT_EQ(said(), "");
  EXPECT_TRUE(counted.kept);
  ASSERT_EQ(counted.modules.size(), 2u);
  EXPECT_EQ(counted.modules[1].id, 0xbbbbu);
  EXPECT_EQ(counted.modules[0].counters, 3u);
  EXPECT_EQ(counted.modules[0].probes, 1u);
  EXPECT_THAT(kinds(counted), ElementsAre(SetKind::start, SetKind::event, SetKind::event, SetKind::threads));
  EXPECT_THAT(counted.sets[0].modules[0].counters, ElementsAre(Pair(0, 1)));
  const CountedSet& behind = counted.sets[1];
  EXPECT_EQ(calls_[behind.call].name, "MPI_Send");
  EXPECT_EQ(regions_[behind.region], "step");
  EXPECT_EQ(sites_[behind.site].offset, 0x1234u);
  ASSERT_EQ(behind.modules.size(), 2u);
  EXPECT_THAT(behind.modules[0].counters, ElementsAre(Pair(0, 10), Pair(2, 100)));
  EXPECT_THAT(behind.modules[1].counters, ElementsAre(Pair(1, 7)));
  const ProbeValues& probe = behind.modules[0].probes.at(0).second;
  EXPECT_EQ(probe.first, 5);
  EXPECT_EQ(probe.least, -2);
  EXPECT_EQ(probe.most, 9);
  EXPECT_EQ(probe.noticed, 3u);
  EXPECT_EQ(calls_[counted.sets[2].call].name, "MPI_Wait");
  EXPECT_EQ(total_counts(counted), (std::vector<Words>{{3011, 1, 100}, {20, 7}}));
}

TEST_F(CountedRank, HasOneSetForAllOtherThreads) {
  const CountedSet threads = read(sample().text_).sets.back();
  ASSERT_EQ(threads.modules.size(), 1u);
  EXPECT_THAT(threads.modules[0].counters, ElementsAre(Pair(0, 3000), Pair(1, 1)));
  const ProbeValues& probe = threads.modules[0].probes.at(0).second;  // 4 once; 8 and 6
  EXPECT_EQ(probe.first, 4);
  EXPECT_EQ(probe.least, 4);
  EXPECT_EQ(probe.most, 8);
  EXPECT_EQ(probe.noticed, 3u);
}

TEST_F(CountedRank, TakesAModuleOfTwoLibrariesForOne) {
  Bytes file = sample();
  file.row(1, 0xaaaa, 3, 1, kPage);
  file.words(4, kPage, {20, 0, 0, kBlank});
  const Counted counted = read(file.text_);
  ASSERT_EQ(counted.modules.size(), 1u);
  EXPECT_EQ(total_counts(counted), (std::vector<Words>{{3031, 8, 100}}));
}

/// The recorder's writer, filled like the sample, produces the sample.
TEST_F(CountedRank, IsWrittenAsTheFormatSays) {
  parcast_counts_file file;
  parcast_counts_header header{};
  header.processes = 4;
  header.started = kStarted;
  header.process_id = 77;
  header.modules = 2;
  header.set_bytes = 2 * kPage;
  std::strcpy(header.host, "node7");
  const parcast_counts_row rows[] = {{0xaaaa, 3, 1, 0, 0, 0}, {0xbbbb, 2, 0, kPage, 0, 0}};
  const std::string path = scratch_ / "rank-0.counts";
  ASSERT_EQ(parcast_counts_open(&file, path.c_str(), &header, rows, 1 << 20), 0);
  const parcast_set_key keys[] = {{PARCAST_SET_START, 0, 0, 0, 0}, {PARCAST_SET_OTHERS, 0, 0, 0, 0},
                                  {PARCAST_SET_EVENT, 3, 4, 7, 0}, {PARCAST_SET_THREAD, 0, 0, 0, 0},
                                  {PARCAST_SET_EVENT, 5, 0, 0, 0}, {PARCAST_SET_THREAD, 0, 0, 0, 0}};
  const std::string wanted = sample().text_;
  for (std::size_t set = 0; set < 6; ++set) {
    parcast_stop reason;
    char* memory = parcast_counts_add(&file, &keys[set], &reason);
    ASSERT_TRUE(memory) << reason;
    std::uint64_t first;
    std::memcpy(&first, memory + 24, sizeof first);
    EXPECT_EQ(first, kBlank);
    std::memcpy(memory, wanted.data() + kFirst + set * 2 * kPage, 2 * kPage);
  }
  EXPECT_EQ(slurp(path), wanted);
  EXPECT_NE(parcast_counts_open(&file, path.c_str(), &header, rows, 1 << 20), 0)
      << "what is there is never replaced";
}

TEST_F(CountedRank, IsBoundedInBytesAndSets) {
  parcast_counts_header header{};
  header.set_bytes = kPage;
  const parcast_set_key key{PARCAST_SET_EVENT, 3, 0, 0, 0};
  for (const auto& [limit, sets] :
       std::map<std::uint64_t, unsigned>{{0, 2}, {kRows + 10 * kPage, 10}, {1u << 30, 512}}) {
    parcast_counts_file file;
    const std::string path = scratch_ / ("limit-" + std::to_string(limit));
    ASSERT_EQ(parcast_counts_open(&file, path.c_str(), &header, nullptr, limit), 0);
    parcast_stop reason = PARCAST_STOP_NONE;
    unsigned made = 0;
    while (parcast_counts_add(&file, &key, &reason)) ++made;
    EXPECT_EQ(made, sets);
    EXPECT_EQ(reason, PARCAST_STOP_LIMIT);
    EXPECT_EQ(std::filesystem::file_size(path), kRows + sets * kPage);
  }
}

TEST_F(CountedRank, ThatIsCutLosesOnlyWhatIsCut) {
  const std::string whole = sample().text_;
  const auto totals = total_counts(read(whole));
  for (std::uint64_t length = whole.size() - 8; length > kFirst; length -= 512) {
    const Counted counted = read(whole.substr(0, length));
    const auto of_cut = total_counts(counted);
    for (std::size_t module = 0; module < of_cut.size(); ++module)
      for (std::size_t i = 0; i < of_cut[module].size(); ++i)
        EXPECT_LE(of_cut[module][i], totals[module][i]) << length;
    const std::uint64_t last = kFirst + 5 * 2 * kPage;  // the sixth set
    if (length >= last + kPage + 16)
      EXPECT_EQ(said(), "");  // the rest of a page holds nothing
    else
      EXPECT_THAT(said(), HasSubstr("the file ends at byte " + std::to_string(length))) << length;
    if (length >= last) EXPECT_EQ(of_cut[1], totals[1]) << length;  // the last set counts nothing there
  }
  const Counted counted = read(whole.substr(0, kFirst + 2 * kPage));
  EXPECT_THAT(kinds(counted), ElementsAre(SetKind::start));
  EXPECT_TRUE(read("").sets.empty());
  EXPECT_EQ(said(),
            "rank-0.counts: what the program executed is not counted: the file is empty, there was no room "
            "for it\n");
  for (const std::uint64_t length : {std::uint64_t{8}, std::uint64_t{100}, kPage}) {
    EXPECT_TRUE(read(whole.substr(0, length)).sets.empty());
    EXPECT_FALSE(losses_.empty());
  }
}

/// Everything before the sets has checks: any changed byte is noticed, and counts are lost or reported
/// elsewhere, but never invented.
TEST_F(CountedRank, ThatIsDamagedSaysSo) {
  const std::string whole = sample().text_;
  const auto totals = total_counts(read(whole));
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < 128 + 5 * 16; ++i) places.push_back(i);
  for (std::uint64_t i = 0; i < 6 * 16; ++i) places.push_back(kPage + i);
  for (std::uint64_t i = 0; i < 2 * 40; ++i) places.push_back(kRows + i);
  for (const std::uint64_t place : places) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    const Counted counted = read(damaged);
    EXPECT_FALSE(losses_.empty()) << place;
    std::map<std::uint64_t, Words> by_id;
    const auto sums = total_counts(counted);
    for (std::size_t i = 0; i < sums.size(); ++i) by_id[counted.modules[i].id] = sums[i];
    for (const auto& [id, sum] : by_id) {
      ASSERT_TRUE(id == 0xaaaa || id == 0xbbbb) << place;
      const Words& right = totals[id == 0xbbbb];
      for (std::size_t i = 0; i < right.size(); ++i) EXPECT_LE(sum[i], right[i]) << place;
    }
    // a key: its counts are reported in `others`
    if (place >= kPage && place < kRows) EXPECT_EQ(sums, totals) << place;
  }
}

/// Skipped places and zigzag values in groups of 7 bits, by hand: word 0 is 10; 3 is -2; 300 is 2^63.
TEST(PackedSet, HasTheWordsThatAreNotBlank) {
  const SetWords words{{0, 10}, {3, static_cast<std::uint64_t>(-2)}, {300, std::uint64_t{1} << 63}};
  std::string packed;
  pack_set(words, packed);
  const std::string content("\x00\x14\x02\x03\xa8\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 16);
  ASSERT_EQ(packed.size(), 16u + 16u);
  EXPECT_EQ(packed.substr(16), content);
  EXPECT_EQ(packed.substr(0, 12), std::string("\x03\0\0\0\0\0\0\0\x10\0\0\0", 12));
  std::uint64_t place = 0;
  EXPECT_EQ(unpack_set(packed, place, 301), words);
  EXPECT_EQ(place, packed.size());
  place = 0;
  EXPECT_FALSE(unpack_set(packed, place, 300)) << "a word beyond the set";
}

TEST_F(CountedRank, PackedTellsTheSameInLessRoom) {
  const std::string whole = sample().text_;
  const auto packed = packed_counts(whole);
  ASSERT_TRUE(packed);
  EXPECT_LT(packed->size(), kRows + 2 * 40 + 6 * 48 + 1);
  EXPECT_FALSE(packed_counts(*packed)) << "it is already";
  const Counted before = read(whole), after = read(*packed);
  EXPECT_EQ(said(), "");
  EXPECT_TRUE(after.kept);
  EXPECT_EQ(kinds(after), kinds(before));
  EXPECT_EQ(total_counts(after), total_counts(before));
  for (std::size_t i = 0; i < before.sets.size(); ++i) {
    EXPECT_EQ(after.sets[i].call, before.sets[i].call);
    EXPECT_EQ(after.sets[i].site, before.sets[i].site);
    ASSERT_EQ(after.sets[i].modules.size(), before.sets[i].modules.size());
    for (std::size_t m = 0; m < before.sets[i].modules.size(); ++m) {
      const ModuleCounts &a = before.sets[i].modules[m], &b = after.sets[i].modules[m];
      EXPECT_EQ(b.module, a.module);
      EXPECT_EQ(b.counters, a.counters);
      ASSERT_EQ(b.probes.size(), a.probes.size());
      for (std::size_t k = 0; k < a.probes.size(); ++k) {
        EXPECT_EQ(b.probes[k].first, a.probes[k].first);
        EXPECT_EQ(b.probes[k].second.first, a.probes[k].second.first);
        EXPECT_EQ(b.probes[k].second.least, a.probes[k].second.least);
        EXPECT_EQ(b.probes[k].second.most, a.probes[k].second.most);
        EXPECT_EQ(b.probes[k].second.noticed, a.probes[k].second.noticed);
      }
    }
  }
}

TEST_F(CountedRank, PackedAndCutOrDamagedSaysSo) {
  const std::string whole = *packed_counts(sample().text_);
  const auto totals = total_counts(read(whole));
  const auto holds_no_more = [&](const Counted& counted, std::uint64_t place) {
    EXPECT_FALSE(losses_.empty()) << place;
    const auto sums = total_counts(counted);
    for (std::size_t module = 0; module < sums.size(); ++module) {
      const Words& right = totals[counted.modules[module].id == 0xbbbb];
      for (std::size_t i = 0; i < sums[module].size(); ++i) EXPECT_LE(sums[module][i], right[i]) << place;
    }
  };
  for (std::uint64_t length = whole.size() - 1; length >= kRows; --length)
    holds_no_more(read(whole.substr(0, length)), length);
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < 128 + 5 * 16; ++i) places.push_back(i);
  for (std::uint64_t i = 0; i < 6 * 16; ++i) places.push_back(kPage + i);
  for (std::uint64_t i = kRows; i < whole.size(); ++i) places.push_back(i);
  for (const std::uint64_t place : places) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    holds_no_more(read(damaged), place);
  }
  EXPECT_THAT((read(whole.substr(0, whole.size() - 8)), said()),
              HasSubstr("the last 1 set are damaged or missing"));
}

/// A file that packing would damage stays unchanged.
TEST_F(CountedRank, ThatIsNotWholeIsNotPacked) {
  const std::string whole = sample().text_;
  EXPECT_FALSE(packed_counts(""));
  EXPECT_FALSE(packed_counts(whole.substr(0, whole.size() - 8)));
  for (const std::uint64_t place :
       {std::uint64_t{0}, std::uint64_t{40}, std::uint64_t{128}, kPage + 3, kRows + 9}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    EXPECT_FALSE(packed_counts(damaged)) << place;
  }
}

TEST_F(CountedRank, IsPackedInItsFolderWhenItsProcessHasEnded) {
  const std::string whole = sample().text_;
  const std::filesystem::path folder = scratch_ / "run", world = folder / "world-1";
  std::filesystem::create_directories(world);
  parcast_header header;
  std::memcpy(&header, rank_.data(), sizeof header);
  // the process has ended
  header.live[PARCAST_LIVE_LAST_TICKS].value = header.live[PARCAST_LIVE_FINALISED].value + 1;
  std::string ended = rank_;
  std::memcpy(ended.data(), &header, sizeof header);
  ASSERT_TRUE(write_file(folder / "rank-0.rec", ended));
  ASSERT_TRUE(write_file(folder / "rank-1.rec", rank_));
  for (const auto& path : {folder / "rank-0.counts", folder / "rank-1.counts", world / "rank-0.counts"})
    ASSERT_TRUE(write_file(path, whole));
  ASSERT_TRUE(pack_counts(folder, false));
  EXPECT_TRUE(slurp(folder / "rank-0.counts") == *packed_counts(whole));
  EXPECT_TRUE(slurp(folder / "rank-1.counts") == whole) << "nothing tells that it has ended";
  ASSERT_TRUE(pack_counts(folder, true));
  EXPECT_TRUE(slurp(folder / "rank-1.counts") == *packed_counts(whole));
  EXPECT_TRUE(slurp(world / "rank-0.counts") == *packed_counts(whole));
  ASSERT_TRUE(pack_counts(folder, true)) << "again changes nothing";
}

TEST_F(CountedRank, OfAnotherRunIsLeftOut) {
  Bytes file = sample();
  file.put(24, kStarted + 1);
  file.put(12, 0, 4);
  file.seal(0, 16, 12);
  EXPECT_FALSE(read(file.text_).kept);
  EXPECT_THAT(said(), HasSubstr("it belongs to another run"));
}

TEST_F(CountedRank, CountsUnknownEventsAmongTheOthers) {
  Bytes file = sample();
  file.put(kPage + 32 + 8, 0);
  file.key(2, 3, 3, 4, 99);  // a site that the rank's file does not define
  const Counted counted = read(file.text_);
  EXPECT_THAT(kinds(counted), ElementsAre(SetKind::start, SetKind::others, SetKind::event, SetKind::threads));
  EXPECT_THAT(said(), HasSubstr("the events before 1 set are not known"));
  EXPECT_EQ(total_counts(counted)[0][0], 3011u);
}

}  // namespace
}  // namespace parcast::recording
