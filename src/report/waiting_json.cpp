// SPDX-License-Identifier: Apache-2.0
#include "report/waiting_json.h"

#include "report/hang_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const trace::Trace& trace, const trace::Operation& operation) {
  if (operation.place == trace::kNowhere) return nullptr;
  const trace::Place& place = trace.places[operation.place];
  return {{"call", place.call},
          {"region", place.region},
          {"function", place.function},
          {"file", place.file},
          {"line", place.line}};
}

Json operation_json(const trace::Trace& trace, std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace.operations[index];
  const bool message = operation.kind != trace::Kind::wait && operation.kind != trace::Kind::collective;
  Json out{{"text", operation_text(trace, rank, index)}};
  if (message) {
    out["peer"] = operation.peer == trace::kAny ? Json(trace::is_of_lock(operation.kind) ? "all" : "any")
                                                : Json(rank + operation.peer);
    if (trace::is_of_lock(operation.kind))
      out["window"] = operation.tag;
    else if (!trace::is_access(operation.kind))
      out["tag"] = operation.tag == trace::kAny ? Json("any") : Json(operation.tag);
  }
  if (operation.kind != trace::Kind::wait && operation.kind != trace::Kind::probe)
    out["bytes"] = operation.bytes;
  if (operation.kind != trace::Kind::wait) out["communicator"] = operation.communicator;
  out["where"] = place_json(trace, operation);
  return out;
}

}  // namespace

nlohmann::ordered_json waiting_json(const trace::Trace& trace, const trace::Waiting& waiting) {
  Json out{{"rank", waiting.rank},
           {"since", static_cast<double>(waiting.since) / 1e12},
           {"word", waiting.word},
           {"operation", operation_json(trace, waiting.rank, waiting.operation)}};
  out["for_operations"] = Json::array();
  for (const std::uint32_t operation : waiting.for_operations)
    out["for_operations"].push_back(operation_json(trace, waiting.rank, operation));
  out["for_ranks"] = waiting.for_ranks;
  return out;
}

}  // namespace parcast::report
