// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/waiting.h"

#include <algorithm>

#include "machine/machine.h"

namespace parcast::simulate {

std::string described(const trace::Trace& trace, std::int32_t rank, std::uint32_t index) {
  const std::uint32_t place = trace.operations[index].place;
  std::string text = place == trace::kNowhere ? std::string(machine::pattern_name(trace.operations[index].pattern)) : trace.places[place].call;
  if (place != trace::kNowhere && !trace.places[place].file.empty()) text += " (" + trace.places[place].file + ":" + std::to_string(trace.places[place].line) + ")";
  return text + " with root " + std::to_string(trace.operations[index].root) + " on rank " + std::to_string(rank);
}

/// Each waiting rank needs all whom it waits for: following one of them for ever, a rank must come twice.
std::vector<std::int32_t> circle_of(const Outcome& outcome) {
  std::vector<std::int32_t> next(outcome.ranks.size(), -1), step(outcome.ranks.size(), -1);
  for (const Waiting& waiting : outcome.waiting)
    for (const std::int32_t partner : waiting.for_ranks)
      if (!outcome.ranks[static_cast<std::size_t>(partner)].finished && next[static_cast<std::size_t>(waiting.rank)] < 0) next[static_cast<std::size_t>(waiting.rank)] = partner;
  std::int32_t steps = 0;
  for (const Waiting& waiting : outcome.waiting) {
    const std::int32_t first = steps;
    std::int32_t at = waiting.rank;
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

bool is_by_choice(const trace::Trace& trace, const Outcome& outcome) {
  const auto from_anybody = [&](const trace::Item item) {
    if (item.what() != trace::Item::What::operation) return false;
    const trace::Operation& operation = trace.operations[item.index()];
    return trace::looks_for_envelope(operation.kind) && (operation.peer == trace::kAny || operation.tag == trace::kAny);
  };
  const auto chooses = [&](std::int32_t rank) {
    const trace::Sequence& sequence = trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]];
    return std::any_of(sequence.begin(), sequence.end(), from_anybody);
  };
  const auto unfinished = [&](std::int32_t rank) { return !outcome.ranks[static_cast<std::size_t>(rank)].finished; };
  return std::any_of(outcome.waiting.begin(), outcome.waiting.end(), [&](const Waiting& waiting) {
    if (trace::locks(trace.operations[waiting.operation].kind)) return std::any_of(waiting.for_ranks.begin(), waiting.for_ranks.end(), unfinished);
    return chooses(waiting.rank) || std::any_of(waiting.for_ranks.begin(), waiting.for_ranks.end(), chooses);
  });
}

Error different_collectives(const trace::Trace& trace, std::uint32_t communicator, std::int32_t rank, std::uint32_t operation, std::int32_t first_rank, std::uint32_t first_operation) {
  return {"members of communicator " + std::to_string(communicator) + " call different collectives: " + described(trace, rank, operation) + ", where " + described(trace, first_rank, first_operation),
          "rank " + std::to_string(rank), "every member calls the same collectives, with the same root, in the same order"};
}

}  // namespace parcast::simulate
