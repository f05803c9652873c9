// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds machines that are dominated by another one (docs/models/selection.md).

#include <span>
#include <vector>

#include "machine/machine.h"

namespace parcast::explain {

/// Returns, for each machine, whether another one is at least as fast in every parameter, faster in one, and
/// equal in all other properties.
std::vector<bool> outdone(std::span<const machine::Machine> machines);

}  // namespace parcast::explain
