// SPDX-License-Identifier: Apache-2.0
#pragma once
// The store: every recording, model, machine, prediction, measurement and calibration, with the time it was
// stored, in one SQLite file or a PostgreSQL database (docs/formats/store.md). What add_* has acknowledged
// survives a kill of the process. Several processes may write at once.

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
  std::int32_t nodes = 0, ranks_per_node = 0, threads = 0;  // 0: unknown
  double seconds = 0;
  std::string measured_at;  // as written, or empty
  std::string source;       // the file that contains it
  int repeat = 0;           // distinguishes runs that agree in all other members
};

/// Number of entries taken, number of new ones, and the others whose parameters differ here.
struct Taken {
  std::size_t entries = 0, fresh = 0;
  std::vector<Difference> differing;
};

class Store {
 public:
  /// `url` is a path, sqlite://path, or a PostgreSQL database (place.h). `open` makes the store if it does
  /// not exist. Both upgrade an older version. They fail on a store of a newer version, and on anything that
  /// is not a store.
  static Result<Store> open(const std::string& url = "parcast.db");
  static Result<Store> open_existing(const std::string& url = "parcast.db");
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Each returns the digest under which the entry is kept. Storing an entry again replaces only its path
  /// and, for a recording, its parameters. Replaced parameters are added to `differing`.
  Result<std::string> add_recording(const std::filesystem::path& path, const recording::Recording& recording,
                                    std::vector<Difference>* differing = nullptr);
  Result<std::string> add_model(const std::filesystem::path& path, const program::Model& model);
  Result<std::string> add_machine(const std::filesystem::path& path, const machine::Machine& machine);
  /// Adds a machine and everything that it was fitted from (calibrate/raw.h). The digest is that of the
  /// machine.
  Result<std::string> add_calibration(const std::filesystem::path& path, const machine::Machine& machine,
                                      const std::string& raw);
  /// Also keeps the model and the machine, so that the prediction can be repeated.
  Result<std::string> add_prediction(const predict::Prediction& prediction, const program::Model& model,
                                     const machine::Machine& machine);
  Result<std::string> add_measurement(const Measurement& measurement);
  /// Adds all or none.
  Result<void> add_measurements(const std::vector<Measurement>& measurements);

  /// Returns all entries of a kind ("models" or "model"), or of every kind if it is empty, oldest first,
  /// without content.
  Result<std::vector<Entry>> list(const std::string& kind = "") const;
  /// Returns the entries that match a query. For a name that does not occur in the store, the error suggests
  /// the nearest one.
  Result<Found> find(const Query& query, Content content = Content::without) const;
  /// Returns the only entry whose digest begins with `id`, with its content.
  Result<Entry> show(const std::string& id) const;
  bool holds(const std::string& digest) const;

  /// A tag is a word without commas and blanks. Adding an existing tag or removing a missing one has no
  /// effect.
  Result<void> tag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  Result<void> untag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  /// Returns the number of entries with each tag.
  Result<std::map<std::string, std::int64_t>> tags() const;

  /// Removes all entries or none, and returns the removed ones; files stay. Without `force`, entries that a
  /// stored prediction depends on are refused. With `force`, the predictions of a removed model or machine
  /// are removed too.
  Result<std::vector<Entry>> remove(const std::vector<Entry>& entries, bool force);

  /// Takes entries of another store, with their times there: all or none. For entries that both stores have,
  /// it keeps the earlier time, this store's path and parameters, and the tags of both. Repeating it has no
  /// effect.
  Result<Taken> take(std::vector<Entry> entries);
  /// Takes all entries of another store, some hundred at a time; after a kill it may be called again.
  Result<Taken> merge(const Store& other);

  /// Fails with a description if the store is damaged. Contents are compared with their digests.
  Result<void> check() const;

  /// Name in messages, without the password.
  const std::string& name() const;

 private:
  explicit Store(std::unique_ptr<Database> database);
  Result<std::string> put(const Entry& entry);
  Result<void> check_name(const std::string& what, const std::string& name) const;
  std::unique_ptr<Database> database_;
};

}  // namespace parcast::store
