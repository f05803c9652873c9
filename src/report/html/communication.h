// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who sends to whom, for the pages of predictions and of recorded runs.

#include <string>
#include <vector>

#include "patterns/segments.h"
#include "patterns/traffic.h"

namespace parcast::report::html {

/// Returns the matrix of bytes between ranks, and a table of the messages' patterns; empty without messages.
/// `program`: the name of the region around all.
std::string messages_html(const program::Traffic& traffic,
                          const std::vector<program::MessageSegment>& segments, const std::string& program);

}  // namespace parcast::report::html
