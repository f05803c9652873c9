// SPDX-License-Identifier: Apache-2.0
#include "structure/rank_words.h"

#include <algorithm>

#include "base/checked.h"

namespace parcast::program {

using trace::Item;

std::uint32_t GeneratedCommunicators::index(const Members& members, const Place& place) {
  if (members.kind == Members::Kind::all && members.number == 0) return 0;
  const Rule rule(static_cast<int>(members.kind), members.dimensions, static_cast<int>(members.kept),
                  members.amount, members.number);
  const auto [at, is_new] = known_.emplace(rule, std::map<std::int64_t, std::uint32_t>{});
  if (is_new) {
    std::map<std::int64_t, std::vector<std::int32_t>> groups;
    for (std::int32_t rank = 0; rank < places_.processes(); ++rank)
      groups[group_of(members, places_.of(rank))].push_back(rank);
    for (auto& [group, ranks] : groups) at->second[group] = builder_.communicator(std::move(ranks));
  }
  return at->second.at(group_of(members, place));
}

/// Adds computing. For an order without a recording, takes the computing after the same operation, else after
/// as many loops, else none.
void RankWords::compute(const std::vector<Computing>& known, const std::vector<trace::Time>& times) {
  if (known.empty()) return;
  const auto first = [&](auto fits) {
    return static_cast<std::size_t>(std::ranges::find_if(known, fits) - known.begin());
  };
  std::size_t at =
      first([&](const Computing& each) { return each.after == last_ && each.loops == entered_; });
  if (at == known.size()) {
    unseen_order_ = true;
    at = first([&](const Computing& each) { return each.after == last_; });
    if (at == known.size()) at = first([&](const Computing& each) { return each.loops == entered_; });
    if (at == known.size()) return;
  }
  if (times[at] > 0) words_.push_back(Item::compute(std::min(times[at], trace::kLongest)));
}

void RankWords::end(const std::vector<Computing>& known, const std::vector<trace::Time>& times) {
  entered_ = 0;
  compute(known, times);
}

void RankWords::operation(const Step& step, const StepValues& values, trace::Operation made,
                          std::int64_t round) {
  if (too_long_ || words_.size() > kMostWords) {
    too_long_ = true;
    return;
  }
  if (step.place != trace::kNowhere) made.place = places_[step.place];
  if (made.kind == trace::Kind::wait) {
    const auto numbers = requests_.take(step.awaited);
    if (numbers.empty()) return leave_out(step, values);
    std::vector<std::uint32_t> since;
    for (const std::uint64_t number : numbers)
      since.push_back(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(requests_.begun() - number + 1, Item::kMost)));
    made = {
        .kind = trace::Kind::wait, .requests = builder_.request_set(std::move(since)), .place = made.place};
  } else {
    made.communicator = communicators_.index(step.members, place_);
    if (made.kind == trace::Kind::collective) {
      made.tag = 0;
      const auto size = static_cast<std::int64_t>(builder_.members(made.communicator));
      if (size < 2) return leave_out(step, values);
      if (step.root_change != 0)
        made.root = static_cast<std::int32_t>(
            floor_modulo<std::int64_t>(values.root + step.root_change * round, size));
    }
    if (trace::begins_request(made.kind)) requests_.begin(step.id);
  }
  compute(step.computing, values.computing);
  words_.push_back(Item::operation(builder_.operation(made)));
  entered_ = 0;
  last_ = step.id;
  ++done_;
}

void RankWords::leave_out(const Step& step, const StepValues& values) {
  if (place_.p > 1) return;
  compute(step.computing, values.computing);
  entered_ = 0;
  last_ = step.id;
  ++done_;
}

/// Executes the body; returns whether it did anything.
bool RankWords::round(const std::function<void()>& body, bool enters) {
  const std::uint64_t before = done_;
  entered_ += enters;
  body();
  if (done_ == before) entered_ -= enters;
  return done_ > before;
}

bool RankWords::equal(std::size_t first, std::size_t second, std::size_t end) const {
  if (second - first != end - second) return false;
  for (std::size_t i = first; i < second; ++i)
    if (words_[i].word() != words_[i + second - first].word()) return false;
  return true;
}

/// Makes the words from `from` on the body of a loop.
void RankWords::close(std::size_t from, std::int64_t rounds) {
  if (from == words_.size()) return;
  words_.insert(
      words_.begin() + static_cast<std::ptrdiff_t>(from),
      Item::loop(static_cast<std::uint32_t>(words_.size() - from), static_cast<std::uint32_t>(rounds)));
}

bool RankWords::loop(std::int64_t rounds, const std::function<void()>& body, bool enters) {
  const std::size_t first = words_.size();
  if (rounds < 1 || !round(body, enters)) return false;
  if (rounds > 1) repeat(first, rounds, body);
  return true;
}

/// Repeats the round that begins at `first`.
void RankWords::repeat(std::size_t first, std::int64_t rounds, const std::function<void()>& body) {
  const std::size_t second = words_.size();
  round(body, false);
  const std::size_t third = words_.size();
  if (rounds == 2) {
    if (!equal(first, second, third)) return;
    words_.resize(second);
    return close(first, 2);
  }
  const std::uint64_t begun = requests_.begun();
  round(body, false);
  if (!equal(second, third, words_.size()) || rounds > static_cast<std::int64_t>(Item::kMost)) {
    for (std::int64_t k = 3; k < rounds && !too_long_; ++k) round(body, false);
    return;
  }
  words_.resize(third);
  too_long_ = too_long_ || !requests_.pass_rounds(begun, static_cast<std::uint64_t>(rounds - 3));
  if (!equal(first, second, third)) return close(second, rounds - 1);
  words_.resize(second);
  close(first, rounds);
}

void RankWords::rounds(std::int64_t rounds, const std::function<void(std::int64_t)>& body) {
  bool begun = false;
  for (std::int64_t k = 0; k < rounds && !too_long_; ++k) begun = round([&] { body(k); }, !begun) || begun;
}

}  // namespace parcast::program
