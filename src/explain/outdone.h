// SPDX-License-Identifier: Apache-2.0
#pragma once
// Machines that are nowhere better than another one (docs/models/selection.md).

#include <span>
#include <vector>

#include "machine/machine.h"

namespace parcast::explain {

/// Of each machine, whether another one among them is at least as fast in every parameter, faster in one, and alike in all else.
std::vector<bool> outdone(std::span<const machine::Machine> machines);

}  // namespace parcast::explain
