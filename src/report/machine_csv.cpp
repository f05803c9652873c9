// SPDX-License-Identifier: Apache-2.0
#include "report/machine_csv.h"

#include "base/csv.h"
#include "base/text.h"

namespace parcast::report {
namespace {

std::string row(const std::vector<std::string>& fields) {
  return join(fields, ",") + "\n";
}

std::string start(const std::string& table, std::int32_t processes, double bytes, double value,
                  const char* unit) {
  return csv_field(table) + "," + std::to_string(processes) + "," + format_exact(bytes) + "," +
         format_exact(value) + "," + unit;
}

}  // namespace

std::string machine_points_csv(const machine::Machine& machine) {
  std::string out =
      "table,processes,bytes,value,unit,standard_error,samples,low_quartile,high_quartile,outliers\n";
  for (const machine::PatternCost& pattern : machine.patterns)
    for (const machine::CostPoint& point : pattern.points) {
      std::vector<std::string> fields{start(pattern.name, point.processes, point.bytes, point.seconds, "s"),
                                      format_exact(point.standard_error), std::to_string(point.samples)};
      const bool quartiles = point.high > 0;
      for (const double each : {point.low, point.high}) fields.push_back(quartiles ? format_exact(each) : "");
      fields.push_back(quartiles ? std::to_string(point.outliers) : "");
      out += row(fields);
    }
  for (const machine::WorkingSetPoint& point : machine.working_sets) {
    if (point.seconds_per_load > 0)
      out += start("load", point.cores, point.bytes, point.seconds_per_load, "s") + ",,,,,\n";
    if (point.bytes_per_second > 0)
      out += start("stream", point.cores, point.bytes, point.bytes_per_second, "B/s") + ",,,,,\n";
  }
  return out;
}

}  // namespace parcast::report
