// SPDX-License-Identifier: Apache-2.0
#include "patterns/traffic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace parcast::program {
namespace {

/// Disjoint sets that can be united.
class Sets {
 public:
  explicit Sets(std::int32_t size) : parent_(static_cast<std::size_t>(size)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t of) {
    while (parent_[static_cast<std::size_t>(of)] != of)
      of = parent_[static_cast<std::size_t>(of)] =
          parent_[static_cast<std::size_t>(parent_[static_cast<std::size_t>(of)])];
    return of;
  }
  void join(std::int32_t a, std::int32_t b) { parent_[static_cast<std::size_t>(find(a))] = find(b); }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace

Traffic::Traffic(std::int32_t ranks, std::vector<Pair> pairs)
    : ranks_(ranks), begin_(static_cast<std::size_t>(ranks) + 1), senders_(static_cast<std::size_t>(ranks)) {
  std::erase_if(pairs, [](const Pair& pair) { return pair.from == pair.to; });
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  for (const Pair& pair : pairs) {
    if (pairs_.empty() || pairs_.back().from != pair.from || pairs_.back().to != pair.to) {
      pairs_.push_back(pair);
      continue;
    }
    Pair& same = pairs_.back();
    same.messages += pair.messages;
    same.bytes += pair.bytes;
    if (pair.first < same.first) same.first = pair.first, same.heard = pair.heard;
  }
  for (const Pair& pair : pairs_)
    ++begin_[static_cast<std::size_t>(pair.from) + 1], ++senders_[static_cast<std::size_t>(pair.to)];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
}

const Pair* Traffic::find(std::int32_t from, std::int32_t to) const {
  const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(begin(from)),
             last = pairs_.begin() + static_cast<std::ptrdiff_t>(begin(from + 1));
  const auto at =
      std::lower_bound(first, last, to, [](const Pair& pair, std::int32_t rank) { return pair.to < rank; });
  return at != last && at->to == to ? &*at : nullptr;
}

bool Traffic::even() const {
  return std::all_of(pairs_.begin(), pairs_.end(),
                     [&](const Pair& pair) { return pair.messages == pairs_.front().messages; });
}

bool Traffic::one_size() const {
  const auto size = [](const Pair& pair) { return pair.bytes / static_cast<double>(pair.messages); };
  return std::all_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
    return std::abs(size(pair) - size(pairs_.front())) <= 1e-9 * size(pairs_.front());
  });
}

bool Traffic::both_ways() const {
  return std::all_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) { return has(pair.to, pair.from); });
}

Traffic Traffic::among(const std::vector<std::int32_t>& members) const {
  std::vector<std::int32_t> number(static_cast<std::size_t>(ranks_), -1);
  for (std::size_t i = 0; i < members.size(); ++i)
    number[static_cast<std::size_t>(members[i])] = static_cast<std::int32_t>(i);
  std::vector<Pair> kept;
  for (const std::int32_t from : members)
    for (std::size_t i = begin(from); i < begin(from + 1); ++i) {
      Pair pair = pairs_[i];
      pair.from = number[static_cast<std::size_t>(pair.from)],
      pair.to = number[static_cast<std::size_t>(pair.to)];
      if (pair.to >= 0) kept.push_back(pair);
    }
  return Traffic(static_cast<std::int32_t>(members.size()), std::move(kept));
}

std::vector<std::vector<std::int32_t>> Traffic::connected() const {
  Sets sets(ranks_);
  for (const Pair& pair : pairs_) sets.join(pair.from, pair.to);
  std::map<std::int32_t, std::size_t> number;
  std::vector<std::vector<std::int32_t>> out;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if (receivers_of(rank) + senders_to(rank) == 0) continue;
    const auto [at, added] = number.try_emplace(sets.find(rank), out.size());
    if (added) out.emplace_back();
    out[at->second].push_back(rank);
  }
  return out;
}

}  // namespace parcast::program
