// SPDX-License-Identifier: Apache-2.0
#include "patterns/matrix.h"

#include <map>

namespace parcast::program {
namespace {

using trace::Item;
using trace::Kind;

/// Messages to a partner, given relative to the own rank.
struct PairSum {
  std::uint64_t messages = 0;
  double bytes = 0;
};

struct Partners {
  std::map<std::int32_t, PairSum> sent, read;
};

void take(const trace::Operation& operation, std::uint64_t times, Partners& out) {
  const bool reads = operation.kind == Kind::read || operation.kind == Kind::start_read;
  const bool sends = operation.kind == Kind::send || operation.kind == Kind::start_send ||
                     operation.kind == Kind::write || operation.kind == Kind::start_write;
  if (!reads && !sends) return;
  PairSum& sum = (reads ? out.read : out.sent)[operation.peer];
  sum.messages += times;
  sum.bytes += static_cast<double>(times) * static_cast<double>(operation.bytes);
}

/// What loops repeat is taken once, with how often it comes.
Partners partners_of(const trace::Trace& trace, const trace::Sequence& sequence) {
  Partners out;
  std::vector<std::pair<std::size_t, std::uint64_t>> loops{{sequence.size() + 1, 1}};
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    while (loops.back().first == at) loops.pop_back();
    const Item item = sequence[at];
    if (item.what() == Item::What::loop)
      loops.emplace_back(at + 1 + item.words(), loops.back().second * item.times());
    if (item.what() == Item::What::operation)
      take(trace.operations[item.index()], loops.back().second * item.times(), out);
  }
  return out;
}

}  // namespace

Traffic traffic_of_run(const trace::Trace& trace) {
  std::vector<Partners> by_sequence;
  for (const trace::Sequence& sequence : trace.sequences) by_sequence.push_back(partners_of(trace, sequence));
  std::vector<Pair> pairs;
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    const Partners& partners = by_sequence[trace.sequence_of[static_cast<std::size_t>(rank)]];
    for (const auto& [peer, sum] : partners.sent)
      pairs.push_back({rank, rank + peer, sum.messages, sum.bytes});
    for (const auto& [peer, sum] : partners.read)
      pairs.push_back({rank + peer, rank, sum.messages, sum.bytes});
  }
  return Traffic(trace.ranks, std::move(pairs));
}

}  // namespace parcast::program
