// SPDX-License-Identifier: Apache-2.0
#pragma once
// All measurements of a calibration: every launch with every repeat, including outliers. The store keeps this
// text with the machine that was fitted from it (docs/formats/store.md).

#include <string>
#include <vector>

#include "base/result.h"
#include "calibrate/measurements.h"

namespace parcast::calibrate {

/// Returns the concatenated texts of all launches (measurements.h).
std::string raw_text(const std::vector<Measurements>& launches);

/// Returns a row per repeat. Columns: launch (from 1), its processes; use (fit; check: at a size that no fit
/// uses; value: not of a table); table or value, processes, bytes, repeat (from 1), measured (seconds, or the
/// unit of a value). Fails on a text that raw_text did not make.
Result<std::string> repeats_csv(const std::string& raw, const std::string& where);

}  // namespace parcast::calibrate
