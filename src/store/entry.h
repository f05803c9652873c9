// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the store keeps of each noun: one flat row, known by the digest of what it describes, so that storing
// the same thing twice keeps one row and its first time.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcast::store {

/// In this order: what an entry refers to comes before it.
enum class Kind { recording, model, machine, prediction, measurement, calibration };
constexpr std::array kKinds{Kind::recording, Kind::model, Kind::machine, Kind::prediction, Kind::measurement, Kind::calibration};

/// "recording"
constexpr std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames{"recording", "model", "machine", "prediction",
                                                               "measurement", "calibration"};
  return kNames[static_cast<std::size_t>(kind)];
}
/// Singular or plural.
std::optional<Kind> kind_from(std::string_view name);

/// A member that a kind does not have stays empty.
struct Entry {
  Kind kind = Kind::recording;
  std::string digest;     // SHA-256; the identifier is any prefix that no other entry begins with
  std::string stored_at;  // 2026-11-21T08:35:47.123456Z
  std::string tool_version;
  std::string program, machine;  // machine of a recording: processor and cores
  std::string path;  // of the recording, model or machine, of a calibration its machine's; of a measurement the file it was read from
  std::map<std::string, double> parameters;  // recordings, predictions, measurements
  std::int64_t processes = 0;
  std::int64_t nodes = 0, ranks_per_node = 0, threads = 0;  // 0: not given
  double seconds = 0;                                       // recorded, predicted or measured
  double low = 0, high = 0, level = 0;                      // predictions
  std::string engine;                                       // predictions
  std::string model_digest, machine_digest;                 // predictions; calibrations have the latter
  std::vector<std::string> sources;                         // models: digests of the recordings
  std::string began;    // recordings: started; measurements: measured_at, as written
  std::string began_at; // the same so that texts sort like the moments; empty: not told. Set when it is stored
  std::vector<std::string> tags;  // by name
  std::string content;  // models and predictions: JSON; machines: TOML; calibrations: text of the training program
};

/// The first 12 digits of the digest.
inline std::string id_of(const Entry& entry) {
  return entry.digest.substr(0, 12);
}

}  // namespace parcast::store
