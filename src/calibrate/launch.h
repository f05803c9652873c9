// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starts a program through the user's launcher and waits for it up to a time limit.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::calibrate {

/// Splits the launcher into words as a shell does (only quotes and backslashes), and replaces {p}. Fails if
/// it is empty, a quote is open, or {p} is missing.
Result<std::vector<std::string>> launch_words(const std::string& launcher, int processes);

/// Runs `words` as a separate process group, with its output and errors in `log`, and calls `wait` about ten
/// times a second. Ends the group if it takes longer than `patience` seconds, or if a signal (SIGINT,
/// SIGTERM, SIGHUP) ends the caller. Fails, with the end of the log and a hint, unless the exit status is 0.
/// Only one launch at a time.
Result<void> launch(const std::vector<std::string>& words, const std::filesystem::path& log, double patience,
                    const std::function<void()>& wait);

}  // namespace parcast::calibrate
