// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/causes_text.h"
#include "report/values_json.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;
using causes::Verdict;

Json maybe(const std::optional<double>& value) {
  return value ? finite(*value) : Json(nullptr);
}

constexpr std::array<const char*, 4> kShapes{"straight", "bend", "step", "step_in_processes"};
constexpr std::array<const char*, 7> kLayers{"parameter", "work",       "event",  "time",
                                             "overhead",  "efficiency", "speedup"};
constexpr std::array<const char*, 3> kForms{"definition", "growth", "linear"};

const char* code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::enters:
      return "enters";
    case Verdict::effect:
      return "effect";
    case Verdict::explains_part:
      return "explains-part";
    case Verdict::indistinguishable:
      return "not-told-apart";
    case Verdict::less_likely:
      return "less-likely";
    case Verdict::not_measured:
      return "not-measured";
    case Verdict::never_changes:
      return "never-changes";
    case Verdict::as_work:
      return "as-work";
    case Verdict::no_influence:
      return "no-influence";
    case Verdict::break_remains:
      return "break-remains";
    case Verdict::scatter_remains:
      return "scatter-remains";
    case Verdict::takes_over:
      return "takes-over";
    case Verdict::worse_than_break:
      return "worse-than-break";
    case Verdict::part_only:
      return "part-only";
  }
  return "";
}

Json write(const causes::Linearity& x) {
  return {{"shape", kShapes[static_cast<std::size_t>(x.shape)]},
          {"tested", x.tested},
          {"p_value", finite(x.p_value)},
          {"delta", finite(x.delta)},
          {"standard_error", finite(x.standard_error)},
          {"delta_beyond", finite(x.delta_beyond)},
          {"last_linear", finite(x.last_linear)},
          {"first_beyond", finite(x.first_beyond)},
          {"linear_samples", x.linear_samples},
          {"effect", finite(x.effect)},
          {"noise", finite(x.noise)}};
}

Json write(const causes::Tried& x) {
  return {{"variable", x.name},
          {"verdict", code_of(x.verdict)},
          {"text", verdict_text(x)},
          {"delta", finite(x.delta)},
          {"standard_error", finite(x.standard_error)},
          {"p_value", finite(x.p_value)},
          {"noise", finite(x.noise)}};
}

Json write(const causes::TriedPair& x, const causes::Refinement& refinement) {
  Json out{{"variables", Json::array()},
           {"verdict", code_of(x.verdict)},
           {"p_value", finite(x.p_value)},
           {"noise", finite(x.noise)}};
  for (const char* list : {"delta", "standard_error"}) out[list] = Json::array();
  for (std::size_t k = 0; k < 2; ++k) {
    out["variables"].push_back(refinement.tried[x.variables[k]].name);
    out["delta"].push_back(finite(x.deltas[k]));
    out["standard_error"].push_back(finite(x.standard_errors[k]));
  }
  return out;
}

Json phase_json(const causes::PhaseClass& phase) {
  return {{"kind", to_string(phase.kind)}, {"name", phase.name}};
}

Json write(const causes::PhaseRelation& x) {
  Json out{{"phase", phase_json(x.phase)},
           {"work", x.work.empty() ? Json(nullptr) : Json(x.work)},
           {"samples", Json::array()}};
  for (std::size_t i = 0; i < x.samples.size(); ++i)
    out["samples"].push_back(
        {{"run", x.runs[i]}, {"work", finite(x.samples[i].work)}, {"seconds", finite(x.samples[i].seconds)}});
  if (!x.refinement) return out["without"] = x.without, out;
  out["first_order"] = write(x.refinement->first_order);
  out["twice"] = x.refinement->twice
                     ? Json::array({write(x.refinement->twice->earlier), write(x.refinement->twice->later)})
                     : Json(nullptr);
  out["tried"] = Json::array();
  for (const causes::Tried& tried : x.refinement->tried) out["tried"].push_back(write(tried));
  out["pairs"] = Json::array();
  for (const causes::TriedPair& pair : x.refinement->pairs)
    out["pairs"].push_back(write(pair, *x.refinement));
  const bool alone = x.refinement->causes.size() == 1 && !x.refinement->partly();
  out["cause"] = alone ? Json(x.refinement->tried[x.refinement->causes[0].variable].name) : Json(nullptr);
  out["causes"] = Json::array();
  for (const causes::Cause& cause : x.refinement->causes)
    out["causes"].push_back({{"variable", x.refinement->tried[cause.variable].name},
                             {"delta", finite(cause.delta)},
                             {"standard_error", finite(cause.standard_error)},
                             {"without", write(cause.without)}});
  out["partly"] = x.refinement->partly();
  out["unexplained"] = x.refinement->unexplained();
  out["refined"] = write(x.refinement->refined);
  return out;
}

Json write(const causes::Overheads& x) {
  Json out{{"sequential_seconds", finite(x.sequential.seconds)},
           {"sequential_basis",
            x.sequential.basis == causes::Sequential::Basis::measured ? "measured" : "modelled"},
           {"sequential_runs", x.sequential.runs},
           {"parallel_seconds", finite(x.parallel_seconds)},
           {"efficiency", finite(x.efficiency)},
           {"speedup", finite(x.speedup)},
           {"phases", Json::array()}};
  for (const causes::Overhead& overhead : x.phases)
    out["phases"].push_back({{"phase", phase_json(overhead.phase)},
                             {"ratio", finite(overhead.ratio)},
                             {"seconds", finite(overhead.seconds)},
                             {"by_process", overhead.by_process}});
  return out;
}

Json write(const causes::Efficiencies& x) {
  return {{"parallel", finite(x.parallel)},
          {"load_balance", finite(x.load_balance)},
          {"communication", finite(x.communication)},
          {"serialisation", maybe(x.serialisation)},
          {"transfer", maybe(x.transfer)},
          {"computation_scalability", maybe(x.computation_scalability)},
          {"useful_seconds", finite(x.useful_seconds)},
          {"imbalance_seconds", finite(x.imbalance_seconds)},
          {"communication_seconds", finite(x.communication_seconds)},
          {"serialisation_seconds", maybe(x.serialisation_seconds)},
          {"transfer_seconds", maybe(x.transfer_seconds)}};
}

Json write(const causes::Superlinear& x) {
  Json out{{"explained", x.explained}, {"telling", x.telling}, {"changes", Json::array()}};
  for (const auto& change : x.changes)
    out["changes"].push_back({{"cause", change.cause.empty() ? Json(nullptr) : Json(change.cause)},
                              {"sequential_seconds", finite(change.sequential)},
                              {"parallel_seconds", finite(change.parallel)}});
  return out;
}

Json write(const causes::Run& run, const causes::RunFindings& x) {
  return {{"parameters", run.parameters},
          {"processes", run.processes},
          {"seconds", finite(causes::longest(run))},
          {"overheads", x.overheads ? write(*x.overheads) : Json(nullptr)},
          {"efficiencies", x.efficiencies ? write(*x.efficiencies) : Json(nullptr)},
          {"idle",
           {{"imbalance", finite(x.idle.imbalance)},
            {"delay", finite(x.idle.delay)},
            {"off_processor", finite(x.idle.off_processor)}}},
          {"superlinear", x.superlinear ? write(*x.superlinear) : Json(nullptr)}};
}

Json write(const causes::Graph& graph) {
  Json out{{"nodes", Json::array()}, {"edges", Json::array()}};
  for (const causes::Node& node : graph.nodes)
    out["nodes"].push_back({{"name", node.name}, {"layer", kLayers[static_cast<std::size_t>(node.layer)]}});
  for (const causes::Edge& edge : graph.edges) {
    Json one{{"from", graph.nodes[edge.from].name},
             {"to", graph.nodes[edge.to].name},
             {"form", kForms[static_cast<std::size_t>(edge.form)]}};
    if (edge.form == causes::Form::linear)
      one["delta"] = finite(edge.delta), one["standard_error"] = finite(edge.standard_error);
    if (edge.form == causes::Form::growth) one["formula"] = edge.formula;
    out["edges"].push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string reasons_to_json(const Reasons& x) {
  Json out{{"schema", "parcast.causes/1"}, {"asked", x.run}};
  for (const char* list : {"runs", "relations", "held_out", "notes"}) out[list] = Json::array();
  for (std::size_t i = 0; i < x.runs.runs.size(); ++i)
    out["runs"].push_back(write(x.runs.runs[i], x.analysis.runs[i]));
  for (const auto& relation : x.analysis.relations) out["relations"].push_back(write(relation));
  out["delay"] = x.analysis.delay ? write(*x.analysis.delay) : Json(nullptr);
  for (const causes::HeldOut& held : x.held_out)
    out["held_out"].push_back({{"phase", phase_json(held.phase)},
                               {"over", held.over},
                               {"runs", held.runs},
                               {"work_known", finite(held.work_known)},
                               {"composed", finite(held.composed)},
                               {"direct", finite(held.direct)}});
  for (const std::string& note : x.analysis.notes) out["notes"].push_back(note);
  out["graph"] = write(x.graph);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
