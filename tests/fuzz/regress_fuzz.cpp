// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of runs and of formulas: a text is read as both; if it is valid as formulas, runs are
// read with them. Accepted input is written as chi, and arrays are linearised.
//
//   build/fuzz/fuzz/regress_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/regress
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "regress/linearise.h"
#include "regress/runs_csv.h"

using namespace parcast;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

machine::Machine two_levels() {
  machine::Machine out;
  out.name = "two";
  out.memory_per_node = 1e6;
  out.memory = {{"L1", {1000, 0, 0, Origin::assumed}, {8e9, 0, 0, Origin::assumed}, {}, {}},
                {"memory", {}, {1e9, 0, 0, Origin::assumed}, {}, {}}};
  out.working_sets = {{1, 1000, 0, 8e9}, {1, 4000, 0, 1e9}};
  return out;
}

void linearise(const regress::Runs& runs) {
  for (const auto by :
       {regress::LineariseBy::misses, regress::LineariseBy::bandwidth, regress::LineariseBy::curve}) {
    regress::Runs linear = runs;
    std::vector<regress::Run> none;
    if (const auto done = regress::linearise(linear, none, two_levels(), by); !done) {
      demand(!done.error().what.empty());
      continue;
    }
    for (const regress::Run& run : linear.runs)
      for (const double count : run.counts) demand(std::isfinite(count) && count >= 0);
    demand(!regress::chi_to_csv(linear, {}).empty());
  }
}

void read_runs(std::string_view text, const regress::Formulas* formulas) {
  const auto runs = regress::runs_from_csv(text, "input", {.formulas = formulas});
  if (!runs) return demand(!runs.error().what.empty());
  for (const regress::Run& run : runs->runs) {
    demand(run.seconds > 0 && run.counts.size() == runs->counts.size());
    for (const double count : run.counts) demand(std::isfinite(count) && count >= 0);
    demand(run.arrays.size() == runs->arrays.size());
    for (const regress::Array& array : run.arrays)
      demand(std::isfinite(array.footprint) && array.footprint >= 0 && std::isfinite(array.traffic) &&
             array.traffic >= 0);
  }
  linearise(*runs);
  demand(!regress::chi_to_csv(*runs, {}).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Text before the first line of dashes may be formulas for the runs after it.
  const std::size_t line = text.find("\n--\n");
  read_runs(text, nullptr);
  if (line == std::string_view::npos) return 0;
  const auto formulas = regress::formulas_from_csv(text.substr(0, line), "formulas");
  if (formulas) read_runs(text.substr(line + 4), &*formulas);
  return 0;
}
