// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <gtest/gtest.h>

namespace parcast::trace {
namespace {

/// Rank 0 sends, rank 1 receives, three rounds of two.
Trace small() {
  Trace trace;
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::send, .peer = 1, .bytes = 8},
                      {.kind = Kind::receive, .peer = -1, .bytes = 8}};
  trace.sequences = {{Item::loop(2, 3), Item::compute(5), Item::operation(0, 2)}, {Item::operation(1, 6)}};
  trace.sequence_of = {0, 1};
  return trace;
}

std::string steps_of(const Sequence& sequence) {
  std::string text;
  for (Walker walker(sequence); walker.next();)
    text += walker.item().what() == Item::What::compute ? "c" + std::to_string(walker.item().time())
                                                        : "o" + std::to_string(walker.item().index());
  return text;
}

TEST(Walker, GoesThroughLoopsAndRepeatedOperations) {
  EXPECT_EQ(steps_of(small().sequences[0]), "c5o0o0c5o0o0c5o0o0");
  EXPECT_EQ(steps_of({}), "");
  // two loops that end at the same word, and one after them
  const Sequence nested{Item::loop(3, 2), Item::compute(1), Item::loop(1, 2),
                        Item::compute(2), Item::loop(1, 1), Item::operation(7)};
  EXPECT_EQ(steps_of(nested), "c1c2c2c1c2c2o7");
}

// By hand: operation 0 twice in each of 3 x 4 rounds, operation 1 in each of 3, operation 0 once more.
TEST(Trace, ExecutionsAreThoseOfUnrolledLoops) {
  const Sequence nested{Item::loop(4, 3),   Item::loop(1, 4), Item::operation(0, 2),
                        Item::operation(1), Item::compute(5), Item::operation(0)};
  EXPECT_EQ(executions_of(nested), (std::map<std::uint32_t, std::uint64_t>{{0, 25}, {1, 3}}));
  EXPECT_TRUE(executions_of({}).empty());
}

TEST(Trace, SizeCountsWhatLoopsUnroll) {
  const Size size = size_of(small().sequences[0]);
  EXPECT_EQ(size.operations, 6u);
  EXPECT_EQ(size.computes, 3u);
  const Size nested = size_of({Item::loop(3, 2), Item::compute(1), Item::loop(1, 2), Item::compute(2),
                               Item::loop(1, 1), Item::operation(7)});
  EXPECT_EQ(nested.computes, 6u);
  EXPECT_EQ(nested.operations, 1u);
}

struct Broken {
  const char* name;
  void (*make)(Trace&);
  const char* said;
};

class BrokenTrace : public testing::TestWithParam<Broken> {};

TEST_P(BrokenTrace, IsSaid) {
  Trace trace = small();
  ASSERT_TRUE(check(trace));
  GetParam().make(trace);
  const auto checked = check(trace);
  ASSERT_FALSE(checked);
  EXPECT_NE(to_string(checked.error()).find(GetParam().said), std::string::npos)
      << to_string(checked.error());
}

INSTANTIATE_TEST_SUITE_P(
    Each, BrokenTrace,
    testing::Values(
        Broken{"NoRanks", [](Trace& broken) { broken.ranks = 0; }, "at least one rank"},
        Broken{"RankWithoutSequence", [](Trace& broken) { broken.sequence_of.pop_back(); },
               "the operations of 1"},
        Broken{"NoSuchSequence", [](Trace& broken) { broken.sequence_of[1] = 2; },
               "sequence that is not there"},
        Broken{"NoSuchOperation", [](Trace& broken) { broken.sequences[1].push_back(Item::operation(2)); },
               "operation 2, which is not there"},
        Broken{"NoTimes", [](Trace& broken) { broken.sequences[1].push_back(Item::operation(0, 0)); },
               "no times"},
        Broken{"EmptyLoop", [](Trace& broken) { broken.sequences[1].push_back(Item::loop(0, 3)); },
               "without a body"},
        Broken{"LoopBeyondTheEnd", [](Trace& broken) { broken.sequences[0][0] = Item::loop(3, 3); },
               "does not end within"},
        Broken{"LoopBeyondItsLoop",
               [](Trace& broken) {
                 broken.sequences[0][1] = Item::loop(2, 1);
                 broken.sequences[0].push_back(Item::compute(1));
               },
               "does not end within"},
        Broken{"TooDeep",
               [](Trace& broken) {
                 broken.sequences[1].clear();
                 for (std::uint32_t i = 0; i < 9; ++i) broken.sequences[1].push_back(Item::loop(9 - i, 1));
                 broken.sequences[1].push_back(Item::compute(1));
               },
               "within 8 others"},
        Broken{"TooLong", [](Trace& broken) { broken.sequences[0][1] = Item::compute(kLongest + 1); },
               "26 days"},
        Broken{"WordOfNoKind",
               [](Trace& broken) { broken.sequences[0][1] = Item::from_word(~std::uint64_t{0}); },
               "none that is known"},
        Broken{"PartnerOutside", [](Trace& broken) { broken.operations[0].peer = 2; }, "rank 2 of 2"},
        Broken{"SendToAnybody", [](Trace& broken) { broken.operations[0].peer = kAny; }, "sends to any"},
        Broken{"AccessToAnybody",
               [](Trace& broken) { broken.operations[0] = {.kind = Kind::read, .peer = kAny}; },
               "memory of any rank"},
        Broken{"OwnerOutside",
               [](Trace& broken) { broken.operations[0] = {.kind = Kind::start_write, .peer = 2}; },
               "rank 2 of 2"},
        Broken{"LockOwnerOutside",
               [](Trace& broken) { broken.operations[0] = {.kind = Kind::lock_shared, .peer = 2}; },
               "rank 2 of 2"},
        Broken{
            "LockOfNoWindow",
            [](Trace& broken) { broken.operations[0] = {.kind = Kind::lock_shared, .peer = 1, .tag = -1}; },
            "locks window -1"},
        Broken{"LockOfAllAlone",
               [](Trace& broken) { broken.operations[0] = {.kind = Kind::lock_exclusive, .peer = kAny}; },
               "all parts of a window exclusively"},
        Broken{"LockByNoMember",
               [](Trace& broken) {
                 broken.communicators.push_back({{1}});
                 broken.operations[0] = {.kind = Kind::lock_shared, .peer = 1, .communicator = 1};
               },
               "no member"},
        Broken{"LockOfNoMember",
               [](Trace& broken) {
                 broken.communicators.push_back({{0}});
                 broken.operations[0] = {.kind = Kind::unlock, .peer = 1, .communicator = 1};
               },
               "no member of communicator 1"},
        Broken{"NoSuchCommunicator", [](Trace& broken) { broken.operations[0].communicator = 1; },
               "communicator that is not there"},
        Broken{"NoSuchPlace", [](Trace& broken) { broken.operations[0].place = 0; },
               "place that is not there"},
        Broken{"NoSuchSet", [](Trace& broken) { broken.operations[0] = {.kind = Kind::wait}; },
               "set of requests that is not there"},
        Broken{"SetNotAscending",
               [](Trace& broken) {
                 broken.request_sets = {{2, 1}};
               },
               "ascending"},
        Broken{"SetFromZero",
               [](Trace& broken) {
                 broken.request_sets = {{0, 1}};
               },
               "ascending"},
        Broken{"MemberTwice",
               [](Trace& broken) {
                 broken.communicators.push_back({{1, 1}});
               },
               "member twice"},
        Broken{"MemberNoRank",
               [](Trace& broken) {
                 broken.communicators.push_back({{0, 2}});
               },
               "no rank"},
        Broken{"RootNoMember",
               [](Trace& broken) { broken.operations[0] = {.kind = Kind::collective, .root = 2}; },
               "not a member"},
        Broken{"NotAMember",
               [](Trace& broken) {
                 broken.communicators.push_back({{1}});
                 broken.operations[0] = {.kind = Kind::collective, .communicator = 1};
               },
               "no member"},
        Broken{"TooManyBytes",
               [](Trace& broken) {
                 broken.operations[0] = {.kind = Kind::collective, .bytes = ~std::uint64_t{0}};
               },
               "more bytes"}),
    [](const auto& broken) { return broken.param.name; });

}  // namespace
}  // namespace parcast::trace
