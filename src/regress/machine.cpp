// SPDX-License-Identifier: Apache-2.0
#include "regress/machine.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/text.h"

namespace parcast::regress {
namespace {

/// The machine parameter of a cost, and d parameter / d cost.
struct Place {
  std::size_t cost = 0;
  std::string parameter;
  double slope = 1;
};

/// Costs that are machine parameters, unchanged.
struct OwnPlace {
  const char *count, *parameter;
  machine::Parameter machine::Machine::*member;
};
constexpr OwnPlace kOwnPlaces[] = {{kPageFaults, "page_fault", &machine::Machine::page_fault},
                                   {kPages, "first_touch", &machine::Machine::first_touch}};

std::optional<std::size_t> find(const Costs& costs, const std::string& name) {
  for (std::size_t j = 0; j < costs.costs.size(); ++j)
    if (costs.costs[j].name == name) return j;
  return std::nullopt;
}

Error no_place(const std::string& what, const std::string& hint) {
  return {what, "", hint};
}

Result<std::size_t> needed(const Costs& costs, const std::string& name) {
  const auto at = find(costs, name);
  if (!at) {
    std::vector<std::string> names;
    for (const Cost& cost : costs.costs) names.push_back(cost.name);
    return no_place(
        "no count is called " + name +
            ", so the costs have no place in a machine, whose links need one of messages and one of bytes",
        "the counts are " + join(names, ", ") +
            "; name them messages and bytes, or write the costs as JSON: -o costs.json");
  }
  const Cost& cost = costs.costs[*at];
  if (std::isnan(cost.standard_error))
    return no_place("the cost of " + name + " is not known apart from others, so a machine cannot have it",
                    "add runs that separate them, or write -o costs.json");
  if (cost.value < 0)
    return no_place("the cost of " + name + " is negative, which no machine can have",
                    "hold it at 0 with --nonnegative");
  return *at;
}

machine::Parameter parameter(const Costs& costs, std::size_t cost, double value, double slope) {
  return {value, std::abs(slope) * costs.costs[cost].standard_error,
          static_cast<std::int64_t>(costs.runs.runs.size()), Origin::measured};
}

std::int32_t most_processes(const Costs& costs) {
  double most = 1;
  for (const Run& run : costs.runs.runs)
    if (const auto p = run.parameters.find("p"); p != run.parameters.end()) most = std::max(most, p->second);
  return static_cast<std::int32_t>(std::min(most, 1e9));
}

std::string each(const Cost& cost) {
  return format_seconds(cost.value) + " for each of " + cost.name;
}

}  // namespace

Result<machine::Machine> machine_of(const Costs& costs, const std::string& name,
                                    const machine::Machine* recorded) {
  PARCAST_ASSIGN(const std::size_t messages, needed(costs, kMessages));
  PARCAST_ASSIGN(const std::size_t bytes, needed(costs, kBytes));
  machine::Machine out;
  out.name = name;
  out.description = "costs fitted to " + std::to_string(costs.runs.runs.size()) + " runs of " +
                    std::to_string(costs.programs.size()) +
                    (costs.programs.size() == 1 ? " program" : " programs");
  out.nodes = most_processes(costs);
  machine::Link& link = out.links["network"];
  link.latency = parameter(costs, messages, costs.costs[messages].value, 1);
  link.gap_per_byte = parameter(costs, bytes, costs.costs[bytes].value, 1);
  std::vector<Place> places{{messages, "links.network.latency", 1}, {bytes, "links.network.gap_per_byte", 1}};
  for (std::size_t j = 0; j < costs.costs.size(); ++j) {
    const Cost& cost = costs.costs[j];
    if (j == messages || j == bytes) continue;
    const auto own =
        std::ranges::find_if(kOwnPlaces, [&](const OwnPlace& place) { return cost.name == place.count; });
    if (own != std::end(kOwnPlaces) && cost.value >= 0 && !std::isnan(cost.standard_error)) {
      out.*own->member = parameter(costs, j, cost.value, 1);
      places.push_back({j, own->parameter, 1});
    } else if (cost.name == kComputing && recorded != nullptr && recorded->core_speed.value > 0 &&
               cost.value > 0) {
      const double speed = recorded->core_speed.value / cost.value, slope = -speed / cost.value;
      out.core_speed = parameter(costs, j, speed, slope);
      out.core_speed.standard_error =
          std::hypot(out.core_speed.standard_error, recorded->core_speed.standard_error / cost.value);
      places.push_back({j, "core_speed", slope});
    } else if (cost.name == kComputing) {
      out.notes.push_back(
          "computing takes " + format_significant(cost.value, 4) +
          " times what it took on the machine of the recordings, whose core speed is not known here");
    } else {
      out.notes.push_back("no place for " + each(cost));
    }
  }
  for (const Place& a : places)
    for (const Place& b : places)
      if (a.parameter < b.parameter)
        if (const double covariance = a.slope * b.slope * costs.fit.covariance(a.cost, b.cost);
            covariance != 0)
          out.covariance[{a.parameter, b.parameter}] = covariance;
  out.notes.push_back(
      "each process is taken to be on a node of its own, and a message to cost the same between all of them");
  for (const Place& place : places)
    if (!costs.costs[place.cost].identified)
      out.notes.push_back(place.parameter + " is not identified: " + costs.costs[place.cost].why);
  if (!costs.runs.linearised_on.empty())
    out.notes.push_back("what runs miss was counted by the memory of " + costs.runs.linearised_on);
  out.notes.insert(out.notes.end(), costs.runs.warnings.begin(), costs.runs.warnings.end());
  PARCAST_TRY(machine::check(out));
  return out;
}

}  // namespace parcast::regress
