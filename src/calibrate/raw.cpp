// SPDX-License-Identifier: Apache-2.0
#include "calibrate/raw.h"

#include "base/csv.h"
#include "base/text.h"

namespace parcast::calibrate {
namespace {

constexpr std::string_view kLast = "end\n";  // last line of a launch

Result<std::vector<Measurements>> launches_from(const std::string& raw, const std::string& where) {
  std::vector<Measurements> out;
  for (std::size_t from = 0; from < raw.size();) {
    const std::size_t end = raw.find("\n" + std::string(kLast), from);
    const std::size_t next = end == std::string::npos ? raw.size() : end + 1 + kLast.size();
    PARCAST_ASSIGN(Measurements launch,
                   measurements_from(raw.substr(from, next - from),
                                     where + ", launch " + std::to_string(out.size() + 1)));
    out.push_back(std::move(launch));
    from = next;
  }
  return out;
}

}  // namespace

std::string raw_text(const std::vector<Measurements>& launches) {
  std::string out;
  for (const Measurements& launch : launches) out += to_text(launch);
  return out;
}

Result<std::string> repeats_csv(const std::string& raw, const std::string& where) {
  PARCAST_ASSIGN(const std::vector<Measurements> launches, launches_from(raw, where));
  std::string out = "launch,launched,use,table,processes,bytes,repeat,measured\n";
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::string launch = std::to_string(i + 1) + "," + std::to_string(launches[i].processes) + ",";
    const auto add = [&](const std::string& row, const std::vector<double>& repeats) {
      for (std::size_t k = 0; k < repeats.size(); ++k)
        out += launch + row + std::to_string(k + 1) + "," + format_exact(repeats[k]) + "\n";
    };
    const auto add_points = [&](const std::string& use, const std::vector<TablePoint>& points) {
      for (const TablePoint& point : points)
        add(use + "," + csv_field(point.table) + "," + std::to_string(point.processes) + "," +
                format_exact(point.bytes) + ",",
            point.repeats);
    };
    add_points("fit", launches[i].points);
    add_points("check", launches[i].kept_out);
    for (const Value& value : launches[i].values)
      add("value," + csv_field(value.name) + "," + std::to_string(launches[i].processes) + ",,",
          value.repeats);
  }
  return out;
}

}  // namespace parcast::calibrate
