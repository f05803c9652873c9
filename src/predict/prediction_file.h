// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes and reads a prediction as parcast.prediction/1, and writes a sweep as parcast.sweep/1
// (docs/formats/prediction.md).

#include <string>

#include "predict/prediction.h"

namespace parcast::predict {

std::string to_json(const Prediction& prediction);
std::string sweep_to_json(const std::vector<Prediction>& points, bool with_regions = false);
Result<Prediction> prediction_from_json(std::string_view text, const std::string& where);

}  // namespace parcast::predict
