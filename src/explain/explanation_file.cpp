// SPDX-License-Identifier: Apache-2.0
// The only file of this folder that includes JSON.
#include "explain/explanation_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "explain/blocks.h"
#include "predict/prediction_file.h"

namespace parcast::explain {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json write(const predict::Estimate& e) {
  return {{"value", number(e.value)}, {"low", number(e.low)}, {"high", number(e.high)},
          {"level", e.level},         {"unit", e.unit},       {"origin", to_string(e.origin)}};
}

Json write(const predict::Parts& p) {
  return {{"compute", number(p.compute.value)},
          {"memory", number(p.memory.value)},
          {"message_startup", number(p.message_startup.value)},
          {"transfer", number(p.transfer.value)},
          {"wait", number(p.wait.value)}};
}

Json write(const Contribution& c) {
  return {{"path", c.path},
          {"where", c.where},
          {"node", c.node},
          {"segment", c.segment},
          {"executions", c.executions},
          {"seconds", write(c.seconds)},
          {"parts", write(c.parts)},
          {"share", number(c.share)},
          {"cumulative", number(c.cumulative)},
          {"interval_share", number(c.interval_share)},
          {"origin", to_string(c.origin)},
          {"formula", c.has_formula ? symbolic::to_text(c.formula) : ""}};
}

Json write(const BlockContribution& b) {
  Json out{{"function", b.function},
           {"where", b.where},
           {"seconds", number(b.seconds)},
           {"share", number(b.share)}};
  if (b.block < 0) return out;
  out["block"] = b.block;
  out["executions"] = number(b.executions);
  out["tier"] = to_string(*b.tier);
  return out;
}

Json write(const Growth& g) {
  return {{"parameter", g.parameter},
          {"value", number(g.value)},
          {"next", number(g.next)},
          {"seconds", number(g.seconds)},
          {"elasticity", number(g.elasticity)}};
}

Json write(const ParameterWeight& w) {
  return {{"parameter", w.sensitivity.parameter},
          {"value", number(w.sensitivity.value)},
          {"standard_error", number(w.standard_error)},
          {"derivative", number(w.sensitivity.derivative)},
          {"elasticity", number(w.sensitivity.elasticity)},
          {"half_width", number(w.half_width)},
          {"identified", w.identified},
          {"origin", to_string(w.origin)}};
}

Json write(const Efficiency& e) {
  return {{"sequential_seconds", number(e.sequential_seconds)},
          {"speedup", number(e.speedup)},
          {"efficiency", number(e.efficiency)},
          {"overheads",
           {{"compute", number(e.compute_overhead)},
            {"memory", number(e.memory_overhead)},
            {"message_startup", number(e.startup_overhead)},
            {"transfer", number(e.transfer_overhead)},
            {"wait", number(e.wait_overhead)}}},
          {"load_balance", number(e.load_balance)},
          {"communication_efficiency", number(e.communication_efficiency)}};
}

}  // namespace

std::string to_json(const Explanation& x) {
  Json out{{"schema", "parcast.explanation/1"}, {"prediction", Json::parse(predict::to_json(x.prediction))}};
  for (const char* list : {"contributions", "blocks", "growth", "sensitivities", "no_leverage", "crossovers",
                           "cache_steps", "advice"})
    out[list] = Json::array();
  for (const Contribution& c : x.contributions) out["contributions"].push_back(write(c));
  for (const BlockContribution& b : x.blocks) out["blocks"].push_back(write(b));
  out["tiers"] = Json::object();
  for (const auto& [tier, share] : shares_by_tier(x.blocks))
    out["tiers"][tier ? std::string(to_string(*tier)) : "not counted"] = number(share);
  for (const Growth& g : x.growth) out["growth"].push_back(write(g));
  for (const ParameterWeight& w : x.sensitivities) out["sensitivities"].push_back(write(w));
  for (const std::string& name : x.no_leverage) out["no_leverage"].push_back(name);
  out["efficiency"] = x.efficiency ? write(*x.efficiency) : Json(nullptr);
  for (const Crossover& c : x.crossovers)
    out["crossovers"].push_back(
        {{"code", c.code}, {"text", c.text}, {"processes", c.processes}, {"seconds", number(c.seconds)}});
  if (x.footprint > 0) out["footprint"] = number(x.footprint);
  for (const CacheStep& s : x.cache_steps)
    out["cache_steps"].push_back({{"level", s.level},
                                  {"capacity", number(s.capacity)},
                                  {"parameter", s.parameter},
                                  {"last", number(s.last)}});
  for (const Advice& a : x.advice)
    out["advice"].push_back({{"code", a.code}, {"text", a.text}, {"gain", number(a.gain)}});
  out["values"] = Json::object();
  for (const auto& [name, value] : x.values) out["values"][name] = number(value);
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parcast::explain
