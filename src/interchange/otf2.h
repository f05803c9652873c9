// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings as archives of the Open Trace Format 2 and back: what Vampir, Scalasca, otf2-print and others read, and what
// Score-P, TAU and Extrae's converters write. docs/formats/otf2.md says what becomes of what, and what is lost.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "interchange/time_line.h"
#include "recording/recording.h"

namespace parcast::interchange {

/// Called now and then with the part that is done, 0 to 1, and what is being done.
using Progress = std::function<void(double fraction, const std::string& what)>;

struct Exported {
  std::int32_t processes = 0;
  std::uint64_t locations = 0;                    // threads
  std::uint64_t events = 0;                       // of the recording
  std::map<std::string, std::uint64_t> records;   // of the archive, by kind
  std::vector<std::string> warnings;              // what could not be expressed, a sentence each
};

/// Writes the archive folder `to`, which must not exist; it appears when it is whole. `from` is the recording's folder.
Result<Exported> export_otf2(const recording::Recording& recording, const std::filesystem::path& from,
                             const std::filesystem::path& to, const Progress& progress = {});
/// Of a recording with all its ranks, whose times stand on that line.
Result<Exported> export_otf2(const recording::Recording& recording, const TimeLine& line, const std::filesystem::path& to, const Progress& progress = {});

struct ImportLimits {
  std::uint64_t memory = 0;                                 // bytes beyond what the process has; 0: by the archive's size
  std::chrono::milliseconds patience{std::chrono::seconds(30)};  // without progress
};

struct Imported {
  std::int32_t processes = 0;
  std::uint64_t locations = 0, records = 0, events = 0;
  std::map<std::string, std::uint64_t> left_out;  // kinds of records that a recording has no place for
  std::vector<std::string> warnings;              // what was assumed
  std::vector<std::string> damage;                // what the archive lacks: the recording is partial
};

/// Reads an archive, given as its anchor file (traces.otf2) or the folder that holds one, and writes the recording folder
/// `to`, which must not exist; it appears when it is whole. The archive is read in a process of its own, since the library
/// that reads it can crash or run away on damaged files.
Result<Imported> import_otf2(const std::filesystem::path& archive, const std::filesystem::path& to, const Progress& progress = {},
                             const ImportLimits& limits = {});

}  // namespace parcast::interchange
