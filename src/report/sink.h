// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a report goes that may be too long for memory, piece by piece.

#include <functional>
#include <string>

namespace parcast::report {

constexpr std::size_t kAtOnce = 1 << 16;  // bytes of a piece, about

using Sink = std::function<void(const std::string&)>;

}  // namespace parcast::report
