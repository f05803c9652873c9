// SPDX-License-Identifier: Apache-2.0
#include "trace/paired.h"

#include <algorithm>
#include <map>

#include "trace/kinds.h"

namespace parcast::trace {
namespace {

bool takes_any(const Operation& operation) {
  return is_receive(operation.kind) && (operation.peer == kAny || operation.tag == kAny);
}

/// Number of executions of each operation in a sequence, with loops unrolled.
using OperationTally = std::map<std::uint32_t, std::uint64_t>;

void count(const Sequence& sequence, std::size_t begin, std::size_t end, std::uint64_t times,
           OperationTally& into) {
  for (std::size_t at = begin; at < end; ++at) {
    const Item item = sequence[at];
    if (item.what() == Item::What::operation) into[item.index()] += times * item.times();
    if (item.what() != Item::What::loop) continue;
    count(sequence, at + 1, at + 1 + item.words(), times * item.times(), into);
    at += item.words();
  }
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Sums of message hashes, sent minus received. A sum is 0 when each message has its receive; otherwise it is
/// 0 with probability 2^-64.
class Messages {
 public:
  explicit Messages(const Trace& trace)
      : by_rank_(std::ranges::any_of(trace.operations, takes_any)),
        left_(by_rank_ ? static_cast<std::size_t>(trace.ranks) : 1) {}

  void add(std::int32_t rank, const Operation& operation, std::uint64_t times) {
    const bool sends = is_send(operation.kind);
    if (!sends && !is_receive(operation.kind)) return;
    const std::int32_t other = operation.peer == kAny ? rank : rank + operation.peer;
    const std::int32_t from = sends ? rank : other, to = sends ? other : rank;
    if (by_rank_)
      left_[static_cast<std::size_t>(to)] += sends ? times : -times;
    else
      left_.front() += (sends ? times : -times) * hash(from, to, operation);
  }
  bool are_all_received() const {
    return std::ranges::all_of(left_, [](std::uint64_t left) { return left == 0; });
  }

 private:
  static std::uint64_t hash(std::int32_t from, std::int32_t to, const Operation& operation) {
    std::uint64_t out = mixed(static_cast<std::uint32_t>(from) + 0x9e3779b97f4a7c15u);
    for (const std::uint32_t part :
         {static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(operation.tag), operation.communicator})
      out = mixed(out + part + 0xd1b54a32d192ed03u);
    return out;
  }

  bool by_rank_;
  std::vector<std::uint64_t> left_;  // one sum for all ranks, or one per receiving rank
};

/// Returns the number of collectives of each communicator in a sequence.
std::map<std::uint32_t, std::uint64_t> collectives_of(const Trace& trace, const OperationTally& tally) {
  std::map<std::uint32_t, std::uint64_t> out;
  for (const auto& [index, times] : tally)
    if (trace.operations[index].kind == Kind::collective) out[trace.operations[index].communicator] += times;
  return out;
}

bool are_collectives_whole(const Trace& trace, const std::vector<OperationTally>& tallies) {
  std::vector<std::map<std::uint32_t, std::uint64_t>> of;
  for (const OperationTally& tally : tallies) of.push_back(collectives_of(trace, tally));
  const auto times = [&](std::int32_t rank, std::uint32_t communicator) {
    const auto& known = of[trace.sequence_of[static_cast<std::size_t>(rank)]];
    const auto at = known.find(communicator);
    return at == known.end() ? 0 : at->second;
  };
  for (std::int32_t rank = 1; rank < trace.ranks; ++rank)
    if (times(rank, 0) != times(0, 0)) return false;
  for (std::uint32_t communicator = 1; communicator < trace.communicators.size(); ++communicator) {
    const auto& members = trace.communicators[communicator].members;
    const auto differs = [&](std::int32_t rank) {
      return times(rank, communicator) != times(members.front(), communicator);
    };
    if (std::ranges::any_of(members, differs)) return false;
  }
  return true;
}

}  // namespace

bool is_paired(const Trace& trace) {
  std::vector<OperationTally> tallies(trace.sequences.size());
  for (std::size_t number = 0; number < trace.sequences.size(); ++number) {
    const Sequence& sequence = trace.sequences[number];
    count(sequence, 0, sequence.size(), 1, tallies[number]);
  }
  Messages messages(trace);
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
    for (const auto& [index, times] : tallies[trace.sequence_of[static_cast<std::size_t>(rank)]])
      messages.add(rank, trace.operations[index], times);
  return messages.are_all_received() && are_collectives_whole(trace, tallies);
}

}  // namespace parcast::trace
