// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/blocks_shares.h"
#include "report/blocks_text.h"

namespace parcast::report {

using program::BlockEquation;
using program::CountTier;
using program::LoopEquation;
using program::ProgramEquations;
using Json = nlohmann::ordered_json;

std::string blocks_to_json(const ProgramEquations& equations) {
  Json json{
      {"schema", "parcast.blocks/1"}, {"program", equations.program}, {"parameters", equations.parameters},
      {"tiers", Json::object()},      {"blocks", Json::array()},      {"loops", Json::array()},
      {"branches", Json::array()},    {"operations", Json::object()}, {"notices", Json::array()}};
  const auto shares = shares_of(equations);
  for (const CountTier tier : program::kCountTiers) {
    const auto found = shares.find(tier);
    const TierShares share = found == shares.end() ? TierShares{} : found->second;
    json["tiers"][std::string(to_string(tier))] = {{"blocks", share.blocks},
                                                   {"executions", share.executions},
                                                   {"work", share.work},
                                                   {"loops", share.loops}};
  }
  const auto lines = [](const std::vector<facts::SourceLine>& at) {
    Json all = Json::array();
    for (const facts::SourceLine& line : at) all.push_back({{"file", line.file}, {"line", line.line}});
    return all;
  };
  for (const BlockEquation& block : equations.blocks) {
    json["blocks"].push_back({{"source", block.source},
                              {"function", block.function},
                              {"block", block.block},
                              {"at", lines(block.at)},
                              {"executions", symbolic::to_text(block.executions)},
                              {"found", to_string(block.tier)},
                              {"ambiguous", block.ambiguous},
                              {"seen", block.seen},
                              {"share", block.share},
                              {"operations", block.operations}});
    Json& row = json["blocks"].back();
    if (block.polling) row["polling"] = true;
    if (block.width) row["width"] = *block.width;
    for (const auto& [name, packed] : block.packed)
      row["packed"][name] = {packed.operations, packed.instructions};
  }
  for (const LoopEquation& loop : equations.loops) {
    json["loops"].push_back({{"source", loop.source},
                             {"function", loop.function},
                             {"loop", loop.loop},
                             {"at", lines(loop.at)},
                             {"iterations", symbolic::to_text(loop.iterations)},
                             {"found", to_string(loop.tier)}});
    Json& row = json["loops"].back();
    if (loop.width) row["width"] = *loop.width;
    if (loop.interleave) row["interleave"] = *loop.interleave;
    if (loop.shared) row["shared"] = *loop.shared, row["chunks"] = loop.chunks;
  }
  for (const program::BranchEquation& branch : equations.branches)
    json["branches"].push_back({{"source", branch.source},
                                {"function", branch.function},
                                {"block", branch.block},
                                {"to", branch.to},
                                {"at", lines(branch.at)},
                                {"seen", branch.seen},
                                {"ratio", branch.ratio.ratio},
                                {"low", branch.ratio.low},
                                {"high", branch.ratio.high},
                                {"level", 0.9},
                                {"by_chance", branch.ratio.by_chance}});
  json["quantities"] = Json::array();
  for (const program::Quantity& each : program::derived_quantities(equations))
    json["quantities"].push_back({{"name", each.name},
                                  {"expression", symbolic::to_text(each.expression)},
                                  {"counts", each.counts},
                                  {"share", each.share}});
  for (const auto& [name, sum] : operations_of(equations)) json["operations"][name] = symbolic::to_text(sum);
  for (const program::Notice& notice : equations.notices)
    json["notices"].push_back({{"code", notice.code}, {"text", notice.text}, {"hint", notice.hint}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
