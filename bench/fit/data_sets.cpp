// SPDX-License-Identifier: Apache-2.0
#include "data_sets.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"

namespace parcast::bench {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    const std::vector<std::string> cells = split(std::string(trim(line)), ',');
    if (names.empty()) {
      names = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
    // Turns "x=1;y=2" into separate columns.
    for (const std::string& pair : split(row["parameters"], ';'))
      if (const auto equals = pair.find('='); equals != std::string::npos)
        row[pair.substr(0, equals)] = pair.substr(equals + 1);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The columns of a table that form a kernel.
struct Layout {
  std::string name, file;
  std::vector<std::string> parameters, metrics;
  std::vector<std::string> place;  // columns that form the call path; "=share" is processes per node
  std::function<bool(const Row&)> wanted = [](const Row&) { return true; };
  std::string divisor;  // column by which values are divided
  bool whole_applications = false;
  std::string group;  // the column of DataSet::groups
};

std::string place_of(const Row& row, const std::vector<std::string>& columns) {
  std::string place;
  for (const std::string& column : columns) {
    std::string part;
    if (column == "=share") {
      part = format_significant(*parse_double(row.at("processes")) / *parse_double(row.at("nodes")), 4);
    } else if (const auto at = row.find(column); at != row.end()) {
      part = at->second;
    }
    place += (place.empty() ? "" : " ") + part;
  }
  return place;
}

DataSet read_table(const Layout& layout, const std::string& text) {
  DataSet set{layout.name, {layout.parameters, {}, {}}, layout.metrics, {}, {}};
  std::map<std::pair<std::string, std::string>, std::map<std::vector<double>, std::vector<double>>> kernels;
  std::map<std::string, std::string> application, group;
  for (const Row& row : rows_of(text)) {
    if (!layout.wanted(row)) continue;
    const std::string place = place_of(row, layout.place);
    application[place] = layout.whole_applications ? row.at("application") : "";
    group[place] = row.at(layout.group);
    std::vector<double> point;
    for (const std::string& name : layout.parameters) point.push_back(parse_double(row.at(name)).value_or(0));
    for (const std::string& metric : layout.metrics) {
      const auto value = row.contains(metric) ? parse_double(row.at(metric)) : std::nullopt;
      if (!value) continue;
      const double divisor = layout.divisor.empty() ? 1 : *parse_double(row.at(layout.divisor));
      kernels[{place, metric}][point].push_back(*value / divisor);
    }
  }
  for (const auto& [key, points] : kernels) {
    fit::Kernel kernel{key.first, key.second, "", {}, {}};
    for (const auto& [point, values] : points)
      kernel.points.push_back(point), kernel.values.push_back(values);
    set.measurements.kernels.push_back(std::move(kernel));
    set.applications.push_back(key.second == "seconds" ? application[key.first] : "");
    set.groups.push_back(group[key.first]);
  }
  return set;
}

DataSet read_regions(const std::string& name, const std::string& text, std::vector<std::string> targets) {
  DataSet set{name, {}, std::move(targets), {}, {}};
  const auto json = nlohmann::json::parse(text);
  set.measurements.parameters = json.at("parameters").get<std::vector<std::string>>();
  for (const auto& [place, metrics] : json.at("measurements").items())
    for (const auto& [metric, points] : metrics.items()) {
      fit::Kernel kernel{place, metric, "", {}, {}};
      for (const auto& each : points) {
        kernel.points.push_back(each.at("point").get<std::vector<double>>());
        kernel.values.push_back(each.at("values").get<std::vector<double>>());
      }
      set.measurements.kernels.push_back(std::move(kernel));
      set.applications.push_back("");
      set.groups.push_back(place);
    }
  return set;
}

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all{
      {"cloverleaf",
       "uob_cloverleaf.csv",
       {"processes"},
       {"seconds"},
       {"case", "machine", "compiler"},
       [](const Row&) { return true; },
       "",
       true,
       "machine"},
      {"snap",
       "uob_snap.csv",
       {"processes"},
       {"seconds", "solve", "parameter_setup", "outer_source", "inner_iterations", "transport_sweeps"},
       {"case", "machine", "compiler"},
       [](const Row& row) { return row.at("case") == "weak"; },
       "",
       true,
       "machine"},
      {"opensbli",
       "opensbli_tgv512.csv",
       {"processes"},
       {"seconds"},
       {"machine"},
       [](const Row&) { return true; },
       "iterations",
       true,
       "machine"},
      {"pi_npb",
       "pi_npb.csv",
       {"processes"},
       {"seconds"},
       {"application", "case", "=share"},
       [](const Row&) { return true; },
       "",
       true,
       "application"},
      {"gameoflife",
       "gameoflife.csv",
       {"processes"},
       {"seconds", "comm_seconds", "comp_seconds"},
       {"case", "job"},
       [](const Row& row) { return row.at("case") != "serial"; },
       "",
       true,
       "case"},
      {"imb",
       "imb.csv",
       {"processes", "bytes"},
       {"t_avg_us"},
       {"machine", "mpi", "benchmark"},
       [](const Row& row) { return row.at("benchmark") != "PingPong"; },
       "",
       false,
       "machine"},
      {"hpcc",
       "hpcc.csv",
       {"processes"},
       {"AvgPingPongLatency_usec", "NaturallyOrderedRingLatency_usec", "RandomlyOrderedRingLatency_usec"},
       {"machine", "mpi", "=share"},
       [](const Row& row) { return row.at("kind") == "beff"; },
       "",
       false,
       "machine"},
  };
  return all;
}

}  // namespace

Result<std::vector<DataSet>> read_data_sets(const std::string& folder) {
  std::vector<DataSet> sets;
  const auto path = [&](const std::string& file) { return std::filesystem::path(folder) / file; };
  for (const Layout& layout : layouts()) {
    if (!std::filesystem::exists(path(layout.file))) continue;
    PARCAST_ASSIGN(const std::string text, read_file(path(layout.file)));
    sets.push_back(read_table(layout, text));
  }
  const std::vector<std::tuple<std::string, std::string, std::vector<std::string>>> files{
      {"lulesh mpi", "lulesh_opal.json", {"time_avg", "time_min", "time_max"}},
      {"lulesh omp", "lulesh_omp_size.json", {"time", "time_max"}},
      {"matmul", "matmul_papi.json", {"time", "min_time", "max_time"}},
      {"collectives", "mpi_collectives.json", {"mean", "median", "min", "max"}}};
  for (const auto& [name, file, targets] : files) {
    if (!std::filesystem::exists(path(file))) continue;
    PARCAST_ASSIGN(const std::string text, read_file(path(file)));
    sets.push_back(read_regions(name, text, targets));
  }
  if (sets.empty())
    return Error{"none of the published data sets is here", folder, "name their folder with --data"};
  return sets;
}

}  // namespace parcast::bench
