// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "web/run.h"
#include "web/text_json.h"

namespace parcast::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRegionsKept = 12;

/// Reads members of an object; a member of another type is a fault.
class Members {
 public:
  using Is = bool (Json::*)() const noexcept;
  explicit Members(const Json& object) : object_(object) {}

  void read(const char* name, std::string& into) { read_as(name, &Json::is_string, into); }
  void read(const char* name, double& into) { read_as(name, &Json::is_number, into); }
  void read(const char* name, bool& into) { read_as(name, &Json::is_boolean, into); }
  void read(const char* name, std::int32_t& into) {
    double value = into;
    read(name, value);
    if (value != std::floor(value) || std::abs(value) > 1e9) return wrong(name);
    into = static_cast<std::int32_t>(value);
  }
  template <class Each>
  void each(const char* name, Is is, Each&& take) {
    const Json* found = member(name);
    if (!found) return;
    if (!(found->*is)()) return wrong(name);
    for (const auto& [key, value] : found->items()) take(key, value);
  }
  void wrong(const std::string& name) {
    if (fault_.empty()) fault_ = "\"" + name + "\" of the experiment has a wrong value";
  }
  const std::string& fault() const { return fault_; }

 private:
  template <class Value>
  void read_as(const char* name, Is is, Value& into) {
    const Json* found = member(name);
    if (found && !(found->*is)()) return wrong(name);
    if (found) into = found->get<Value>();
  }
  const Json* member(const char* name) const {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    return object_.is_object() && found != object_.end() && !found->is_null() ? &*found : nullptr;
  }
  const Json& object_;
  std::string fault_;
};

Result<Experiment> experiment_of(const Json& json) {
  if (!json.is_object()) return Error{"the experiment is not a JSON object", "", ""};
  Experiment out;
  Members members(json);
  members.read("model", out.model), members.read("machine", out.machine);
  members.read("recorded_on", out.recorded_on), members.read("engine", out.engine);
  members.read("processes", out.processes), members.read("threads", out.threads);
  members.read("ranks_per_node", out.ranks_per_node), members.read("level", out.level);
  members.each("parameters", &Json::is_object, [&](const std::string& name, const Json& value) {
    if (!value.is_number()) return members.wrong(name);
    out.parameters[name] = value.get<double>();
  });
  members.each("changes", &Json::is_array, [&](const std::string&, const Json& value) {
    Members change(value);
    change.read("name", out.changes.emplace_back().name), change.read("value", out.changes.back().value);
    if (!change.fault().empty()) members.wrong("changes");
  });
  members.each("axes", &Json::is_array, [&](const std::string&, const Json& value) {
    Members axis(value);
    axis.read("name", out.axes.emplace_back().name), axis.read("values", out.axes.back().values);
    axis.read("of_machine", out.axes.back().is_of_machine);
    if (!axis.fault().empty()) members.wrong("axes");
  });
  if (!members.fault().empty()) return Error{members.fault(), "", ""};
  return out;
}

Json json_of(const Experiment& experiment) {
  Json out{{"model", experiment.model},     {"machine", experiment.machine},
           {"engine", experiment.engine},   {"processes", experiment.processes},
           {"threads", experiment.threads}, {"ranks_per_node", experiment.ranks_per_node},
           {"level", experiment.level},     {"recorded_on", experiment.recorded_on},
           {"parameters", Json::object()},  {"changes", Json::array()},
           {"axes", Json::array()}};
  for (const auto& [name, value] : experiment.parameters) out["parameters"][name] = value;
  for (const Change& each : experiment.changes)
    out["changes"].push_back({{"name", each.name}, {"value", each.value}});
  for (const Axis& each : experiment.axes)
    out["axes"].push_back({{"name", each.name}, {"values", each.values}, {"of_machine", each.is_of_machine}});
  return out;
}

Json json_of(const Point& point) {
  Json out{{"at", Json::array()}, {"status", to_string(point.status)}};
  for (const Tick& tick : point.at) {
    Json each{{"text", tick.text}};
    if (tick.number) each["number"] = *tick.number;
    out["at"].push_back(std::move(each));
  }
  if (point.status == Status::running && point.progress > 0) out["progress"] = point.progress;
  if (!point.answer.empty()) out["answer"] = Json::parse(point.answer, nullptr, false);
  if (!point.fault.empty()) out["fault"] = point.fault;
  return out;
}

}  // namespace

Result<Experiment> experiment_from_json(std::string_view json) {
  return experiment_of(Json::parse(json, nullptr, false));
}

std::string to_json(const Experiment& experiment) {
  return text_of(json_of(experiment));
}

std::string to_json(const Point& point) {
  return text_of(json_of(point));
}

std::string shortened_prediction(const std::string& json, bool has_regions) {
  const Json prediction = Json::parse(json, nullptr, false);
  if (!prediction.is_object() || !prediction.contains("seconds")) return "";
  Json out = Json::object();
  for (const char* member : {"program", "machine", "engine", "nodes", "seconds", "parts", "warnings"})
    if (prediction.contains(member)) out[member] = prediction[member];
  const auto regions = prediction.find("regions");
  if (has_regions && regions != prediction.end() && regions->is_array()) {
    out["regions"] = Json::array();
    for (std::size_t i = 0; i < std::min(regions->size(), kRegionsKept); ++i)
      out["regions"].push_back((*regions)[i]);
  }
  return text_of(out);
}

std::string to_json(const Run& run) {
  Json out{{"id", run.id},
           {"begun", run.begun},
           {"status", to_string(run.status)},
           {"experiment", json_of(run.experiment)},
           {"points", Json::array()}};
  for (const Point& point : run.points) out["points"].push_back(json_of(point));
  return text_of(out);
}

std::optional<Run> run_from_json(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("experiment")) return std::nullopt;
  auto experiment = experiment_of(json["experiment"]);
  if (!experiment) return std::nullopt;
  auto points = points_of(*experiment);
  Members members(json);
  Run out;
  std::string status;
  members.read("begun", out.begun), members.read("status", status);
  const auto known = status_from(status);
  if (!points || !known || !members.fault().empty()) return std::nullopt;
  out.experiment = *std::move(experiment), out.points = *std::move(points), out.status = *known;
  std::size_t next = 0;
  members.each("points", &Json::is_array, [&](const std::string&, const Json& value) {
    if (next == out.points.size()) return members.wrong("points");
    Point& point = out.points[next++];
    std::string state;
    Members of_point(value);
    of_point.read("status", state), of_point.read("fault", point.fault);
    point.status = status_from(state).value_or(Status::cancelled);
    if (value.is_object() && value.contains("answer"))
      point.answer = shortened_prediction(text_of(value["answer"]), true);
    if (point.status == Status::done && point.answer.empty()) point.status = Status::cancelled;
  });
  if (!members.fault().empty() || next != out.points.size()) return std::nullopt;
  return out;
}

}  // namespace parcast::web
