// SPDX-License-Identifier: Apache-2.0
#pragma once
// A system as JSON: parcast.system/1 (docs/formats/machine.md, Systems). In TOML it is part of its machine's
// file (machine_file.h).

#include <string>

#include "machine/system.h"

namespace parcast::machine {

/// The system must be valid.
std::string to_json(const System& system);

}  // namespace parcast::machine
