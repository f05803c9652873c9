// SPDX-License-Identifier: Apache-2.0
#include "interchange/goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <tuple>

#include "interchange/trace_text_for_tests.h"
#include "trace/builder.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using trace::Kind;
using trace::Operation;

ImportedGoal read(const fs::path& path) {
  auto out = read_goal(path);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : to_string(out.error()));
  return out.ok() ? std::move(*out) : ImportedGoal{};
}

class Goal : public testing::Test {
 protected:
  ImportedGoal text(const std::string& content) const { return read(folder_.put("text.goal", content)); }
  ImportedGoal one_rank(const std::string& content) const {
    return text("num_ranks 1\nrank 0 {\n" + content + "}\n");
  }
  std::string problem(const std::string& content) const {
    const fs::path path = folder_.put("wrong.goal", content);
    const auto out = read_goal(path);
    if (out.ok()) return "none";
    EXPECT_TRUE(out.error().where.starts_with(path.string())) << out.error().where;
    return out.error().where.substr(path.string().size()) + " " + out.error().what;
  }
  std::string write(const trace::Trace& trace, const std::string& name, bool binary = false) const {
    fs::remove(folder_ / name);
    exported_ = write_goal(trace, folder_ / name, binary);
    return exported_.ok() ? Scratch::content(folder_ / name) : "error: " + exported_.error().what;
  }

  Scratch folder_;
  mutable Result<ExportedGoal> exported_{ExportedGoal{}};
};

const char* const kPingPong = R"(// two ranks
num_ranks 2

rank 0 {
l1: calc 1000 cpu 0
l2: send 8192b to 1 tag 7 cpu 0 nic 0 /* there */
l2 requires l1
l3: recv 16b from 1 tag 8
l3 requires l2
calc 5
}
rank 1 {
recv 8192b from -1 tag -1
send 16 b to 0 tag 8
}
)";

TEST_F(Goal, ReadsOperationsInOrderOfTheFileWithWaitsWhereTheyAreRequired) {
  const ImportedGoal goal = text(kPingPong);
  EXPECT_THAT(words_of(goal.trace, 0), ElementsAre("compute 1000000", "start_send 1 tag 7 8192b", "wait 1",
                                                   "start_receive 1 tag 8 16b", "compute 5000", "wait 1"));
  EXPECT_THAT(words_of(goal.trace, 1),
              ElementsAre("start_receive any tag any 8192b", "start_send 0 tag 8 16b", "wait 1 2"));
  EXPECT_EQ(goal.trace.ranks, 2);
  EXPECT_EQ(goal.trace.program, "text");
  EXPECT_EQ(goal.operations, 6u);
  EXPECT_EQ(goal.dependencies, 2u);
  EXPECT_FALSE(goal.binary);
}

TEST_F(Goal, PutsWhatIsRequiredFirstWhereverItStands) {
  EXPECT_THAT(words_of(one_rank("c requires b\na: send 1b to 0\nb: send 2b to 0\nc: send 3b to 0\nb requires "
                                "d\nd: recv 4b from 0\n")
                           .trace,
                       0),
              ElementsAre("start_send 0 tag 0 1b", "start_receive 0 tag 0 4b", "wait 1",
                          "start_send 0 tag 0 2b", "wait 1", "start_send 0 tag 0 3b", "wait 1 4"));
}

TEST_F(Goal, WaitsOnlyForWhatIsRequiredDirectlyAndOnlyOnce) {
  EXPECT_THAT(words_of(one_rank("a: recv 1b from 0\nb: recv 2b from 0\nc: calc 1\nc requires a\nd: send 3b "
                                "to 0\nd requires c\nd requires a\nd requires b\n")
                           .trace,
                       0),
              ElementsAre("start_receive 0 tag 0 1b", "start_receive 0 tag 0 2b", "wait 2", "compute 1000",
                          "wait 1", "start_send 0 tag 0 3b", "wait 1"));
}

TEST_F(Goal, RequiringAStartOnlyOrders) {
  EXPECT_THAT(words_of(one_rank("b: send 1b to 0\na: recv 1b from 0\nb irequires a\n").trace, 0),
              ElementsAre("start_receive 0 tag 0 1b", "start_send 0 tag 0 1b", "wait 1 2"));
}

TEST_F(Goal, CountsOperationsBehindAWaitThatTheyDoNotDependOn) {
  // Two independent chains: b2 could run before the message of a1 arrives.
  const ImportedGoal two = one_rank(
      "a1: recv 1b from 0 tag 1\na2: calc 10\na2 requires a1\nb1: recv 1b from 0 tag 2\nb2: calc 10\nb2 "
      "requires b1\n");
  EXPECT_EQ(two.delayed, 2u);  // b1 and b2
  ASSERT_THAT(two.warnings, SizeIs(1));
  EXPECT_THAT(two.warnings[0], HasSubstr("2 operations could run earlier"));
  EXPECT_THAT(two.warnings[0], HasSubstr("all of them of rank 0"));
  EXPECT_EQ(two.trace.assumptions, two.warnings);
  // An operation that joins both chains depends on both again, and so do later ones.
  EXPECT_EQ(one_rank("a1: recv 1b from 0 tag 1\nb1: recv 1b from 0 tag 2\na2: calc 10\na2 requires a1\nb2: "
                     "calc 10\nb2 requires b1\nc: "
                     "calc 1\nc requires a2\nc requires b2\nd: calc 1\nd requires c\n")
                .delayed,
            1u);
  EXPECT_THAT(one_rank("a: recv 1b from 0\nb: calc 1\nb requires a\nc: calc 1\nc requires b\n").warnings,
              IsEmpty());
}

TEST_F(Goal, CountsNothingWhenManyAreRequiredByTwoThatAreJoined) {
  std::string content, joined;
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    content += "r" + n + ": recv 1b from 0 tag " + n + "\n";
    joined += "a requires r" + n + "\nb requires r" + n + "\n";
  }
  EXPECT_EQ(one_rank(content + "a: calc 1\nb: calc 1\n" + joined + "c: calc 1\nc requires a\n").delayed, 0u);
}

TEST_F(Goal, CountsNothingBehindWhatJoinsLongChains) {
  std::string content;
  for (int i = 0; i < 100; ++i)
    for (const std::string chain : {"a", "b"}) {
      content += chain + std::to_string(i) + ": recv 1b from 0\n";
      if (i > 0) content += chain + std::to_string(i) + " requires " + chain + std::to_string(i - 1) + "\n";
    }
  const std::uint64_t before = one_rank(content).delayed;
  EXPECT_EQ(before, 2u * 100 - 3);
  EXPECT_EQ(
      one_rank(content + "c: calc 1\nc requires a99\nc requires b99\nd: calc 1\nd requires c\n").delayed,
      before);
}

/// Computes the count from its definition: the set of all operations that each operation depends on.
std::uint64_t plainly_delayed(int operations, const std::vector<std::tuple<int, int, bool>>& dependencies,
                              const std::vector<bool>& message) {
  std::vector<std::vector<bool>> ended(static_cast<std::size_t>(operations),
                                       std::vector<bool>(static_cast<std::size_t>(operations)));
  std::vector<bool> waited(static_cast<std::size_t>(operations));
  std::uint64_t out = 0;
  // dependencies refer to earlier operations, so the order is that of the file
  for (int i = 0; i < operations; ++i) {
    auto& mine = ended[static_cast<std::size_t>(i)];
    for (const auto& [later, earlier, start] : dependencies) {
      if (later != i) continue;
      const auto before = static_cast<std::size_t>(earlier);
      for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = mine[k] || ended[before][k];
      if (start) continue;
      mine[before] = true;
      if (message[before]) waited[before] = true;
    }
    bool lacks = false;
    for (std::size_t k = 0; k < mine.size(); ++k) lacks = lacks || (waited[k] && !mine[k]);
    out += lacks;
  }
  return out;
}

TEST_F(Goal, CountsAsItsMeaningSaysInRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int operations = 1 + static_cast<int>(random() % 25);
    std::vector<std::tuple<int, int, bool>> dependencies;
    std::vector<bool> message;
    std::string content;
    for (int i = 0; i < operations; ++i) {
      message.push_back(random() % 3 != 0);
      content += "x" + std::to_string(i) + (message.back() ? ": recv 1b from 0\n" : ": calc 1\n");
      for (int k = static_cast<int>(random() % 3); i > 0 && k > 0; --k) {
        const int earlier = std::max(0, i - 1 - static_cast<int>(random() % 5));
        const bool start = random() % 4 == 0;
        dependencies.emplace_back(i, earlier, start);
        content += "x" + std::to_string(i) + (start ? " irequires x" : " requires x") +
                   std::to_string(earlier) + "\n";
      }
    }
    EXPECT_EQ(one_rank(content).delayed, plainly_delayed(operations, dependencies, message)) << content;
  }
}

TEST_F(Goal, SaysThatSeveralProcessorsAreTakenAsOne) {
  EXPECT_THAT(one_rank("calc 1 cpu 0\ncalc 1 cpu 1\n").warnings,
              ElementsAre(HasSubstr("several processors (cpu)")));
  EXPECT_THAT(one_rank("calc 1\nsend 1b to 0 nic 1\nsend 1b to 0\n").warnings,
              ElementsAre(HasSubstr("interfaces (nic)")));
}

TEST_F(Goal, TellsWhereTextIsWrong) {
  const std::string head = "num_ranks 2\nrank 0 {\n", tail = "}\nrank 1 {\n}\n";
  const auto in_rank = [&](const std::string& line) { return problem(head + line + "\n" + tail); };
  EXPECT_EQ(problem(head + "calc 1\n" + tail), "none");
  EXPECT_THAT(problem(""), HasSubstr(":1:1 \"num_ranks\" is expected here, not the end of the file"));
  EXPECT_THAT(problem("ranks 2\n"), HasSubstr(":1:1 a schedule begins with num_ranks, not with ranks"));
  EXPECT_THAT(problem("num_ranks 0\n"), HasSubstr(":1:11 there must be a rank"));
  EXPECT_THAT(problem("num_ranks 2000000000\nrank 1999999999 {}\n"),
              HasSubstr(":1:11 the file is too short"));
  EXPECT_THAT(problem("num_ranks 99999999999\n"), HasSubstr(":1:11 the number of ranks is too large"));
  EXPECT_THAT(problem("num_ranks 2\nrank 2 {}\nrank 0 {}\n"), HasSubstr(":2:6 rank 2 is none of 2"));
  EXPECT_THAT(problem("num_ranks 2\nrank 0 {}\nrank 0 {}\n"),
              HasSubstr(":3:6 rank 0 begins here a second time"));
  EXPECT_THAT(problem("num_ranks 2\nrank 1 {}\n//\n"), HasSubstr(" rank 0 of 2 is missing"));
  EXPECT_THAT(problem("num_ranks 1\nrank 0 {\ncalc 1\n"), HasSubstr(":2:1 rank 0 has no '}'"));
  EXPECT_THAT(problem("num_ranks 1 /* \nrank"), HasSubstr(":1:13 this comment does not end"));
  EXPECT_THAT(in_rank("send 8b to 2 tag 1"), HasSubstr(":3:12 rank 2 is none of 2"));
  EXPECT_THAT(in_rank("send 8b to -1"), HasSubstr(":3:12 the partner's rank is -1: only a receive"));
  EXPECT_THAT(in_rank("recv 8b from -2"), HasSubstr(":3:14 the partner's rank is negative"));
  EXPECT_THAT(in_rank("send 8b from 1"), HasSubstr(":3:9 \"to\" is expected here, not from"));
  EXPECT_THAT(in_rank("send 8 to 1"), HasSubstr(":3:8 \"b\" is expected here, not to"));
  EXPECT_THAT(in_rank("send 8b to 1 tag -1"), HasSubstr(":3:18 a tag is -1"));
  EXPECT_THAT(in_rank("send 8b to 1 tag 2147483648"), HasSubstr(":3:18 a tag is too large"));
  EXPECT_THAT(in_rank("send 18446744073709551616b to 1"), HasSubstr(":3:6 a size is too large"));
  EXPECT_THAT(in_rank("calc 9999999999999999"), HasSubstr(":3:6 a time in nanoseconds is too large"));
  EXPECT_THAT(in_rank("calc 1 cpu 256"), HasSubstr(":3:12 the number of a cpu is too large"));
  EXPECT_THAT(in_rank("send 8b to 1 cpu 0 tag 0"), HasSubstr(":3:20 tag is not allowed here"));
  EXPECT_THAT(in_rank("calc 1 calc 2"), HasSubstr(":3:8 calc is not allowed here"));
  EXPECT_THAT(in_rank("calc 1 %"), HasSubstr(":3:8 the end of the line is expected here, not '%'"));
  EXPECT_THAT(in_rank("a: calc 1\na: calc 2"), HasSubstr(":4:1 label a is at"));
  EXPECT_THAT(in_rank("a: calc 1\na requires b"), HasSubstr(":4:12 rank 0 has no label b"));
  EXPECT_THAT(in_rank("a: calc 1\nb irequires a"), HasSubstr(":4:1 rank 0 has no label b"));
  EXPECT_THAT(in_rank("a: calc 1\na needs a"),
              HasSubstr(":4:3 ':', \"requires\" or \"irequires\" is expected"));
  EXPECT_THAT(in_rank("a: calk 1"), HasSubstr(":3:4 calk is no operation"));
  EXPECT_THAT(in_rank(std::string(2000, 'a') + ": calc 1"), HasSubstr("more than 1,000 characters"));
  EXPECT_THAT(in_rank("calc 1\na: calc 1\nb: calc 1\na requires b\nb irequires a"),
              testing::AnyOf(HasSubstr(":4:1 an operation of rank 0 depends on itself"),
                             HasSubstr(":5:1 an operation of rank 0 depends on itself")));
  EXPECT_THAT(in_rank("a: calc 1\na requires a"), HasSubstr(":3:1 an operation of rank 0 depends on itself"));
  EXPECT_THAT(read_goal(folder_ / "nowhere").error().what, HasSubstr("cannot be read: No such file"));
}

TEST_F(Goal, SaysWhenComputingIsTooLongTogether) {
  EXPECT_NE(problem("num_ranks 1\nrank 0 {\ncalc 2305843009213693\ncalc 2305843009213693\n}\n"), "none");
}

TEST_F(Goal, WritesTextWhoseDependenciesAreTheOrderOfTheWords) {
  trace::Builder builder("made", 2);
  trace::RankBuilder zero(builder, 0), one(builder, 1);
  zero.add_compute(1500);
  zero.add({.kind = Kind::send, .peer = 1, .tag = 3, .bytes = 8});
  zero.add({.kind = Kind::start_receive, .peer = trace::kAny, .tag = trace::kAny, .bytes = 16});
  zero.add({.kind = Kind::start_send, .peer = 1, .tag = 4, .bytes = 24});
  zero.add_wait(std::vector<std::uint64_t>{1}, trace::kNowhere);
  zero.add_compute(1000);
  one.add({.kind = Kind::receive, .peer = -1, .tag = 3, .bytes = 8});
  ASSERT_TRUE(zero.finish().ok() && one.finish().ok());
  EXPECT_EQ(write(builder.finish(), "out.goal"), R"(num_ranks 2

rank 0 {
l1: calc 2
l2: send 8b to 1 tag 3
l2 requires l1
l3: recv 16b from -1 tag -1
l3 requires l2
l4: send 24b to 1 tag 4
l4 irequires l3
l5: calc 1
l5 irequires l4
l5 requires l3
}

rank 1 {
l1: recv 8b from 0 tag 3
}
)");
  EXPECT_EQ(exported_->operations, 6u);
  EXPECT_EQ(exported_->dependencies, 5u);
  EXPECT_THAT(exported_->warnings, ElementsAre(HasSubstr("whole nanoseconds")));
  EXPECT_EQ(folder_.entries(), 1u);  // no temporary file is left
}

TEST_F(Goal, WritesACalculationOfNoTimeBetweenTwoWaits) {
  const trace::Trace first =
      one_rank("a: recv 1b from 0\nb: recv 1b from 0\nc: calc 0\nc requires a\nd: calc 1\nd requires b\n")
          .trace;
  EXPECT_THAT(words_of(first, 0), ElementsAre("start_receive 0 tag 0 1b", "start_receive 0 tag 0 1b",
                                              "wait 2", "wait 1", "compute 1000"));
  EXPECT_THAT(
      write(first, "text.goal"),
      HasSubstr("l3: calc 0\nl3 irequires l2\nl3 requires l1\nl4: calc 1\nl4 requires l3\nl4 requires l2\n"));
  EXPECT_TRUE(equal(first, read(folder_ / "text.goal").trace));
}

TEST_F(Goal, RoundsComputingSoThatSumsStayRight) {
  trace::Builder builder("made", 1);
  trace::RankBuilder rank(builder, 0);
  for (int i = 0; i < 10; ++i) {
    rank.add_compute(1300);
    rank.add({.kind = Kind::start_send, .bytes = 1});
  }
  ASSERT_TRUE(rank.finish().ok());
  const std::string out = write(builder.finish(), "out.goal");
  std::uint64_t sum = 0;
  for (std::size_t at = out.find("calc "); at != std::string::npos; at = out.find("calc ", at + 1)) {
    EXPECT_THAT(out.substr(at + 5, 1), testing::AnyOf("1", "2"));
    sum += static_cast<std::uint64_t>(out[at + 5] - '0');
  }
  EXPECT_EQ(sum, 13u);
}

Result<ExportedGoal> export_one(const Scratch& folder, const Operation& operation,
                                bool two_communicators = false) {
  trace::Builder builder("made", 1);
  if (two_communicators) builder.communicator({0});
  trace::RankBuilder rank(builder, 0);
  rank.add(operation);
  EXPECT_TRUE(rank.finish().ok());
  fs::remove(folder / "one.goal");
  return write_goal(builder.finish(), folder / "one.goal", false);
}

TEST_F(Goal, SaysWhatCannotBeExpressed) {
  EXPECT_THAT(
      export_one(folder_, {.kind = Kind::collective, .pattern = recording::Pattern::barrier}).error().what,
      HasSubstr("collectives cannot be expressed"));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::read}).error().what,
              HasSubstr("one-sided accesses cannot be expressed"));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::lock_shared}).error().what,
              HasSubstr("locks of windows cannot be expressed"));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .tag = -4}).error().what,
              HasSubstr("no negative tags, such as -4"));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .mode = trace::Mode::synchronous})->warnings,
              ElementsAre(HasSubstr("synchronous")));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .tag = 5, .communicator = 1}, true)->warnings,
              ElementsAre(HasSubstr("distinguished by tags")));
  EXPECT_THAT(Scratch::content(folder_ / "one.goal"), HasSubstr("tag 11\n"));
  EXPECT_THAT(export_one(folder_, {.kind = Kind::send, .tag = 1 << 30, .communicator = 1}, true).error().what,
              HasSubstr("too large to be distinguished"));
  EXPECT_THAT(
      export_one(folder_, {.kind = Kind::receive, .tag = trace::kAny, .communicator = 1}, true).error().what,
      HasSubstr("any tag"));
  folder_.put("there.goal", "x");
  EXPECT_THAT(write_goal(text(kPingPong).trace, folder_ / "there.goal", true).error().what,
              HasSubstr("exists already"));
  EXPECT_EQ(Scratch::content(folder_ / "there.goal"), "x");
}

TEST_F(Goal, ComesBackTheSameAsTextAndAsBinary) {
  const trace::Trace first = text(kPingPong).trace;
  write(first, "text.goal");
  const ImportedGoal again = read(folder_ / "text.goal");
  EXPECT_TRUE(equal(first, again.trace));
  write(first, "text.bin", true);
  const ImportedGoal binary = read(folder_ / "text.bin");
  EXPECT_TRUE(binary.binary);
  EXPECT_TRUE(equal(first, binary.trace));
  EXPECT_EQ(binary.operations, again.operations);
  EXPECT_EQ(binary.dependencies, again.dependencies);
  EXPECT_EQ(exported_->bytes, fs::file_size(folder_ / "text.bin"));
}

TEST_F(Goal, RandomGraphsComeBackTheSame) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::string content = "num_ranks 3\n";
    for (int rank = 0; rank < 3; ++rank) {
      content += "rank " + std::to_string(rank) + " {\n";
      const int operations = static_cast<int>(random() % 40);
      for (int i = 0; i < operations; ++i) {
        const std::string label = "x" + std::to_string(i), number = std::to_string(random() % 3);
        const std::string kinds[] = {": calc " + std::to_string(random() % 5),
                                     ": send 9b to " + number + " tag " + number,
                                     ": recv 9b from " + number + " tag -1"};
        content += label + kinds[random() % 3] + "\n";
        if (i > 0 && random() % 2)
          content += label + (random() % 3 ? " requires x" : " irequires x") +
                     std::to_string(random() % static_cast<unsigned>(i)) + "\n";
      }
      content += "}\n";
    }
    const trace::Trace first = text(content).trace;
    ASSERT_TRUE(trace::check(first).ok());
    write(first, "text.goal");
    EXPECT_TRUE(equal(first, read(folder_ / "text.goal").trace)) << content;
    write(first, "text.bin", true);
    EXPECT_TRUE(equal(first, read(folder_ / "text.bin").trace)) << content;
  }
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> 8 * i & 0xff));
}

void put_operation(std::string& out, std::uint32_t dependencies, int kind, std::uint32_t peer,
                   std::uint64_t size, std::uint32_t tag, std::array<std::uint32_t, 4> lists) {
  put(out, dependencies, 4), put(out, static_cast<std::uint64_t>(kind), 1), put(out, peer, 4),
      put(out, size, 8), put(out, tag, 4), put(out, 0, 2);
  for (const std::uint32_t each : lists) put(out, each, 4);
}

/// The form that txt2bin writes: rank 0 sends and then computes, rank 1 receives.
std::string binary_by_hand() {
  std::string out;
  put(out, 4223, 8), put(out, 2, 4), put(out, 0, 2);
  const std::uint64_t first = 6 + 32, second = first + 12 + 2 * 39 + 8, end = second + 12 + 39;
  put(out, first, 8), put(out, second, 8), put(out, second, 8), put(out, end, 8);
  put(out, 2, 4), put(out, 1, 4), put(out, 0, 4);
  put_operation(out, 0, 1, 1, 100, 5, {1, 0, 1, 1});
  put_operation(out, 2, 3, 0, 77, 0, {0, 999, 0, 0xffffffff});
  put(out, 1, 4), put(out, 1, 4);
  put(out, 1, 4), put(out, 1, 4), put(out, 0, 4);
  put_operation(out, 0, 2, 0xffffffff, 100, 0xffffffff, {0, 0, 0, 0});
  return out;
}

TEST_F(Goal, ReadsTheBinaryForm) {
  const ImportedGoal goal = read(folder_.put("hand.bin", binary_by_hand()));
  EXPECT_TRUE(goal.binary);
  EXPECT_THAT(words_of(goal.trace, 0), ElementsAre("start_send 1 tag 5 100b", "wait 1", "compute 77000"));
  EXPECT_THAT(words_of(goal.trace, 1), ElementsAre("start_receive any tag any 100b", "wait 1"));
}

TEST_F(Goal, TellsWhichByteOfTheBinaryFormIsWrong) {
  const auto changed = [&](std::size_t at, std::uint64_t value, int bytes) {
    std::string content = binary_by_hand(), number;
    put(number, value, bytes);
    return problem(content.replace(at, number.size(), number));
  };
  const std::size_t part = 8 + 6 + 32, operation = part + 12;
  EXPECT_THAT(changed(0, 2342, 8), HasSubstr("used up"));
  EXPECT_THAT(changed(1, 0, 1), HasSubstr(": byte 0 this is neither"));
  EXPECT_THAT(changed(8, 0, 4), HasSubstr(": byte 8 0 ranks"));
  EXPECT_THAT(changed(8, 1000, 4), HasSubstr("the file ends within the table"));
  EXPECT_THAT(changed(14, 3, 8), HasSubstr(": byte 14 rank 0 has its operations from 3"));
  EXPECT_THAT(changed(part, 1u << 30, 4), HasSubstr(": byte 46 1073741824 operations"));
  EXPECT_THAT(changed(part + 8, 1, 4), HasSubstr(": byte 54 1 is no operation to begin with"));
  EXPECT_THAT(changed(operation, 1, 4), HasSubstr(": byte 58 an operation depends on 1 others, but 0"));
  EXPECT_THAT(changed(operation + 4, 9, 1), HasSubstr(": byte 62 an operation cannot be of kind 9"));
  EXPECT_THAT(changed(operation + 5, 2, 4), HasSubstr(": byte 63 rank 2 is none of 2"));
  EXPECT_THAT(changed(operation + 17, 0xffffffff, 4), HasSubstr(": byte 75 tag 4294967295 is too large"));
  EXPECT_THAT(changed(operation + 23, 1000, 4),
              HasSubstr(": byte 58 the list of operations that depend on one is 1000 entries"));
  EXPECT_THAT(changed(operation + 39 + 9, 1ull << 60, 8), HasSubstr("too long"));
  EXPECT_THAT(changed(operation + 78, 7, 4), HasSubstr("there is no operation 7"));
  EXPECT_THAT(changed(operation + 78, 0, 4), HasSubstr("depends on"));
}

TEST_F(Goal, ATruncatedBinaryFileIsAnError) {
  const std::string whole = binary_by_hand();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_goal(folder_.put("cut.bin", whole.substr(0, size))).ok()) << size;
  EXPECT_TRUE(read_goal(folder_.put("cut.bin", whole + "more")).ok());
}

TEST_F(Goal, DamageNeverCrashes) {
  std::mt19937 random(3);
  const std::string texts[] = {binary_by_hand(), kPingPong};
  for (int round = 0; round < 3000; ++round) {
    std::string content = texts[round % 2];
    for (int change = static_cast<int>(random() % 4); change >= 0; --change)
      content[random() % content.size()] = static_cast<char>(random() % 2 ? random() : random() % 4);
    const auto out = read_goal(folder_.put("damaged", content));
    EXPECT_TRUE(!out.ok() || trace::check(out->trace).ok());
  }
}

TEST_F(Goal, ATruncatedTextIsAnErrorOrEndsBehindTheLastRank) {
  const std::string whole = kPingPong;
  const std::size_t last = whole.rfind('}');
  for (std::size_t size = 0; size <= whole.size(); ++size)
    EXPECT_EQ(read_goal(folder_.put("cut.goal", whole.substr(0, size))).ok(), size > last) << size;
}

TEST_F(Goal, LongChainsSideBySideAreReadInTimeThatTheirLengthTells) {
  std::string content = "num_ranks 1\nrank 0 {\n";
  const int length = 20000;
  for (int i = 0; i < length; ++i)
    for (const std::string chain : {"a", "b"}) {
      content += chain + std::to_string(i) + ": recv 1b from 0\n";
      if (i > 0) content += chain + std::to_string(i) + " requires " + chain + std::to_string(i - 1) + "\n";
    }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(text(content + "}\n").delayed, 2u * length - 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace parcast::interchange
