// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a call does, from its class and pattern.

#include <string>

#include "model/model.h"
#include "recording/recording.h"

namespace parcast::program {

Synchronisation synchronisation_of(recording::CallClass kind, recording::Pattern pattern);
bool sends(recording::CallClass kind);
bool receives(recording::CallClass kind);
bool is_region_mark(recording::CallClass kind);
/// The standard requires every process to call these once.
bool is_once_by_the_standard(const std::string& call);

}  // namespace parcast::program
