// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "machine/machine_file.h"
#include "model/model_file.h"
#include "predict/prediction_file.h"
#include "store/database.h"
#include "store/measured.h"
#include "store/place.h"

namespace parcast::store {
namespace {

Entry entry_of(const recording::Recording& recording) {
  Entry entry = entry_for(Kind::recording);
  entry.digest = recording.digest;
  entry.program = recording.program;
  entry.machine = recording.machine_summary;
  entry.parameters = recording.parameters;
  entry.processes = recording.processes;
  for (const auto& rank : recording.ranks)
    entry.seconds = std::max(entry.seconds, 1e-9 * static_cast<double>(rank.wall));
  entry.began = recording.started;
  return entry;
}

Entry entry_of(const program::Model& model) {
  Entry entry = entry_for(Kind::model);
  entry.content = program::to_json(model);
  entry.digest = digest(entry.content);
  entry.program = model.program;
  for (const auto& source : model.sources) entry.sources.push_back(source.digest);
  return entry;
}

Entry entry_of(const machine::Machine& machine) {
  Entry entry = entry_for(Kind::machine);
  entry.content = machine::to_toml(machine);
  entry.digest = digest(entry.content);
  entry.machine = machine.name;
  return entry;
}

std::string digest_of_calibration(const Entry& entry) {
  return digest(entry.machine_digest + "\n" + entry.content);
}

std::string digest_of_prediction(const Entry& entry) {
  return digest(join(
      std::vector<std::string>{entry.tool_version, entry.model_digest, entry.machine_digest, entry.content},
      "\n"));
}

Entry entry_of(const predict::Prediction& prediction, const std::string& model_digest,
               const std::string& machine_digest) {
  Entry entry = entry_for(Kind::prediction);
  entry.content = predict::to_json(prediction);
  entry.program = prediction.program;
  entry.machine = prediction.machine;
  entry.engine = prediction.engine;
  entry.model_digest = model_digest;
  entry.machine_digest = machine_digest;
  entry.digest = digest_of_prediction(entry);
  entry.parameters = prediction.question.point.parameters;
  entry.processes = prediction.question.point.processes;
  entry.nodes = prediction.nodes;
  entry.ranks_per_node = prediction.ranks_per_node;
  entry.threads = prediction.question.threads;
  entry.seconds = prediction.seconds.value;
  entry.low = prediction.seconds.low;
  entry.high = prediction.seconds.high;
  entry.level = prediction.seconds.level;
  return entry;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind kind : kKinds) names.push_back(std::string(to_string(kind)) + "s");
  return names;
}

Error ambiguous(const std::string& id, const std::vector<Entry>& found) {
  std::vector<std::string> ids;
  for (const Entry& entry : found) {
    if (ids.size() == 3) {
      ids.push_back("...");
      break;
    }
    ids.push_back(std::string(to_string(entry.kind)) + " " + id_of(entry));
  }
  return {std::to_string(found.size()) + " entries begin with " + id, "",
          "write more digits: " + join(ids, ", ")};
}

Result<void> check_tags(const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) {
    const bool plain = std::none_of(tag.begin(), tag.end(),
                                    [](unsigned char c) { return c <= ' ' || c == ',' || c == 127; });
    if (tag.empty() || !plain)
      return Error{"\"" + tag + "\" is not a tag", "", "a tag is a word without blanks and commas"};
  }
  return {};
}

/// Returns the digest that follows from the row of an entry, if it can be computed.
std::string digest_given_by(const Entry& entry) {
  if (entry.kind == Kind::model || entry.kind == Kind::machine) return digest(entry.content);
  if (entry.kind == Kind::prediction) return digest_of_prediction(entry);
  if (entry.kind == Kind::calibration) return digest_of_calibration(entry);
  return entry.digest;
}

/// Checks an entry from another store or a file.
Result<void> check_entry(const Entry& entry) {
  const std::string what = std::string(to_string(entry.kind)) + " " + id_of(entry);
  if (entry.digest.empty() || entry.digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    return Error{what + " has no digest", "", ""};
  if (digest_given_by(entry) != entry.digest)
    return Error{what + " is damaged: its content has another digest", "", ""};
  return check_tags(entry.tags);
}

}  // namespace

std::optional<Kind> kind_from(std::string_view name) {
  for (const Kind kind : kKinds)
    if (name == to_string(kind) || name == std::string(to_string(kind)) + "s") return kind;
  return std::nullopt;
}

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::name() const {
  return database_->shown();
}

Result<Store> Store::open(const std::string& url) {
  PARCAST_ASSIGN(const Place place, place_of(url));
  PARCAST_ASSIGN(auto database, Database::open(place, true));
  return Store(std::move(database));
}

Result<Store> Store::open_existing(const std::string& url) {
  PARCAST_ASSIGN(const Place place, place_of(url));
  PARCAST_ASSIGN(auto database, Database::open(place, false));
  return Store(std::move(database));
}

Result<std::string> Store::put(const Entry& entry) {
  PARCAST_TRY(database_->put({entry}, Stamp::now));
  return entry.digest;
}

Result<std::string> Store::add_recording(const std::filesystem::path& path,
                                         const recording::Recording& recording,
                                         std::vector<Difference>* differing) {
  if (recording.digest.empty())
    return Error{"the recording has no digest", path.string(), "read it again from its files"};
  Entry entry = entry_of(recording);
  entry.path = absolute_path(path);
  PARCAST_ASSIGN(Put done, database_->put({entry}, Stamp::now));
  if (differing) *differing = std::move(done.differing);
  return entry.digest;
}

Result<std::string> Store::add_model(const std::filesystem::path& path, const program::Model& model) {
  Entry entry = entry_of(model);
  entry.path = absolute_path(path);
  return put(entry);
}

Result<std::string> Store::add_machine(const std::filesystem::path& path, const machine::Machine& machine) {
  Entry entry = entry_of(machine);
  entry.path = absolute_path(path);
  return put(entry);
}

Result<std::string> Store::add_calibration(const std::filesystem::path& path, const machine::Machine& machine,
                                           const std::string& raw) {
  Entry of_machine = entry_of(machine), entry = entry_for(Kind::calibration);
  entry.path = of_machine.path = absolute_path(path);
  entry.machine = machine.name;
  entry.machine_digest = of_machine.digest;
  entry.content = raw;
  entry.digest = digest_of_calibration(entry);
  PARCAST_TRY(database_->put({of_machine, entry}, Stamp::now));
  return of_machine.digest;
}

Result<std::string> Store::add_prediction(const predict::Prediction& prediction, const program::Model& model,
                                          const machine::Machine& machine) {
  const Entry of_model = entry_of(model), of_machine = entry_of(machine);
  const Entry entry = entry_of(prediction, of_model.digest, of_machine.digest);
  PARCAST_TRY(database_->put({of_model, of_machine, entry}, Stamp::now));
  return entry.digest;
}

Result<std::string> Store::add_measurement(const Measurement& measurement) {
  return put(entry_of(measurement));
}

Result<void> Store::add_measurements(const std::vector<Measurement>& measurements) {
  std::vector<Entry> entries;
  for (const Measurement& measurement : measurements) entries.push_back(entry_of(measurement));
  PARCAST_TRY(database_->put(std::move(entries), Stamp::now));
  return {};
}

Result<std::vector<Entry>> Store::list(const std::string& kind) const {
  Query query;
  if (!kind.empty()) {
    const auto known = kind_from(kind);
    if (!known) {
      const auto names = kind_names();
      const std::string guess = did_you_mean(kind, names);
      return Error{"the store keeps no " + kind, "",
                   guess.empty() ? "known are " + join(names, ", ") : guess};
    }
    query.kinds = {*known};
  }
  PARCAST_ASSIGN(auto found, database_->find(query, Content::without));
  return std::move(found.entries);
}

Result<Found> Store::find(const Query& query, Content content) const {
  PARCAST_ASSIGN(auto found, database_->find(query, content));
  if (!found.entries.empty() || found.undated > 0) return found;
  if (!query.program.empty()) PARCAST_TRY(check_name("program", query.program));
  if (!query.machine.empty()) PARCAST_TRY(check_name("machine", query.machine));
  if (!query.tag.empty()) PARCAST_TRY(check_name("tag", query.tag));
  for (const auto& [name, bounds] : query.parameters) PARCAST_TRY(check_name("parameter", name));
  return found;
}

/// Fails if no entry in the store has this name.
Result<void> Store::check_name(const std::string& what, const std::string& name) const {
  PARCAST_ASSIGN(const auto known, database_->names(what));
  for (const std::string& each : known)
    if (each == name || (what == "machine" && each.starts_with(name))) return {};
  const std::string guess = did_you_mean(name, known);
  std::vector<std::string> some(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(known.size(), 6)));
  if (some.size() < known.size()) some.push_back("...");
  return Error{"nothing in the store has the " + what + " " + name, database_->shown(),
               !guess.empty() ? guess
               : some.empty() ? ""
                              : "there are " + join(some, ", ")};
}

Result<Entry> Store::show(const std::string& id) const {
  if (id.empty() || id.find_first_not_of("0123456789abcdef") != std::string::npos)
    return Error{"\"" + id + "\" is not an identifier", "", "parcast store list prints them"};
  PARCAST_ASSIGN(auto found, database_->find(id));
  if (found.empty())
    return Error{"nothing in the store begins with " + id, "", "parcast store list prints what is there"};
  const auto whole =
      std::find_if(found.begin(), found.end(), [&](const Entry& entry) { return entry.digest == id; });
  if (whole != found.end()) return std::move(*whole);
  if (found.size() > 1) return ambiguous(id, found);
  return std::move(found.front());
}

bool Store::holds(const std::string& digest) const {
  const auto found = database_->find(digest);
  return found && std::any_of(found->begin(), found->end(),
                              [&](const Entry& entry) { return entry.digest == digest; });
}

Result<void> Store::tag(const std::vector<Entry>& entries, const std::vector<std::string>& tags) {
  PARCAST_TRY(check_tags(tags));
  return database_->tag(entries, tags);
}

Result<void> Store::untag(const std::vector<Entry>& entries, const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) PARCAST_TRY(check_name("tag", tag));
  return database_->untag(entries, tags);
}

Result<std::map<std::string, std::int64_t>> Store::tags() const {
  return database_->tags();
}

Result<std::vector<Entry>> Store::remove(const std::vector<Entry>& entries, bool force) {
  return database_->remove(entries, force);
}

Result<Taken> Store::take(std::vector<Entry> entries) {
  Taken out{entries.size(), 0, {}};
  for (const Entry& entry : entries) PARCAST_TRY(check_entry(entry));
  PARCAST_ASSIGN(Put done, database_->put(std::move(entries), Stamp::kept));
  out.fresh = done.fresh;
  out.differing = std::move(done.differing);
  return out;
}

Result<Taken> Store::merge(const Store& other) {
  constexpr std::size_t kAtOnce = 500;
  Taken out;
  for (const Kind kind : kKinds) {
    Query all;
    all.kinds = {kind};
    PARCAST_ASSIGN(auto found, other.database_->find(all, Content::with));
    for (std::size_t from = 0; from < found.entries.size(); from += kAtOnce) {
      const auto begin = found.entries.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end =
          found.entries.begin() + static_cast<std::ptrdiff_t>(std::min(from + kAtOnce, found.entries.size()));
      PARCAST_ASSIGN(Taken taken,
                     take(std::vector<Entry>(std::make_move_iterator(begin), std::make_move_iterator(end))));
      out.entries += taken.entries;
      out.fresh += taken.fresh;
      out.differing.insert(out.differing.end(), std::make_move_iterator(taken.differing.begin()),
                           std::make_move_iterator(taken.differing.end()));
    }
  }
  return out;
}

Result<void> Store::check() const {
  PARCAST_TRY(database_->check());
  PARCAST_ASSIGN(const auto all, database_->find(Query{}, Content::with));
  for (const Entry& entry : all.entries)
    if (const auto sound = check_entry(entry); !sound)
      return Error{sound.error().what, database_->shown(), "keep a copy and start another with --store"};
  return {};
}

}  // namespace parcast::store
