// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "machine/machine_file.h"
#include "predict/prediction_file.h"
#include "program/model_file.h"
#include "store/database.h"

namespace parcast::store {
namespace {

/// The path of a store's file.
Result<std::string> path_of(const std::string& url) {
  constexpr std::string_view kScheme = "sqlite://";
  if (url.starts_with(kScheme)) return url.substr(kScheme.size());
  if (const auto scheme = url.find("://"); scheme != std::string::npos)
    return Error{"only SQLite stores are supported by this version, not " + url.substr(0, scheme), url,
                 "write a path or sqlite://PATH"};
  return url;
}

/// A relative path is worth nothing from another folder.
std::string absolute_path(const std::filesystem::path& path) {
  std::error_code problem;
  const auto whole = std::filesystem::absolute(path, problem);
  return (problem ? path : whole.lexically_normal()).string();
}

Entry entry_for(Kind kind) {
  Entry entry;
  entry.kind = kind;
  entry.tool_version = PARCAST_VERSION;
  return entry;
}

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

Entry entry_of(const predict::Prediction& prediction, const std::string& model_digest,
               const std::string& machine_digest) {
  Entry entry = entry_for(Kind::prediction);
  entry.content = predict::to_json(prediction);
  entry.digest = digest(
      join(std::vector<std::string>{entry.tool_version, model_digest, machine_digest, entry.content}, "\n"));
  entry.program = prediction.program;
  entry.machine = prediction.machine;
  entry.engine = prediction.engine;
  entry.model_digest = model_digest;
  entry.machine_digest = machine_digest;
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

/// Where it was read from does not tell one run from another.
std::string digest_of(const Measurement& m) {
  std::vector<std::string> parts{m.program, m.machine};
  for (const auto& [name, value] : m.point.parameters) parts.push_back(name + "=" + format_exact(value));
  for (const int number : {m.point.processes, m.nodes, m.ranks_per_node, m.threads, m.repeat})
    parts.push_back(std::to_string(number));
  parts.push_back(format_exact(m.seconds));
  parts.push_back(m.measured_at);
  return digest(join(parts, "\n"));
}

Entry entry_of(const Measurement& measurement) {
  Entry entry = entry_for(Kind::measurement);
  entry.digest = digest_of(measurement);
  entry.program = measurement.program;
  entry.machine = measurement.machine;
  entry.path = measurement.source.empty() ? "" : absolute_path(measurement.source);
  entry.parameters = measurement.point.parameters;
  entry.processes = measurement.point.processes;
  entry.nodes = measurement.nodes;
  entry.ranks_per_node = measurement.ranks_per_node;
  entry.threads = measurement.threads;
  entry.seconds = measurement.seconds;
  entry.began = measurement.measured_at;
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

Result<Store> Store::open(const std::string& url) {
  PARCAST_ASSIGN(const std::string path, path_of(url));
  PARCAST_ASSIGN(auto database, Database::open(path, true));
  return Store(std::move(database));
}

Result<Store> Store::open_existing(const std::string& url) {
  PARCAST_ASSIGN(const std::string path, path_of(url));
  PARCAST_ASSIGN(auto database, Database::open(path, false));
  return Store(std::move(database));
}

Result<std::string> Store::add_recording(const std::filesystem::path& path,
                                         const recording::Recording& recording) {
  if (recording.digest.empty())
    return Error{"the recording has no digest", path.string(), "read it again from its files"};
  Entry entry = entry_of(recording);
  entry.path = absolute_path(path);
  PARCAST_TRY(database_->put({entry}));
  return entry.digest;
}

Result<std::string> Store::add_model(const std::filesystem::path& path, const program::Model& model) {
  Entry entry = entry_of(model);
  entry.path = absolute_path(path);
  PARCAST_TRY(database_->put({entry}));
  return entry.digest;
}

Result<std::string> Store::add_machine(const std::filesystem::path& path, const machine::Machine& machine) {
  Entry entry = entry_of(machine);
  entry.path = absolute_path(path);
  PARCAST_TRY(database_->put({entry}));
  return entry.digest;
}

Result<std::string> Store::add_prediction(const predict::Prediction& prediction, const program::Model& model,
                                          const machine::Machine& machine) {
  const Entry of_model = entry_of(model), of_machine = entry_of(machine);
  const Entry entry = entry_of(prediction, of_model.digest, of_machine.digest);
  PARCAST_TRY(database_->put({of_model, of_machine, entry}));
  return entry.digest;
}

Result<std::string> Store::add_measurement(const Measurement& measurement) {
  const Entry entry = entry_of(measurement);
  PARCAST_TRY(database_->put({entry}));
  return entry.digest;
}

Result<void> Store::add_measurements(const std::vector<Measurement>& measurements) {
  std::vector<Entry> entries;
  for (const Measurement& measurement : measurements) entries.push_back(entry_of(measurement));
  return database_->put(entries);
}

Result<std::vector<Entry>> Store::list(const std::string& kind) const {
  if (kind.empty()) return database_->list(std::nullopt);
  if (const auto known = kind_from(kind)) return database_->list(known);
  const auto names = kind_names();
  const std::string guess = did_you_mean(kind, names);
  return Error{"the store keeps no " + kind, "", guess.empty() ? "known are " + join(names, ", ") : guess};
}

Result<Entry> Store::show(const std::string& id) const {
  if (id.empty() || id.find_first_not_of("0123456789abcdef") != std::string::npos)
    return Error{"\"" + id + "\" is not an identifier", "", "parcast store list prints them"};
  PARCAST_ASSIGN(auto found, database_->find(id));
  if (found.empty())
    return Error{"nothing in the store begins with " + id, "", "parcast store list prints what is there"};
  if (found.size() > 1) return ambiguous(id, found);
  return std::move(found.front());
}

Result<void> Store::check() const {
  return database_->check();
}

}  // namespace parcast::store
