// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "machine/machine.h"
#include "report/simulation_text.h"
#include "report/trace_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;
using simulate::Waiting;

double seconds(trace::Time time) { return static_cast<double>(time) / 1e12; }

Json place_json(const trace::Trace& trace, const trace::Operation& operation) {
  if (operation.place == trace::kNowhere) return nullptr;
  const trace::Place& place = trace.places[operation.place];
  return {{"call", place.call}, {"region", place.region}, {"function", place.function}, {"file", place.file}, {"line", place.line}};
}

Json operation_json(const trace::Trace& trace, std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace.operations[index];
  const bool message = operation.kind != trace::Kind::wait && operation.kind != trace::Kind::collective;
  Json out{{"text", operation_text(trace, rank, index)}};
  if (message) {
    out["peer"] = operation.peer == trace::kAny ? Json("any") : Json(rank + operation.peer);
    if (!trace::is_access(operation.kind)) out["tag"] = operation.tag == trace::kAny ? Json("any") : Json(operation.tag);
  }
  if (operation.kind != trace::Kind::wait) out["bytes"] = operation.bytes, out["communicator"] = operation.communicator;
  out["where"] = place_json(trace, operation);
  return out;
}

Json waiting_json(const trace::Trace& trace, const Waiting& waiting) {
  Json out{{"rank", waiting.rank}, {"since", seconds(waiting.since)}, {"word", waiting.word}, {"operation", operation_json(trace, waiting.rank, waiting.operation)}};
  out["for_operations"] = Json::array();
  for (const std::uint32_t operation : waiting.for_operations) out["for_operations"].push_back(operation_json(trace, waiting.rank, operation));
  out["for_ranks"] = waiting.for_ranks;
  return out;
}

}  // namespace

std::string simulation_to_json(const Simulated& simulated) {
  const simulate::Outcome& outcome = simulated.outcome;
  Json out{{"schema", "parcast.simulation/1"}, {"program", simulated.trace.program}, {"machine", simulated.machine}, {"processes", simulated.trace.ranks}};
  out["hangs"] = !outcome.waiting.empty();
  out["hang_depends_on_order"] = outcome.by_choice;
  out["seconds"] = outcome.waiting.empty() ? Json(seconds(outcome.makespan)) : Json(nullptr);
  out["messages"] = outcome.messages;
  out["bytes"] = outcome.bytes;
  out["collective_messages"] = outcome.collective_messages;
  out["collective_bytes"] = outcome.collective_bytes;
  out["accesses"] = outcome.accesses;
  out["unreceived"] = outcome.unreceived;
  out["events"] = outcome.operations;
  out["skipped_events"] = outcome.skipped;
  out["events_per_second"] = simulated.seconds_taken > 0 ? Json(static_cast<double>(outcome.operations) / simulated.seconds_taken) : Json(nullptr);
  out["ranks"] = Json::array();
  for (std::size_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    const simulate::RankOutcome& of = outcome.ranks[rank];
    Json entry{{"rank", rank}, {"finished", of.finished}, {"end", seconds(of.end)}, {"compute", seconds(of.compute)}, {"communication", seconds(of.communication)}};
    entry["idle"] = outcome.waiting.empty() ? Json(seconds(outcome.makespan - of.compute - of.communication)) : Json(nullptr);
    out["ranks"].push_back(std::move(entry));
  }
  out["waiting"] = Json::array();
  for (const Waiting& waiting : outcome.waiting) out["waiting"].push_back(waiting_json(simulated.trace, waiting));
  out["cycle"] = outcome.cycle;
  out["assumptions"] = Json::array();
  for (const auto* list : {&simulated.trace.assumptions, &simulated.assumptions})
    for (const std::string& assumption : *list) out["assumptions"].push_back(assumption);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string trace_to_json(const trace::Trace& trace) {
  const TraceSums sums = sums_of(trace);
  const Json out{{"schema", "parcast.trace/1"},       {"program", trace.program},         {"processes", trace.ranks},
                 {"sends", sums.sends},               {"bytes", sums.bytes},              {"receives", sums.receives},
                 {"waits", sums.waits},               {"collectives", sums.collectives},  {"accesses", sums.accesses},        {"computes", sums.computes},
                 {"compute_seconds", sums.compute_seconds}, {"words", sums.words},        {"sequences", trace.sequences.size()},
                 {"distinct_operations", trace.operations.size()}, {"communicators", trace.communicators.size()}, {"assumptions", trace.assumptions}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
