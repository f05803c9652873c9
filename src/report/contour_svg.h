// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sweep over two parameters as a picture: bands and lines of equal predicted time. docs/models/selection.md, "Pictures of a sweep".

#include <string>
#include <vector>

#include "predict/prediction.h"

namespace parcast::report {

/// Over two of the parameters that vary, whose values are crossed; a panel for each program on each machine, all with the same levels.
std::string contour_svg(const std::vector<predict::Prediction>& points, const std::string& across, const std::string& up);

}  // namespace parcast::report
