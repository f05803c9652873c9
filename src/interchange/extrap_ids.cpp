// SPDX-License-Identifier: Apache-2.0
#include "interchange/extrap_ids.h"

namespace parcast::interchange {
namespace {

Error missing(const std::string& what, std::int64_t id, const std::string& where) {
  return {"a measurement names " + what + " " + std::to_string(id) + ", which is not there", where,
          "is the file whole?"};
}

}  // namespace

Result<std::vector<std::string>> ExtrapIds::resolve(MeasurementCollector& collector,
                                                    const std::string& where) const {
  std::vector<std::string> names;
  for (const auto& [id, name] : parameters) names.push_back(name);
  std::map<std::int64_t, std::size_t> points;
  for (const auto& [id, values] : coordinates) {
    std::vector<double> point;
    for (const auto& [parameter, name] : parameters) {
      const auto value = values.find(parameter);
      if (value == values.end())
        return Error{"coordinate " + std::to_string(id) + " has no value of parameter " + name, where, ""};
      point.push_back(value->second);
    }
    if (values.size() != parameters.size())
      return Error{"coordinate " + std::to_string(id) + " has a value of a parameter that is not there",
                   where, ""};
    points.emplace(id, collector.point(point));
  }
  for (const Measurement& each : measurements) {
    const auto callpath = callpaths.find(each.callpath), metric = metrics.find(each.metric);
    const auto point = points.find(each.coordinate);
    if (callpath == callpaths.end()) return missing("call path", each.callpath, where);
    if (metric == metrics.end()) return missing("metric", each.metric, where);
    if (point == points.end()) return missing("coordinate", each.coordinate, where);
    collector.add(collector.kernel(callpath->second, metric->second), point->second, each.value);
  }
  return names;
}

}  // namespace parcast::interchange
