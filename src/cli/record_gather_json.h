// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "recording/gather.h"

namespace parcast::cli {

/// Returns the outcome as parcast.gather/1 (docs/formats/recording.md).
std::string gathered_to_json(const parcast_gathered& gathered, const std::string& recording,
                             const std::filesystem::path& from, const std::string& host);

}  // namespace parcast::cli
