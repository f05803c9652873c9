// SPDX-License-Identifier: Apache-2.0
#pragma once
// How well a model gives its recordings back, for people.

#include <string>

#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::report {

/// Up to three lines, and a warning where the worst recording is missed; nothing of a model that was not checked.
/// `all`: a row for each recording, too.
std::string checks_text(const program::Model& model, const Style& style, bool all);
/// One sentence, indented.
std::string checks_line(const predict::CheckSummary& checks, const Style& style);

}  // namespace parcast::report
