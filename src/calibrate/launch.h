// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starting a program through the user's launcher and waiting for it with patience that ends.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::calibrate {

/// The launcher's words, in the manner of a shell (quotes and backslashes, nothing else), with {p} replaced.
/// An error when it is empty, a quote is open, or {p} is missing.
Result<std::vector<std::string>> launch_words(const std::string& launcher, int processes);

/// Runs `words` as a process group of its own, with its output and errors in `log`, calling `wait` about ten times a second. Ends the group when
/// it takes longer than `patience` seconds, or when a signal (SIGINT, SIGTERM, SIGHUP) ends the caller. An error, with the end of the log and what to
/// try, unless it exits with 0. One launch at a time.
Result<void> launch(const std::vector<std::string>& words, const std::filesystem::path& log, double patience,
                    const std::function<void()>& wait);

}  // namespace parcast::calibrate
