// SPDX-License-Identifier: Apache-2.0
#include "regress/runs_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "base/csv.h"
#include "base/number_range.h"
#include "base/shell.h"
#include "base/text.h"
#include "symbolic/expression.h"

namespace parcast::regress {
namespace {

constexpr std::string_view kCountColumn = "chi_", kFootprintColumn = "footprint_",
                           kTrafficColumn = "traffic_";
constexpr std::array<std::string_view, 4> kPrograms{"program", "application", "app", "code"};
constexpr std::array<std::string_view, 5> kPlaces{"p", "processes", "threads", "nodes", "ranks_per_node"};
constexpr std::array<std::string_view, 3> kRepetitions{"repetition", "repeat", "run"};
// Further columns that chi_to_csv writes, and columns of other tables that describe their rows.
constexpr std::array<std::string_view, 6> kPassedOver{"predicted", "residual", "measured_at",
                                                      "started",   "tags",     "note"};

struct TimeColumn {
  std::string_view name;
  double seconds;  // per unit
};
constexpr std::array<TimeColumn, 8> kTimes{TimeColumn{"seconds", 1}, {"time", 1},      {"time_s", 1},
                                           {"seconds_measured", 1},  {"runtime", 1},   {"time_ms", 1e-3},
                                           {"time_us", 1e-6},        {"time_ns", 1e-9}};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string quoted_list(const std::vector<std::string>& names) {
  return names.empty() ? "none" : join(names, ", ");
}

Result<Csv> table(std::string_view text, const std::string& where) {
  Csv out;
  out.where = where;
  PARCAST_ASSIGN(CsvReader reader, CsvReader::open(text, where, csv_separator(text)));
  out.columns = reader.columns();
  CsvRow row;
  for (;;) {
    PARCAST_ASSIGN(const bool more, reader.next(row));
    if (!more) break;
    out.rows.push_back(row);
  }
  return out;
}

struct ArrayColumns {
  std::string name;
  std::size_t footprint = 0, traffic = 0;
};

bool tells_array(std::string_view column) {
  return column.starts_with(kFootprintColumn) || column.starts_with(kTrafficColumn);
}

/// Returns the columns footprint_NAME and traffic_NAME, in order of appearance; `others` are columns with
/// another meaning. Fails if a column has no counterpart.
Result<std::vector<ArrayColumns>> array_columns(const Csv& csv, const std::vector<std::string>& others) {
  const auto index = [&](const std::string& column) {
    return std::ranges::find(csv.columns, column) - csv.columns.begin();
  };
  std::vector<ArrayColumns> out;
  for (const std::string& column : csv.columns) {
    if (!tells_array(column) || holds(others, column)) continue;
    const bool held = column.starts_with(kFootprintColumn);
    const std::string name = column.substr((held ? kFootprintColumn : kTrafficColumn).size()),
                      counterpart = std::string(held ? kTrafficColumn : kFootprintColumn) + name;
    if (!holds(csv.columns, counterpart) || holds(others, counterpart))
      return Error{"there is a column " + column + ", but none " + counterpart, csv.where + ":1",
                   "an array has both: footprint_NAME, bytes of it that a process holds, and traffic_NAME, "
                   "bytes of it that are moved; or name the column with --counts or --parameters"};
    if (held)
      out.push_back(
          {name, static_cast<std::size_t>(index(column)), static_cast<std::size_t>(index(counterpart))});
  }
  return out;
}

Result<void> check_array(const std::string& name, const Array& array, const std::string& where) {
  for (const auto& [prefix, bytes] :
       {std::pair(kFootprintColumn, array.footprint), {kTrafficColumn, array.traffic}})
    if (!(bytes >= 0) || !std::isfinite(bytes))
      return Error{
          std::string(prefix) + name + " is " + format_significant(bytes, 6) + ", but bytes are 0 or more",
          where, "correct it"};
  if (array.footprint == 0 && array.traffic > 0)
    return Error{format_bytes(array.traffic) + " of " + name + " are moved, but a process holds none of it",
                 where, "give the bytes of the array that one process holds"};
  return {};
}

/// The meaning of each column of a table of runs.
struct Roles {
  std::optional<std::size_t> program, seconds, repetition;
  double unit = 1;
  std::vector<std::size_t> counts, parameters;
  std::vector<ArrayColumns> arrays;
};

std::map<std::string, symbolic::SymbolKind, std::less<>> kinds_of(const Run& run) {
  std::map<std::string, symbolic::SymbolKind, std::less<>> out;
  for (const auto& [name, value] : run.parameters)
    out[name] = name == "p" ? symbolic::SymbolKind::processes : symbolic::SymbolKind::parameter;
  return out;
}

/// Returns the value of a formula at the parameters of a run.
Result<double> value_of(const std::string& text, const std::string& where, const Run& run) {
  symbolic::Binding at;
  for (const auto& [name, value] : run.parameters) at[name] = value;
  const auto expression = symbolic::parse(text.empty() ? "0" : text, kinds_of(run));
  if (!expression)
    return Error{expression.error().what,
                 where + (expression.error().where.empty() ? "" : ", " + expression.error().where),
                 expression.error().hint};
  const auto value = symbolic::evaluate(*expression, at);
  if (!value)
    return Error{"for " + name_of(run) + " (" + run.place + "): " + value.error().what, where,
                 value.error().hint};
  if (*value < 0 || !is_in_range(*value))
    return Error{
        text + " is " + format_significant(*value, 6) + " for " + name_of(run) + " (" + run.place + ")",
        where, "counts and bytes are 0, or from 1e-30 to 1e30"};
  return *value;
}

/// Computes counts and arrays of a run by the formulas of its program.
Result<void> count_by(const Formulas& formulas, Run& run) {
  const Formulas::Row* row = nullptr;
  std::vector<std::string> names;
  for (const Formulas::Row& each : formulas.rows) {
    if (each.program == run.program || (each.program == "*" && row == nullptr)) row = &each;
    names.push_back(each.program);
  }
  if (row == nullptr) {
    const std::string near = did_you_mean(run.program, names);
    return Error{"there are no formulas for " + run.program, run.place,
                 near.empty() ? "formulas are given for " + join(names, ", ") : near};
  }
  for (std::size_t j = 0; j < formulas.counts.size(); ++j) {
    PARCAST_ASSIGN(const double count, value_of(row->texts[j], row->place + ", " + formulas.counts[j], run));
    run.counts.push_back(count);
  }
  for (std::size_t k = 0; k < formulas.arrays.size(); ++k) {
    const std::string& name = formulas.arrays[k];
    Array array;
    PARCAST_ASSIGN(array.footprint, value_of(row->footprints[k],
                                             row->place + ", " + std::string(kFootprintColumn) + name, run));
    PARCAST_ASSIGN(array.traffic,
                   value_of(row->traffic[k], row->place + ", " + std::string(kTrafficColumn) + name, run));
    PARCAST_TRY(check_array(name, array, row->place + ", for " + name_of(run)));
    run.arrays.push_back(std::move(array));
  }
  return {};
}

/// The rows read so far: equal rows count once, with a note.
class Seen {
 public:
  bool is_new(const Run& run, std::vector<std::string>& notes) {
    std::string all = run.program + "\n" + run.repetition + "\n" + format_exact(run.seconds);
    for (const auto& [name, value] : run.parameters) all += "\n" + name + "=" + format_exact(value);
    for (const double count : run.counts) all += "\n" + format_exact(count);
    for (const Array& array : run.arrays)
      all += "\n" + format_exact(array.footprint) + " " + format_exact(array.traffic);
    const auto [first, fresh] = places_.try_emplace(std::move(all), run.place);
    if (!fresh)
      notes.push_back(
          run.place + " repeats " + first->second +
          " in everything, and counts once; if they are two runs, number them in a column repetition");
    return fresh;
  }

 private:
  std::map<std::string, std::string> places_;
};

class RunTable {
 public:
  RunTable(const Csv& csv, const TableOptions& options) : csv_(csv), options_(options) {
    out_.where = csv.where;
  }

  Result<Runs> read() {
    PARCAST_TRY(find_named());
    PARCAST_TRY(find_rest());
    for (const std::size_t c : roles_.parameters) out_.parameters.push_back(csv_.columns[c]);
    PARCAST_TRY(name_arrays());
    out_.counts = options_.formulas != nullptr ? options_.formulas->counts : names_of_counts();
    for (const CsvRow& row : csv_.rows) PARCAST_TRY(read_row(row));
    if (out_.runs.empty())
      return Error{"the table has no rows", csv_.where,
                   "a row is a run: program, seconds, and how often each thing was done"};
    say_how();
    return std::move(out_);
  }

 private:
  Result<void> find_named() {
    for (std::size_t c = 0; c < csv_.columns.size(); ++c) {
      const std::string& name = csv_.columns[c];
      if (is_one_of(name, kPrograms) && !roles_.program) roles_.program = c;
      if (is_one_of(name, kRepetitions)) roles_.repetition = c;
      for (const TimeColumn& time : kTimes) {
        if (time.name != name || holds(options_.counts, name) || holds(options_.parameters, name)) continue;
        if (roles_.seconds)
          return Error{csv_.columns[*roles_.seconds] + " and " + name + " are both the time of a run",
                       csv_.where + ":1",
                       "leave one of them out, or name it a parameter: --parameters " + shell_quoted(name)};
        roles_.seconds = c, roles_.unit = time.seconds;
      }
    }
    if (!roles_.seconds && !options_.asked) return missing("seconds", "the time of each run");
    if (!roles_.program && !options_.asked)
      out_.notes.push_back(csv_.where + " has no column program: all rows are taken as runs of one");
    for (const auto* named : {&options_.counts, &options_.parameters})
      for (const std::string& name : *named)
        if (!holds(csv_.columns, name) && !holds(csv_.columns, std::string(kCountColumn) + name)) {
          const std::string near = did_you_mean(name, csv_.columns);
          return Error{"there is no column " + name, csv_.where + ":1",
                       near.empty() ? "the table has " + join(csv_.columns, ", ") : near};
        }
    return {};
  }

  Error missing(const std::string& name, const std::string& what) const {
    const std::string near = did_you_mean(name, csv_.columns);
    return {"there is no column " + name + ", " + what, csv_.where + ":1",
            near.empty() ? "the table has " + join(csv_.columns, ", ") : near};
  }

  bool is_numeric(std::size_t column) const {
    const auto number = [&](const CsvRow& row) { return parse_double(row.fields[column]).has_value(); };
    return std::ranges::any_of(csv_.rows, number) && std::ranges::all_of(csv_.rows, [&](const CsvRow& row) {
             return row.fields[column].empty() || number(row);
           });
  }

  /// Arrays by formulas come first, then those by columns.
  Result<void> name_arrays() {
    if (options_.formulas != nullptr) out_.arrays = options_.formulas->arrays;
    for (const ArrayColumns& array : roles_.arrays) {
      if (holds(out_.arrays, array.name))
        return Error{"the array " + array.name + " has formulas and columns", csv_.where + ":1",
                     "leave one of them out"};
      out_.arrays.push_back(array.name);
    }
    return {};
  }

  /// Assigns the other columns. They are counts; if counts are marked or named, or follow from formulas, they
  /// are parameters.
  Result<void> find_rest() {
    std::vector<std::string> named = options_.counts;
    named.insert(named.end(), options_.parameters.begin(), options_.parameters.end());
    PARCAST_ASSIGN(roles_.arrays, array_columns(csv_, named));
    const bool marked = std::ranges::any_of(
        csv_.columns, [](const std::string& name) { return name.starts_with(kCountColumn); });
    const bool given = marked || !options_.counts.empty() || options_.formulas != nullptr || options_.asked;
    std::vector<std::string> passed;
    for (std::size_t c = 0; c < csv_.columns.size(); ++c) {
      const std::string& name = csv_.columns[c];
      if (c == roles_.program || c == roles_.seconds || c == roles_.repetition ||
          (tells_array(name) && !holds(named, name)))
        continue;
      const bool count =
          options_.formulas == nullptr && (name.starts_with(kCountColumn) || holds(options_.counts, name));
      const bool parameter = holds(options_.parameters, name) || is_one_of(name, kPlaces);
      if (count) {
        roles_.counts.push_back(c);
      } else if (is_one_of(name, kPassedOver) && !parameter) {
        passed.push_back(name);
      } else if (parameter || (given && is_numeric(c))) {
        roles_.parameters.push_back(c);
      } else if (given) {
        passed.push_back(name);
      } else {
        roles_.counts.push_back(c);  // a cell that is no number is then reported with its line
      }
    }
    if (roles_.counts.empty() && roles_.arrays.empty() && options_.formulas == nullptr)
      return Error{
          "there is no column of counts", csv_.where + ":1",
          "a column per count (operations, messages, bytes, ...), or their formulas: --formulas FILE"};
    if (!passed.empty()) out_.notes.push_back(csv_.where + ": passed over " + join(passed, ", "));
    return {};
  }

  std::vector<std::string> names_of_counts() const {
    std::vector<std::string> out;
    for (const std::size_t c : roles_.counts) {
      const std::string& name = csv_.columns[c];
      out.push_back(name.starts_with(kCountColumn) ? name.substr(kCountColumn.size()) : name);
    }
    return out;
  }

  Result<double> number(const CsvRow& row, std::size_t column) const {
    const std::string& text = row.fields[column];
    const auto value = parse_in_range(text);
    if (value) return *value;
    if (const auto fault = fault_of(text); fault != kNoNumber)
      return Error{csv_.columns[column] + " is " + text + ", " + std::string(fault), csv_.place(row),
                   kRangeHint};
    return Error{text.empty() ? csv_.columns[column] + " is empty"
                              : csv_.columns[column] + " is \"" + text + "\", which is not a number",
                 csv_.place(row),
                 std::ranges::find(roles_.counts, column) != roles_.counts.end()
                     ? "is it no count? name those that are: --counts operations,messages"
                     : "write numbers without a unit"};
  }

  Result<void> read_row(const CsvRow& row) {
    Run run;
    run.place = csv_.place(row);
    run.program = roles_.program ? row.fields[*roles_.program] : options_.asked ? "" : "the program";
    if (run.program.empty() && !options_.asked)
      return Error{"the row names no program", run.place, "each run is of a program"};
    run.seconds = kAsked;
    if (roles_.seconds && !(options_.asked && row.fields[*roles_.seconds].empty())) {
      PARCAST_ASSIGN(const double value, number(row, *roles_.seconds));
      if (!(value > 0))
        return Error{
            csv_.columns[*roles_.seconds] + " is " + row.fields[*roles_.seconds] + ", but a run takes time",
            run.place, "leave the row out, or measure it again"};
      run.seconds = value * roles_.unit;
    }
    for (const std::size_t c : roles_.parameters) {
      if (row.fields[c].empty()) {  // a program without it, as in joined tables
        without_[csv_.columns[c]].push_back(run.place);
        continue;
      }
      PARCAST_ASSIGN(const double value, number(row, c));
      if (is_one_of(csv_.columns[c], kPlaces) && (value < 1 || value != std::floor(value)))
        return Error{
            csv_.columns[c] + " is " + row.fields[c] + ", but a run is made by a whole number of at least 1",
            run.place, "correct the row, or leave it out"};
      run.parameters[csv_.columns[c]] = value;
    }
    if (options_.formulas != nullptr) {
      PARCAST_TRY(count_by(*options_.formulas, run));
    } else {
      for (const std::size_t c : roles_.counts) {
        PARCAST_ASSIGN(const double value, number(row, c));
        if (value < 0)
          return Error{csv_.columns[c] + " is " + row.fields[c] + ", but nothing is done less than never",
                       run.place, "counts are 0 or more"};
        run.counts.push_back(value);
      }
    }
    for (const ArrayColumns& columns : roles_.arrays) {
      Array array;
      PARCAST_ASSIGN(array.footprint, number(row, columns.footprint));
      PARCAST_ASSIGN(array.traffic, number(row, columns.traffic));
      PARCAST_TRY(check_array(columns.name, array, run.place));
      run.arrays.push_back(std::move(array));
    }
    if (roles_.repetition) run.repetition = row.fields[*roles_.repetition];
    if (options_.asked || seen_.is_new(run, out_.notes)) out_.runs.push_back(std::move(run));
    return {};
  }

  void say_how() {
    for (const auto& [name, places] : without_)
      out_.notes.push_back(
          places.front() +
          (places.size() > 1 ? " and " + std::to_string(places.size() - 1) + " more have no " : " has no ") +
          name + ": taken as runs without that parameter");
    if (options_.formulas != nullptr || options_.asked) return;
    out_.notes.push_back(csv_.where + ": counts are " + quoted_list(out_.counts) + "; parameters " +
                         quoted_list(out_.parameters) +
                         (out_.arrays.empty() ? "" : "; arrays " + join(out_.arrays, ", ")));
  }

  const Csv& csv_;
  const TableOptions& options_;
  Roles roles_;
  Runs out_;
  Seen seen_;
  std::map<std::string, std::vector<std::string>> without_;  // parameter -> places of runs that lack it
};

}  // namespace

Result<Formulas> formulas_from_csv(std::string_view text, const std::string& where) {
  PARCAST_ASSIGN(const Csv csv, table(text, where));
  Formulas out;
  std::optional<std::size_t> program;
  for (std::size_t c = 0; c < csv.columns.size(); ++c)
    if (is_one_of(csv.columns[c], kPrograms) && !program) program = c;
  if (!program)
    return Error{"there is no column program", where + ":1",
                 "each row gives the counts of one program; * matches all others"};
  PARCAST_ASSIGN(const std::vector<ArrayColumns> arrays, array_columns(csv, {}));
  for (const ArrayColumns& array : arrays) out.arrays.push_back(array.name);
  for (std::size_t c = 0; c < csv.columns.size(); ++c)
    if (c != program && !tells_array(csv.columns[c])) out.counts.push_back(csv.columns[c]);
  if (out.counts.empty() && arrays.empty())
    return Error{"there is no column of counts", where + ":1",
                 "a column per count, its formula in each program's row"};
  for (const CsvRow& row : csv.rows) {
    Formulas::Row formulas{row.fields[*program], csv.place(row), {}, {}, {}};
    for (const Formulas::Row& other : out.rows)
      if (other.program == formulas.program)
        return Error{formulas.program + " has formulas twice", formulas.place,
                     "the others are in " + other.place};
    for (std::size_t c = 0; c < csv.columns.size(); ++c)
      if (c != program && !tells_array(csv.columns[c])) formulas.texts.push_back(row.fields[c]);
    for (const ArrayColumns& array : arrays)
      formulas.footprints.push_back(row.fields[array.footprint]),
          formulas.traffic.push_back(row.fields[array.traffic]);
    out.rows.push_back(std::move(formulas));
  }
  return out;
}

Result<Runs> runs_from_csv(std::string_view text, const std::string& where, const TableOptions& options) {
  PARCAST_ASSIGN(const Csv csv, table(text, where));
  return RunTable(csv, options).read();
}

namespace {

/// Returns the index of each of `ours` in `theirs`, which must contain the same; `kind` describes them:
/// "count".
Result<std::vector<std::size_t>> order_of(const std::vector<std::string>& ours, const std::string& our_place,
                                          const std::vector<std::string>& theirs,
                                          const std::string& their_place, const std::string& kind) {
  std::vector<std::size_t> out;
  for (const std::string& name : ours) {
    const auto at = std::ranges::find(theirs, name);
    if (at == theirs.end())
      return Error{their_place + " has no " + kind + " " + name + ", which " + our_place + " has",
                   their_place + ":1", "it has " + quoted_list(theirs)};
    out.push_back(static_cast<std::size_t>(at - theirs.begin()));
  }
  for (const std::string& name : theirs)
    if (!holds(ours, name))
      return Error{our_place + " has no " + kind + " " + name + ", which " + their_place + " has",
                   our_place + ":1", "it has " + quoted_list(ours)};
  return out;
}

template <typename T>
std::vector<T> in_order(const std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> out;
  for (const std::size_t j : order) out.push_back(values[j]);
  return out;
}

}  // namespace

Result<Runs> joined(std::vector<Runs> tables, Repeated repeated) {
  Runs out = std::move(tables.front());
  Seen seen;
  for (const Run& run : out.runs) seen.is_new(run, out.notes);
  for (std::size_t t = 1; t < tables.size(); ++t) {
    Runs& more = tables[t];
    PARCAST_ASSIGN(const std::vector<std::size_t> counts,
                   order_of(out.counts, out.where, more.counts, more.where, "count"));
    PARCAST_ASSIGN(const std::vector<std::size_t> arrays,
                   order_of(out.arrays, out.where, more.arrays, more.where, "array"));
    for (Run& run : more.runs) {
      run.counts = in_order(run.counts, counts);
      run.arrays = in_order(run.arrays, arrays);
      if (repeated == Repeated::kept || seen.is_new(run, out.notes)) out.runs.push_back(std::move(run));
    }
    for (const std::string& name : more.parameters)
      if (!holds(out.parameters, name)) out.parameters.push_back(name);
    out.notes.insert(out.notes.end(), more.notes.begin(), more.notes.end());
    out.where += ", " + more.where;
  }
  return out;
}

Result<Run> run_from_words(std::string_view words, const Runs& known, const Formulas* formulas) {
  Run run;
  run.place = "--predict";
  run.seconds = kAsked;
  std::map<std::string, double> counts, arrays;
  const std::vector<std::string> none;
  const std::vector<std::string>& by_formulas = formulas != nullptr ? formulas->arrays : none;
  const auto is_array = [&](const std::string& name) {
    if (!tells_array(name)) return false;
    const std::string array =
        name.substr((name.starts_with(kFootprintColumn) ? kFootprintColumn : kTrafficColumn).size());
    return holds(known.arrays, array) && !holds(by_formulas, array);
  };
  for (const std::string& word : split(words, ',')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return Error{"\"" + word + "\" is not NAME=VALUE", "--predict",
                   "write program=gauss,operations=2e9,messages=1500, or name a table"};
    const std::string name(trim(std::string_view(word).substr(0, equals))),
        text(trim(std::string_view(word).substr(equals + 1)));
    if (is_one_of(name, kPrograms)) {
      run.program = text;
      continue;
    }
    const auto value = parse_in_range(text);
    if (!value)
      return Error{name + " is \"" + text + "\", which is " + std::string(fault_of(text)), "--predict",
                   "write numbers without a unit"};
    if (formulas == nullptr && holds(known.counts, name)) {
      if (*value < 0)
        return Error{name + " is " + text + ", but nothing is done less than never", "--predict",
                     "counts are 0 or more"};
      counts[name] = *value;
    } else if (is_array(name)) {
      arrays[name] = *value;
    } else if (formulas != nullptr || holds(known.parameters, name)) {
      run.parameters[name] = *value;
    } else {
      std::vector<std::string> all = known.counts;
      all.insert(all.end(), known.parameters.begin(), known.parameters.end());
      const std::string near = did_you_mean(name, all);
      return Error{"there is no count " + name, "--predict",
                   near.empty() ? "counts are " + join(known.counts, ", ") : near};
    }
  }
  if (formulas != nullptr) {
    PARCAST_TRY(count_by(*formulas, run));
  } else {
    for (const std::string& name : known.counts) {
      if (!counts.contains(name))
        return Error{name + " has no value", "--predict",
                     "give its number: " + name + "=0 where it does not happen"};
      run.counts.push_back(counts[name]);
    }
  }
  for (const std::string& name : known.arrays) {
    if (holds(by_formulas, name)) continue;
    for (const std::string_view prefix : {kFootprintColumn, kTrafficColumn})
      if (!arrays.contains(std::string(prefix) + name))
        return Error{std::string(prefix) + name + " has no value", "--predict",
                     "give its bytes: " + std::string(prefix) + name + "=0 where the run has no such array"};
    Array array{arrays[std::string(kFootprintColumn) + name], arrays[std::string(kTrafficColumn) + name], {}};
    PARCAST_TRY(check_array(name, array, "--predict"));
    run.arrays.push_back(std::move(array));
  }
  return run;
}

std::string chi_to_csv(const Runs& runs, const std::vector<double>& predicted) {
  const bool repeated =
      std::ranges::any_of(runs.runs, [](const Run& run) { return !run.repetition.empty(); });
  std::string out = repeated ? "program,repetition" : "program";
  for (const std::string& name : runs.parameters) out += "," + csv_field(name);
  out += ",seconds";
  for (const std::string& name : runs.counts) out += "," + csv_field(std::string(kCountColumn) + name);
  out += predicted.empty() ? "\n" : ",predicted\n";
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const Run& run = runs.runs[i];
    out += csv_field(run.program);
    if (repeated) out += "," + csv_field(run.repetition);
    for (const std::string& name : runs.parameters)
      out += "," + (run.parameters.contains(name) ? format_exact(run.parameters.at(name)) : "");
    out += "," + format_exact(run.seconds);
    for (const double count : run.counts) out += "," + format_exact(count);
    out += predicted.empty() ? "\n" : "," + format_exact(predicted[i]) + "\n";
  }
  return out;
}

}  // namespace parcast::regress
