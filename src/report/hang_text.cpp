// SPDX-License-Identifier: Apache-2.0
#include "report/hang_text.h"

#include <algorithm>

#include "base/text.h"
#include "report/simulated_numbers.h"
#include "report/simulation_parts.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using trace::Kind;
using trace::Operation;
using trace::Waiting;

constexpr std::size_t kMostWaiting = 16;

/// Returns e.g. " (halo.c:12, in main/solve)".
std::string where_of(const trace::Trace& trace, const Operation& operation) {
  if (operation.place == trace::kNowhere) return "";
  const trace::Place& place = trace.places[operation.place];
  std::string text = place.file.empty() ? "" : place.file + ":" + std::to_string(place.line);
  if (!place.region.empty()) text += (text.empty() ? "in " : ", in ") + place.region;
  return text.empty() ? "" : " (" + text + ")";
}

trace::Time last_end(const Hang& hang) {
  return std::ranges::max(hang.waiting, {}, &Waiting::since).since;
}

/// Returns e.g. "which rank 2 holds".
std::string holders_text(const Hang& hang, const Waiting& waiting) {
  std::string text = "which ";
  for (std::size_t i = 0; i < waiting.for_ranks.size() && i < kMostWaiting; ++i) {
    const std::int32_t holder = waiting.for_ranks[i];
    text += (i > 0 ? ", " : "") + std::string("rank ") + std::to_string(holder) +
            (hang.finished(holder) ? ", which has ended," : "");
  }
  if (waiting.for_ranks.size() > kMostWaiting)
    text += " and " + std::to_string(waiting.for_ranks.size() - kMostWaiting) + " more";
  return text + (waiting.for_ranks.size() > 1 ? " hold" : " holds");
}

}  // namespace

std::string hang_text(const Hang& hang, const Style& style) {
  const std::string who = std::to_string(hang.waiting.size()) + " of " +
                          counted(static_cast<std::int64_t>(hang.trace.ranks), "rank") + " can never go on";
  std::string text =
      alert(style, (hang.has_ended ? "the replay stops at " + duration(seconds(last_end(hang)))
                                   : "the run " + std::string(hang.by_choice ? "may" : "would") + " hang") +
                       ": " + who) +
      "\n";
  std::size_t shown = 0;
  for (const Waiting& waiting : hang.waiting) {
    if (++shown > kMostWaiting) break;
    text += wrapped(style,
                    "  rank " + std::to_string(waiting.rank) + " waits since " +
                        duration(seconds(waiting.since)) + " in " +
                        operation_text(hang.trace, waiting.rank, waiting.operation),
                    4) +
            "\n";
    if (hang.trace.operations[waiting.operation].kind == Kind::wait || waiting.for_operations.size() > 1)
      for (const std::uint32_t operation : waiting.for_operations)
        text += wrapped(style, "    for " + operation_text(hang.trace, waiting.rank, operation), 6) + "\n";
    if (trace::locks(hang.trace.operations[waiting.operation].kind))
      text += wrapped(style, "    " + holders_text(hang, waiting), 6) + "\n";
  }
  if (hang.waiting.size() > kMostWaiting)
    text += "  ... and " + counted(static_cast<std::int64_t>(hang.waiting.size() - kMostWaiting), "rank") +
            " more\n";
  const bool locks = std::any_of(hang.waiting.begin(), hang.waiting.end(), [&](const Waiting& each) {
    return trace::locks(hang.trace.operations[each.operation].kind);
  });
  if (hang.by_choice && locks)
    text += wrapped(style,
                    "  here, that is: locks are granted as requests for them come, and in another order some "
                    "of them may go on",
                    2) +
            "\n";
  else if (hang.by_choice)
    text += wrapped(style,
                    "  here, that is: some of them, or of those they wait for, receive or probe from any "
                    "source or with any tag, and messages that come in another order may let them go on",
                    2) +
            "\n";
  if (hang.circle.empty())
    return text + "  nobody sends what they wait for: their partners have ended, or wait for others\n";
  if (const auto alone = std::ranges::find(hang.waiting, hang.circle.front(), &Waiting::rank);
      hang.circle.size() == 1 && alone != hang.waiting.end() && !alone->for_ranks.empty() &&
      std::ranges::all_of(alone->for_ranks, hang.finished))
    return text + "  it is enough that rank " + std::to_string(alone->rank) + " waits for rank " +
           std::to_string(alone->for_ranks.front()) + ", which has ended\n";
  text += "  in a circle: ";
  for (const std::int32_t rank : hang.circle) text += std::to_string(rank) + " -> ";
  return text + std::to_string(hang.circle.front()) + "\n";
}

std::string hang_text(const predict::Hang& hang, const Style& style) {
  return hang_text({*hang.trace, hang.waiting, hang.circle, hang.by_choice,
                    [&](std::int32_t rank) { return hang.has_finished(rank); }},
                   style);
}

std::string operation_text(const trace::Trace& trace, std::int32_t rank, std::uint32_t index) {
  const Operation& operation = trace.operations[index];
  std::string text = call_at(trace, simulate::site_of(operation));
  if (operation.kind == Kind::wait) return text + where_of(trace, operation);
  if (operation.kind == Kind::collective) {
    text += ", " + number(operation.bytes) + " bytes";
  } else if (trace::is_of_lock(operation.kind)) {
    text +=
        " of window " + std::to_string(operation.tag) + " of " +
        (operation.peer == trace::kAny ? "all its members" : "rank " + std::to_string(rank + operation.peer));
    if (operation.kind != Kind::unlock)
      text += operation.kind == Kind::lock_shared ? ", shared" : ", exclusive";
  } else if (trace::is_access(operation.kind)) {
    text += " of the memory of rank " + std::to_string(rank + operation.peer) + ", " +
            number(operation.bytes) + " bytes";
  } else {
    const bool sends = operation.kind == Kind::send || operation.kind == Kind::start_send;
    text += sends ? " to " : " from ";
    text += operation.peer == trace::kAny ? "any rank" : "rank " + std::to_string(rank + operation.peer);
    text += operation.tag == trace::kAny ? ", any tag" : ", tag " + std::to_string(operation.tag);
    if (operation.kind != Kind::probe) text += ", " + number(operation.bytes) + " bytes";
  }
  if (operation.communicator > 0) text += ", communicator " + std::to_string(operation.communicator);
  return text + where_of(trace, operation);
}

}  // namespace parcast::report
