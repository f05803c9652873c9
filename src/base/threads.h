// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs independent pieces of work on several threads.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace parcast {

/// Runs work(i) for all i below `count`. Each writes its own data, so that results do not depend on the
/// number of threads. 0 threads: one per processor. The calling thread reports how many pieces are complete,
/// after each of its own.
template <class Work, class Done>
void for_each_index(std::size_t count, unsigned threads, const Work& work, const Done& done) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  std::atomic<std::size_t> next{0}, complete{0};
  const auto run = [&](bool reports) {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
      const std::size_t so_far = ++complete;
      if (reports) done(so_far);
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(run, false);
  run(true);
  for (std::thread& thread : others) thread.join();
}

template <class Work>
void for_each_index(std::size_t count, unsigned threads, const Work& work) {
  for_each_index(count, threads, work, [](std::size_t) {});
}

}  // namespace parcast
