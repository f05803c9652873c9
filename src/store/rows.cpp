// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

namespace parcast::store {

const Table& table_of(Kind kind) {
  const Column digest{"digest", &Entry::digest}, stored{"stored_at", &Entry::stored_at}, version{"tool_version", &Entry::tool_version};
  const Column path{"path", &Entry::path}, source{"source", &Entry::path};
  const Column program{"program", &Entry::program}, machine{"machine", &Entry::machine};
  const Column processes{"processes", &Entry::processes}, nodes{"nodes", &Entry::nodes};
  const Column per_node{"ranks_per_node", &Entry::ranks_per_node}, threads{"threads", &Entry::threads};
  const Column seconds{"seconds", &Entry::seconds}, content{"content", &Entry::content};
  const Column started{"started", &Entry::began}, measured{"measured_at", &Entry::began}, began{"began_at", &Entry::began_at};
  static const std::array<Table, kKinds.size()> tables{{
      {"recordings", {digest, stored, version, path, program, machine, processes, seconds, started, began}, true},
      {"models", {digest, stored, version, path, program, content}, true},
      {"machines", {digest, stored, version, path, machine, content}, true},
      {"predictions",
       {digest, stored, version, program, machine, {"engine", &Entry::engine}, {"model_digest", &Entry::model_digest},
        {"machine_digest", &Entry::machine_digest}, processes, nodes, per_node, threads, seconds, {"low", &Entry::low},
        {"high", &Entry::high}, {"level", &Entry::level}, content},
       false},
      {"measurements", {digest, stored, version, source, program, machine, processes, nodes, per_node, threads, seconds, measured, began}, false},
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
  if (content == Content::without) std::erase_if(out, [](const Column& column) { return std::string_view(column.name) == "content"; });
  return out;
}

std::string names_of(const std::vector<Column>& columns, const std::string& before) {
  std::string out;
  for (const Column& column : columns) out += (out.empty() ? "" : ", ") + before + column.name;
  return out;
}

/// One row in the members that a statement was bound to.
struct Slot {
  Entry entry;
  std::vector<long long> integers;

  explicit Slot(std::size_t columns) : integers(columns) {}
  /// Binds each column's place: calls `bind` with a reference to text, double or long long.
  template <class Bind>
  void each(const std::vector<Column>& columns, Bind bind) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::visit(
          [&](auto member) {
            if constexpr (std::is_same_v<decltype(member), std::int64_t Entry::*>) bind(integers[i]);
            else bind(entry.*member);
          },
          columns[i].member);
  }
  void take_integers(const std::vector<Column>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto* member = std::get_if<std::int64_t Entry::*>(&columns[i].member)) entry.*(*member) = integers[i];
  }
  void give_integers(const std::vector<Column>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto* member = std::get_if<std::int64_t Entry::*>(&columns[i].member)) integers[i] = entry.*(*member);
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

/// Reads what hangs on the rows of a condition: `take` gets the owner's place among them after each fetch.
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

struct RowWriter::Statement {
  std::vector<Column> columns;
  Slot slot;
  soci::statement statement;

  Statement(soci::session& sql, Kind kind) : columns(columns_of(kind, Content::with)), slot(columns.size()), statement(sql) {
    slot.each(columns, [&](auto& place) { statement.exchange(soci::use(place)); });
    make_ready(statement, std::string("INSERT INTO ") + table_of(kind).name + " (" + names_of(columns, "") + ") VALUES (" +
                              names_of(columns, ":") + ") ON CONFLICT (digest) DO NOTHING");
  }
  /// Whether it was not there.
  bool execute(const Entry& entry) {
    slot.entry = entry;
    slot.give_integers(columns);
    statement.execute(true);
    return statement.get_affected_rows() == 1;
  }
};

/// The statements for parameters, sources and tags.
struct RowWriter::Details {
  std::string owner, text;
  double value = 0;
  long long position = 0;
  soci::statement parameter, source, tag;

  explicit Details(soci::session& sql) : parameter(sql), source(sql), tag(sql) {
    const auto prepared = [&](soci::statement& statement, const std::string& rest) {
      make_ready(statement, "INSERT INTO " + rest + " ON CONFLICT DO NOTHING");
    };
    parameter.exchange(soci::use(owner));
    parameter.exchange(soci::use(text));
    parameter.exchange(soci::use(value));
    prepared(parameter, "parameters (owner, name, value) VALUES (:owner, :name, :value)");
    source.exchange(soci::use(owner));
    source.exchange(soci::use(position));
    source.exchange(soci::use(text));
    prepared(source, "model_sources (model, position, recording) VALUES (:model, :position, :recording)");
    tag.exchange(soci::use(owner));
    tag.exchange(soci::use(text));
    prepared(tag, "tags (owner, tag) VALUES (:owner, :tag)");
  }
};

RowWriter::RowWriter(soci::session& sql, Stamp stamp) : sql_(sql), stamp_(stamp), details_(std::make_unique<Details>(sql)) {}
RowWriter::~RowWriter() = default;

RowWriter::Statement& RowWriter::statement_for(Kind kind) {
  auto& statement = statements_[kind];
  if (!statement) statement = std::make_unique<Statement>(sql_, kind);
  return *statement;
}

void RowWriter::renew(const Entry& entry) {
  const Table& table = table_of(entry.kind);
  const std::string update = std::string("UPDATE ") + table.name + " SET ";
  if (table.has_path && !entry.path.empty())
    sql_ << update + "path = :path WHERE digest = :digest" + (stamp_ == Stamp::kept ? " AND path = ''" : ""), soci::use(entry.path),
        soci::use(entry.digest);
  if (stamp_ == Stamp::kept)
    sql_ << update + "stored_at = :stored, tool_version = :version WHERE digest = :digest AND stored_at > :stored2",
        soci::use(entry.stored_at), soci::use(entry.tool_version), soci::use(entry.digest), soci::use(entry.stored_at);
}

bool RowWriter::write(const Entry& entry) {
  const bool fresh = statement_for(entry.kind).execute(entry);
  details_->owner = entry.digest;
  for (const std::string& tag : entry.tags) {
    details_->text = tag;
    details_->tag.execute(true);
  }
  if (!fresh) return renew(entry), false;
  for (const auto& [name, value] : entry.parameters) {
    details_->text = name;
    details_->value = value;
    details_->parameter.execute(true);
  }
  for (std::size_t i = 0; i < entry.sources.size(); ++i) {
    details_->position = static_cast<long long>(i);
    details_->text = entry.sources[i];
    details_->source.execute(true);
  }
  return true;
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
    make_ready(statement, "SELECT " + names_of(columns, "") + selected(kind, condition) + " ORDER BY stored_at, digest");
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
        [&](soci::statement& statement) { statement.exchange(soci::into(text)), statement.exchange(soci::into(value)); },
        [&](std::size_t at) { out[at].parameters[text] = value; });
  const auto bind_text = [&](soci::statement& statement) { statement.exchange(soci::into(text)); };
  if (kind == Kind::model)
    read_details(sql, "SELECT model, recording FROM model_sources WHERE model" + owners + " ORDER BY model, position", condition, owner, places,
                 bind_text, [&](std::size_t at) { out[at].sources.push_back(text); });
  read_details(sql, "SELECT owner, tag FROM tags WHERE owner" + owners + " ORDER BY owner, tag", condition, owner, places, bind_text,
               [&](std::size_t at) { out[at].tags.push_back(text); });
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
  sql << std::string("DELETE FROM ") + table_of(entry.kind).name + " WHERE digest = :digest", soci::use(entry.digest);
}

}  // namespace parcast::store
