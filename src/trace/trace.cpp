// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <algorithm>

#include "base/checked.h"

namespace parcast::trace {
namespace {

/// Checks the words of a sequence: loops nest, operations exist, times are in range.
class SequenceCheck {
 public:
  SequenceCheck(const Trace& trace, const Sequence& sequence, std::size_t number)
      : trace_(trace), sequence_(sequence), number_(number) {}

  Result<void> run() const {
    const std::size_t operations = trace_.operations.size();
    std::vector<std::size_t> ends{sequence_.size()};  // ends of the sequence and of the loops around a word
    for (std::size_t at = 0; at < sequence_.size(); ++at) {
      while (ends.back() == at) ends.pop_back();
      const Item item = sequence_[at];
      switch (item.what()) {
        case Item::What::compute:
          if (item.time() > kLongest) return wrong(at, "computes longer than 26 days");
          break;
        case Item::What::operation:
          if (item.index() >= operations)
            return wrong(at, "names operation " + std::to_string(item.index()) + ", which is not there");
          if (item.times() == 0) return wrong(at, "does an operation no times");
          break;
        case Item::What::loop: {
          const std::size_t end = at + 1 + item.words();
          if (item.words() == 0 || item.times() == 0) return wrong(at, "is a loop without a body or rounds");
          if (end > ends.back()) return wrong(at, "is a loop that does not end within what it is in");
          if (ends.size() > static_cast<std::size_t>(kDeepest))
            return wrong(at, "is a loop within " + std::to_string(kDeepest) + " others");
          ends.push_back(end);
          break;
        }
        default:
          return wrong(at, "is none that is known");
      }
    }
    return {};
  }

 private:
  Error wrong(std::size_t at, const std::string& what) const {
    return {"word " + std::to_string(at) + " " + what, "sequence " + std::to_string(number_),
            "the trace is damaged, or was made by a program with an error"};
  }
  const Trace& trace_;
  const Sequence& sequence_;
  std::size_t number_;
};

Error wrong_operation(std::size_t index, const std::string& what) {
  return {"operation " + std::to_string(index) + " " + what, "",
          "the trace is damaged, or was made by a program with an error"};
}

Result<void> check_operation(const Trace& trace, std::size_t index) {
  const Operation& operation = trace.operations[index];
  if (operation.communicator >= trace.communicators.size())
    return wrong_operation(index, "names a communicator that is not there");
  if (operation.place != kNowhere && operation.place >= trace.places.size())
    return wrong_operation(index, "names a place that is not there");
  const bool sends = operation.kind == Kind::send || operation.kind == Kind::start_send;
  if (sends && (operation.peer == kAny || operation.tag == kAny))
    return wrong_operation(index, "sends to any rank, or with any tag");
  if (is_access(operation.kind) && operation.peer == kAny)
    return wrong_operation(index, "accesses the memory of any rank");
  if (is_of_lock(operation.kind) && operation.tag < 0)
    return wrong_operation(index, "locks window " + std::to_string(operation.tag));
  if (operation.kind == Kind::lock_exclusive && operation.peer == kAny)
    return wrong_operation(index, "locks all parts of a window exclusively");
  if (operation.kind == Kind::wait && operation.requests >= trace.request_sets.size())
    return wrong_operation(index, "waits for a set of requests that is not there");
  if (operation.kind != Kind::collective) return {};
  const std::size_t members = operation.communicator == 0
                                  ? static_cast<std::size_t>(trace.ranks)
                                  : trace.communicators[operation.communicator].members.size();
  if (operation.root < 0 || static_cast<std::size_t>(operation.root) >= members)
    return wrong_operation(index, "has a root that is not a member of its communicator");
  if (!checked_multiply<std::uint64_t>(operation.bytes, 2 * members))
    return wrong_operation(index, "moves more bytes than can be counted");
  return {};
}

Result<void> check_tables(const Trace& trace) {
  if (trace.ranks < 1)
    return Error{"a trace has at least one rank, this one " + std::to_string(trace.ranks), "", ""};
  if (trace.sequence_of.size() != static_cast<std::size_t>(trace.ranks))
    return Error{"the trace has " + std::to_string(trace.ranks) + " ranks, and the operations of " +
                     std::to_string(trace.sequence_of.size()),
                 "", ""};
  for (const std::uint32_t sequence : trace.sequence_of)
    if (sequence >= trace.sequences.size()) return Error{"a rank does a sequence that is not there", "", ""};
  if (trace.communicators.empty()) return Error{"the trace has no communicator of all ranks", "", ""};
  for (std::size_t c = 1; c < trace.communicators.size(); ++c) {
    std::vector<std::int32_t> members = trace.communicators[c].members;
    std::sort(members.begin(), members.end());
    const bool twice = std::adjacent_find(members.begin(), members.end()) != members.end();
    if (members.empty() || members.front() < 0 || members.back() >= trace.ranks || twice)
      return Error{
          "communicator " + std::to_string(c) + " has a member twice, one that is no rank, or none at all",
          "", ""};
  }
  for (const auto& set : trace.request_sets)
    if (std::adjacent_find(set.begin(), set.end(), std::greater_equal<>()) != set.end() ||
        (!set.empty() && (set.front() == 0 || set.back() > Item::kMost)))
      return Error{"a set of requests is not in strictly ascending order from 1", "", ""};
  return {};
}

/// Requirements of a sequence on the ranks that do it: partners at these distances must exist, and the rank
/// must be a member of these communicators.
struct Needs {
  std::int64_t before = 0, behind = 0;
  std::vector<std::uint32_t> communicators;  // of collectives and locks, except the first communicator
  // communicators of locks, and their owners relative to the rank; owners must be members
  std::vector<std::pair<std::uint32_t, std::int32_t>> owners;
};

Needs needs_of(const Trace& trace, const Sequence& sequence, Distinct& distinct) {
  Needs needs;
  for (const std::uint32_t index : distinct.operations_of(sequence)) {
    const Operation& operation = trace.operations[index];
    const bool of_members = operation.kind == Kind::collective || is_of_lock(operation.kind);
    if (of_members && operation.communicator > 0) needs.communicators.push_back(operation.communicator);
    if (is_of_lock(operation.kind) && operation.communicator > 0 && operation.peer != kAny)
      needs.owners.emplace_back(operation.communicator, operation.peer);
    if (operation.kind == Kind::collective || operation.kind == Kind::wait || operation.peer == kAny)
      continue;
    needs.before = std::min<std::int64_t>(needs.before, operation.peer);
    needs.behind = std::max<std::int64_t>(needs.behind, operation.peer);
  }
  return needs;
}

/// Returns the members of each communicator in ascending order.
std::vector<std::vector<std::int32_t>> sorted_members(const Trace& trace) {
  std::vector<std::vector<std::int32_t>> out;
  for (const Communicator& communicator : trace.communicators) {
    out.push_back(communicator.members);
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

Result<void> check_rank(const Trace& trace, const std::vector<std::vector<std::int32_t>>& sorted,
                        std::int32_t rank, const Needs& needs) {
  const auto bad = [&](const std::string& what) {
    return Error{what, "rank " + std::to_string(rank),
                 "the trace is damaged, or was made by a program with an error"};
  };
  for (const std::int64_t peer : {rank + needs.before, rank + needs.behind})
    if (peer < 0 || peer >= trace.ranks)
      return bad("its partner would be rank " + std::to_string(peer) + " of " + std::to_string(trace.ranks));
  for (const std::uint32_t communicator : needs.communicators) {
    if (!std::binary_search(sorted[communicator].begin(), sorted[communicator].end(), rank))
      return bad("it takes part in a collective of communicator " + std::to_string(communicator) +
                 ", or locks a window of it, and is no member");
  }
  for (const auto& [communicator, peer] : needs.owners)
    if (!std::binary_search(sorted[communicator].begin(), sorted[communicator].end(), rank + peer))
      return bad("it locks a window of rank " + std::to_string(rank + peer) +
                 ", which is no member of communicator " + std::to_string(communicator));
  return {};
}

}  // namespace

Result<void> check(const Trace& trace) {
  PARCAST_TRY(check_tables(trace));
  for (std::size_t index = 0; index < trace.operations.size(); ++index)
    PARCAST_TRY(check_operation(trace, index));
  for (std::size_t number = 0; number < trace.sequences.size(); ++number)
    PARCAST_TRY(SequenceCheck(trace, trace.sequences[number], number).run());
  Distinct distinct(trace);
  std::vector<Needs> needs;
  for (const Sequence& sequence : trace.sequences) needs.push_back(needs_of(trace, sequence, distinct));
  const auto sorted = sorted_members(trace);
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
    PARCAST_TRY(check_rank(trace, sorted, rank, needs[trace.sequence_of[static_cast<std::size_t>(rank)]]));
  return {};
}

const std::vector<std::uint32_t>& Distinct::operations_of(const Sequence& sequence) {
  operations_.clear();
  for (const Item item : sequence) {
    if (item.what() != Item::What::operation || seen_[item.index()]) continue;
    seen_[item.index()] = 1;
    operations_.push_back(item.index());
  }
  for (const std::uint32_t index : operations_) seen_[index] = 0;
  return operations_;
}

bool has_accesses(const Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(), [](const Operation& operation) {
    return is_access(operation.kind) || is_of_lock(operation.kind);
  });
}

bool has_locks(const Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(),
                     [](const Operation& operation) { return is_of_lock(operation.kind); });
}

namespace {

/// Visits each word that is no loop, with the number of rounds of all loops around it.
template <class Visit>
void for_each_word(const Sequence& sequence, Visit visit) {
  struct Loop {
    std::size_t end = 0;
    std::uint64_t times = 1;
  };
  std::vector<Loop> loops{{sequence.size() + 1, 1}};
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    while (loops.back().end == at) loops.pop_back();
    const Item item = sequence[at];
    if (item.what() == Item::What::loop)
      loops.push_back({at + 1 + item.words(), loops.back().times * item.times()});
    else
      visit(item, loops.back().times);
  }
}

}  // namespace

Size size_of(const Sequence& sequence) {
  Size size;
  for_each_word(sequence, [&](const Item& item, std::uint64_t times) {
    if (item.what() == Item::What::compute)
      size.computes += times;
    else
      size.operations += times * item.times();
  });
  return size;
}

std::map<std::uint32_t, std::uint64_t> executions_of(const Sequence& sequence) {
  std::map<std::uint32_t, std::uint64_t> out;
  for_each_word(sequence, [&](const Item& item, std::uint64_t times) {
    if (item.what() == Item::What::operation) out[item.index()] += times * item.times();
  });
  return out;
}

}  // namespace parcast::trace
