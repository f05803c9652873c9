// SPDX-License-Identifier: Apache-2.0
#pragma once
// An open connection. `attempt` catches the exceptions of SOCI. It retries what failed because of concurrent
// writers, after a pause of random length, so that processes that waited together do not collide again.

#include <soci/soci.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <type_traits>

#include "store/database.h"
#include "store/dialect.h"

namespace parcast::store {

template <class T>
struct ResultOf {
  using type = Result<T>;
};
template <class T>
struct ResultOf<Result<T>> {
  using type = Result<T>;
};

struct Database::Session {
  Place place;
  std::unique_ptr<Dialect> dialect;
  soci::session sql;
  std::minstd_rand random{static_cast<unsigned>(::getpid())};

  /// Runs the action. The action must have no effect when it throws.
  template <class Action>
  auto attempt(Action action) -> typename ResultOf<decltype(action())>::type {
    using Clock = std::chrono::steady_clock;
    constexpr auto kPatience = std::chrono::seconds(120);
    constexpr int kLongestPause = 256;  // milliseconds
    const auto end = Clock::now() + kPatience;
    for (int longest = 4;; longest = std::min(2 * longest, kLongestPause)) {
      try {
        if constexpr (std::is_void_v<decltype(action())>)
          return action(), Result<void>();
        else
          return action();
      } catch (const soci::soci_error& problem) {
        if (!dialect->contended(problem) || Clock::now() > end)
          return dialect->error_of(problem, place.shown);
      }
      std::this_thread::sleep_for(
          std::chrono::milliseconds(std::uniform_int_distribution(1, longest)(random)));
    }
  }
};

}  // namespace parcast::store
