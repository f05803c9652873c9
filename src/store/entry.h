// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the store keeps of each recording, model, machine, ...: one flat row, identified by the digest of the
// content. Storing the same content twice therefore keeps one row and its first time.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcast::store {

/// The order matters: an entry refers only to entries of earlier kinds.
enum class Kind { recording, model, machine, prediction, measurement, calibration };
constexpr std::array kKinds{Kind::recording,  Kind::model,       Kind::machine,
                            Kind::prediction, Kind::measurement, Kind::calibration};

/// Returns the singular name, such as "recording".
constexpr std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames{"recording",  "model",       "machine",
                                                               "prediction", "measurement", "calibration"};
  return kNames[static_cast<std::size_t>(kind)];
}
/// Returns the kind with this name, singular or plural.
std::optional<Kind> kind_from(std::string_view name);

/// Members that a kind does not have stay empty.
struct Entry {
  Kind kind = Kind::recording;
  std::string digest;     // SHA-256; any unique prefix identifies the entry
  std::string stored_at;  // 2026-11-21T08:35:47.123456Z
  std::string tool_version;
  std::string program, machine;  // for a recording: processor and cores
  // path of the recording, model or machine; for a calibration that of its machine; for a measurement the
  // file that it was read from
  std::string path;
  std::map<std::string, double> parameters;  // only recordings, predictions, measurements
  std::int64_t processes = 0;
  std::int64_t nodes = 0, ranks_per_node = 0, threads = 0;  // 0: unknown
  double seconds = 0;                                       // recorded, predicted or measured time
  double low = 0, high = 0, level = 0;                      // only predictions
  std::string engine;                                       // only predictions
  // only predictions; calibrations have machine_digest
  std::string model_digest, machine_digest;
  std::vector<std::string> sources;  // only models: digests of the recordings
  std::string began;                 // recordings: start time; measurements: measured_at, as written
  std::string began_at;  // `began` in a form that sorts by time; empty: unknown. Set when the entry is stored
  std::vector<std::string> tags;  // sorted by name
  // models and predictions: JSON; machines: TOML; calibrations: output of the training program
  std::string content;
};

/// Returns the first 12 digits of the digest.
inline std::string id_of(const Entry& entry) {
  return entry.digest.substr(0, 12);
}

}  // namespace parcast::store
