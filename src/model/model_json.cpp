// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "model/checks_json.h"
#include "model/model_file.h"
#include "model/model_names.h"
#include "model/structure_json.h"
#include "model/value_json.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

Json write(const Count& count) {
  return write_count(count);
}

bool is_certain_zero(const Count& count) {
  return count.origin == Origin::exact && count.expression.is_zero() && count.alternatives.empty();
}

Json write(const statistics::Matrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

Json write(const statistics::GrowthHypothesis& h) {
  Json json{{"weight", h.weight},
            {"validation_error", h.validation_error},
            {"fitted_exponents", h.fitted_exponents},
            {"relative_noise", h.relative_noise},
            {"degrees_of_freedom", h.degrees_of_freedom},
            {"terms", Json::array()},
            {"factor", write(h.factor)}};
  for (const auto& term : h.terms)
    json["terms"].push_back(
        {{"coefficient", term.coefficient}, {"exponents", term.exponents}, {"log_powers", term.log_powers}});
  return json;
}

Json write(const statistics::GrowthModel& growth) {
  Json out{{"arguments", growth.arguments},
           {"residual_relative_error", growth.residual_relative_error},
           {"relative_error_per_doubling", growth.relative_error_per_doubling},
           {"ranges", Json::array()},
           {"hypotheses", Json::array()}};
  for (const auto& range : growth.ranges) {
    out["ranges"].push_back(
        {{"lowest", range.lowest}, {"highest", range.highest}, {"distinct", range.distinct}});
    if (range.given) out["ranges"].back()["given"] = true;
  }
  for (const auto& h : growth.hypotheses) out["hypotheses"].push_back(write(h));
  return out;
}

Json write(const Cost& cost) {
  Json json{{"origin", to_string(cost.origin)},
            {"imbalance", cost.imbalance},
            {"iteration_noise", cost.iteration_noise.noise},
            {"spell_noise", cost.slow_phase_noise},
            {"first_excess", cost.first_excess},
            {"arguments", Json::array()}};
  if (const NoiseLaw& noise = cost.iteration_noise; noise.falls > 0)
    json["noise_falls"] = {{"seconds", noise.seconds}, {"power", noise.falls}, {"most", noise.most}};
  for (const Expression& a : cost.arguments) json["arguments"].push_back(symbolic::to_text(a));
  json["growth"] = write(cost.growth);
  if (cost.streamed) json["streamed"] = symbolic::to_text(*cost.streamed);
  if (cost.unsure > 0) json["unsure"] = cost.unsure;
  for (const Expression& alternative : cost.alternatives)
    json["rivals"].push_back(symbolic::to_text(alternative));
  if (!cost.advice.empty()) json["advice"] = cost.advice;
  return json;
}

Json write(const Residence& residence) {
  Json json{{"arguments", Json::array()}, {"growth", write(residence.growth)}};
  for (const Expression& a : residence.arguments) json["arguments"].push_back(symbolic::to_text(a));
  return json;
}

Json write(const Forecast& forecast) {
  Json json{{"node", forecast.node}, {"arguments", Json::array()}, {"growth", write(forecast.growth)}};
  for (const Expression& a : forecast.arguments) json["arguments"].push_back(symbolic::to_text(a));
  if (forecast.error > 0) json["error"] = forecast.error;
  if (forecast.error_of_parts > 0) json["error_of_parts"] = forecast.error_of_parts;
  return json;
}

void write_call(const Node& node, Json& json) {
  json["call_class"] = name_of(node.call_class);
  if (node.pattern != recording::Pattern::none) json["pattern"] = name_of(node.pattern);
  if (node.synchronisation != Synchronisation::none) json["synchronisation"] = name_of(node.synchronisation);
  if (node.relation != PeerRelation::none) json["relation"] = name_of(node.relation);
  if (!node.amounts.empty()) json["amounts"] = node.amounts;
  const std::pair<const char*, const Count*> counts[]{{"messages", &node.messages},
                                                      {"bytes", &node.bytes},
                                                      {"received_bytes", &node.received_bytes},
                                                      {"collective_bytes", &node.collective_bytes}};
  for (const auto& [name, count] : counts)
    if (!is_certain_zero(*count)) json[name] = write(*count);
  if (node.members.origin != Origin::unknown || !node.members.expression.is_zero())
    json["members"] = write(node.members);
  json["measured_seconds"] = node.measured_seconds;
}

Json write(const Node& node) {
  Json json{{"id", node.id}, {"parent", node.parent}, {"kind", name_of(node.kind)}, {"label", node.label}};
  if (!node.where.empty()) json["where"] = node.where;
  if (!node.children.empty()) json["children"] = node.children;
  json["executions"] = write(node.executions);
  if (node.kind == NodeKind::call) write_call(node, json);
  return json;
}

Json write(const ProcessGrid& grid, const std::vector<Parameter>& parameters) {
  Json json{{"dimensions", grid.dimensions},
            {"from_dims_create", grid.from_dims_create},
            {"recorded", Json::array()},
            {"periodic", std::vector<bool>(grid.periodic)}};
  for (const auto& [processes, extents] : grid.recorded)
    json["recorded"].push_back({{"p", processes}, {"extents", extents}});
  if (grid.ascending) json["ascending"] = true;
  for (const std::size_t v : grid.parameters) json["parameters"].push_back(parameters[v].name);
  return json;
}

Json write(const Source& s) {
  Json json{{"digest", s.digest},   {"parameters", s.parameters},         {"p", s.processes},
            {"seconds", s.seconds}, {"oversubscribed", s.oversubscribed}, {"reserved", s.reserved},
            {"damaged", s.damaged}};
  if (s.slowed) json["slowed"] = true;
  if (!s.mpi_library.empty()) json["mpi_library"] = s.mpi_library;
  return json;
}

Json write(const Block& block) {
  Json json{{"source", block.source},
            {"function", block.function},
            {"number", block.number},
            {"where", block.where},
            {"operations", block.operations}};
  for (const auto& [name, packed] : block.packed)
    json["packed"][name] = {packed.operations, packed.instructions};
  return json;
}

Json write(const Work& work) {
  Json json{{"from", work.from}, {"blocks", Json::array()}};
  for (const Work::Executions& each : work.blocks)
    json["blocks"].push_back(
        {{"block", each.block}, {"count", symbolic::to_text(each.count)}, {"tier", to_string(each.tier)}});
  return json;
}

}  // namespace

std::string to_json(const Model& model) {
  Json json{{"schema", kModelSchema},
            {"program", model.program},
            {"executable_digest", model.executable_digest},
            {"recorded_on", model.recorded_on},
            {"parameters", Json::array()},
            {"processes", model.processes},
            {"grids", Json::array()},
            {"share_by_origin", Json::object()},
            {"nodes", Json::array()},
            {"segments", Json::array()},
            {"unfollowed", Json::object()},
            {"sources", Json::array()},
            {"notices", Json::array()}};
  if (!model.written_in.empty()) json["written_in"] = model.written_in;
  for (const Parameter& p : model.parameters)
    json["parameters"].push_back({{"name", p.name}, {"values", p.values}});
  for (const ProcessGrid& grid : model.grids) json["grids"].push_back(write(grid, model.parameters));
  for (const auto& [name, share] : model.share_by_origin) json["share_by_origin"][name] = share;
  for (const Node& node : model.nodes) json["nodes"].push_back(write(node));
  for (const Segment& s : model.segments)
    json["segments"].push_back({{"from", s.from},
                                {"to", s.to},
                                {"owner", s.owner},
                                {"executions", write(s.executions)},
                                {"cost", write(s.cost)},
                                {"share", s.share}});
  if (model.between_runs.deviation > 0 || model.between_runs.unseen > 0 || model.between_runs.degrees > 0)
    json["between_runs"] = {{"deviation", model.between_runs.deviation},
                            {"related", model.between_runs.related}};
  if (model.between_runs.degrees > 0) json["between_runs"]["degrees"] = model.between_runs.degrees;
  if (model.between_runs.unseen > 0) json["between_runs"]["unseen"] = model.between_runs.unseen;
  for (const Forecast& forecast : model.forecasts) json["forecasts"].push_back(write(forecast));
  if (!model.residence.growth.hypotheses.empty()) json["residence"] = write(model.residence);
  if (!model.grown.growth.hypotheses.empty()) json["grown"] = write(model.grown);
  if (model.footprint) json["footprint"] = symbolic::to_text(*model.footprint);
  for (const auto& [tier, share] : model.work_by_tier)
    json["work_by_tier"][std::string(to_string(tier))] = share;
  for (const Block& block : model.blocks) json["blocks"].push_back(write(block));
  for (const Work& work : model.work) json["work"].push_back(write(work));
  for (const Quantity& each : model.quantities)
    json["quantities"].push_back({{"name", each.name},
                                  {"expression", symbolic::to_text(each.expression)},
                                  {"counts", each.counts},
                                  {"share", each.share}});
  if (model.structure) json["structure"] = write_structure(*model.structure);
  for (const auto& [name, count] : model.unfollowed) json["unfollowed"][name] = write(count);
  for (const Source& s : model.sources) json["sources"].push_back(write(s));
  for (const Notice& n : model.notices)
    json["notices"].push_back({{"code", n.code}, {"text", n.text}, {"hint", n.hint}});
  if (!model.checks.given_back.empty()) json["checks"] = write_checks(model.checks);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<void> write_model(const std::filesystem::path& path, const Model& model) {
  return write_file(path, to_json(model));
}

}  // namespace parcast::program
