// SPDX-License-Identifier: Apache-2.0
#include "structure/unroll.h"

#include <algorithm>
#include <numeric>

namespace parcast::program {
namespace {

constexpr std::size_t kMostOpen = 1 << 20;
constexpr std::int64_t kLongestPeriod = std::int64_t{1} << 40;  // no loop is that long

}  // namespace

std::int64_t period_of(const std::vector<Step>& body, const std::vector<StepValues>& values) {
  std::int64_t period = 1;
  for (const Step& step : body) {
    if (step.kind != Step::Kind::every) continue;
    const std::int64_t inner = period_of(step.body, values);
    for (const std::int64_t each : {values[step.id].every, inner}) {
      const std::int64_t more = each / std::gcd(period, each);
      if (more > kLongestPeriod / period) return kLongestPeriod;
      period *= more;
    }
  }
  return period;
}

std::int64_t next_unlike(const std::vector<Step>& body, const std::vector<StepValues>& values,
                         std::int64_t iteration) {
  std::int64_t next = kLongestPeriod;
  for (const Step& step : body) {
    if (step.kind != Step::Kind::every) continue;
    const auto& [every, offset] = std::pair(values[step.id].every, values[step.id].offset);
    const std::int64_t left = (offset % every - iteration % every + every) % every;
    next = std::min(next, iteration + (left == 0 ? 1 : left));
  }
  return next;
}

std::vector<std::uint64_t> OpenRequests::take(const std::vector<Awaited>& awaited) {
  std::vector<std::uint64_t> numbers;
  for (const Awaited& each : awaited) {
    const auto of_step = [&](const Request& request) { return request.step == each.step; };
    switch (each.which) {
      case Awaited::Which::ago:
        if (begun_ >= each.step &&
            std::ranges::find(open_, begun_ - each.step + 1, &Request::number) != open_.end())
          numbers.push_back(begun_ - each.step + 1);
        break;
      case Awaited::Which::first:
        if (!open_.empty()) numbers.push_back(open_.front().number);
        break;
      case Awaited::Which::all:
        for (const Request& request : open_)
          if (of_step(request)) numbers.push_back(request.number);
        break;
      case Awaited::Which::oldest:
        if (const auto first = std::ranges::find_if(open_, of_step); first != open_.end())
          numbers.push_back(first->number);
        break;
      case Awaited::Which::newest:
        if (const auto last = std::find_if(open_.rbegin(), open_.rend(), of_step); last != open_.rend())
          numbers.push_back(last->number);
        break;
    }
  }
  std::ranges::sort(numbers);
  remove(numbers);
  return numbers;
}

void OpenRequests::remove(const std::vector<std::uint64_t>& numbers) {
  std::erase_if(open_,
                [&](const Request& request) { return std::ranges::binary_search(numbers, request.number); });
}

/// If the round before the last left the same requests open as the last one, each added round leaves them
/// open, too. Otherwise the next round completed them, and only those of the last round are open.
bool OpenRequests::pass_rounds(std::uint64_t before, std::uint64_t more) {
  const std::uint64_t each = begun_ - before;
  std::vector<Request> now;
  for (const Request& request : open_) {
    if (request.number <= before) {
      now.push_back(request);
      continue;
    }
    const bool stays = std::ranges::find(open_, Request{request.number - each, request.step}) != open_.end();
    if (stays) {
      if (now.size() + more > kMostOpen) return false;
      for (std::uint64_t round = 0; round < more; ++round)
        now.push_back({request.number + round * each, request.step});
    }
    now.push_back({request.number + more * each, request.step});
  }
  std::ranges::sort(now, {}, &Request::number);
  open_ = std::move(now);
  begun_ += more * each;
  return true;
}

}  // namespace parcast::program
