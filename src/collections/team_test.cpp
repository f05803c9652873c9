// SPDX-License-Identifier: Apache-2.0
// The runtimes: order, errors, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "parcast/collections.h"

namespace parcast::collections {
namespace {

using testing::HasSubstr;

constexpr Processors::Kind kInProcess[] = {Processors::Kind::cooperative, Processors::Kind::threads};

std::string error_of(const Processors& processors, const Program& program) {
  try {
    run(processors, program);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

class Runtimes : public testing::TestWithParam<Processors::Kind> {
 protected:
  Processors processors(int count) const { return {.kind = GetParam(), .count = count}; }
};
INSTANTIATE_TEST_SUITE_P(All, Runtimes, testing::ValuesIn(kInProcess), [](const auto& of) {
  return of.param == Processors::Kind::threads ? "threads" : "cooperative";
});

TEST_P(Runtimes, CombineInOrderOfRank) {
  run(processors(5), [](Team& team) {
    const auto join = [](std::int64_t a, std::int64_t b) {
      return a * 10 + b;
    };  // neither associative nor commutative
    EXPECT_EQ(team.reduce<std::int64_t>(team.rank() + 1, join), 12345);
    EXPECT_EQ(team.scan<std::int64_t>(team.rank() + 1, join, 9),
              (std::vector<std::int64_t>{9, 91, 912, 9123, 91234})[static_cast<std::size_t>(team.rank())]);
    EXPECT_EQ(team.gather(team.rank() * team.rank()), (std::vector{0, 1, 4, 9, 16}));
    EXPECT_EQ(team.broadcast(team.rank() * 7, 3), 21);
    std::vector<int> values(4, team.rank());
    team.broadcast(std::span(values), 2);
    EXPECT_EQ(values, std::vector(4, 2));
  });
}

TEST_P(Runtimes, BarriersHoldUntilAllAreThere) {
  std::atomic<int> arrived = 0;
  run(processors(7), [&](Team& team) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      team.barrier();
      EXPECT_GE(arrived.load(), 7 * round);
      team.barrier();
      EXPECT_EQ(arrived.load(), 7 * round);
      team.barrier();
    }
  });
}

TEST_P(Runtimes, EndWithTheFirstException) {
  std::atomic<int> destroyed = 0;
  struct Counted {
    std::atomic<int>& count;
    ~Counted() { ++count; }
  };
  const auto text = error_of(processors(4), [&](Team& team) {
    const Counted counted{destroyed};
    team.barrier();
    if (team.rank() == 2) throw std::runtime_error("no convergence at 2");
    team.barrier();
    team.barrier();
  });
  EXPECT_EQ(text, "no convergence at 2");
  EXPECT_EQ(destroyed, 4);
}

TEST_P(Runtimes, RefuseCallsThatDiffer) {
  const auto text = error_of(processors(3), [](Team& team) {
    if (team.rank() == 1)
      team.reduce(1.0, std::plus<>());
    else
      team.barrier();
  });
  EXPECT_THAT(text, HasSubstr("reduce with 8 bytes"));
  EXPECT_THAT(text, HasSubstr("all processors must call the same operations in the same order"));
  EXPECT_THAT(error_of(processors(2),
                       [](Team& team) {
                         if (team.rank() == 0) team.barrier();
                       }),
              HasSubstr("processor 1 has ended"));
  EXPECT_THAT(error_of(processors(2),
                       [](Team& team) {
                         team.rank() ? (void)team.reduce(1.0F, std::plus<>())
                                     : (void)team.reduce(1, std::plus<>());
                       }),
              HasSubstr("of another type"));
  EXPECT_THAT(error_of(processors(2), [](Team& team) { team.broadcast(1, team.rank()); }),
              HasSubstr("broadcast"));
  EXPECT_THAT(
      error_of(processors(2),
               [](Team& team) { DistributedVector<int> a(team, 5 + team.rank(), {Block}, {.name = "a"}); }),
      HasSubstr("the construction of a of another type or of other extents"));
}

TEST_P(Runtimes, RefuseACollectionOutsideOfItsTeam) {
  DistributedVector<int>* first = nullptr;
  const auto text = error_of(processors(2), [&](Team& team) {
    DistributedVector<int> a(team, 4, {Block}, {.name = "a"});
    if (team.rank() == 0) first = &a;
    team.barrier();
    if (team.rank() == 1) first->for_each([](Index1, int&) {});
    team.barrier();
  });
  EXPECT_THAT(text, HasSubstr("a is used outside of its team"));
}

TEST_P(Runtimes, RefuseATeamInATeam) {
  EXPECT_THAT(error_of(processors(2), [](Team&) { run({.count = 2}, [](Team&) {}); }),
              HasSubstr("cannot run another team"));
}

TEST(Cooperative, RunsProcessorsInOrderOfRank) {
  std::vector<int> order;
  run({.count = 3}, [&](Team& team) {
    for (int round = 0; round < 2; ++round) {
      order.push_back(team.rank());
      team.barrier();
    }
  });
  EXPECT_EQ(order, (std::vector{0, 1, 2, 0, 1, 2}));
}

TEST(Cooperative, KeepsExceptionsOfEachProcessorApart) {
  run({.count = 3}, [](Team& team) {
    try {
      throw team.rank();
    } catch (int mine) {
      team.barrier();  // others throw and catch meanwhile
      try {
        team.barrier();
        throw;
      } catch (int again) {
        EXPECT_EQ(again, team.rank());
      }
      EXPECT_EQ(mine, team.rank());
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
}

// The thread sanitizer follows at most 8,128 fibres.
#ifdef __SANITIZE_THREAD__
constexpr int kMany = 2'000;
#else
constexpr int kMany = 10'000;
#endif

TEST(Cooperative, RunsThousandsOfProcessors) {
  std::int64_t sum = 0;
  run({.count = kMany, .stack = 32 * 1024}, [&](Team& team) {
    const auto all = team.reduce<std::int64_t>(team.rank(), std::plus<>());
    if (team.rank() == 0) sum = all;
  });
  EXPECT_EQ(sum, std::int64_t{kMany} * (kMany - 1) / 2);
}

TEST(Cooperative, NamesTheLimitWhereTheKernelHasNoMemory) {
  EXPECT_THAT(error_of({.count = 1'000'000, .stack = std::size_t{1} << 32}, [](Team&) {}),
              HasSubstr("use fewer processors or a smaller stack"));
}

int depth(int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return n == 0 ? 0 : depth(n - 1) + room[0] * 0 + 1;
}

TEST(CooperativeDeathTest, NamesTheProcessorWhoseStackIsFull) {
  EXPECT_EXIT(run({.count = 3, .stack = 64 * 1024}, [](Team& team) { team.rank() == 1 ? depth(1000) : 0; }),
              testing::ExitedWithCode(1),
              "processor 1 needs more than its stack of 64 KiB: --collections cooperative:N,stack=256K");
  // The frame of a large array reaches far below the stack.
  EXPECT_EXIT(run({.count = 3, .stack = 64 * 1024},
                  [](Team&) {
                    volatile char large[400 * 1024];
                    large[0] = 1;
                    static_cast<void>(large[0]);
                  }),
              testing::ExitedWithCode(1), "processor 0 needs more than its stack of 64 KiB");
}

/// Runs a program with arguments; returns what is left of them, and the standard error.
struct Ran {
  int code = 0, processors = 0;
  std::vector<std::string> arguments;
  std::string error;
};
Ran ran(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  Ran out;
  testing::internal::CaptureStderr();
  out.code = run(argc, argv.data(), [&](Team& team) {
    if (team.rank() == 0) out.processors = team.size();
  });
  out.error = testing::internal::GetCapturedStderr();
  out.arguments.assign(argv.data(), argv.data() + argc);
  return out;
}

TEST(Run, TakesItsWordsFromTheArguments) {
  EXPECT_EQ(ran({"p", "-n", "5"}).processors, 1);
  EXPECT_EQ(ran({"p", "--collections", "cooperative:6", "-n", "5"}).processors, 6);
  EXPECT_EQ(ran({"p", "--collections", "cooperative:6", "-n", "5"}).arguments,
            (std::vector<std::string>{"p", "-n", "5"}));
  EXPECT_EQ(ran({"p", "x", "--collections=threads:2"}).arguments, (std::vector<std::string>{"p", "x"}));
  EXPECT_EQ(ran({"p", "--collections=cooperative:2,stack=1M"}).processors, 2);
}

TEST(Run, RefusesWordsThatItDoesNotKnow) {
  for (const char* word : {"fibres:2", "cooperative", "cooperative:0", "cooperative:x", "threads:2,stack=1M",
                           "cooperative:2,stack=1", "cooperative:2000000"}) {
    const Ran it = ran({"p", "--collections", word});
    EXPECT_EQ(it.code, 1);
    EXPECT_THAT(it.error, HasSubstr(std::string("p: --collections ") + word + " is not known"));
  }
  EXPECT_THAT(ran({"p", "--collections"}).error, HasSubstr("for example --collections cooperative:32"));
}

}  // namespace
}  // namespace parcast::collections
