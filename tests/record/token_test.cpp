// SPDX-License-Identifier: Apache-2.0
// The tokens with processes that are killed, stopped and late.
#include "record/mpi/token.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMillisecond = 1'000'000, kMinute = 60'000 * kMillisecond;

class Tokens : public testing::Test {
 protected:
  Tokens()
      : path_((scratch_ / "tokens").string()),
        tokens_(parcast_tokens_open(path_.c_str())),
        token_(&tokens_->tokens[0]) {}
  ~Tokens() override { parcast_tokens_close(tokens_); }

  parcast_taking take(std::uint32_t seat, std::uint64_t limit = kMinute,
                      std::uint64_t longest_wait = kMinute) {
    std::uint64_t idle;
    return parcast_token_take(tokens_, token_, seat, limit, longest_wait, &idle);
  }
  bool give(std::uint32_t seat) { return parcast_token_give(token_, seat); }
  /// Starts a process with its own seat; its exit code is the result of `work`.
  pid_t process(const std::function<int(std::uint32_t seat)>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(work(parcast_seat_take(tokens_)));
  }
  void wait_until_held() const {
    while ((__atomic_load_n(&token_->word, __ATOMIC_ACQUIRE) & 0xffff) == 0) std::this_thread::sleep_for(1ms);
  }

  const Scratch scratch_;
  const std::string path_;
  parcast_tokens* const tokens_;
  parcast_token* const token_;
};

int exit_code_of(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

TEST_F(Tokens, HaveOneHolderAtATime) {
  auto* sum = static_cast<volatile long*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(process([&](std::uint32_t seat) {
      for (int n = 0; n < 5000; ++n) {
        if (take(seat) != PARCAST_TAKEN) return 1;
        const long before = *sum;
        for (volatile int pause = 0; pause < 50;) pause = pause + 1;
        *sum = before + 1;
        if (!give(seat)) return 2;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(*sum, 20000);
  EXPECT_EQ(token_->waiting, 0u);
}

TEST_F(Tokens, OfAKilledHolderAreTakenOverLongBeforeItsLimit) {
  const std::uint32_t seat = parcast_seat_take(tokens_);
  const pid_t holder = process([&](std::uint32_t own) {
    take(own);
    ::raise(SIGKILL);
    return 0;
  });
  siginfo_t ended;
  // the process stays a zombie
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(holder), &ended, WEXITED | WNOWAIT), 0);
  const auto began = Clock::now();
  EXPECT_EQ(take(seat), PARCAST_TAKEN);
  EXPECT_LT(since(began), 5);
  EXPECT_TRUE(give(seat));
  EXPECT_EQ(exit_code_of(holder), 128 + SIGKILL);
}

TEST_F(Tokens, OfAStoppedHolderAreRobbedAtItsLimitAndBothLearnOfIt) {
  const std::uint32_t seat = parcast_seat_take(tokens_);
  const pid_t holder = process([&](std::uint32_t own) {
    take(own, 40 * kMillisecond);
    ::raise(SIGSTOP);
    return give(own) ? 1 : 0;
  });
  wait_until_held();
  const auto began = Clock::now();
  EXPECT_EQ(take(seat), PARCAST_TAKEN_BY_FORCE);
  EXPECT_GE(since(began), 0.04);
  EXPECT_LT(since(began), 5);
  EXPECT_TRUE(parcast_token_disturbed(token_, token_->loose_since, token_->loose_since + 1));
  ::kill(holder, SIGCONT);
  EXPECT_EQ(exit_code_of(holder), 0);
  EXPECT_TRUE(give(seat));
}

TEST_F(Tokens, AreNotWaitedForLongerThanAsked) {
  const std::uint32_t seat = parcast_seat_take(tokens_);
  const pid_t holder = process([&](std::uint32_t own) {
    take(own);
    for (;;) ::pause();
    return 0;
  });
  wait_until_held();
  const auto began = Clock::now();
  EXPECT_EQ(take(seat, kMinute, 50 * kMillisecond), PARCAST_NOT_TAKEN);
  EXPECT_GE(since(began), 0.05);
  EXPECT_LT(since(began), 5);
  ::kill(holder, SIGKILL);
  exit_code_of(holder);
}

TEST_F(Tokens, SurviveKillsAtAnyMoment) {
  const std::uint32_t seat = parcast_seat_take(tokens_);
  for (int round = 0; round < 100; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i)
      children.push_back(process([&](std::uint32_t own) {
        for (;;) {
          take(own);
          give(own);
        }
        return 0;
      }));
    std::this_thread::sleep_for(std::chrono::microseconds(300 + 37 * round));
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) EXPECT_EQ(exit_code_of(child), 128 + SIGKILL);
    const auto began = Clock::now();
    ASSERT_EQ(take(seat), PARCAST_TAKEN);
    ASSERT_LT(since(began), 5);
    ASSERT_TRUE(give(seat));
  }
  EXPECT_LT(seat + 2, 100u);  // seats of dead processes were reused
  EXPECT_LE(parcast_seat_take(tokens_), 3u);
}

TEST_F(Tokens, ThatArePausedLetTheWaitingGo) {
  const std::uint32_t seat = parcast_seat_take(tokens_);
  ASSERT_EQ(take(seat), PARCAST_TAKEN);
  const pid_t waiter = process([&](std::uint32_t own) { return take(own) == PARCAST_NOT_TAKEN ? 0 : 1; });
  while (__atomic_load_n(&token_->waiting, __ATOMIC_ACQUIRE) == 0) std::this_thread::sleep_for(1ms);
  parcast_token_pause(token_);
  EXPECT_EQ(exit_code_of(waiter), 0);
  EXPECT_TRUE(give(seat));
  parcast_token_resume(token_, 1000);
  EXPECT_EQ(take(seat), PARCAST_TAKEN);
  EXPECT_TRUE(parcast_token_disturbed(token_, 999, 2000));
  EXPECT_FALSE(parcast_token_disturbed(token_, 1000, 2000));
}

TEST_F(Tokens, HeldByOneselfDoNotBlock) {
  const std::uint32_t seat = parcast_seat_take(tokens_);
  ASSERT_EQ(take(seat), PARCAST_TAKEN);
  EXPECT_EQ(take(seat), PARCAST_TAKEN);  // the first one was left by a longjmp in a signal handler
}

TEST_F(Tokens, EndWithTheLastSeat) {
  for (std::uint32_t i = 0; i < PARCAST_SEATS; ++i) ASSERT_EQ(parcast_seat_take(tokens_), i);
  EXPECT_EQ(parcast_seat_take(tokens_), static_cast<std::uint32_t>(PARCAST_SEATS));
  parcast_seat_leave(tokens_, 17);
  EXPECT_EQ(parcast_seat_take(tokens_), 17u);
  for (std::uint32_t i = 0; i < PARCAST_SEATS; ++i) parcast_seat_leave(tokens_, i);
}

TEST_F(Tokens, AreFoundByTheirNameAndNothingElseIsTakenForThem) {
  parcast_tokens* again = parcast_tokens_open(path_.c_str());
  ASSERT_NE(again, nullptr);
  again->tokens[3].lost = 77;
  EXPECT_EQ(tokens_->tokens[3].lost, 77u);
  EXPECT_EQ(tokens_->present, 2u);
  parcast_tokens_close(again);

  const std::string text = (scratch_ / "text").string(), link = (scratch_ / "link").string();
  std::ofstream(text) << "precious";
  EXPECT_EQ(parcast_tokens_open(text.c_str()), nullptr);
  EXPECT_EQ(slurp(text), "precious");
  std::ofstream(text) << std::string(sizeof(parcast_tokens), 'x');
  EXPECT_EQ(parcast_tokens_open(text.c_str()), nullptr);
  fs::create_symlink(path_, link);
  EXPECT_EQ(parcast_tokens_open(link.c_str()), nullptr);
  EXPECT_EQ(parcast_tokens_open((scratch_ / "none/tokens").c_str()), nullptr);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 3);  // no temporary file is left
}

TEST_F(Tokens, AreNotMadeBeyondTheLimitOfAFilesSize) {
  const pid_t child = process([&](std::uint32_t) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 4096;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return parcast_tokens_open((scratch_ / "large").c_str()) ? 1 : 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

}  // namespace
}  // namespace parcast::record_tests
