// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of NAME.model.json. An accepted model is written and read back to the same bytes. Its
// counts can be evaluated at the recorded points, or give a reason why not, and its structure gives a trace
// or a reason.
//
//   build/fuzz/fuzz/model_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/model
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/binding.h"
#include "model/model_file.h"
#include "structure/generate.h"

using namespace parcast;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

/// Each of thousands of different rounds of a loop needs a word in the trace; such answers are not requested
/// here.
bool is_small(const std::vector<program::PredictedCounts>& counts) {
  double calls = 0;
  for (const auto& rank : counts)
    for (const auto& [name, count] : rank.calls) calls += count.value;
  return calls < 1e4;
}

void ask(const program::Model& model, std::int32_t processes) {
  program::Point point{{}, processes};
  for (const program::Parameter& parameter : model.parameters)
    point.parameters[parameter.name] = parameter.values.front();
  const auto counts = program::predict_counts(model, point);
  if (!counts) return demand(!counts.error().what.empty());
  if (!is_small(*counts)) return;
  if (const auto trace = program::generate(model, point); !trace) demand(!trace.error().what.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model =
      program::model_from_json(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  if (!model) {
    demand(!model.error().what.empty());
    return 0;
  }
  const std::string json = program::to_json(*model);
  const auto back = program::model_from_json(json, "again");
  demand(back.ok());
  demand(program::to_json(*back) == json);
  for (const std::int32_t processes : {1, 2, 5}) ask(*model, processes);
  return 0;
}
