// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "store/instant.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/session.h"
#include "store/transaction.h"

namespace parcast::store {
namespace {

/// Digests are hexadecimal, so those with the prefix are between the prefix and the prefix plus a letter
/// after "f".
Condition begins_with(const std::string& prefix) {
  Condition out;
  out.require("digest >= " + out.bind(prefix));
  out.require("digest < " + out.bind(prefix + "g"));
  return out;
}

void require_bounds(Condition& out, const std::string& column, const Bounds& bounds) {
  if (std::isfinite(bounds.least)) out.require(column + " >= " + out.bind(bounds.least));
  if (std::isfinite(bounds.most)) out.require(column + " <= " + out.bind(bounds.most));
}

void require_machine(Condition& out, Kind kind, const std::string& machine) {
  if (kind != Kind::recording) return out.require("machine = " + out.bind(machine));
  std::string text = "substr(machine, 1, length(" + out.bind(machine);
  text += ")) = " + out.bind(machine);
  out.require(text);
}

void require_parameter(Condition& out, const std::string& name, const Bounds& bounds) {
  std::string text = "digest IN (SELECT owner FROM parameters WHERE name = " + out.bind(name);
  if (std::isfinite(bounds.least)) text += " AND value >= " + out.bind(bounds.least);
  if (std::isfinite(bounds.most)) text += " AND value <= " + out.bind(bounds.most);
  out.require(text + ")");
}

/// Rounds the bounds of a count to integers, which the database stores.
Bounds whole(const Bounds& bounds) {
  return {std::ceil(bounds.least), std::floor(bounds.most)};
}

bool dated(const Query& query) {
  return !query.since.empty() || !query.until.empty();
}

/// Returns whether entries of this kind have all members of the query.
bool can_answer(Kind kind, const Query& query) {
  const Table& table = table_of(kind);
  if (!query.kinds.empty() && std::find(query.kinds.begin(), query.kinds.end(), kind) == query.kinds.end())
    return false;
  if (!query.program.empty() && !table.has("program")) return false;
  if (!query.machine.empty() && !table.has("machine")) return false;
  if ((query.processes || !query.parameters.empty()) && !table.has("processes")) return false;
  return !dated(query) || table.has("began_at");
}

/// Returns the condition for everything except the time.
Condition condition_of(Kind kind, const Query& query) {
  Condition out;
  if (!query.program.empty()) out.require("program = " + out.bind(query.program));
  if (!query.machine.empty()) require_machine(out, kind, query.machine);
  if (query.processes) require_bounds(out, "processes", whole(*query.processes));
  for (const auto& [name, bounds] : query.parameters) require_parameter(out, name, bounds);
  if (!query.tag.empty())
    out.require("digest IN (SELECT owner FROM tags WHERE tag = " + out.bind(query.tag) + ")");
  return out;
}

void add_found(soci::session& sql, Kind kind, const Query& query, Content content, Found& out) {
  Condition condition = condition_of(kind, query);
  if (dated(query)) {
    Condition undated = condition;
    undated.require("began_at = ''");
    out.undated += count_rows(sql, kind, undated);
    condition.require("began_at <> ''");
    if (!query.since.empty()) condition.require("began_at >= " + condition.bind(query.since));
    if (!query.until.empty()) condition.require("began_at <= " + condition.bind(query.until));
  }
  auto rows = read_rows(sql, kind, condition, content);
  out.entries.insert(out.entries.end(), std::make_move_iterator(rows.begin()),
                     std::make_move_iterator(rows.end()));
}

Result<void> check_finite(const Entry& entry, const std::string& shown) {
  for (const double value : {entry.seconds, entry.low, entry.high, entry.level})
    if (!std::isfinite(value))
      return Error{"a time of the " + std::string(to_string(entry.kind)) + " of " + entry.program +
                       " is not a finite number; nothing was stored",
                   shown, ""};
  for (const auto& [name, value] : entry.parameters)
    if (!std::isfinite(value))
      return Error{"parameter " + name + " of the " + std::string(to_string(entry.kind)) + " of " +
                       entry.program + " is not a finite number; nothing was stored",
                   shown, ""};
  return {};
}

/// Returns the digests of the predictions that depend on an entry, directly or through a model made from it.
std::vector<std::string> predictions_on(soci::session& sql, const std::string& digest) {
  const soci::rowset<std::string> rows =
      (sql.prepare << "SELECT digest FROM predictions WHERE model_digest = :a OR machine_digest = :b OR "
                      "model_digest IN"
                      " (SELECT model FROM model_sources WHERE recording = :c) ORDER BY digest",
       soci::use(digest), soci::use(digest), soci::use(digest));
  return {rows.begin(), rows.end()};
}

Error referred_to(const Entry& entry, const std::vector<std::string>& by, const std::string& shown) {
  std::string text = std::string(to_string(entry.kind)) + " " + id_of(entry) + " is what prediction " +
                     by.front().substr(0, 12);
  if (by.size() > 1) text += " and " + std::to_string(by.size() - 1) + " more";
  return {text + " rests on; nothing was removed", shown,
          entry.kind == Kind::recording ? "--force removes it and keeps the predictions"
                                        : "--force removes these predictions too"};
}

/// Returns the calibrations of a machine. Nothing else refers to them.
std::vector<Entry> calibrations_of(soci::session& sql, const Entry& machine) {
  Condition of_machine;
  of_machine.require("machine_digest = " + of_machine.bind(machine.digest));
  return read_rows(sql, Kind::calibration, of_machine, Content::without);
}

/// Returns everything that is removed with the entries. Predictions and calibrations come first, because they
/// refer to the others.
Result<std::vector<Entry>> doomed(soci::session& sql, const std::vector<Entry>& entries, bool force,
                                  const std::string& shown) {
  std::set<std::string> chosen;
  for (const Entry& entry : entries) chosen.insert(entry.digest);
  std::vector<Entry> out = entries;
  for (const Entry& entry : entries) {
    if (entry.kind == Kind::prediction || entry.kind == Kind::measurement || entry.kind == Kind::calibration)
      continue;
    if (entry.kind == Kind::machine)
      for (Entry& calibration : calibrations_of(sql, entry))
        if (chosen.insert(calibration.digest).second) out.push_back(std::move(calibration));
    std::vector<std::string> resting = predictions_on(sql, entry.digest);
    std::erase_if(resting, [&](const std::string& digest) { return chosen.contains(digest); });
    if (resting.empty()) continue;
    if (!force) return referred_to(entry, resting, shown);
    if (entry.kind == Kind::recording) continue;  // models keep the digests of removed recordings
    for (const std::string& digest : resting) {
      for (Entry& prediction : read_rows(sql, Kind::prediction, begins_with(digest), Content::without))
        out.push_back(std::move(prediction));
      chosen.insert(digest);
    }
  }
  std::stable_partition(out.begin(), out.end(), [](const Entry& entry) {
    return entry.kind == Kind::prediction || entry.kind == Kind::calibration;
  });
  return out;
}

}  // namespace

Database::Database(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Database::~Database() = default;

const std::string& Database::shown() const {
  return session_->place.shown;
}

Result<std::unique_ptr<Database>> Database::open(const Place& place, bool create) {
  auto session = std::make_unique<Session>();
  session->place = place;
  PARCAST_ASSIGN(session->dialect, dialect_of(place));
  const auto opened = session->attempt([&]() -> Result<void> {
    session->sql.close();
    PARCAST_TRY(session->dialect->connect(session->sql, create));
    return bring_up_to_date(session->sql, *session->dialect, place.shown, create);
  });
  if (!opened) return opened.error();
  return std::unique_ptr<Database>(new Database(std::move(session)));
}

Result<Put> Database::put(std::vector<Entry> entries, Stamp stamp) {
  for (const Entry& entry : entries) PARCAST_TRY(check_finite(entry, shown()));
  soci::session& sql = session_->sql;
  return session_->attempt([&] {
    Transaction transaction(sql, *session_->dialect, Transaction::For::writing);
    // taken after the lock was obtained, which may take long
    const std::string moment = session_->dialect->moment(sql);
    for (Entry& entry : entries) {
      if (stamp == Stamp::now || entry.stored_at.empty()) entry.stored_at = moment;
      entry.began_at = sortable(entry.began);
    }
    RowWriter writer(sql, stamp, session_->dialect->rows_at_once());
    Put out;
    out.fresh = writer.write(entries);
    out.differing = writer.differing();
    transaction.commit();
    return out;
  });
}

Result<Found> Database::find(const Query& query, Content content) {
  return session_->attempt([&] {
    const Transaction one_state(session_->sql, *session_->dialect, Transaction::For::reading);
    Found out;
    for (const Kind kind : kKinds)
      if (can_answer(kind, query)) add_found(session_->sql, kind, query, content, out);
    return out;
  });
}

Result<std::vector<Entry>> Database::find(const std::string& prefix) {
  return session_->attempt([&] {
    const Transaction one_state(session_->sql, *session_->dialect, Transaction::For::reading);
    std::vector<Entry> out;
    for (const Kind kind : kKinds)
      for (Entry& entry : read_rows(session_->sql, kind, begins_with(prefix), Content::with))
        out.push_back(std::move(entry));
    return out;
  });
}

Result<std::vector<std::string>> Database::names(const std::string& what) {
  return session_->attempt([&] {
    std::set<std::string> out;
    const auto add = [&](const std::string& column, const std::string& table) {
      const soci::rowset<std::string> rows =
          (session_->sql.prepare << "SELECT DISTINCT " + column + " FROM " + table);
      out.insert(rows.begin(), rows.end());
    };
    if (what == "parameter") add("name", "parameters");
    if (what == "tag") add("tag", "tags");
    for (const Kind kind : kKinds)
      if (table_of(kind).has(what)) add(what, table_of(kind).name);
    out.erase("");
    return std::vector<std::string>(out.begin(), out.end());
  });
}

Result<std::map<std::string, std::int64_t>> Database::tags() {
  return session_->attempt([&] {
    std::map<std::string, std::int64_t> out;
    std::string tag;
    long long count = 0;
    soci::statement statement = (session_->sql.prepare << "SELECT tag, count(*) FROM tags GROUP BY tag",
                                 soci::into(tag), soci::into(count));
    statement.execute(false);
    while (statement.fetch()) out[tag] = count;
    return out;
  });
}

Result<void> Database::tag(const std::vector<Entry>& entries, const std::vector<std::string>& tags) {
  return session_->attempt([&] {
    Transaction transaction(session_->sql, *session_->dialect, Transaction::For::writing);
    for (const Entry& entry : entries)
      for (const std::string& tag : tags)
        session_->sql << "INSERT INTO tags (owner, tag) VALUES (:owner, :tag) ON CONFLICT DO NOTHING",
            soci::use(entry.digest), soci::use(tag);
    transaction.commit();
  });
}

Result<void> Database::untag(const std::vector<Entry>& entries, const std::vector<std::string>& tags) {
  return session_->attempt([&] {
    Transaction transaction(session_->sql, *session_->dialect, Transaction::For::writing);
    for (const Entry& entry : entries)
      for (const std::string& tag : tags)
        session_->sql << "DELETE FROM tags WHERE owner = :owner AND tag = :tag", soci::use(entry.digest),
            soci::use(tag);
    transaction.commit();
  });
}

Result<std::vector<Entry>> Database::remove(const std::vector<Entry>& entries, bool force) {
  return session_->attempt([&]() -> Result<std::vector<Entry>> {
    Transaction transaction(session_->sql, *session_->dialect, Transaction::For::writing);
    PARCAST_ASSIGN(const auto all, doomed(session_->sql, entries, force, shown()));
    for (const Entry& entry : all) remove_row(session_->sql, entry);
    transaction.commit();
    return all;
  });
}

Result<void> Database::check() {
  const auto damage = session_->attempt([&] {
    if (const std::string found = session_->dialect->damage(session_->sql); !found.empty()) return found;
    const std::string measured =
        " NOT IN (SELECT digest FROM recordings UNION ALL SELECT digest FROM predictions UNION ALL SELECT "
        "digest FROM measurements";
    for (const std::string& query : {"SELECT count(*) FROM parameters WHERE owner" + measured + ")",
                                     "SELECT count(*) FROM tags WHERE owner" + measured +
                                         " UNION ALL SELECT digest FROM models UNION ALL SELECT digest FROM "
                                         "machines UNION ALL SELECT digest FROM calibrations)"})
      if (number(session_->sql, query) != 0) return std::string("rows refer to others that are not there");
    return std::string();
  });
  if (!damage) return damage.error();
  if (!damage->empty())
    return Error{"the store is damaged: " + *damage, shown(), "keep a copy and start another with --store"};
  return {};
}

}  // namespace parcast::store
