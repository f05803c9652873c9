// SPDX-License-Identifier: Apache-2.0
#include "trace/waiting.h"

#include <algorithm>
#include <deque>

namespace parcast::trace {
namespace {

/// One element per rank; null when the rank does not wait.
std::vector<const Waiting*> by_rank(std::int32_t ranks, std::span<const Waiting> waiting) {
  std::vector<const Waiting*> out(static_cast<std::size_t>(ranks));
  for (const Waiting& each : waiting) out[static_cast<std::size_t>(each.rank)] = &each;
  return out;
}

constexpr std::size_t kMostSearched = 4096;  // most ranks from which a shortest cycle is searched

/// Returns the shortest cycle through `from` over waiting ranks, of at most `most` ranks; empty when there is
/// none.
std::vector<std::int32_t> shortest_circle(std::int32_t from, const std::vector<const Waiting*>& waits,
                                          std::size_t most) {
  std::vector<std::int32_t> before(waits.size(), -1);
  std::vector<std::size_t> steps(waits.size(), 0);
  std::deque<std::int32_t> front{from};
  while (!front.empty()) {
    const std::int32_t at = front.front();
    front.pop_front();
    if (steps[static_cast<std::size_t>(at)] + 1 > most) return {};
    for (const std::int32_t next : waits[static_cast<std::size_t>(at)]->for_ranks) {
      if (next == from) {
        std::vector<std::int32_t> circle;
        for (std::int32_t back = at; back != from; back = before[static_cast<std::size_t>(back)])
          circle.push_back(back);
        circle.push_back(from);
        return {circle.rbegin(), circle.rend()};
      }
      const auto n = static_cast<std::size_t>(next);
      if (!waits[n] || before[n] >= 0) continue;
      before[n] = at, steps[n] = steps[static_cast<std::size_t>(at)] + 1;
      front.push_back(next);
    }
  }
  return {};
}

}  // namespace

std::string described(const Trace& trace, std::int32_t rank, std::uint32_t index) {
  const std::uint32_t place = trace.operations[index].place;
  std::string text = place == kNowhere ? std::string("a collective") : trace.places[place].call;
  if (place != kNowhere && !trace.places[place].file.empty())
    text += " (" + trace.places[place].file + ":" + std::to_string(trace.places[place].line) + ")";
  return text + " with root " + std::to_string(trace.operations[index].root) + " on rank " +
         std::to_string(rank);
}

/// Each waiting rank needs all ranks that it waits for. So following one of them repeatedly must reach a rank
/// twice, unless it ends at a finished rank.
std::vector<std::int32_t> circle_of(std::int32_t ranks, std::span<const Waiting> waiting,
                                    const Finished& finished) {
  std::vector<std::int32_t> next(static_cast<std::size_t>(ranks), -1),
      step(static_cast<std::size_t>(ranks), -1);
  for (const Waiting& each : waiting)
    for (const std::int32_t partner : each.for_ranks)
      if (!finished(partner) && next[static_cast<std::size_t>(each.rank)] < 0)
        next[static_cast<std::size_t>(each.rank)] = partner;
  std::int32_t steps = 0;
  for (const Waiting& each : waiting) {
    const std::int32_t first = steps;
    std::int32_t at = each.rank;
    while (at >= 0 && step[static_cast<std::size_t>(at)] < 0) {
      step[static_cast<std::size_t>(at)] = steps++;
      at = next[static_cast<std::size_t>(at)];
    }
    if (at < 0 || step[static_cast<std::size_t>(at)] < first) continue;
    std::vector<std::int32_t> circle;
    const std::int32_t begin = at;
    do {
      circle.push_back(at);
      at = next[static_cast<std::size_t>(at)];
    } while (at != begin);
    return circle;
  }
  return {};
}

std::vector<std::int32_t> fewest_waiting(std::int32_t ranks, std::span<const Waiting> waiting,
                                         const Finished& finished) {
  for (const Waiting& each : waiting)
    if (!each.for_ranks.empty() && std::all_of(each.for_ranks.begin(), each.for_ranks.end(), finished))
      return {each.rank};
  const std::vector<const Waiting*> waits = by_rank(ranks, waiting);
  std::vector<std::int32_t> best = circle_of(ranks, waiting, finished);
  for (std::size_t k = 0; k < std::min(waiting.size(), kMostSearched) && best.size() != 1; ++k) {
    std::vector<std::int32_t> circle =
        shortest_circle(waiting[k].rank, waits, best.empty() ? waits.size() : best.size() - 1);
    if (!circle.empty()) best = std::move(circle);
  }
  return best;
}

bool is_by_choice(const Trace& trace, std::span<const Waiting> waiting, const Finished& finished) {
  const auto from_anybody = [&](const Item item) {
    if (item.what() != Item::What::operation) return false;
    const Operation& operation = trace.operations[item.index()];
    return looks_for_envelope(operation.kind) && (operation.peer == kAny || operation.tag == kAny);
  };
  const auto chooses = [&](std::int32_t rank) {
    const Sequence& sequence = trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]];
    return std::any_of(sequence.begin(), sequence.end(), from_anybody);
  };
  return std::any_of(waiting.begin(), waiting.end(), [&](const Waiting& each) {
    if (locks(trace.operations[each.operation].kind))
      return !std::all_of(each.for_ranks.begin(), each.for_ranks.end(), finished);
    return chooses(each.rank) || std::any_of(each.for_ranks.begin(), each.for_ranks.end(), chooses);
  });
}

Error different_collectives(const Trace& trace, std::uint32_t communicator, std::int32_t rank,
                            std::uint32_t operation, std::int32_t first_rank, std::uint32_t first_operation) {
  return {"members of communicator " + std::to_string(communicator) + " call different collectives: " +
              described(trace, rank, operation) + ", where " + described(trace, first_rank, first_operation),
          "rank " + std::to_string(rank),
          "every member calls the same collectives, with the same root, in the same order"};
}

}  // namespace parcast::trace
