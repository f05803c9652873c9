// SPDX-License-Identifier: Apache-2.0
#pragma once
// The store: every recording, model, machine, prediction, measurement and calibration, with the moment it was stored, in one SQLite file
// or a PostgreSQL database (docs/formats/store.md). What add_* has acknowledged survives a kill of the process; several
// processes may write at once.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "model/model.h"
#include "predict/prediction.h"
#include "recording/recording.h"
#include "store/difference.h"
#include "store/entry.h"
#include "store/query.h"

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

/// How many entries were taken in, how many of them were new, and which of the others have other parameters here.
struct Taken {
  std::size_t entries = 0, fresh = 0;
  std::vector<Difference> differing;
};

class Store {
 public:
  /// A path, sqlite://path, or a database of PostgreSQL (place.h). `open` makes the store where there is none; both bring one of
  /// an older version up to date. Fails on a store of a newer version and on what is no store.
  static Result<Store> open(const std::string& url = "parcast.db");
  static Result<Store> open_existing(const std::string& url = "parcast.db");
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Each returns the digest under which the thing is kept. Storing again changes nothing but the path, which
  /// becomes the newest one, and a recording's parameters: those that the store had instead go to `differing`.
  Result<std::string> add_recording(const std::filesystem::path& path, const recording::Recording& recording, std::vector<Difference>* differing = nullptr);
  Result<std::string> add_model(const std::filesystem::path& path, const program::Model& model);
  Result<std::string> add_machine(const std::filesystem::path& path, const machine::Machine& machine);
  /// The machine, and all that it was fitted from (calibrate/raw.h). The digest is the machine's.
  Result<std::string> add_calibration(const std::filesystem::path& path, const machine::Machine& machine, const std::string& raw);
  /// Keeps the model and the machine too, so that the prediction can be made again.
  Result<std::string> add_prediction(const predict::Prediction& prediction, const program::Model& model,
                                     const machine::Machine& machine);
  Result<std::string> add_measurement(const Measurement& measurement);
  /// All of them or none.
  Result<void> add_measurements(const std::vector<Measurement>& measurements);

  /// All entries of a kind ("models" or "model"), or of every kind when it is empty, oldest first, without
  /// content.
  Result<std::vector<Entry>> list(const std::string& kind = "") const;
  /// What a query asks for. A name that nothing in the store bears is an error that names the nearest one.
  Result<Found> find(const Query& query, Content content = Content::without) const;
  /// The one entry whose digest begins with `id`, with its content.
  Result<Entry> show(const std::string& id) const;
  bool holds(const std::string& digest) const;

  /// A tag is a word without commas and blanks. Adding one that is there, or removing one that is not, changes nothing.
  Result<void> tag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  Result<void> untag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  /// How many entries bear each tag.
  Result<std::map<std::string, std::int64_t>> tags() const;

  /// Removes all of them or none; files stay. Entries that a stored prediction rests on are refused unless `force`, which
  /// removes predictions of a removed model or machine too. What was removed.
  Result<std::vector<Entry>> remove(const std::vector<Entry>& entries, bool force);

  /// Takes in entries of another store with the times at which they were stored there. Of what both have, the earlier time, this
  /// store's path and parameters, and the tags of both are kept: taking in again changes nothing. All of them or none.
  Result<Taken> take(std::vector<Entry> entries);
  /// Takes in all that another store holds, some hundred entries at a time; after a kill it may be called again.
  Result<Taken> merge(const Store& other);

  /// Fails when the store is damaged: what is wrong, in a sentence. Contents are compared with their digests.
  Result<void> check() const;

  /// As messages name it: without password.
  const std::string& name() const;

 private:
  explicit Store(std::unique_ptr<Database> database);
  Result<std::string> put(const Entry& entry);
  Result<void> check_name(const std::string& what, const std::string& name) const;
  std::unique_ptr<Database> database_;
};

}  // namespace parcast::store
