// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exports recordings as archives of the Open Trace Format 2 and imports such archives. Vampir, Scalasca,
// otf2-print and others read them; Score-P, TAU and Extrae's converters write them. docs/formats/otf2.md
// lists how each part is converted, and what is lost.

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

/// Called from time to time with the fraction done, 0 to 1, and the current activity.
using Progress = std::function<void(double fraction, const std::string& what)>;

struct Exported {
  std::int32_t processes = 0;
  std::uint64_t locations = 0;                   // threads
  std::uint64_t events = 0;                      // events of the recording
  std::map<std::string, std::uint64_t> records;  // records of the archive, by kind
  std::vector<std::string> warnings;             // what could not be expressed, a sentence each
};

/// Writes the archive folder `to`, which must not exist; it appears under this name when it is complete.
/// `from` is the folder of the recording.
Result<Exported> export_otf2(const recording::Recording& recording, const std::filesystem::path& from,
                             const std::filesystem::path& to, const Progress& progress = {});
/// The same for a recording with all its ranks, whose times are on the given time line.
Result<Exported> export_otf2(const recording::Recording& recording, const TimeLine& line,
                             const std::filesystem::path& to, const Progress& progress = {});

struct ImportLimits {
  // bytes beyond the process's present memory; 0: derived from the archive's size
  std::uint64_t memory = 0;
  std::chrono::milliseconds patience{std::chrono::seconds(30)};  // longest time without progress
};

struct Imported {
  std::int32_t processes = 0;
  std::uint64_t locations = 0, records = 0, events = 0;
  std::map<std::string, std::uint64_t> left_out;  // kinds of records that a recording cannot hold
  std::vector<std::string> warnings;              // assumptions made
  std::vector<std::string> damage;                // what the archive lacks; the recording is then partial
};

/// Reads an archive and writes the recording folder `to`, which must not exist; it appears under this name
/// when it is complete. `archive` is the anchor file (traces.otf2) or the folder that holds one. A child
/// process reads the archive, because the OTF2 library can crash or loop on damaged files.
Result<Imported> import_otf2(const std::filesystem::path& archive, const std::filesystem::path& to,
                             const Progress& progress = {}, const ImportLimits& limits = {});

}  // namespace parcast::interchange
