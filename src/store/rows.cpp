// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <type_traits>

#include "base/text.h"

namespace parcast::store {

const Table& table_of(Kind kind) {
  const Column digest{"digest", &Entry::digest}, stored{"stored_at", &Entry::stored_at},
      version{"tool_version", &Entry::tool_version};
  const Column path{"path", &Entry::path}, source{"source", &Entry::path};
  const Column program{"program", &Entry::program}, machine{"machine", &Entry::machine};
  const Column processes{"processes", &Entry::processes}, nodes{"nodes", &Entry::nodes};
  const Column per_node{"ranks_per_node", &Entry::ranks_per_node}, threads{"threads", &Entry::threads};
  const Column seconds{"seconds", &Entry::seconds}, content{"content", &Entry::content};
  const Column started{"started", &Entry::began}, measured{"measured_at", &Entry::began},
      began{"began_at", &Entry::began_at};
  static const std::array<Table, kKinds.size()> tables{{
      {"recordings",
       {digest, stored, version, path, program, machine, processes, seconds, started, began},
       true},
      {"models", {digest, stored, version, path, program, content}, true},
      {"machines", {digest, stored, version, path, machine, content}, true},
      {"predictions",
       {digest,
        stored,
        version,
        program,
        machine,
        {"engine", &Entry::engine},
        {"model_digest", &Entry::model_digest},
        {"machine_digest", &Entry::machine_digest},
        processes,
        nodes,
        per_node,
        threads,
        seconds,
        {"low", &Entry::low},
        {"high", &Entry::high},
        {"level", &Entry::level},
        content},
       false},
      {"measurements",
       {digest, stored, version, source, program, machine, processes, nodes, per_node, threads, seconds,
        measured, began},
       false},
      {"calibrations",
       {digest, stored, version, path, machine, {"machine_digest", &Entry::machine_digest}, content},
       true},
  }};
  return tables[static_cast<std::size_t>(kind)];
}

bool Table::has(std::string_view column) const {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& each) { return each.name == column; });
}

std::string Condition::bind(std::variant<std::string, double> value) {
  values.push_back(std::move(value));
  return ":v" + std::to_string(values.size() - 1);
}

namespace {

std::vector<Column> columns_of(Kind kind, Content content) {
  std::vector<Column> out = table_of(kind).columns;
  if (content == Content::without)
    std::erase_if(out, [](const Column& column) { return std::string_view(column.name) == "content"; });
  return out;
}

std::string names_of(const std::vector<Column>& columns, const std::string& before) {
  std::string out;
  for (const Column& column : columns) out += (out.empty() ? "" : ", ") + before + column.name;
  return out;
}

constexpr std::size_t kDetailsAtOnce = 16;  // number of parameters, sources or tags per statement

/// One row as the variables that a statement is bound to.
struct Slot {
  Entry entry;
  std::vector<long long> integers;

  explicit Slot(std::size_t columns) : integers(columns) {}
  /// Binds the variable of each column: calls `bind` with a reference to text, double or long long.
  template <class Bind>
  void each(const std::vector<Column>& columns, Bind bind) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::visit(
          [&](auto member) {
            if constexpr (std::is_same_v<decltype(member), std::int64_t Entry::*>)
              bind(integers[i]);
            else
              bind(entry.*member);
          },
          columns[i].member);
  }
  void take_integers(const std::vector<Column>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto* member = std::get_if<std::int64_t Entry::*>(&columns[i].member))
        entry.*(*member) = integers[i];
  }
  void give_integers(const std::vector<Column>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto* member = std::get_if<std::int64_t Entry::*>(&columns[i].member))
        integers[i] = entry.*(*member);
  }
};

void bind_values(soci::statement& statement, const Condition& condition) {
  for (const auto& value : condition.values)
    std::visit([&](const auto& each) { statement.exchange(soci::use(each)); }, value);
}

void make_ready(soci::statement& statement, const std::string& text) {
  statement.alloc();
  statement.prepare(text);
  statement.define_and_bind();
}

std::string selected(Kind kind, const Condition& condition) {
  return std::string(" FROM ") + table_of(kind).name + " WHERE " + condition.text;
}

/// Returns "(:a0, :b0), (:a1, :b1)" for two rows of the columns a and b.
std::string placeholders(const std::vector<std::string>& columns, std::size_t rows) {
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    out += row == 0 ? "(" : "), (";
    for (std::size_t i = 0; i < columns.size(); ++i)
      out += (i == 0 ? ":" : ", :") + columns[i] + std::to_string(row);
  }
  return out + ")";
}

/// Reads the details that belong to the rows of a condition. `take` receives the index of the owner row after
/// each fetch.
template <class Bind, class Take>
void read_details(soci::session& sql, const std::string& text, const Condition& condition, std::string& owner,
                  const std::unordered_map<std::string_view, std::size_t>& places, Bind bind, Take take) {
  soci::statement statement(sql);
  statement.exchange(soci::into(owner));
  bind(statement);
  bind_values(statement, condition);
  make_ready(statement, text);
  statement.execute(false);
  while (statement.fetch())
    if (const auto at = places.find(owner); at != places.end()) take(at->second);
}

}  // namespace

/// Inserts rows of a kind in one statement, which returns the digests of the new ones.
struct RowWriter::Insert {
  std::vector<Column> columns;
  std::vector<Slot> slots;
  std::string digest;
  soci::statement statement;

  Insert(soci::session& sql, Kind kind, std::size_t rows)
      : columns(columns_of(kind, Content::with)), slots(rows, Slot(columns.size())), statement(sql) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(column.name);
    for (Slot& slot : slots) slot.each(columns, [&](auto& place) { statement.exchange(soci::use(place)); });
    statement.exchange(soci::into(digest));
    make_ready(statement, std::string("INSERT INTO ") + table_of(kind).name + " (" + names_of(columns, "") +
                              ") VALUES " + placeholders(names, rows) +
                              " ON CONFLICT (digest) DO NOTHING RETURNING digest");
  }
  std::set<std::string> execute(std::span<const Entry> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      slots[i].entry = entries[i];
      slots[i].give_integers(columns);
    }
    std::set<std::string> fresh;
    statement.execute(false);
    while (statement.fetch()) fresh.insert(digest);
    return fresh;
  }
};

/// Details that belong to rows: collected, and written many per statement.
struct RowWriter::Details {
  struct Row {
    std::string owner, text;
    double value = 0;
    long long position = 0;
  };
  enum class What { parameter, source, tag };
  std::array<std::vector<Row>, 3> rows;

  void add(What what, Row row) { rows[static_cast<std::size_t>(what)].push_back(std::move(row)); }
  void gather(const Entry& entry, bool fresh) {
    for (const std::string& tag : entry.tags) add(What::tag, {entry.digest, tag});
    if (!fresh) return;
    for (const auto& [name, value] : entry.parameters) add(What::parameter, {entry.digest, name, value});
    for (std::size_t i = 0; i < entry.sources.size(); ++i)
      add(What::source, {entry.digest, entry.sources[i], 0, static_cast<long long>(i)});
  }
  void write(soci::session& sql) {
    for (const What what : {What::parameter, What::source, What::tag}) {
      auto& all = rows[static_cast<std::size_t>(what)];
      for (std::size_t from = 0; from < all.size(); from += kDetailsAtOnce)
        write_some(sql, what, std::span(all).subspan(from, std::min(kDetailsAtOnce, all.size() - from)));
      all = {};
    }
  }
  static void write_some(soci::session& sql, What what, std::span<Row> some) {
    soci::statement statement(sql);
    for (Row& row : some) {
      statement.exchange(soci::use(row.owner));
      if (what == What::source) statement.exchange(soci::use(row.position));
      statement.exchange(soci::use(row.text));
      if (what == What::parameter) statement.exchange(soci::use(row.value));
    }
    const auto into = [&](const std::string& table, const std::vector<std::string>& columns) {
      return "INSERT INTO " + table + " (" + join(columns, ", ") + ") VALUES " +
             placeholders(columns, some.size()) + " ON CONFLICT DO NOTHING";
    };
    make_ready(statement, what == What::parameter ? into("parameters", {"owner", "name", "value"})
                          : what == What::source  ? into("model_sources", {"model", "position", "recording"})
                                                  : into("tags", {"owner", "tag"}));
    statement.execute(true);
  }
};

RowWriter::RowWriter(soci::session& sql, Stamp stamp, std::size_t at_once)
    : sql_(sql), stamp_(stamp), at_once_(at_once), details_(std::make_unique<Details>()) {}
RowWriter::~RowWriter() = default;

void RowWriter::compare_parameters(const Entry& entry) {
  details_->write(sql_);  // the entry may be one of the rows just written
  std::map<std::string, double> kept;
  std::string name;
  double value = 0;
  soci::statement statement = (sql_.prepare << "SELECT name, value FROM parameters WHERE owner = :owner",
                               soci::into(name), soci::into(value), soci::use(entry.digest));
  statement.execute(false);
  while (statement.fetch()) kept[name] = value;
  if (kept == entry.parameters) return;
  differing_.push_back({entry.kind, entry.digest, std::move(kept), entry.parameters});
  if (stamp_ == Stamp::kept) return;
  sql_ << "DELETE FROM parameters WHERE owner = :owner", soci::use(entry.digest);
  for (const auto& [each, number] : entry.parameters)
    details_->add(Details::What::parameter, {entry.digest, each, number});
}

void RowWriter::renew(const Entry& entry) {
  const Table& table = table_of(entry.kind);
  const std::string update = std::string("UPDATE ") + table.name + " SET ";
  if (table.has_path && !entry.path.empty())
    sql_ << update + "path = :path WHERE digest = :digest" + (stamp_ == Stamp::kept ? " AND path = ''" : ""),
        soci::use(entry.path), soci::use(entry.digest);
  if (stamp_ == Stamp::kept)
    sql_
        << update +
               "stored_at = :stored, tool_version = :version WHERE digest = :digest AND stored_at > :stored2",
        soci::use(entry.stored_at), soci::use(entry.tool_version), soci::use(entry.digest),
        soci::use(entry.stored_at);
}

std::size_t RowWriter::write_some(std::span<const Entry> entries) {
  const Kind kind = entries.front().kind;
  std::unique_ptr<Insert> rest;
  if (entries.size() < at_once_)
    rest = std::make_unique<Insert>(sql_, kind, entries.size());
  else if (!inserts_[kind])
    inserts_[kind] = std::make_unique<Insert>(sql_, kind, at_once_);
  std::set<std::string> fresh = (rest ? rest : inserts_[kind])->execute(entries);
  const std::size_t count = fresh.size();
  for (const Entry& entry : entries) {
    const bool is_fresh = fresh.erase(entry.digest) == 1;  // of equal entries the first one is new
    details_->gather(entry, is_fresh);
    if (is_fresh) continue;
    renew(entry);
    if (table_of(kind).has("processes")) compare_parameters(entry);
  }
  return count;
}

std::size_t RowWriter::write(std::span<const Entry> entries) {
  std::size_t fresh = 0;
  while (!entries.empty()) {
    std::size_t same = 1;
    while (same < std::min(at_once_, entries.size()) && entries[same].kind == entries.front().kind) ++same;
    fresh += write_some(entries.first(same));
    entries = entries.subspan(same);
  }
  details_->write(sql_);
  return fresh;
}

std::vector<Entry> read_rows(soci::session& sql, Kind kind, const Condition& condition, Content content) {
  const std::vector<Column> columns = columns_of(kind, content);
  std::vector<Entry> out;
  {
    Slot slot(columns.size());
    slot.entry.kind = kind;
    soci::statement statement(sql);
    slot.each(columns, [&](auto& place) { statement.exchange(soci::into(place)); });
    bind_values(statement, condition);
    make_ready(statement,
               "SELECT " + names_of(columns, "") + selected(kind, condition) + " ORDER BY stored_at, digest");
    statement.execute(false);
    while (statement.fetch()) {
      slot.take_integers(columns);
      out.push_back(slot.entry);
    }
  }
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < out.size(); ++i) places.emplace(out[i].digest, i);
  const std::string owners = " IN (SELECT digest" + selected(kind, condition) + ")";
  std::string owner, text;
  double value = 0;
  if (table_of(kind).has("processes"))
    read_details(
        sql, "SELECT owner, name, value FROM parameters WHERE owner" + owners, condition, owner, places,
        [&](soci::statement& statement) {
          statement.exchange(soci::into(text)), statement.exchange(soci::into(value));
        },
        [&](std::size_t at) { out[at].parameters[text] = value; });
  const auto bind_text = [&](soci::statement& statement) { statement.exchange(soci::into(text)); };
  if (kind == Kind::model)
    read_details(
        sql, "SELECT model, recording FROM model_sources WHERE model" + owners + " ORDER BY model, position",
        condition, owner, places, bind_text, [&](std::size_t at) { out[at].sources.push_back(text); });
  read_details(sql, "SELECT owner, tag FROM tags WHERE owner" + owners + " ORDER BY owner, tag", condition,
               owner, places, bind_text, [&](std::size_t at) { out[at].tags.push_back(text); });
  return out;
}

std::int64_t count_rows(soci::session& sql, Kind kind, const Condition& condition) {
  long long count = 0;
  soci::statement statement(sql);
  statement.exchange(soci::into(count));
  bind_values(statement, condition);
  make_ready(statement, "SELECT count(*)" + selected(kind, condition));
  statement.execute(true);
  return count;
}

void remove_row(soci::session& sql, const Entry& entry) {
  for (const char* rest : {"parameters WHERE owner", "tags WHERE owner", "model_sources WHERE model"})
    sql << std::string("DELETE FROM ") + rest + " = :digest", soci::use(entry.digest);
  sql << std::string("DELETE FROM ") + table_of(entry.kind).name + " WHERE digest = :digest",
      soci::use(entry.digest);
}

}  // namespace parcast::store
