// SPDX-License-Identifier: Apache-2.0
#include "trace/arrivals.h"

#include <algorithm>

#include "recording/unfold.h"

namespace parcast::trace {
namespace {

using recording::CallClass;
using recording::Column;

constexpr std::size_t kMostWaiting = 1 << 16;

std::uint64_t word_of(const recording::Completion& completion) {
  if (completion.source < 0 || completion.tag < 0) return 0;
  return (static_cast<std::uint64_t>(completion.source) << 31 | static_cast<std::uint64_t>(completion.tag)) +
         1;
}

bool holds_negative(const Column& column, std::int64_t least, std::int64_t most) {
  bool found = false;
  column.for_each_run([&](std::int64_t first, std::int64_t stride, std::uint64_t count, std::uint64_t) {
    const std::int64_t last = first + stride * static_cast<std::int64_t>(count - 1);
    found = found || (std::min(first, last) <= most && std::max(first, last) >= least);
  });
  return found;
}

/// Returns whether the key's calls may begin wildcard receives. When only some sources or tags of a key are
/// wildcards, the folded columns do not show which belong together.
bool may_be_open(const recording::FoldedKey& key) {
  return holds_negative(key[PARCAST_COLUMN_RECEIVED_PEER], recording::kAnySource, recording::kAnySource) ||
         holds_negative(key[PARCAST_COLUMN_RECEIVED_TAG], INT32_MIN, -1);
}

bool any_open(const recording::RankRecording& rank, const std::vector<recording::Call>& calls) {
  for (const recording::Chapter& chapter : rank.chapters)
    for (const recording::FoldedKey& key : chapter.keys)
      if (calls[key.call].kind == CallClass::start_receive && may_be_open(key)) return true;
  return std::any_of(rank.events.begin(), rank.events.end(), [&](const recording::Event& event) {
    return calls[event.call].kind == CallClass::start_receive && Arrivals::open(event);
  });
}

}  // namespace

bool Arrivals::open(const recording::Event& event) {
  const recording::Message& asked = event.received;
  return event.request != 0 && (asked.peer == recording::kAnySource || (asked.peer >= 0 && asked.tag < 0));
}

Arrivals::Arrivals(const recording::RankRecording& rank, const std::vector<recording::Call>& calls) {
  if (!any_open(rank, calls)) return;
  recording::for_each_event(
      rank, calls, [&](const recording::Event& event, std::span<const recording::Completion> completions) {
        if (calls[event.call].kind == CallClass::start_receive && open(event)) begun(event.request);
        for (const recording::Completion& completion : completions) completed(completion);
      });
  take_complete(0);
  sequence_ = folding_.finish();
  walker_ = Walker(sequence_);
}

void Arrivals::begun(std::uint32_t request) {
  numbers_[request] = first_waiting_ + waiting_.size();
  waiting_.push_back({request, std::nullopt});
  take_complete(kMostWaiting);
}

void Arrivals::completed(const recording::Completion& completion) {
  if (const auto at = numbers_.find(completion.request); at != numbers_.end()) {
    waiting_[at->second - first_waiting_].word = word_of(completion);
    numbers_.erase(at);
    take_complete(kMostWaiting);
  } else if (const auto late = late_.find(completion.request); late != late_.end() && late->second == 0) {
    late->second = word_of(completion);
  }
}

/// Folds receives from the front of the queue: completed ones, and as many more as needed so that at most
/// `most` remain.
void Arrivals::take_complete(std::size_t most) {
  while (!waiting_.empty() && (waiting_.front().word || waiting_.size() > most)) {
    const Waiting& first = waiting_.front();
    folding_.add(Item::compute(static_cast<Time>(first.word.value_or(0))));
    if (!first.word) {
      late_[first.request] = 0;
      numbers_.erase(first.request);
    }
    waiting_.pop_front();
    ++first_waiting_;
  }
}

std::optional<Arrivals::Arrival> Arrivals::next(std::uint32_t request) {
  if (!walker_.next()) return std::nullopt;
  auto word = static_cast<std::uint64_t>(walker_.item().time());
  if (const auto late = late_.find(request); word == 0 && late != late_.end()) word = late->second;
  if (word == 0) return std::nullopt;
  return Arrival{static_cast<std::int32_t>((word - 1) >> 31),
                 static_cast<std::int32_t>((word - 1) & 0x7fffffffu)};
}

}  // namespace parcast::trace
