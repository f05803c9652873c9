// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/pairs.h"

#include <algorithm>
#include <tuple>

namespace parcast::simulate {
namespace {

std::uint64_t receiver_key(std::int32_t receiver, bool of_collectives) {
  return std::uint64_t{static_cast<std::uint32_t>(receiver)} << 1 | std::uint64_t{of_collectives};
}

bool alike(const PairRun& a, const PairRun& b) {
  return a.of_collectives == b.of_collectives && a.offset == b.offset && a.each == b.each;
}

/// Joins consecutive senders into one block.
std::vector<PairRun> joined(const std::vector<PairRun>& pairs) {
  std::vector<PairRun> runs;
  for (const PairRun& pair : pairs) {
    if (!runs.empty() && alike(runs.back(), pair) && runs.back().first + runs.back().length == pair.first)
      ++runs.back().length;
    else
      runs.push_back(pair);
  }
  return runs;
}

/// Joins blocks of equal length and equal distance into one row.
std::vector<PairRun> repeated(const std::vector<PairRun>& runs) {
  std::vector<PairRun> rows;
  for (const PairRun& run : runs) {
    PairRun* before = rows.empty() ? nullptr : &rows.back();
    if (!before || !alike(*before, run) || before->length != run.length) {
      rows.push_back(run);
      continue;
    }
    const std::int32_t apart = run.first - (before->first + before->every * (before->blocks - 1));
    if (before->blocks > 1 && before->every != apart) {
      rows.push_back(run);
      continue;
    }
    before->every = apart;
    ++before->blocks;
  }
  return rows;
}

}  // namespace

void Pairs::sent(const Sent& sent) {
  Sender& sender = ranks_[static_cast<std::size_t>(sent.sender)];
  const std::uint64_t key = receiver_key(sent.receiver, sent.of_collective);
  if (key != sender.last) {
    sender.last = key;
    sender.last_traffic = &sender.to[key];  // pointers to elements of an unordered_map stay valid
  }
  ++sender.last_traffic->messages;
  sender.last_traffic->bytes += sent.bytes;
}

Traffic Pairs::between(std::int32_t sender, std::int32_t receiver, bool of_collectives) const {
  const auto& to = ranks_[static_cast<std::size_t>(sender)].to;
  const auto found = to.find(receiver_key(receiver, of_collectives));
  return found == to.end() ? Traffic{} : found->second;
}

std::vector<PairRun> Pairs::runs() const {
  std::vector<PairRun> pairs;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    for (const auto& [key, traffic] : ranks_[rank].to) {
      const auto sender = static_cast<std::int32_t>(rank);
      pairs.push_back({.first = sender,
                       .offset = static_cast<std::int32_t>(key >> 1) - sender,
                       .of_collectives = (key & 1) != 0,
                       .each = traffic});
    }
  const auto order = [](const PairRun& run) {
    return std::tuple(run.of_collectives, run.offset, run.each.messages, run.each.bytes, run.first);
  };
  std::sort(pairs.begin(), pairs.end(),
            [&](const PairRun& a, const PairRun& b) { return order(a) < order(b); });
  std::vector<PairRun> rows = repeated(joined(pairs));
  std::sort(rows.begin(), rows.end(), [](const PairRun& a, const PairRun& b) {
    return std::tuple(a.of_collectives, a.offset, a.first) < std::tuple(b.of_collectives, b.offset, b.first);
  });
  return rows;
}

}  // namespace parcast::simulate
