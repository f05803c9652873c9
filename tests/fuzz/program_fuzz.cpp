// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of programs written by hand. An accepted program has counts that can be evaluated or give
// a reason why not, is unchanged after writing and reading its file, and gives a trace or a reason.
//
//   build/fuzz/fuzz/program_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/program
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "language/written.h"
#include "model/model_file.h"
#include "structure/generate.h"

using namespace parcast;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

constexpr std::size_t kMostBytes = 4096;  // each statement costs some evaluations

/// Each of thousands of different rounds of a loop needs a word in the trace; such answers are not requested
/// here.
bool is_small(const program::Model& model, const program::Point& point) {
  const auto counts = program::predict_counts(model, point);
  if (!counts) return false;
  double calls = 0;
  for (const auto& rank : *counts)
    for (const auto& [name, count] : rank.calls) calls += count.value;
  return calls < 1e4;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const auto model = program::written::model_of_text(
      std::string_view(reinterpret_cast<const char*>(data), size), "input.program");
  if (!model) {
    demand(!model.error().what.empty());
    return 0;
  }
  const std::string json = program::to_json(*model);
  const auto back = program::model_from_json(json, "input");
  demand(back.ok());
  for (const std::int32_t processes : {1, 2, 5}) {
    program::Point point{{}, processes};
    for (const program::Parameter& parameter : model->parameters)
      point.parameters[parameter.name] = parameter.values.front();
    if (!is_small(*model, point)) continue;
    if (const auto trace = program::generate(*model, point); !trace) demand(!trace.error().what.empty());
  }
  return 0;
}
