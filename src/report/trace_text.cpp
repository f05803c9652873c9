// SPDX-License-Identifier: Apache-2.0
#include "report/trace_text.h"

#include "base/text.h"
#include "report/simulated_numbers.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;

void count(const Operation& operation, std::uint64_t times, TraceSums& sums) {
  switch (operation.kind) {
    case Kind::send:
    case Kind::start_send:
      sums.sends += times;
      sums.bytes += static_cast<double>(operation.bytes) * static_cast<double>(times);
      return;
    case Kind::receive:
    case Kind::start_receive:
      sums.receives += times;
      return;
    case Kind::wait:
      sums.waits += times;
      return;
    case Kind::collective:
      sums.collectives += times;
      return;
    case Kind::read:
    case Kind::start_read:
    case Kind::write:
    case Kind::start_write:
      sums.accesses += times;
      return;
    case Kind::probe:
      sums.probes += times;
      return;
    case Kind::lock_shared:
    case Kind::lock_exclusive:
      sums.locks += times;
      return;
    case Kind::unlock:
      sums.unlocks += times;
      return;
  }
}

/// Returns the sums of one sequence.
TraceSums sums_of(const trace::Trace& trace, const trace::Sequence& sequence) {
  TraceSums sums;
  sums.words = sequence.size();
  // ends of loops, and how often their bodies are executed
  std::vector<std::pair<std::size_t, std::uint64_t>> loops{{sequence.size() + 1, 1}};
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    while (loops.back().first == at) loops.pop_back();
    const Item item = sequence[at];
    const std::uint64_t times = loops.back().second;
    if (item.what() == Item::What::loop)
      loops.emplace_back(at + 1 + item.words(), times * item.times());
    else if (item.what() == Item::What::operation)
      count(trace.operations[item.index()], times * item.times(), sums);
    else
      sums.computes += times,
          sums.compute_seconds += static_cast<double>(item.time()) * 1e-12 * static_cast<double>(times);
  }
  return sums;
}

}  // namespace

TraceSums sums_of(const trace::Trace& trace) {
  TraceSums all;
  std::vector<std::uint64_t> ranks(trace.sequences.size());
  for (const std::uint32_t sequence : trace.sequence_of) ++ranks[sequence];
  for (std::size_t i = 0; i < trace.sequences.size(); ++i) {
    const TraceSums one = sums_of(trace, trace.sequences[i]);
    all.sends += one.sends * ranks[i];
    all.receives += one.receives * ranks[i];
    all.waits += one.waits * ranks[i];
    all.collectives += one.collectives * ranks[i];
    all.accesses += one.accesses * ranks[i];
    all.probes += one.probes * ranks[i];
    all.locks += one.locks * ranks[i];
    all.unlocks += one.unlocks * ranks[i];
    all.computes += one.computes * ranks[i];
    all.words += one.words;
    all.compute_seconds += one.compute_seconds * static_cast<double>(ranks[i]);
    all.bytes += one.bytes * static_cast<double>(ranks[i]);
  }
  return all;
}

std::string trace_text(const trace::Trace& trace, const Style& style) {
  const TraceSums sums = sums_of(trace);
  const std::uint64_t operations = sums.sends + sums.receives + sums.waits + sums.collectives +
                                   sums.accesses + sums.probes + sums.locks + sums.unlocks + sums.computes;
  std::string text =
      (trace.program.empty() ? "" : trace.program + ", ") + counted(trace.ranks, "rank") + "\n\n";
  text += "  " + bold(style, number(operations)) + " operations: " + number(sums.sends) + " sends with " +
          format_bytes(sums.bytes) + ", " + number(sums.receives) + " receives, " +
          (sums.probes > 0 ? number(sums.probes) + " probes, " : "") + number(sums.waits) + " waits, " +
          number(sums.collectives) + " collectives, " +
          (sums.accesses > 0 ? number(sums.accesses) + " remote accesses, " : "") +
          (sums.locks + sums.unlocks > 0
               ? number(sums.locks) + " locks and " + number(sums.unlocks) + " unlocks of windows, "
               : "") +
          counted(static_cast<std::int64_t>(sums.computes), "piece") + " of computing, " +
          duration(sums.compute_seconds) + " in all\n";
  text += "  " + number(sums.words) + " words in " +
          counted(static_cast<std::int64_t>(trace.sequences.size()), "sequence") + "; " +
          counted(static_cast<std::int64_t>(trace.operations.size()), "distinct operation") + ", " +
          counted(static_cast<std::int64_t>(trace.communicators.size()), "communicator") + "\n";
  for (const std::string& assumption : trace.assumptions)
    text += wrapped(style, "  ! " + assumption, 4) + "\n";
  return text;
}

}  // namespace parcast::report
