// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_request.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/measurement_question.h"
#include "fit/factored.h"

namespace parcast::cli {
namespace {

using fit::Kernel;
using fit::Measurements;

std::vector<std::string> distinct(const Measurements& data, std::string Kernel::*member) {
  std::vector<std::string> out;
  for (const Kernel& kernel : data.kernels)
    if (std::ranges::find(out, kernel.*member) == out.end()) out.push_back(kernel.*member);
  return out;
}

std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kSome = 8;
  const bool more = names.size() > kSome;
  if (more) names.resize(kSome);
  for (std::string& name : names)
    if (name.empty()) name = "\"\" (the whole program)";
  return join(names, ", ") + (more ? ", ..." : "");
}

// Returns the first time of the program; with one call path, the first time of all.
std::optional<std::size_t> timed_kernel(const Measurements& data) {
  const bool one_path = distinct(data, &Kernel::callpath).size() == 1;
  for (std::size_t i = 0; i < data.kernels.size(); ++i)
    if (fit::is_time(data.kernels[i]) && (one_path || data.kernels[i].callpath.empty())) return i;
  return std::nullopt;
}

Result<std::size_t> index_of(const std::string& name, const std::string& flag, const Measurements& data) {
  const auto at = std::ranges::find(data.parameters, name);
  if (at != data.parameters.end()) return static_cast<std::size_t>(at - data.parameters.begin());
  const std::string near = did_you_mean(name, data.parameters);
  return Error{"\"" + name + "\" is no parameter of the data", flag,
               near.empty() ? "they have " + join(data.parameters, ", ") : near};
}

Result<void> take_cores(const Invocation& invocation, const Measurements& data, plan::Request& request,
                        std::vector<std::string>& notes) {
  static constexpr std::array kNames{"p", "processes", "ranks", "procs", "nprocs", "np", "cores", "threads"};
  if (const auto name = invocation.value("--cores")) {
    PARCAST_ASSIGN(request.cores, index_of(*name, "--cores", data));
    return {};
  }
  for (const char* name : kNames)
    if (const auto at = std::ranges::find(data.parameters, name); at != data.parameters.end()) {
      request.cores = static_cast<std::size_t>(at - data.parameters.begin());
      return {};
    }
  notes.push_back(
      "no parameter counts processes, so a run costs its time alone; name the parameter that does with "
      "--cores");
  return {};
}

Result<void> take_cost(const Invocation& invocation, const Measurements& data, plan::Request& request,
                       std::vector<std::string>& notes) {
  request.timed = timed_kernel(data);
  if (!request.timed && fit::is_time(data.kernels[request.kernel])) {
    request.timed = request.kernel;
    notes.push_back("the data have no time of the whole program: a run costs what " +
                    data.kernels[request.kernel].callpath + " takes");
  }
  if (!request.timed) {
    notes.push_back("the data have no time: all runs count as equally dear");
    if (invocation.has("--budget"))
      return Error{"a budget needs times, and the data have none", "--budget",
                   "leave it out: all runs then count as equally dear"};
    if (invocation.has("--cores"))
      return Error{"what runs cost is not known: the data have no time", "--cores",
                   "leave it out: all runs then count as equally dear"};
    return {};
  }
  const auto unit = seconds_per_unit(data.kernels[*request.timed]);
  if (!unit)
    notes.push_back("no unit of " + data.kernels[*request.timed].metric +
                    " is given: seconds are assumed; --unit sets another");
  request.unit = unit.value_or(1);
  return take_cores(invocation, data, request, notes);
}

Result<void> take_allowed(const Invocation& invocation, const Measurements& data, plan::Request& request) {
  request.allowed.resize(data.parameters.size());
  for (const std::string& text : invocation.values("--allow")) {
    PARCAST_ASSIGN(const std::vector<Variation> lists, lists_from("--allow", text, data));
    for (const Variation& list : lists) {
      PARCAST_ASSIGN(const std::size_t parameter, index_of(list.name, "--allow", data));
      if (request.allowed[parameter])
        return Error{list.name + " is given twice", "--allow",
                     "give it once, with several values as a list: p=64,128"};
      for (const double value : list.values)
        if (value < 0)
          return Error{list.name + " is " + format_exact(value) + ", but parameters count something: >= 0",
                       "--allow", ""};
      request.allowed[parameter] = list.values;
    }
  }
  return {};
}

Result<void> take_limits(const Invocation& invocation, plan::Request& request) {
  if (const auto text = invocation.value("--budget"); text && request.timed) {
    PARCAST_ASSIGN(request.budget, time_from("--budget", *text));
  }
  PARCAST_ASSIGN(const double repetitions, number_behind(invocation, "--repetitions", 0, 1));
  if (repetitions != std::floor(repetitions) || repetitions > 1000)
    return Error{"--repetitions is no whole number of at most 1000", "", "write for example --repetitions 3"};
  request.repetitions = static_cast<std::size_t>(repetitions);
  PARCAST_ASSIGN(const double least, number_behind(invocation, "--least", 5, 0));
  if (least >= 100)
    return Error{"--least is not below 100", "",
                 "it is per cent of the interval's width: take for example 5"};
  request.least = least / 100;
  return {};
}

}  // namespace

Result<std::size_t> kernel_asked(const Invocation& invocation, const Measurements& data) {
  const auto metric = invocation.value("--metric"), place = invocation.value("--callpath");
  const auto metrics = distinct(data, &Kernel::metric), places = distinct(data, &Kernel::callpath);
  if (metric && std::ranges::find(metrics, *metric) == metrics.end()) {
    const std::string near = did_you_mean(*metric, metrics);
    return Error{"the data have no metric \"" + *metric + "\"", "--metric",
                 near.empty() ? "they have " + join(metrics, ", ") : near};
  }
  if (!metric && !place)
    if (const auto timed = timed_kernel(data)) return *timed;
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < data.kernels.size(); ++i) {
    const Kernel& kernel = data.kernels[i];
    const bool meant =
        place ? kernel.callpath == *place || (!place->empty() && matches(kernel.callpath, *place))
              : places.size() == 1 || kernel.callpath.empty();
    if (meant && (metric ? kernel.metric == *metric : fit::is_time(kernel))) fitting.push_back(i);
  }
  const auto exact = std::ranges::find_if(
      fitting, [&](std::size_t i) { return place && data.kernels[i].callpath == *place; });
  if (exact != fitting.end()) return *exact;
  std::vector<std::string> found;
  for (const std::size_t i : fitting)
    if (std::ranges::find(found, data.kernels[i].callpath) == found.end())
      found.push_back(data.kernels[i].callpath);
  if (found.size() == 1) return fitting.front();
  if (found.size() > 1)
    return Error{std::to_string(found.size()) + " call paths match \"" + place.value_or("") + "\"",
                 "--callpath", "name one of " + some_of(found)};
  if (place)
    return Error{
        "no " + metric.value_or("time") + " was measured at a call path that matches \"" + *place + "\"",
        "--callpath", "there is " + some_of(places)};
  if (places.size() > 1)
    return Error{
        "the data have " + std::to_string(places.size()) + " call paths, none of them the whole program",
        "--callpath", "name one of " + some_of(places)};
  return Error{"the data have no time", "--metric", "name what is asked about: " + join(metrics, ", ")};
}

std::optional<double> seconds_per_unit(const Kernel& kernel) {
  static const std::vector<std::pair<std::string, double>> units{{"s", 1},     {"sec", 1},   {"seconds", 1},
                                                                 {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
                                                                 {"min", 60},  {"h", 3600}};
  for (const auto& [name, seconds] : units)
    // time_min is the minimum, not minutes
    if (kernel.unit == name || (kernel.unit.empty() && name != "min" && kernel.metric.ends_with("_" + name)))
      return seconds;
  if (kernel.unit.empty() && kernel.metric == "seconds") return 1;
  if (kernel.unit.empty() && kernel.metric.ends_with("usec")) return 1e-6;
  return std::nullopt;
}

Result<plan::Request> plan_request(const Invocation& invocation, const Measurements& data,
                                   std::vector<std::string>& notes) {
  plan::Request request;
  const auto at = invocation.value("--at");
  if (!at) return Error{"nothing is asked", "--at", "name the run to be predicted, for example --at p=1024"};
  PARCAST_ASSIGN(const fit::Points points, points_from("--at", *at, data));
  if (points.size() != 1)
    return Error{"several points are asked about", "--at", "give one value of each parameter"};
  request.asked = points.front();
  for (std::size_t j = 0; j < request.asked.size(); ++j)
    if (request.asked[j] < 0)
      return Error{data.parameters[j] + " is negative", "--at", "parameters count something: >= 0"};
  PARCAST_ASSIGN(request.kernel, kernel_asked(invocation, data));
  PARCAST_ASSIGN(request.level, level_from(invocation));
  PARCAST_ASSIGN(request.statistic, statistic_from(invocation));
  PARCAST_TRY(take_cost(invocation, data, request, notes));
  PARCAST_TRY(take_allowed(invocation, data, request));
  PARCAST_TRY(take_limits(invocation, request));
  return request;
}

}  // namespace parcast::cli
