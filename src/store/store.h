// SPDX-License-Identifier: Apache-2.0
#pragma once
// The store: every recording, model, machine, prediction and measurement, with the moment it was stored, in
// one SQLite file (docs/formats/store.md). What add_* has acknowledged survives a kill of the process;
// several processes may write at once.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "predict/prediction.h"
#include "program/model.h"
#include "recording/recording.h"
#include "store/entry.h"

namespace parcast::store {

class Database;

/// A measured run.
struct Measurement {
  std::string program, machine;
  program::Point point;
  std::int32_t nodes = 0, ranks_per_node = 0, threads = 0;  // 0: not given
  double seconds = 0;
  std::string measured_at;  // as written, or empty
  std::string source;       // the file it stands in
  int repeat = 0;           // tells runs apart that agree in all of the above
};

class Store {
 public:
  /// A path or sqlite://path. `open` makes the store where there is none. Fails on a store of a newer version
  /// and on files that are no store.
  static Result<Store> open(const std::string& url = "parcast.db");
  static Result<Store> open_existing(const std::string& url = "parcast.db");
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Each returns the digest under which the thing is kept. Storing again changes nothing but the path, which
  /// becomes the newest one.
  Result<std::string> add_recording(const std::filesystem::path& path, const recording::Recording& recording);
  Result<std::string> add_model(const std::filesystem::path& path, const program::Model& model);
  Result<std::string> add_machine(const std::filesystem::path& path, const machine::Machine& machine);
  /// Keeps the model and the machine too, so that the prediction can be made again.
  Result<std::string> add_prediction(const predict::Prediction& prediction, const program::Model& model,
                                     const machine::Machine& machine);
  Result<std::string> add_measurement(const Measurement& measurement);
  /// All of them or none.
  Result<void> add_measurements(const std::vector<Measurement>& measurements);

  /// All entries of a kind ("models" or "model"), or of every kind when it is empty, oldest first, without
  /// content.
  Result<std::vector<Entry>> list(const std::string& kind = "") const;
  /// The one entry whose digest begins with `id`, with its content.
  Result<Entry> show(const std::string& id) const;

  /// Fails when the file is damaged: what is wrong, in a sentence.
  Result<void> check() const;

 private:
  explicit Store(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace parcast::store
