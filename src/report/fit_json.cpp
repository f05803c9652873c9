// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/fit_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json prediction_json(const fit::Fits& fits, const fit::KernelFit& kernel, const fit::Predicted& at) {
  Json parameters = Json::object();
  for (std::size_t j = 0; j < at.point.size(); ++j) parameters[fits.parameters[j]] = at.point[j];
  Json out{{"parameters", parameters},
           {"value", at.value},
           {"low", at.low},
           {"high", at.high},
           {"level", fits.level},
           {"unit", kernel.unit},
           {"origin", to_string(kernel.tier)},
           {"doublings_beyond", at.distance},
           {"unidentified", at.unidentified}};
  if (at.largest)
    out["largest_rank"] = {
        {"value", at.largest->value}, {"low", at.largest->low}, {"high", at.largest->high}};
  return out;
}

Json break_json(const fit::KernelFit& kernel) {
  if (!kernel.regime) return nullptr;
  const fit::Break& at = *kernel.regime;
  return {{"parameter", at.parameter},        {"last_before", at.last_before},
          {"first_after", at.first_after},    {"exponent_before", at.slope_before},
          {"exponent_after", at.slope_after}, {"p_value", at.p_value},
          {"followed", at.followed},          {"values_missing", at.missing}};
}

Json kernel_json(const fit::Fits& fits, const fit::KernelFit& kernel) {
  Json out{
      {"callpath", kernel.callpath},
      {"metric", kernel.metric},
      {"unit", kernel.unit},
      {"expression", kernel.expression},
      {"tier", to_string(kernel.tier)},
      {"cross_validation_error", kernel.validation_error ? Json(*kernel.validation_error) : Json(nullptr)},
      {"count", kernel.count.empty() ? Json(nullptr) : Json(kernel.count)},
      {"relative_noise", kernel.relative_noise},
      {"run_error", kernel.run_error},
      {"worst_repetition", kernel.worst_repetition},
      {"break", break_json(kernel)}};
  if (!kernel.largest.empty()) out["largest_rank_metric"] = kernel.largest;
  if (!kernel.largest_of.empty()) out["largest_rank_of"] = kernel.largest_of;
  out["formulas"] = Json::array();
  for (const fit::Formula& formula : kernel.formulas)
    out["formulas"].push_back({{"expression", formula.text}, {"weight", formula.weight}});
  out["predictions"] = Json::array();
  for (const fit::Predicted& at : kernel.predictions)
    out["predictions"].push_back(prediction_json(fits, kernel, at));
  out["warnings"] = kernel.warnings;
  return out;
}

}  // namespace

std::string fit_to_json(const fit::Fits& fits) {
  Json out{{"schema", "parcast.fit/1"}, {"parameters", fits.parameters}};
  out["kernels"] = Json::array();
  for (const fit::KernelFit& kernel : fits.kernels) out["kernels"].push_back(kernel_json(fits, kernel));
  out["warnings"] = fits.warnings;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
