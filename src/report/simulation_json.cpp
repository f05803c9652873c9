// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/contention_text.h"
#include "report/simulated_numbers.h"
#include "report/simulation_parts.h"
#include "report/simulation_text.h"
#include "report/trace_text.h"
#include "report/waiting_json.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json spent_json(const simulate::Spent& spent) {
  return {{"compute", seconds(spent.compute)},
          {"communication", seconds(spent.communication)},
          {"idle", seconds(spent.waiting)},
          {"calls", spent.calls},
          {"messages", spent.messages},
          {"bytes", spent.bytes},
          {"collective_messages", spent.collective_messages},
          {"collective_bytes", spent.collective_bytes},
          {"accesses", spent.accesses},
          {"access_bytes", spent.access_bytes}};
}

Json site_json(const trace::Trace& trace, const simulate::Site& site) {
  Json out{{"call", call_at(trace, site)}, {"region", region_at(trace, site)}};
  if (site.place == trace::kNowhere) return out;
  const trace::Place& place = trace.places[site.place];
  out["function"] = place.function, out["file"] = place.file, out["line"] = place.line;
  return out;
}

Json profile_json(const Simulated& simulated, bool all_ranks) {
  Json calls = Json::array();
  for (const simulate::SiteSums& site : simulate::sums_by_site(*simulated.profile, simulated.trace.ranks)) {
    Json row = site_json(simulated.trace, site.site);
    row.update(spent_json(site.sum));
    row["ranks"] = site.ranks;
    row["longest"] = {{"rank", site.most_at}, {"seconds", seconds(site.most)}};
    calls.push_back(std::move(row));
  }
  trace::Time ended = 0;
  for (const simulate::RankOutcome& rank : simulated.outcome.ranks)
    ended += simulated.outcome.makespan - rank.end;
  Json out{{"calls", std::move(calls)},
           {"after_end", simulated.outcome.waiting.empty() ? Json(seconds(ended)) : Json(nullptr)}};
  if (!all_ranks) return out;
  for (std::int32_t rank = 0; rank < simulated.trace.ranks; ++rank) {
    Json rows = Json::array();
    for (const simulate::Profile::Row& each : simulated.profile->rows(rank)) {
      Json row = site_json(simulated.trace, each.site);
      row.update(spent_json(each.spent));
      rows.push_back(std::move(row));
    }
    out["ranks"].push_back({{"rank", rank}, {"calls", std::move(rows)}});
  }
  return out;
}

Json pairs_json(const simulate::Pairs& pairs) {
  Json out = Json::array();
  for (const simulate::PairRun& run : pairs.runs())
    out.push_back({{"first", run.first},
                   {"length", run.length},
                   {"every", run.every},
                   {"blocks", run.blocks},
                   {"offset", run.offset},
                   {"collectives", run.of_collectives},
                   {"messages", run.each.messages},
                   {"bytes", run.each.bytes}});
  return out;
}

Json path_json(const trace::Trace& trace, const simulate::CriticalPath& path) {
  Json out{{"rank", path.rank},
           {"seconds", seconds(path.time)},
           {"parts", Json::array()},
           {"ranks", Json::array()},
           {"hand_overs", Json::array()}};
  for (const simulate::PathPart& part : path.parts) {
    Json row{
        {"kind", path_kind_name(part.kind)}, {"seconds", seconds(part.time)}, {"stretches", part.stretches}};
    row.update(site_json(trace, part.site));
    out["parts"].push_back(std::move(row));
  }
  for (const simulate::PathRank& rank : path.ranks)
    out["ranks"].push_back({{"rank", rank.rank}, {"seconds", seconds(rank.time)}});
  for (const simulate::HandOver& each : path.hand_overs)
    out["hand_overs"].push_back({{"from", each.from},
                                 {"to", each.to},
                                 {"times", each.times},
                                 {"under_way", seconds(each.under_way)}});
  return out;
}

}  // namespace

std::string simulation_to_json(const Simulated& simulated, bool all_ranks) {
  const simulate::Outcome& outcome = simulated.outcome;
  Json out{{"schema", "parcast.simulation/1"},
           {"program", simulated.trace.program},
           {"machine", simulated.machine},
           {"processes", simulated.trace.ranks}};
  out["hangs"] = !outcome.waiting.empty() && !simulated.has_ended;
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
  if (!outcome.busiest.empty()) {
    out["slowed_by_sharing"] = seconds(outcome.slowed);
    out["busiest_links"] = Json::array();
    for (const simulate::LinkLoad& load : outcome.busiest)
      out["busiest_links"].push_back(
          {{"link", load.link}, {"bytes", load.bytes}, {"bytes_per_second", load.bytes_per_second}});
  }
  if (outcome.contended) {
    const simulate::MemoryLoad& most = *outcome.contended;
    trace::Time lost = 0;
    for (const simulate::RankOutcome& rank : outcome.ranks) lost += rank.contention;
    out["memory_contention"] = {{"seconds", seconds(lost)},
                                {"most",
                                 {{"memory", memory_name(most)},
                                  {"compute", seconds(most.compute)},
                                  {"contention", seconds(most.contention)}}}};
  }
  out["ranks"] = Json::array();
  for (std::size_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    const simulate::RankOutcome& of = outcome.ranks[rank];
    Json entry{{"rank", rank},
               {"finished", of.finished},
               {"end", seconds(of.end)},
               {"compute", seconds(of.compute)},
               {"communication", seconds(of.communication)}};
    if (outcome.contended) entry["contention"] = seconds(of.contention);
    if (of.cpus > 1) entry["cpus"] = of.cpus;
    entry["idle"] = outcome.waiting.empty()
                        ? Json(of.cpus > 1 ? of.cpus * seconds(outcome.makespan) - seconds(of.compute) -
                                                 seconds(of.communication)
                                           : seconds(outcome.makespan - of.compute - of.communication))
                        : Json(nullptr);
    out["ranks"].push_back(std::move(entry));
  }
  out["waiting"] = Json::array();
  for (const trace::Waiting& waiting : outcome.waiting)
    out["waiting"].push_back(waiting_json(simulated.trace, waiting));
  out["cycle"] = outcome.cycle;
  if (simulated.profile) out["profile"] = profile_json(simulated, all_ranks);
  if (simulated.pairs) out["pairs"] = pairs_json(*simulated.pairs);
  if (simulated.path) out["critical_path"] = path_json(simulated.trace, *simulated.path);
  out["assumptions"] = Json::array();
  for (const auto* list : {&simulated.trace.assumptions, &simulated.assumptions})
    for (const std::string& assumption : *list) out["assumptions"].push_back(assumption);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string trace_to_json(const trace::Trace& trace) {
  const TraceSums sums = sums_of(trace);
  const Json out{{"schema", "parcast.trace/1"},
                 {"program", trace.program},
                 {"processes", trace.ranks},
                 {"sends", sums.sends},
                 {"bytes", sums.bytes},
                 {"receives", sums.receives},
                 {"waits", sums.waits},
                 {"collectives", sums.collectives},
                 {"accesses", sums.accesses},
                 {"probes", sums.probes},
                 {"locks", sums.locks},
                 {"unlocks", sums.unlocks},
                 {"computes", sums.computes},
                 {"compute_seconds", sums.compute_seconds},
                 {"words", sums.words},
                 {"sequences", trace.sequences.size()},
                 {"distinct_operations", trace.operations.size()},
                 {"communicators", trace.communicators.size()},
                 {"assumptions", trace.assumptions}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
