// SPDX-License-Identifier: Apache-2.0
#include "interchange/time_independent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "interchange/trace_text_for_tests.h"
#include "trace/builder.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using recording::Pattern;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using trace::Kind;
using trace::Operation;

constexpr double kRate = 1e9;

std::string collective(Pattern pattern, int root, int bytes) {
  return "collective " + std::to_string(static_cast<int>(pattern)) + " root " + std::to_string(root) + " " +
         std::to_string(bytes) + "b";
}

class TimeIndependent : public testing::Test {
 protected:
  ImportedTi read(const fs::path& path) const {
    auto out = read_time_independent(path, kRate);
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : to_string(out.error()));
    return out.ok() ? std::move(*out) : ImportedTi{};
  }
  ImportedTi text(const std::string& content) const { return read(folder_.put("all.txt", content)); }
  /// Returns the words of rank 0 of two ranks, with init and finalize added.
  std::vector<std::string> rank_0(const std::string& content) const {
    return words_of(text("0 init\n1 init\n" + content + "0 finalize\n1 finalize\n").trace, 0);
  }
  std::string problem(const std::string& content) const {
    const fs::path path = folder_.put("wrong.txt", content);
    const auto out = read_time_independent(path, kRate);
    if (out.ok()) return "none";
    EXPECT_TRUE(out.error().where.starts_with(path.string())) << out.error().where;
    return out.error().where.substr(path.string().size()) + " " + out.error().what;
  }
  std::string problem_of_line(const std::string& line) const {
    return problem("0 init\n1 init\n0 " + line + "\n0 finalize\n1 finalize\n");
  }
  ExportedTi write(const trace::Trace& trace, const std::string& name = "out") const {
    fs::remove_all(folder_ / name);
    const auto out = write_time_independent(trace, folder_ / name, kRate);
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : to_string(out.error()));
    return out.ok() ? *out : ExportedTi{};
  }

  Scratch folder_;
};

TEST_F(TimeIndependent, ReadsMessagesAndWaits) {
  EXPECT_THAT(rank_0("0 irecv 1 5 10 0\n"  // doubles
                     "# a comment\n\n"
                     "0 isend 1 6 100\r\n"  // bytes
                     "0 isend 1 6 3e2\n"
                     "0 wait 0 1 6\n"  // the earlier of two requests with these names
                     "  0 compute 5e8\n"
                     "0 sleep 0.25\n"
                     "0 wait 1 0 5\n"
                     "0 send 1 7 2 1\n"
                     "0\trecv\t-1 -1 -1\n"
                     "0 recv -555 -444 8\n"
                     "0 waitall\n"
                     "0 waitall\n"),
              ElementsAre("start_receive 1 tag 5 80b", "start_send 1 tag 6 100b", "start_send 1 tag 6 300b",
                          "wait 2", "compute 750000000000", "wait 3", "send 1 tag 7 8b",
                          "receive any tag any 0b", "receive any tag any 8b", "wait 1"));
}

TEST_F(TimeIndependent, WaitsAtTheEndForWhatIsLeft) {
  EXPECT_THAT(rank_0("0 isend 1 1 1\n0 irecv 1 1 1\n"),
              ElementsAre("start_send 1 tag 1 1b", "start_receive 1 tag 1 1b", "wait 1 2"));
}

TEST_F(TimeIndependent, FindsAReceiveOfAnySourceByItsSource) {
  EXPECT_THAT(rank_0("0 irecv -333 -444 1\n0 wait 1 0 9\n"),
              ElementsAre("start_receive any tag any 1b", "wait 1"));
  EXPECT_THAT(rank_0("0 irecv -333 -444 1\n0 irecv 1 9 1\n0 wait 1 0 9\n0 wait -333 0 -444\n"),
              ElementsAre("start_receive any tag any 1b", "start_receive 1 tag 9 1b", "wait 1", "wait 2"));
}

TEST_F(TimeIndependent, SizesWithoutATypeAreBytesOrDoublesAsInitSays) {
  EXPECT_THAT(words_of(text("0 init\n0 send 0 1 3\n0 finalize\n").trace, 0), ElementsAre("send 0 tag 1 3b"));
  EXPECT_THAT(words_of(text("0 init 1\n0 send 0 1 3\n0 send 0 1 3 6\n0 finalize\n").trace, 0),
              ElementsAre("send 0 tag 1 24b", "send 0 tag 1 3b"));
}

TEST_F(TimeIndependent, ReadsCollectivesByTheProcessesOwnVolume) {
  const auto bytes_of = [&](const std::string& line) { return rank_0("0 " + line + "\n").at(0); };
  EXPECT_EQ(bytes_of("barrier"), collective(Pattern::barrier, 0, 0));
  EXPECT_EQ(bytes_of("bcast 10"), collective(Pattern::broadcast, 0, 10));
  EXPECT_EQ(bytes_of("bcast 10 1 1"), collective(Pattern::broadcast, 1, 40));
  EXPECT_EQ(bytes_of("reduce 10 0 1 0"), collective(Pattern::reduce, 1, 80));
  EXPECT_EQ(bytes_of("allreduce 10 0 0"), collective(Pattern::allreduce, 0, 80));
  EXPECT_EQ(bytes_of("scan 10 0 0"), collective(Pattern::scan, 0, 80));
  EXPECT_EQ(bytes_of("alltoall 10 10 1 1"), collective(Pattern::alltoall, 0, 80));
  EXPECT_EQ(bytes_of("gather 10 12 1 1 0"), collective(Pattern::gather, 1, 40));
  EXPECT_EQ(bytes_of("allgather 10 12 1 0"), collective(Pattern::allgather, 0, 40));
  EXPECT_EQ(bytes_of("scatter 10 12 1 1 0"), collective(Pattern::scatter, 1, 96));
  EXPECT_EQ(bytes_of("gatherv 10 1 2 1 1 0"), collective(Pattern::gather, 1, 40));
  EXPECT_EQ(bytes_of("allgatherv 10 10 20 1 1"), collective(Pattern::allgather, 0, 40));
  EXPECT_EQ(bytes_of("scatterv 10 20 30 1 0 1"), collective(Pattern::scatter, 1, 120));
  EXPECT_EQ(bytes_of("alltoallv 99 1 2 99 3 4 1 1"), collective(Pattern::alltoall, 0, 12));
  EXPECT_EQ(bytes_of("reducescatter 3 4 0 1"), collective(Pattern::reduce_scatter, 0, 28));
  EXPECT_THAT(rank_0("0 allreduce 1 2e9 0\n"),
              ElementsAre(collective(Pattern::allreduce, 0, 8), "compute 2000000000000"));
}

// SimGrid 3.32 wrote this with `smpirun -np 2 -trace-ti` for a program with a call of each kind.
const char* const kTraced0 = R"(0 init
0 irecv -333 -444 10 0
0 isend 1 7 10 0
0 wait -333 0 -444
0 waitall 1
0 sendRecv 5 1 5 1 1 1
0 bcast 4 1 1 
0 reduce 4 0 0 0 
0 allreduce 4 0 0 
0 scan 4 0 0 
0 exscan 4 0 0 
0 gather 3 3 1 1 1
0 scatter 3 3 1 1 1
0 allgather 3 3 1 1
0 alltoall 3 3 1 1
0 gatherv 3 0 0 1 1 1
0 scatterv 0 0 3 1 1 1
0 allgatherv 3 3 4 1 1
0 alltoallv 7 3 4 6 3 3 1 1
0 reducescatter 3 4 0 1
0 barrier
0 Ssend 1 9 2 0
0 irecv 1 1 1 1
0 test 1 0 1
0 send 1 1 1 1
0 waitall 1
0 finalize
)";
const char* const kTraced1 = "1 init\n1 compute 7\n1 comm_dup\n1 comm_size 2\n1 location a.c 7\n1 finalize\n";

TEST_F(TimeIndependent, ReadsWhatSimGridTraced) {
  folder_.put("0.txt", kTraced0);
  folder_.put("1.txt", kTraced1);
  const ImportedTi out = read(folder_.put("index", "0.txt\n1.txt\n"));
  EXPECT_THAT(words_of(out.trace, 0),
              ElementsAre("start_receive any tag any 80b", "start_send 1 tag 7 80b", "wait 2", "wait 1",
                          "start_receive 1 tag 0 20b", "start_send 1 tag 0 20b", "wait 1 2",
                          collective(Pattern::broadcast, 1, 16), collective(Pattern::reduce, 0, 32),
                          collective(Pattern::allreduce, 0, 32), collective(Pattern::scan, 0, 32),
                          collective(Pattern::scan, 0, 32), collective(Pattern::gather, 1, 12),
                          collective(Pattern::scatter, 1, 12), collective(Pattern::allgather, 0, 12),
                          collective(Pattern::alltoall, 0, 24), collective(Pattern::gather, 1, 12),
                          collective(Pattern::scatter, 1, 12), collective(Pattern::allgather, 0, 12),
                          collective(Pattern::alltoall, 0, 28), collective(Pattern::reduce_scatter, 0, 28),
                          collective(Pattern::barrier, 0, 0), "send 1 tag 9 16b", "start_receive 1 tag 1 4b",
                          "send 1 tag 1 4b", "wait 1"));
  EXPECT_THAT(words_of(out.trace, 1), ElementsAre("compute 7000"));
  EXPECT_EQ(out.files, 2u);
  EXPECT_EQ(out.actions, 33u);
  EXPECT_THAT(out.warnings,
              ElementsAre(HasSubstr("1e+09 per second"), HasSubstr("tests"), HasSubstr("parts differ"),
                          HasSubstr("exclusive"), HasSubstr("communicators")));
  EXPECT_EQ(out.trace.assumptions, out.warnings);
  EXPECT_EQ(out.trace.program, "index");
}

TEST_F(TimeIndependent, OneFileOrOnePerRankAreTheSame) {
  folder_.put("0.txt", kTraced0);
  folder_.put("1.txt", kTraced1);
  const trace::Trace apart = read(folder_.put("same.index", "# names\n0.txt\n\n1.txt")).trace;
  EXPECT_TRUE(equal(apart, read(folder_.put("same.txt", std::string(kTraced0) + kTraced1)).trace));
  folder_.put("both.txt", std::string(kTraced0) + kTraced1);
  EXPECT_TRUE(equal(apart, read(folder_.put("same.one", "both.txt\n")).trace));
}

TEST_F(TimeIndependent, ATestedRequestMayBeWaitedForTwice) {
  EXPECT_THAT(rank_0("0 irecv 1 1 1\n0 test 1 0 1\n0 wait 1 0 1\n0 wait 1 0 1\n"),
              ElementsAre("start_receive 1 tag 1 1b", "wait 1"));
}

TEST_F(TimeIndependent, TellsTheLineThatIsWrong) {
  EXPECT_EQ(problem_of_line("barrier"), "none");
  EXPECT_THAT(problem_of_line("brrier"), HasSubstr(":3 there is no action brrier"));
  EXPECT_THAT(problem_of_line(""), HasSubstr(":3 a line has a rank and an action"));
  EXPECT_THAT(problem_of_line("send 1 5"), HasSubstr(":3 send has 2 arguments, and needs 3"));
  EXPECT_THAT(problem_of_line("send 2 5 8"), HasSubstr(":3 send: the partner is none of the 2 ranks: 2"));
  EXPECT_THAT(problem_of_line("send -1 5 8"), HasSubstr(":3 send: the partner is none"));
  EXPECT_THAT(problem_of_line("send 1 -5 8"), HasSubstr(":3 send: the tag is negative: -5"));
  EXPECT_THAT(problem_of_line("send 1 99999999999 8"), HasSubstr(":3 send: the tag is too large"));
  EXPECT_THAT(problem_of_line("send 1 5 x"), HasSubstr(":3 send: the size is no number: x"));
  EXPECT_THAT(problem_of_line("send 1 5 -8"), HasSubstr(":3 send: the size is negative"));
  EXPECT_THAT(problem_of_line("send 1 5 1e30"), HasSubstr(":3 send: the size is too large"));
  EXPECT_THAT(problem_of_line("send 1 5 8 99"), HasSubstr(":3 send: there is no type 99"));
  EXPECT_THAT(problem_of_line("wait 0 1 5"), HasSubstr(":3 wait: there is no such request open"));
  EXPECT_THAT(problem_of_line("compute -1"), HasSubstr(":3 compute: the number of operations is negative"));
  EXPECT_THAT(problem_of_line("compute 1e30"), HasSubstr(":3 compute: this takes longer than 26 days"));
  EXPECT_THAT(problem_of_line("compute nan"), HasSubstr(":3 compute: the number of operations is no number"));
  EXPECT_THAT(problem_of_line("bcast 8 2"), HasSubstr(":3 bcast: the root is none"));
  EXPECT_THAT(problem_of_line("alltoallv 1 2 3 4 5"), HasSubstr(":3 alltoallv has 5 arguments, and needs 6"));
  EXPECT_THAT(problem_of_line("finalize"), HasSubstr(":4 finalize comes behind finalize"));
  EXPECT_THAT(problem("0 init\n-1 init\n"), HasSubstr(":2 a line begins with a rank"));
  EXPECT_THAT(problem("0 send 0 1 1\n0 finalize\n"), HasSubstr(":1 send: without init"));
  EXPECT_THAT(problem("0 init\n"), HasSubstr(" rank 0 has no finalize"));
  EXPECT_THAT(problem("0 init\n0 finalize\n2 init\n2 finalize\n"), HasSubstr(" rank 1 of 3 has no line"));
  EXPECT_THAT(problem("0 init\n0 finalize\n2000000000 init\n2000000000 finalize\n"),
              HasSubstr("too short for 2000000001 ranks"));
  EXPECT_THAT(problem("# nothing\n"), HasSubstr("neither actions nor names"));
  EXPECT_THAT(problem("a.txt\nb.txt c.txt\n"), HasSubstr(":2 an index has one file name in a line"));
  EXPECT_THAT(read_time_independent(folder_ / "nowhere", kRate).error().what,
              HasSubstr("cannot be read: No such file"));
  EXPECT_THAT(read_time_independent(folder_.put("index", "one\ntwo\n"), kRate).error().what,
              HasSubstr("cannot be read"));
  folder_.put("one", "0 init\n1 init\n");
  EXPECT_THAT(read_time_independent(folder_ / "index", kRate).error().what,
              HasSubstr("a line of rank 1 is in the file of rank 0"));
  EXPECT_THAT(read_time_independent(folder_ / "index", 0).error().what, HasSubstr("more than 0"));
}

trace::Trace made() {
  trace::Builder builder("out", 3);
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    trace::RankBuilder words(builder, rank);
    words.add_compute(1234567);
    words.add({.kind = Kind::start_receive, .peer = (rank + 2) % 3 - rank, .tag = 4, .bytes = 1000});
    words.add({.kind = Kind::start_send, .peer = (rank + 1) % 3 - rank, .tag = 4, .bytes = 1000});
    words.add({.kind = Kind::start_send, .peer = (rank + 1) % 3 - rank, .tag = 5, .bytes = 10});
    words.add_wait(std::vector<std::uint64_t>{2}, trace::kNowhere);
    words.add_wait(std::vector<std::uint64_t>{1, 3}, trace::kNowhere);
    words.add({.kind = rank == 1 ? Kind::receive : Kind::send,
               .peer = rank == 0   ? 1
                       : rank == 1 ? trace::kAny
                                   : -1,
               .tag = rank == 1 ? trace::kAny : 6,
               .bytes = 7});
    if (rank == 1) words.add({.kind = Kind::receive, .peer = trace::kAny, .tag = trace::kAny, .bytes = 7});
    for (const Pattern pattern :
         {Pattern::barrier, Pattern::broadcast, Pattern::reduce, Pattern::allreduce, Pattern::gather,
          Pattern::scatter, Pattern::allgather, Pattern::alltoall, Pattern::reduce_scatter, Pattern::scan})
      words.add({.kind = Kind::collective,
                 .pattern = pattern,
                 .root = pattern == Pattern::reduce ? 2 : 0,
                 .bytes = pattern == Pattern::barrier ? 0u : 300u});
    EXPECT_TRUE(words.finish().ok());
  }
  return builder.finish();
}

TEST_F(TimeIndependent, WritesAFileForEachRank) {
  const ExportedTi out = write(made());
  // replay finds the files from any working folder
  const std::string out_folder = (folder_ / "out/").string();
  EXPECT_EQ(Scratch::content(folder_ / "out/index.txt"),
            out_folder + "rank-0.txt\n" + out_folder + "rank-1.txt\n" + out_folder + "rank-2.txt\n");
  EXPECT_EQ(Scratch::content(folder_ / "out/rank-1.txt"), R"(1 init
1 compute 1234.567
1 irecv 0 4 1000
1 isend 2 4 1000
1 isend 2 5 10
1 wait 1 2 4
1 waitall
1 recv -555 -444 7
1 recv -555 -444 7
1 barrier
1 bcast 300 0
1 reduce 300 0 2
1 allreduce 300 0
1 gather 300 300 0
1 scatter 300 300 0
1 allgather 300 300
1 alltoall 100 100
1 reducescatter 100 100 100 0
1 scan 300 0
1 finalize
)");
  EXPECT_THAT(out.warnings, IsEmpty());
  EXPECT_EQ(out.ranks, 3);
  EXPECT_EQ(out.actions, 19u + 20u + 19u);
}

TEST_F(TimeIndependent, ComesBackTheSame) {
  const trace::Trace first = made();
  write(first);
  const trace::Trace again = read(folder_ / "out").trace;
  for (std::int32_t rank = 0; rank < 3; ++rank) EXPECT_EQ(words_of(first, rank), words_of(again, rank));
  write(again);
  EXPECT_TRUE(equal(again, read(folder_ / "out").trace));
}

TEST_F(TimeIndependent, ComesBackFromAFolderWhoseNameHasBlanks) {
  write(made(), "my first run");
  for (std::int32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(words_of(made(), rank), words_of(read(folder_ / "my first run/index.txt").trace, rank));
  EXPECT_THAT(read(folder_ / "my first run").warnings, Not(Contains(HasSubstr("not where it says"))));
}

TEST_F(TimeIndependent, OfAFolderThatWasMovedTheFilesBesideTheIndexAreTakenAndThatIsSaid) {
  write(made());
  fs::rename(folder_ / "out", folder_ / "moved");
  const ImportedTi again = read(folder_ / "moved");
  for (std::int32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(words_of(made(), rank), words_of(again.trace, rank));
  EXPECT_THAT(again.warnings, Contains(HasSubstr("were not found: those in its folder are taken")));
}

TEST_F(TimeIndependent, AFolderWithALineBreakInItsNameIsRefused) {
  EXPECT_THAT(write_time_independent(made(), folder_ / "a\nb", kRate).error().what,
              HasSubstr("a line break"));
  EXPECT_EQ(folder_.entries(), 0u);
}

TEST_F(TimeIndependent, TimesComeBackWhateverTheRate) {
  std::mt19937_64 random(5);
  for (const double rate : {1.0, 3.7e9, 1e12, 123456.789}) {
    trace::Builder builder("out", 1);
    trace::RankBuilder words(builder, 0);
    for (int i = 0; i < 200; ++i) {
      words.add_compute(static_cast<trace::Time>(random() >> (14 + random() % 50)));
      words.add({.kind = Kind::send, .bytes = static_cast<std::uint64_t>(i)});
    }
    ASSERT_TRUE(words.finish().ok());
    const trace::Trace first = builder.finish();
    fs::remove_all(folder_ / "out");
    ASSERT_TRUE(write_time_independent(first, folder_ / "out", rate).ok());
    const auto again = read_time_independent(folder_ / "out", rate);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(words_of(first, 0), words_of(again->trace, 0));
  }
}

Result<ExportedTi> export_one(const Scratch& folder, const Operation& operation,
                              std::vector<std::int32_t> members = {}) {
  trace::Builder builder("made", 2);
  if (!members.empty()) builder.communicator(members);
  trace::RankBuilder rank(builder, 0);
  rank.add(operation);
  EXPECT_TRUE(rank.finish().ok());
  fs::remove_all(folder / "one");
  return write_time_independent(builder.finish(), folder / "one", kRate);
}

TEST_F(TimeIndependent, SaysWhatCannotBeExpressed) {
  const auto first_line = [&] { return split(Scratch::content(folder_ / "one/rank-0.txt"), '\n').at(1); };
  EXPECT_THAT(export_one(folder_, {.kind = Kind::collective, .pattern = Pattern::neighbourhood}).error().what,
              HasSubstr("neighbours"));
  EXPECT_THAT(
      export_one(folder_, {.kind = Kind::collective, .pattern = Pattern::barrier, .communicator = 1}, {0})
          .error()
          .what,
      HasSubstr("a part of the ranks"));
  EXPECT_TRUE(
      export_one(
          folder_,
          {.kind = Kind::collective, .pattern = Pattern::broadcast, .communicator = 1, .root = 0, .bytes = 5},
          {1, 0})
          .ok());
  EXPECT_EQ(first_line(), "0 bcast 5 1");
  EXPECT_THAT(
      export_one(folder_, {.kind = Kind::collective, .pattern = Pattern::alltoall, .bytes = 5})->warnings,
      ElementsAre(HasSubstr("rounded down")));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .tag = -4}).error().what,
              HasSubstr("negative tags, such as -4"));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .mode = trace::Mode::synchronous})->warnings,
              ElementsAre(HasSubstr("synchronous")));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .mode = trace::Mode::buffered})->warnings,
              testing::IsEmpty());
  EXPECT_EQ(first_line(), "0 isend 0 0 0");
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .tag = 5, .communicator = 1}, {0})->warnings,
              ElementsAre(HasSubstr("distinguished by tags")));
  EXPECT_EQ(first_line(), "0 send 0 11 0");
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .tag = 1 << 30, .communicator = 1}, {0}).error().what,
              HasSubstr("too large to be distinguished"));
  EXPECT_THAT(
      export_one(folder_, {.kind = Kind::receive, .tag = trace::kAny, .communicator = 1}, {0}).error().what,
      HasSubstr("any tag"));
  folder_.put("file", "x");
  EXPECT_THAT(write_time_independent(made(), folder_ / "file", kRate).error().what,
              HasSubstr("exists already"));
}

TEST_F(TimeIndependent, CollectivesOfDifferentSizesGetTheLargest) {
  const trace::Trace uneven = text(
                                  "0 init\n1 init\n0 allreduce 3 0\n1 allreduce 3 0\n0 scatterv 5 7 5 0\n1 "
                                  "scatterv 5 7 7 0\n0 finalize\n1 finalize\n")
                                  .trace;
  EXPECT_THAT(write(uneven).warnings, ElementsAre(HasSubstr("the largest for all ranks")));
  EXPECT_EQ(Scratch::content(folder_ / "out/rank-0.txt"),
            "0 init\n0 allreduce 3 0\n0 scatter 7 7 0\n0 finalize\n");
  EXPECT_EQ(Scratch::content(folder_ / "out/rank-1.txt"),
            "1 init\n1 allreduce 3 0\n1 scatter 7 7 0\n1 finalize\n");
  write(text("0 init\n1 init\n0 gather 9 9\n1 gather 2 2\n0 finalize\n1 finalize\n").trace);
  EXPECT_EQ(Scratch::content(folder_ / "out/rank-1.txt"), "1 init\n1 gather 9 9 0\n1 finalize\n");
}

TEST_F(TimeIndependent, SaysWhenAWaitIsNotWhatItWas) {
  trace::Builder builder("out", 1);
  trace::RankBuilder words(builder, 0);
  words.add({.kind = Kind::start_receive, .peer = trace::kAny, .tag = 1, .bytes = 1});
  words.add({.kind = Kind::start_send, .tag = 1, .bytes = 1});
  words.add({.kind = Kind::start_send, .tag = 1, .bytes = 2});
  words.add({.kind = Kind::start_send, .tag = 2, .bytes = 3});
  words.add_wait(std::vector<std::uint64_t>{1, 3}, trace::kNowhere);
  ASSERT_TRUE(words.finish().ok());
  EXPECT_THAT(write(builder.finish()).warnings,
              ElementsAre(HasSubstr("1 waits for several"), HasSubstr("1 waits may be taken"),
                          HasSubstr("1 waits are for receives of any source")));
  EXPECT_THAT(Scratch::content(folder_ / "out/rank-0.txt"),
              HasSubstr("0 wait -555 0 1\n0 wait 0 0 1\n0 finalize"));
}

TEST_F(TimeIndependent, DamageNeverCrashes) {
  std::mt19937 random(3);
  const std::string whole = std::string(kTraced0) + kTraced1;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto out = read_time_independent(folder_.put("cut.txt", whole.substr(0, size)), kRate);
    EXPECT_TRUE(!out.ok() || size == whole.size() - 1) << size;
  }
  for (int round = 0; round < 2000; ++round) {
    std::string content = whole;
    for (int change = static_cast<int>(random() % 4); change >= 0; --change)
      content[random() % content.size()] = static_cast<char>(random() % 2 ? random() : '0' + random() % 10);
    const auto out = read_time_independent(folder_.put("damaged", content), kRate);
    EXPECT_TRUE(!out.ok() || trace::check(out->trace).ok());
  }
}

}  // namespace
}  // namespace parcast::interchange
