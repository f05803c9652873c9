// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of a report that may be too long for memory, piece by piece.

#include <functional>
#include <string>

namespace parcast::report {

constexpr std::size_t kAtOnce = 1 << 16;  // approximate bytes of a piece

using Sink = std::function<void(const std::string&)>;

}  // namespace parcast::report
