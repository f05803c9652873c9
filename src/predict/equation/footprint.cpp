// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/footprint.h"

#include <algorithm>

#include "predict/equation/growth_expression.h"

namespace parcast::predict {

std::optional<symbolic::Expression> footprint_of(const program::Model& model) {
  if (model.footprint) return model.footprint;
  const statistics::GrowthModel& growth = model.residence.growth;
  if (growth.hypotheses.empty()) return std::nullopt;
  statistics::GrowthModel data = growth;
  // Memory that does not grow with the problem is the program and, with p, its MPI library.
  std::erase_if(data.hypotheses.front().terms, [&](const statistics::GrowthTerm& term) {
    for (std::size_t j = 0; j < growth.arguments.size(); ++j)
      if (growth.arguments[j] != "p" && (term.exponents[j] != 0 || term.log_powers[j] != 0)) return false;
    return true;
  });
  if (data.hypotheses.front().terms.empty()) return std::nullopt;
  return growth_expression(data, model.residence.arguments);
}

}  // namespace parcast::predict
