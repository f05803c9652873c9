// SPDX-License-Identifier: Apache-2.0
#pragma once
// A plot of a sweep over two parameters: bands and lines of equal predicted time. docs/models/selection.md,
// "Pictures of a sweep".

#include <string>
#include <vector>

#include "predict/prediction.h"

namespace parcast::report {

/// Returns the plot over two of the varied parameters, whose values are crossed. Each program on each machine
/// has a panel; all panels share the same levels.
std::string contour_svg(const std::vector<predict::Prediction>& points, const std::string& across,
                        const std::string& up);

}  // namespace parcast::report
