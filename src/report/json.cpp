// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_nesting.h"
#include "recording/process_time.h"
#include "recording/unfold.h"
#include "report/event_kinds.h"
#include "report/phases_json.h"
#include "report/places.h"
#include "report/problems.h"
#include "report/values_json.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json object(const char* schema) {
  return Json{{"schema", std::string("parcast.") + schema + "/1"}};
}

Json parameters_json(const std::map<std::string, double>& parameters) {
  Json out = Json::object();
  for (const auto& [name, value] : parameters) out[name] = value;
  return out;
}

/// Returns an integer, without a point, if the value is one.
Json whole(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

/// Returns the run's metadata and losses.
Json run_json(const char* schema, const recording::Recording& recording) {
  Json out = object(schema);
  out["program"] = recording.program;
  out["processes"] = recording.processes;
  out["parameters"] = parameters_json(recording.parameters);
  out["complete"] = recording.losses.empty();
  out["problems"] = Json::array();
  for (const Problem& problem : problems_of(recording))
    out["problems"].push_back(
        {{"rank", problem.rank ? Json(*problem.rank) : Json(nullptr)}, {"text", problem.text}});
  return out;
}

Json peer_json(std::int32_t peer) {
  if (peer == recording::kAnySource) return "any";
  return peer == recording::kNoPeer ? Json(nullptr) : Json(peer);
}

Json message_json(const recording::Message& message) {
  return {{"peer", peer_json(message.peer)}, {"tag", message.tag}, {"bytes", message.bytes}};
}

Json done_json(std::span<const recording::Completion> completions) {
  Json out = Json::array();
  for (const recording::Completion& done : completions) {
    Json entry{{"request", done.request}};
    if (done.source != recording::kNoPeer)
      entry.update(Json{{"source", peer_json(done.source)}, {"tag", done.tag}, {"bytes", done.bytes}});
    out.push_back(std::move(entry));
  }
  return out;
}

Json site_json(const recording::RankRecording& rank, const recording::Event& event) {
  if (event.site >= rank.sites.size()) return nullptr;
  const auto& site = rank.sites[event.site];
  const std::string place = place_text(rank, site);
  return place.empty() ? Json(nullptr) : Json(place);
}

/// Returns the functions into which the function at the site was inlined, from the inside out.
Json inlined_json(const recording::Site& site) {
  Json out = Json::array();
  for (const recording::Frame& frame : site.inlined_into) {
    const std::string place = place_text(frame);
    out.push_back({{"function", frame.function}, {"at", place.empty() ? Json(nullptr) : Json(place)}});
  }
  return out;
}

Json shares_json(const std::vector<recording::Share>& shares) {
  Json out = Json::array();
  for (const recording::Share& share : shares)
    out.push_back({{"first", peer_json(share.first)},
                   {"stride", share.stride},
                   {"count", share.count},
                   {"bytes", share.bytes}});
  return out;
}

Json access_json(const recording::Message& message) {
  return {{"peer", peer_json(message.peer)}, {"bytes", message.bytes}};
}

/// Returns the fields of an event that names its window.
Json epoch_json(const recording::RankRecording& rank, const recording::Call& call,
                const recording::Event& event) {
  Json out{{"window", event.received.tag - 1}};
  if (event.message.peer != recording::kNoPeer) out["owner"] = peer_json(event.message.peer);
  if (call.kind == recording::CallClass::epoch && event.message.tag > 0)
    out["lock"] =
        event.message.tag == static_cast<std::int32_t>(recording::Lock::exclusive) ? "exclusive" : "shared";
  if (call.kind == recording::CallClass::test) out["ended"] = event.message.tag == recording::kEpochEnded;
  if (recording::lists_sent(call)) out["group"] = shares_json(rank.shares[event.sent_shares]);
  if (event.received.bytes > 0) out["unchecked"] = true;
  return out;
}

Json event_json(const recording::Recording& recording, const recording::RankRecording& rank,
                const recording::Event& event, std::span<const recording::Completion> completions) {
  const recording::Call* call = event.call < recording.calls.size() ? &recording.calls[event.call] : nullptr;
  const auto kind = call ? call->kind : recording::CallClass::none;
  const auto seconds = [](std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); };
  Json out{{"rank", rank.rank},
           {"thread", event.thread},
           {"enter", seconds(event.enter)},
           {"exit", seconds(event.exit)},
           {"compute", seconds(event.compute)},
           {"switched", event.switched},
           {"estimated", event.estimated},
           {"call", call ? Json(call->name) : Json(nullptr)},
           {"region", event.region < rank.regions.size() ? rank.regions[event.region] : ""}};
  if (sends(kind)) out["send"] = message_json(event.message);
  if (joins(kind))
    out["collective"] = {{"root", peer_json(event.message.peer)},
                         {"bytes", event.message.bytes},
                         {"received_bytes", event.received.bytes},
                         {"communicator", event.communicator}};
  if (joins(kind) && event.sent_shares)
    out["collective"]["sent"] = shares_json(rank.shares[event.sent_shares]);
  if (joins(kind) && event.received_shares)
    out["collective"]["received"] = shares_json(rank.shares[event.received_shares]);
  if (kind == recording::CallClass::one_sided && event.message.peer != recording::kNoPeer)
    out["put"] = access_json(event.message);
  if (kind == recording::CallClass::one_sided && event.received.peer != recording::kNoPeer)
    out["get"] = access_json(event.received);
  if (kind == recording::CallClass::input_output)
    out.update(Json{{"written", event.message.bytes}, {"read", event.received.bytes}});
  if (is_epoch(kind) && event.received.tag > 0) out["epoch"] = epoch_json(rank, *call, event);
  if (receives(kind) || (kind == recording::CallClass::poll && event.received.peer != recording::kNoPeer))
    out["receive"] = message_json(event.received);
  if (call && recording::asks_any_source(*call, event)) out["any_source"] = true;
  if (call && recording::asks_any_tag(*call, event)) out["any_tag"] = true;
  if (names_communicator(kind)) out["communicator"] = event.communicator;
  if (event.created != 0) out["created"] = event.created;
  if (event.repeats > 1) out["repeats"] = event.repeats;
  if (event.continued) out["continued"] = true;
  if (event.request != 0) out["request"] = event.request;
  if (!completions.empty()) out["done"] = done_json(completions);
  out["at"] = site_json(rank, event);
  if (event.site < rank.sites.size()) {
    const recording::Site& site = rank.sites[event.site];
    if (!site.function.empty()) out["function"] = site.function;
    if (!site.inlined_into.empty()) out["inlined_into"] = inlined_json(site);
  }
  return out;
}

/// Returns the tables to which the numbers of a rank's events refer, and the time on the host's monotonic
/// clock at the rank's time 0.
Json rank_json(const recording::RankRecording& rank) {
  Json out{{"rank", rank.rank},
           {"host", rank.host},
           {"zero", 1e-9 * static_cast<double>(rank.zero)},
           {"communicators", Json::array()}};
  for (const auto& communicator : rank.communicators)
    out["communicators"].push_back(communicator.world_ranks);
  if (!rank.phases.empty()) out["phases"] = time_line_json(rank);
  return out;
}

Json count_json(const program::CountValue& value) {
  return {{"value", whole(value.value)},
          {"low", whole(value.low)},
          {"high", whole(value.high)},
          {"origin", to_string(value.origin)}};
}

Json entry_json(const store::Entry& entry) {
  using store::Kind;
  Json out{{"id", store::id_of(entry)},
           {"kind", to_string(entry.kind)},
           {"digest", entry.digest},
           {"stored_at", entry.stored_at},
           {"tool_version", entry.tool_version}};
  if (!entry.path.empty()) out["path"] = entry.path;
  if (entry.kind != Kind::machine) out["program"] = entry.program;
  if (entry.kind != Kind::model) out["machine"] = entry.machine;
  if (entry.kind == Kind::recording || entry.kind == Kind::prediction || entry.kind == Kind::measurement) {
    out["parameters"] = Json{{"p", entry.processes}};
    out["parameters"].update(parameters_json(entry.parameters));
  }
  if (entry.kind == Kind::recording) out["started"] = entry.began;
  if (entry.kind == Kind::measurement) out["measured_at"] = entry.began;
  if (entry.kind == Kind::recording || entry.kind == Kind::measurement)
    out["seconds"] = {{"value", entry.seconds}, {"unit", "s"}, {"origin", "measured"}};
  if (entry.kind == Kind::prediction) {
    out["seconds"] = {{"value", entry.seconds},
                      {"low", entry.low},
                      {"high", entry.high},
                      {"level", entry.level},
                      {"unit", "s"}};
    out["engine"] = entry.engine;
    out["nodes"] = entry.nodes;
    out["ranks_per_node"] = entry.ranks_per_node;
    out["threads"] = entry.threads;
    out["model_digest"] = entry.model_digest;
    out["machine_digest"] = entry.machine_digest;
  }
  if (entry.kind == Kind::measurement)
    for (const auto& [name, value] :
         {std::pair("nodes", entry.nodes), std::pair("ranks_per_node", entry.ranks_per_node),
          std::pair("threads", entry.threads)})
      if (value > 0) out[name] = value;
  if (entry.kind == Kind::model) out["sources"] = entry.sources;
  out["tags"] = entry.tags;
  return out;
}

Json point_json(const store::ValidatedPoint& point) {
  Json parameters{{"p", point.processes}};
  parameters.update(parameters_json(point.parameters));
  return {{"program", point.program},
          {"machine", point.machine},
          {"parameters", parameters},
          {"prediction", point.prediction},
          {"engine", point.engine},
          {"predicted_at", point.predicted_at},
          {"measured_at", point.measured_at},
          {"predicted",
           {{"value", point.predicted},
            {"low", point.low},
            {"high", point.high},
            {"level", point.level},
            {"unit", "s"}}},
          {"measured",
           {{"value", point.measured},
            {"low", point.fastest},
            {"high", point.slowest},
            {"unit", "s"},
            {"origin", "measured"}}},
          {"runs", point.runs},
          {"error", point.error},
          {"hit", point.hit}};
}

Json summary_json(const store::ValidationSummary& summary) {
  Json out = Json::object();
  if (!summary.program.empty()) out["program"] = summary.program;
  out.update(Json{{"points", summary.points},
                  {"runs", summary.runs},
                  {"median_error", summary.median_error},
                  {"p90_error", summary.p90_error},
                  {"worst_error", summary.worst_error},
                  {"mean_signed_error", summary.mean_error},
                  {"coverage", summary.coverage},
                  {"level", summary.level},
                  {"width", summary.width},
                  {"interval_score", summary.interval_score}});
  return out;
}

/// Returns the resource use of every thread in every region.
Json usage_json(const recording::RankRecording& rank) {
  Json list = Json::array();
  for (const recording::Usage& usage : rank.usage) {
    Json entry{{"region", rank.regions[usage.region]},
               {"thread", usage.thread},
               {"samples", usage.samples},
               {"minor_faults", usage.minor_faults},
               {"major_faults", usage.major_faults},
               {"voluntary_switches", usage.voluntary_switches},
               {"involuntary_switches", usage.involuntary_switches},
               {"peak_memory", usage.peak_memory},
               {"peak_growth", usage.peak_growth}};
    if (usage.cycles) entry["cycles"] = *usage.cycles;
    if (usage.instructions) entry["instructions"] = *usage.instructions;
    if (usage.cache_misses) entry["cache_misses"] = *usage.cache_misses;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string counts_to_json(const recording::Recording& recording) {
  Json out = run_json("counts", recording);
  out["phases"] = phases_json(recording::phase_sums(recording));
  out["notes"] = recording.outside;
  if (const std::string threads = recording::said_of_threads(recording); !threads.empty())
    out["notes"].push_back(threads);
  if (recording.accelerator_seconds > 0) out["accelerator_seconds"] = recording.accelerator_seconds;
  out["ranks"] = Json::array();
  const auto counts = recording::count(recording);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const recording::RankCounts& rank = counts[i];
    Json calls = Json::object();
    for (const auto& [name, count] : rank.calls) calls[name] = count;
    out["ranks"].push_back({{"rank", rank.rank},
                            {"complete", recording.ranks[i].complete},
                            {"calls", calls},
                            {"messages_sent", rank.messages_sent},
                            {"bytes_sent", rank.bytes_sent},
                            {"collective_bytes", rank.collective_bytes},
                            {"put_bytes", rank.put_bytes},
                            {"got_bytes", rank.got_bytes},
                            {"written_bytes", rank.written_bytes},
                            {"read_bytes", rank.read_bytes},
                            {"seconds", static_cast<double>(recording.ranks[i].wall) * 1e-9},
                            {"recording_seconds", recording::seconds_recording(recording.ranks[i])},
                            {"compute_seconds", rank.compute_seconds},
                            {"communication_seconds", rank.communication_seconds},
                            {"events", rank.events},
                            {"without_path", recording.ranks[i].without_path},
                            {"usage", usage_json(recording.ranks[i])},
                            {"phases", phases_json(recording::phase_sums(recording.ranks[i]))}});
  }
  return dumped(out);
}

std::string counts_to_json(const program::Model& model, const program::Point& point,
                           const std::vector<program::PredictedCounts>& counts) {
  Json out = object("counts");
  out["program"] = model.program;
  out["processes"] = point.processes;
  out["parameters"] = parameters_json(point.parameters);
  out["ranks"] = Json::array();
  for (const auto& rank : counts) {
    Json calls = Json::object();
    for (const auto& [name, value] : rank.calls) calls[name] = count_json(value);
    out["ranks"].push_back({{"rank", rank.rank},
                            {"calls", calls},
                            {"messages_sent", count_json(rank.messages_sent)},
                            {"bytes_sent", count_json(rank.bytes_sent)},
                            {"collective_bytes", count_json(rank.collective_bytes)}});
  }
  return dumped(out);
}

std::uint64_t write_events_json(const recording::Recording& recording, const Sink& out) {
  std::uint64_t missing = 0;
  Json about = run_json("events", recording);
  about["ranks"] = Json::array();
  for (const auto& rank : recording.ranks) about["ranks"].push_back(rank_json(rank));
  std::string text = about.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.back() = ',';
  text += "\n\"events\": [";
  const char* before = "\n";
  for (const auto& rank : recording.ranks)
    missing +=
        recording::for_each_event(rank, recording.calls, [&](const auto& event, const auto completions) {
          text += before + event_json(recording, rank, event, completions)
                               .dump(-1, ' ', false, Json::error_handler_t::replace);
          before = ",\n";
          if (text.size() > kAtOnce) out(std::exchange(text, {}));
        });
  out(text + "\n]}\n");
  return missing;
}

std::string store_list_to_json(const std::vector<store::Entry>& entries) {
  Json out = object("store");
  out["entries"] = Json::array();
  for (const auto& entry : entries) out["entries"].push_back(entry_json(entry));
  return dumped(out);
}

std::string store_entry_to_json(const store::Entry& entry) {
  Json out = object("store-entry");
  out.update(entry_json(entry));
  if (entry.content.empty()) return dumped(out);
  const bool flat = check_json_nesting(entry.content, "").ok();
  Json content = flat ? Json::parse(entry.content, nullptr, false) : Json(entry.content);
  if (entry.kind == store::Kind::machine || content.is_discarded()) content = entry.content;
  out["content"] = content;
  return dumped(out);
}

std::string validation_to_json(const store::Validation& validation) {
  Json out = object("validation");
  out["published"] = validation.published;
  out["points"] = Json::array();
  for (const auto& point : validation.points) out["points"].push_back(point_json(point));
  out["unanswered"] = Json::array();
  for (const auto& point : validation.unanswered) {
    Json parameters{{"p", point.processes}};
    parameters.update(parameters_json(point.parameters));
    out["unanswered"].push_back({{"line", point.line},
                                 {"program", point.program},
                                 {"machine", point.machine},
                                 {"parameters", parameters},
                                 {"runs", point.runs}});
  }
  out["summary"] = summary_json(validation.all);
  out["summary"]["mean_of_programs"] = validation.mean_of_programs;
  out["programs"] = Json::array();
  for (const auto& summary : validation.programs) out["programs"].push_back(summary_json(summary));
  out["notes"] = validation.notes;
  return dumped(out);
}

std::string machine_list_to_json(const std::vector<ListedMachine>& machines) {
  Json out = object("machines");
  out["machines"] = Json::array();
  out["details"] = Json::array();
  for (const ListedMachine& each : machines) {
    out["machines"].push_back(each.name);
    out["details"].push_back({{"name", each.name}, {"from", each.from}, {"description", each.description}});
    if (!each.publication.empty()) out["details"].back()["publication"] = each.publication;
    if (!each.problem.empty()) out["details"].back()["problem"] = each.problem;
  }
  return dumped(out);
}

std::string machine_diff_to_json(const std::string& a, const std::string& b,
                                 const machine::Comparison& comparison) {
  const auto known = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json out = object("machine-diff");
  out["a"] = a;
  out["b"] = b;
  out["parameters"] = Json::array();
  for (const auto& each : comparison.parameters)
    out["parameters"].push_back({{"name", each.name},
                                 {"a", known(each.a)},
                                 {"b", known(each.b)},
                                 {"within_intervals", each.within_intervals}});
  out["tables"] = Json::array();
  for (const auto& each : comparison.tables)
    out["tables"].push_back(
        {{"name", each.name}, {"points", each.points}, {"agreeing", each.agreeing}, {"ratio", each.ratio}});
  return dumped(out);
}

std::string checkup_to_json(const std::vector<Checked>& rows) {
  Json out = object("checkup");
  out["findings"] = Json::array();
  for (const Checked& row : rows)
    out["findings"].push_back(
        {{"subject", row.subject}, {"good", row.good}, {"text", row.text}, {"hint", row.hint}});
  return dumped(out);
}

}  // namespace parcast::report
