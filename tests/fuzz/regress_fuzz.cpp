// SPDX-License-Identifier: Apache-2.0
// The readers of runs and of formulas under libFuzzer: a text is read as both, runs by the formulas if they are some. What is let
// through is written as chi.
//
//   build/fuzz/fuzz/regress_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/regress
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "regress/runs_csv.h"

using namespace parcast;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void read_runs(std::string_view text, const regress::Formulas* formulas) {
  const auto runs = regress::runs_from_csv(text, "input", {.formulas = formulas});
  if (!runs) return demand(!runs.error().what.empty());
  for (const regress::Run& run : runs->runs) {
    demand(run.seconds > 0 && run.counts.size() == runs->counts.size());
    for (const double count : run.counts) demand(std::isfinite(count) && count >= 0);
  }
  demand(!regress::chi_to_csv(*runs, {}).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // What stands before the first line of dashes may be formulas for the runs behind it.
  const std::size_t line = text.find("\n--\n");
  read_runs(text, nullptr);
  if (line == std::string_view::npos) return 0;
  const auto formulas = regress::formulas_from_csv(text.substr(0, line), "formulas");
  if (formulas) read_runs(text.substr(line + 4), &*formulas);
  return 0;
}
