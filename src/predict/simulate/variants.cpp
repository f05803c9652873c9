// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/variants.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace parcast::simulate {
namespace {

/// Numbers are assigned in ascending order, so that all below the first failure are done, whichever worker
/// fails first.
class VariantWork {
 public:
  VariantWork(std::size_t count, const SimulateOne& simulate_one, const Done& done)
      : simulate_one_(simulate_one), done_(done), results_(count) {}

  /// The loop of one worker.
  void go() {
    try {
      while (const auto number = next()) {
        Result<Summary> result = simulate_one_(*number);
        const std::lock_guard lock(mutex_);
        if (!result) failed_ = true;
        results_[*number] = std::move(result);
        ++finished_;
        if (done_ && !failed_) done_(finished_);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      thrown_ = std::current_exception();
      failed_ = true;
    }
  }

  Result<std::vector<Summary>> take() {
    if (thrown_) std::rethrow_exception(thrown_);
    std::vector<Summary> out;
    for (auto& result : results_) {
      if (!*result) return result->error();
      out.push_back(**std::move(result));
    }
    return out;
  }

 private:
  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    if (failed_ || next_ == results_.size()) return std::nullopt;
    return next_++;
  }

  const SimulateOne& simulate_one_;
  const Done& done_;
  std::mutex mutex_;
  std::size_t next_ = 0, finished_ = 0;
  bool failed_ = false;
  std::exception_ptr thrown_;
  std::vector<std::optional<Result<Summary>>> results_;
};

}  // namespace

Summary summary_of(const Outcome& outcome, std::int32_t nodes, std::vector<std::string> assumptions) {
  Summary out;
  out.makespan = outcome.makespan;
  const auto last =
      std::max_element(outcome.ranks.begin(), outcome.ranks.end(),
                       [](const RankOutcome& a, const RankOutcome& b) { return a.end < b.end; });
  if (last != outcome.ranks.end()) out.last = *last;
  out.nodes = nodes;
  out.hanging = outcome.waiting.size();
  out.operations = outcome.operations;
  out.unreceived = outcome.unreceived;
  out.assumptions = std::move(assumptions);
  return out;
}

Summary summary_of(const Outcome& outcome, const Platform& platform) {
  const auto last = std::max_element(platform.node_of.begin(), platform.node_of.end());
  return summary_of(outcome, last == platform.node_of.end() ? 1 : 1 + *last, platform.assumptions);
}

Result<std::vector<Summary>> side_by_side(std::size_t count, const SimulateOne& simulate_one,
                                          unsigned threads, const Done& done) {
  VariantWork work(count, simulate_one, done);
  std::vector<std::jthread> others;
  const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1u), count);
  for (std::size_t i = 1; i < wanted; ++i) others.emplace_back([&work] { work.go(); });
  work.go();
  others.clear();
  return work.take();
}

Result<std::vector<Summary>> simulate_each(const trace::Trace& trace, std::size_t count,
                                           const MakePlatform& platform, unsigned threads, const Done& done) {
  std::mutex making;
  const auto make = [&](std::size_t number) {
    const std::lock_guard lock(making);
    return platform(number);
  };
  const auto one = [&](std::size_t number) -> Result<Summary> {
    PARCAST_ASSIGN(const Platform here, make(number));
    PARCAST_ASSIGN(const Outcome outcome, simulate(trace, here, Trust::checked));
    return summary_of(outcome, here);
  };
  return side_by_side(count, one, threads, done);
}

}  // namespace parcast::simulate
