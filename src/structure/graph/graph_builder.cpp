// SPDX-License-Identifier: Apache-2.0
#include "structure/graph/graph_builder.h"

#include <algorithm>
#include <filesystem>

#include "structure/step_text.h"

namespace parcast::program {

std::string_view to_string(UnitClass kind) {
  switch (kind) {
    case UnitClass::start:
      return "Start";
    case UnitClass::end:
      return "End";
    case UnitClass::sequence:
      return "Seq";
    case UnitClass::spawn:
      return "Spawn";
    case UnitClass::iteration:
      return "IterD";
    case UnitClass::iteration_synchronised:
      return "IterSync";
    case UnitClass::iteration_undetermined:
      return "IterND";
    case UnitClass::condition:
      return "CondtD";
    case UnitClass::condition_synchronised:
      return "CondtSync";
    case UnitClass::communication:
      return "Comm";
    case UnitClass::synchronisation:
      return "Sync";
    case UnitClass::call:
      return "Call";
  }
  return "";
}

bool is_compound(UnitClass kind) {
  switch (kind) {
    case UnitClass::iteration:
    case UnitClass::iteration_synchronised:
    case UnitClass::iteration_undetermined:
    case UnitClass::condition:
    case UnitClass::condition_synchronised:
    case UnitClass::call:
      return true;
    default:
      return false;
  }
}

UnitId ApplicationGraph::find(std::string_view path) const {
  const auto found = std::ranges::find(units, path, &ApplicationUnit::path);
  return found == units.end() ? kNoUnit : found->id;
}

std::string where_of(const trace::Place& place) {
  if (place.file.empty()) return "";
  return std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line);
}

std::string where_between(const trace::Place& from, const trace::Place& to) {
  const std::string begin = where_of(from), end = where_of(to);
  if (begin.empty() || end.empty() || begin == end) return begin.empty() ? end : begin;
  return from.file == to.file ? begin + "-" + std::to_string(to.line) : begin + " - " + end;
}

GraphBuilder::GraphBuilder(std::string program) {
  graph_.program = program;
  graph_.units.push_back({.kind = UnitClass::call,
                          .label = std::move(program),
                          .path = "",
                          .region = "",
                          .where = "",
                          .detail = "",
                          .origin = Origin::exact,
                          .children = {}});
  graph_.start = add(0, UnitClass::start, "start");
  add(0, UnitClass::spawn, "spawn");
}

UnitId GraphBuilder::add(UnitId parent, UnitClass kind, const std::string& label, const std::string& where) {
  const auto id = static_cast<UnitId>(graph_.units.size());
  const std::string& above = graph_.units[parent].path;
  std::string path = above.empty() ? label : above + "/" + label;
  if (const int times = ++paths_[path]; times > 1) path += "#" + std::to_string(times);
  graph_.units[parent].children.push_back(id);
  graph_.units.push_back({.id = id,
                          .parent = parent,
                          .kind = kind,
                          .label = label,
                          .path = std::move(path),
                          .region = "",
                          .where = where,
                          .detail = "",
                          .origin = Origin::exact,
                          .children = {}});
  return id;
}

UnitId GraphBuilder::leaf(UnitId parent, const trace::Place& place, trace::Kind kind,
                          recording::Pattern pattern) {
  // The kind of operation distinguishes leaves without a call.
  const std::string label = place.call.empty() ? describe_step(kind, pattern, nullptr) : place.call;
  const auto [known, is_new] =
      leaves_.try_emplace({parent, place.function, place.file, place.line, label}, kNoUnit);
  const bool waits =
      kind == trace::Kind::wait || kind == trace::Kind::probe || pattern == recording::Pattern::barrier;
  if (is_new) {
    known->second =
        add(parent, waits ? UnitClass::synchronisation : UnitClass::communication, label, where_of(place));
    unit(known->second).region = place.region;
  } else if (!waits) {
    unit(known->second).kind = UnitClass::communication;  // MPI_Sendrecv sends, receives and waits
  }
  return known->second;
}

/// Adds the computing directly before its call.
UnitId GraphBuilder::computing_before(UnitId leaf) {
  const auto [known, is_new] = computing_.try_emplace(leaf, kNoUnit);
  if (!is_new) return known->second;
  const UnitId parent = unit(leaf).parent;
  const UnitId id = known->second =
      add(parent, UnitClass::sequence, "compute before " + unit(leaf).label, unit(leaf).where);
  unit(id).region = unit(leaf).region;
  std::vector<UnitId>& children = unit(parent).children;
  children.pop_back();
  children.insert(std::ranges::find(children, leaf), id);
  return id;
}

UnitId GraphBuilder::finish(bool computes) {
  const UnitId tail = computes ? add(0, UnitClass::sequence, "compute at the end") : 0;
  graph_.end = add(0, UnitClass::end, "end");
  return computes ? tail : graph_.end;
}

}  // namespace parcast::program
