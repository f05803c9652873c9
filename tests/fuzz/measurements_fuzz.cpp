// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of measured values; the bytes determine whether as CSV, Extra-P's text, JSON or JSON
// lines. Accepted input has passed check(), and every form that can hold it preserves it: reading and writing
// again changes no byte.
//
//   build/fuzz/fuzz/measurements_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS \
//       tests/fuzz/seeds/measurements
#include <cstdlib>
#include <string_view>

#include "interchange/measurements.h"

using namespace parcast;
using interchange::MeasurementForm;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void demand_fixpoint(const fit::Measurements& measurements, MeasurementForm form) {
  const auto written = interchange::measurements_to(measurements, form);
  if (!written) return demand(!written.error().what.empty());
  demand(interchange::form_of_text(*written) == form);
  const auto back = interchange::measurements_from(*written, "again", {});
  demand(bool(back));
  demand(back->kernels.size() == measurements.kernels.size() && back->warnings.empty());
  const auto again = interchange::measurements_to(*back, form);
  demand(again && *again == *written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = interchange::measurements_from(text, "input", {});
  if (!read) {
    demand(!read.error().what.empty());
    return 0;
  }
  demand(bool(interchange::check(*read)));
  for (const MeasurementForm form : {MeasurementForm::csv, MeasurementForm::extrap_text,
                                     MeasurementForm::extrap_json, MeasurementForm::extrap_json_lines})
    demand_fixpoint(*read, form);
  return 0;
}
