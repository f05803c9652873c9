// SPDX-License-Identifier: Apache-2.0
#include "model/checks_json.h"

#include <limits>

namespace parcast::program {
namespace {

Json write(const Compared& seconds) {
  return {{"recorded", seconds.recorded}, {"given", seconds.given}};
}

Json write(const char* name, const ComparedPiece& piece) {
  return {{name, piece.index}, {"recorded", piece.seconds.recorded}, {"given", piece.seconds.given}};
}

Json write(const RunCheck& run) {
  Json json{{"p", run.processes},
            {"parameters", run.parameters},
            {"computing", write(run.computing)},
            {"slowest", write(run.slowest)}};
  for (const ComparedPiece& region : run.regions) json["regions"].push_back(write("node", region));
  if (run.segment) json["segment"] = write("segment", *run.segment);
  if (run.rank) json["rank"] = write("rank", *run.rank);
  if (run.total) json["total"] = write(*run.total);
  if (run.slowed) json["slowed"] = true;
  return json;
}

Json write(const std::vector<RunCheck>& runs) {
  Json json = Json::array();
  for (const RunCheck& run : runs) json.push_back(write(run));
  return json;
}

class ChecksReader {
 public:
  ChecksReader(std::size_t nodes, std::size_t segments) : nodes_(nodes), segments_(segments) {}

  Result<Checks> checks(const Value& value) const {
    Checks out;
    if (value.has("machine")) {
      PARCAST_ASSIGN(const Value machine, value.at("machine"));
      PARCAST_ASSIGN(out.machine, machine.text());
    }
    PARCAST_ASSIGN(const Value given_back, value.at("given_back"));
    PARCAST_ASSIGN(out.given_back, runs(given_back));
    PARCAST_ASSIGN(const Value forward, value.at("forward"));
    PARCAST_ASSIGN(out.forward,
                   forward.list_of<ForwardCheck>([&](const Value& each) { return forward_check(each); }));
    return out;
  }

 private:
  Result<std::vector<RunCheck>> runs(const Value& value) const {
    return value.list_of<RunCheck>([&](const Value& each) { return run(each); });
  }

  Result<ForwardCheck> forward_check(const Value& value) const {
    ForwardCheck out;
    PARCAST_ASSIGN(const Value without, value.at("without"));
    PARCAST_ASSIGN(out.without, without.text());
    PARCAST_ASSIGN(out.largest, number(value, "largest"));
    PARCAST_ASSIGN(out.remaining, number(value, "remaining"));
    PARCAST_ASSIGN(const Value list, value.at("runs"));
    PARCAST_ASSIGN(out.runs, runs(list));
    return out;
  }

  Result<RunCheck> run(const Value& value) const {
    RunCheck out;
    PARCAST_ASSIGN(const Value processes, value.at("p"));
    PARCAST_ASSIGN(const std::int64_t p, processes.integer(1, std::numeric_limits<std::int32_t>::max()));
    out.processes = static_cast<std::int32_t>(p);
    PARCAST_ASSIGN(const Value parameters, value.at("parameters"));
    PARCAST_ASSIGN(const auto entries, parameters.entries());
    for (const auto& [name, entry] : entries) {
      PARCAST_ASSIGN(out.parameters[name], entry.number());
    }
    PARCAST_ASSIGN(out.computing, compared(value, "computing"));
    PARCAST_ASSIGN(out.slowest, compared(value, "slowest"));
    return with_pieces(value, std::move(out));
  }

  Result<RunCheck> with_pieces(const Value& value, RunCheck out) const {
    if (value.has("regions")) {
      PARCAST_ASSIGN(const Value regions, value.at("regions"));
      PARCAST_ASSIGN(out.regions, regions.list_of<ComparedPiece>(
                                      [&](const Value& each) { return piece(each, "node", nodes_); }));
    }
    if (value.has("segment")) {
      PARCAST_ASSIGN(const Value segment, value.at("segment"));
      PARCAST_ASSIGN(out.segment, piece(segment, "segment", segments_));
    }
    if (value.has("rank")) {
      PARCAST_ASSIGN(const Value rank, value.at("rank"));
      PARCAST_ASSIGN(out.rank, piece(rank, "rank", static_cast<std::size_t>(out.processes)));
    }
    if (value.has("total")) {
      PARCAST_ASSIGN(out.total, compared(value, "total"));
    }
    if (value.has("slowed")) {
      PARCAST_ASSIGN(const Value slowed, value.at("slowed"));
      PARCAST_ASSIGN(out.slowed, slowed.truth());
    }
    return out;
  }

  static Result<double> number(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    return entry.number();
  }
  static Result<Compared> seconds_in(const Value& value) {
    Compared out;
    PARCAST_ASSIGN(const Value recorded, value.at("recorded"));
    PARCAST_ASSIGN(const Value given, value.at("given"));
    PARCAST_ASSIGN(out.recorded, recorded.not_negative());
    PARCAST_ASSIGN(out.given, given.not_negative());
    return out;
  }
  static Result<Compared> compared(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    return seconds_in(entry);
  }
  static Result<ComparedPiece> piece(const Value& value, const char* key, std::size_t count) {
    ComparedPiece out;
    PARCAST_ASSIGN(const Value index, value.at(key));
    PARCAST_ASSIGN(const std::int64_t at, index.integer(0, static_cast<std::int64_t>(count) - 1));
    out.index = static_cast<std::int32_t>(at);
    PARCAST_ASSIGN(out.seconds, seconds_in(value));
    return out;
  }

  std::size_t nodes_, segments_;
};

}  // namespace

Json write_checks(const Checks& checks) {
  Json json = Json::object();
  if (!checks.machine.empty()) json["machine"] = checks.machine;
  json["given_back"] = write(checks.given_back);
  json["forward"] = Json::array();
  for (const ForwardCheck& each : checks.forward)
    json["forward"].push_back({{"without", each.without},
                               {"largest", each.largest},
                               {"remaining", each.remaining},
                               {"runs", write(each.runs)}});
  return json;
}

Result<Checks> read_checks(const Value& value, std::size_t nodes, std::size_t segments) {
  return ChecksReader(nodes, segments).checks(value);
}

}  // namespace parcast::program
