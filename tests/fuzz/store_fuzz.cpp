// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of `parcast store import`: JSON if the first byte is a brace, else CSV of runs and of
// measurements. Accepted entries can be written, and reading and writing them again gives the same bytes.
//
//   build/fuzz/fuzz/store_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/store
#include <cstdint>
#include <cstdlib>
#include <string>

#include "store/entries_file.h"
#include "store/measurements.h"
#include "store/runs_csv.h"

using namespace parcast;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void json(const std::string& text) {
  const auto read = store::entries_from_json(text, "input");
  if (!read) return demand(!read.error().what.empty());
  const auto written = store::entries_to_json(*read);
  demand(bool(written));
  const auto back = store::entries_from_json(*written, "again");
  demand(back && back->size() == read->size());
  const auto again = store::entries_to_json(*back);
  demand(again && *again == *written);
}

void csv(const std::string& text) {
  const auto table = parse_csv(text, "input");
  if (!table) return demand(!table.error().what.empty());
  if (const auto measured = store::measured_runs(*table, {"N", "dt"}); !measured)
    demand(!measured.error().what.empty());
  const auto read = store::runs_from_csv(*table);
  if (!read) return demand(!read.error().what.empty());
  const std::string written = store::runs_to_csv(*read);
  const auto table_again = parse_csv(written, "again");
  demand(bool(table_again));
  const auto back = store::runs_from_csv(*table_again);
  demand(back && back->size() == read->size());
  demand(store::runs_to_csv(*back) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  text.starts_with('{') ? json(text) : csv(text);
  return 0;
}
