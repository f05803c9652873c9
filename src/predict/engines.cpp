// SPDX-License-Identifier: Apache-2.0
// The table of engines.
#include "base/text.h"
#include "predict/auto_engine.h"
#include "predict/by_extrap.h"
#include "predict/prediction.h"

namespace parcast::predict {

std::vector<const Engine*> engines() {
  return {&auto_engine(), &checked_equation_engine(), &disturbed_interpret_engine(),
          &disturbed_simulate_engine(), &extrap_engine()};
}

Result<const Engine*> find_engine(std::string_view name) {
  std::vector<std::string> names;
  for (const Engine* engine : engines()) {
    if (engine->name() == name) return engine;
    names.emplace_back(engine->name());
  }
  const std::string guess = did_you_mean(name, names);
  return Error{"there is no engine " + std::string(name), "",
               guess.empty() ? "known are " + join(names, ", ") : guess};
}

}  // namespace parcast::predict
