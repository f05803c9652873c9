// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a calibration measured, whole: every launch with every repeat, outliers among them, as the store keeps it beside the machine that
// was fitted from it (docs/formats/store.md).

#include <string>
#include <vector>

#include "base/result.h"
#include "calibrate/measurements.h"

namespace parcast::calibrate {

/// The texts of all launches (measurements.h), one behind the other.
std::string raw_text(const std::vector<Measurements>& launches);

/// A row per repeat: launch (from 1, in their order), its processes; use (fit, check: at a size that no fit sees, value: that is no table's);
/// table or value, processes, bytes, repeat (from 1), measured (seconds; of a value its unit). An error for a text that is not raw_text's.
Result<std::string> repeats_csv(const std::string& raw, const std::string& where);

}  // namespace parcast::calibrate
