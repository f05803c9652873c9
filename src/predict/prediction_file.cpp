// SPDX-License-Identifier: Apache-2.0
// The only file of the folder that uses JSON. docs/formats/prediction.md.
#include "predict/prediction_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/checked.h"
#include "base/json_nesting.h"
#include "predict/hang.h"

namespace parcast::predict {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPrediction = "parcast.prediction/1";
constexpr std::string_view kSweep = "parcast.sweep/1";

std::string_view base_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "s";
    case Dimension::data:
      return "B";
    case Dimension::rate:
      return "B/s";
    case Dimension::time_per_byte:
      return "s/B";
    case Dimension::none:
      break;
  }
  return "";
}

// JSON has no representation of values that are not finite.
Json finite_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json write(const Estimate& e) {
  return {{"value", finite_number(e.value)},
          {"low", finite_number(e.low)},
          {"high", finite_number(e.high)},
          {"level", e.level},
          {"unit", e.unit},
          {"origin", to_string(e.origin)}};
}

Json without_value(double level, std::string_view unit) {
  return {{"value", nullptr}, {"low", nullptr}, {"high", nullptr},
          {"level", level},   {"unit", unit},   {"origin", "unknown"}};
}

Json write(const Parts& p) {
  return {{"compute", write(p.compute)},
          {"memory", write(p.memory)},
          {"message_startup", write(p.message_startup)},
          {"transfer", write(p.transfer)},
          {"wait", write(p.wait)}};
}

Json write(const RegionTime& r) {
  return {{"path", r.path},   {"seconds", write(r.seconds)}, {"parts", write(r.parts)},
          {"where", r.where}, {"executions", r.executions},  {"origin", to_string(r.origin)},
          {"node", r.node}};
}

Json write_parameters(const Question& question) {
  Json out = Json::object();
  out["p"] = question.point.processes;
  for (const auto& [name, value] : question.point.parameters)
    if (name != "p") out[name] = finite_number(value);
  return out;
}

Json write_machine(const Question& question) {
  Json out = Json::object();
  for (const auto& [name, varied] : question.machine)
    out[name] = {{"value", finite_number(varied.value)}, {"unit", base_unit(varied.dimension)}};
  return out;
}

Json write_limit(const Prediction& p) {
  const bool given = p.question.limit && p.within_limit;
  return {{"limit", given ? finite_number(*p.question.limit) : Json(nullptr)},
          {"probability", given ? finite_number(*p.within_limit) : Json(nullptr)},
          {"value", given ? finite_number(*p.within_limit) : Json(nullptr)},
          {"origin", given ? to_string(p.seconds.origin) : to_string(Origin::unknown)}};
}

/// Waiting ranks beyond this number are only counted.
constexpr std::size_t kMostWaiting = 64;

Json write(const Hang& hang) {
  Json waiting = Json::array();
  for (const trace::Waiting& each : hang.waiting) {
    if (waiting.size() == kMostWaiting) break;
    const std::uint32_t place = hang.trace->operations[each.operation].place;
    const trace::Place at = place == trace::kNowhere ? trace::Place{} : hang.trace->places[place];
    waiting.push_back({{"rank", each.rank},
                       {"call", at.call},
                       {"region", at.region},
                       {"file", at.file},
                       {"line", at.line},
                       {"for_ranks", each.for_ranks}});
  }
  return {{"ranks", hang.waiting.size()},
          {"by_choice", hang.by_choice},
          {"circle", hang.circle},
          {"waiting", std::move(waiting)}};
}

Json write(const CheckSummary::Of& of) {
  Json worst{{"p", of.worst.processes}};
  for (const auto& [name, value] : of.worst.parameters) worst[name] = finite_number(value);
  return {{"runs", of.runs},
          {"median", finite_number(of.median)},
          {"largest", finite_number(of.largest)},
          {"worst", std::move(worst)}};
}

Json write(const CheckSummary& checks) {
  Json out{{"computing", write(checks.computing)}};
  if (checks.total) out["total"] = write(*checks.total), out["machine"] = checks.machine;
  if (checks.nearest) out["nearest"] = finite_number(*checks.nearest);
  if (!checks.left_out.empty())
    out["forward"] = {{"left_out", checks.left_out}, {"largest", finite_number(checks.forward)}};
  return out;
}

Json write(const Warning& warning) {
  Json out{{"code", warning.code}, {"text", warning.text}, {"hint", warning.hint}};
  if (!warning.about.empty()) out["about"] = warning.about;
  for (const auto& [name, value] : warning.numbers) out["numbers"][name] = finite_number(value);
  return out;
}

Json write(const Prediction& p, bool with_regions) {
  const double level = p.question.level;
  Json out{{"schema", kPrediction},
           {"program", p.program},
           {"machine", p.machine},
           {"engine", p.engine},
           {"parameters", write_parameters(p.question)},
           {"nodes", p.nodes},
           {"ranks_per_node", p.ranks_per_node},
           {"threads", p.question.threads},
           {"node_hours", write(p.node_hours)},
           {"memory_per_node", p.memory_per_node ? write(*p.memory_per_node) : without_value(level, "B")},
           {"within_limit", write_limit(p)},
           {"seconds", p.hang ? without_value(level, "s") : write(p.seconds)},
           {"seconds_new_application", without_value(level, "s")},
           {"parts", write(p.parts)}};
  if (p.second) out["second"] = {{"engine", p.second->engine}, {"seconds", finite_number(p.second->seconds)}};
  if (p.hang) out["hang"] = write(*p.hang);
  if (!p.question.machine.empty()) out["machine_parameters"] = write_machine(p.question);
  out["extrapolation"] = Json::object();
  for (const auto& [name, factor] : p.extrapolation) out["extrapolation"][name] = finite_number(factor);
  out["coverage"] = Json::object();
  for (const Origin origin : kOrigins) {
    const auto share = p.coverage.find(origin);
    out["coverage"][std::string(to_string(origin))] = share == p.coverage.end() ? 0.0 : share->second;
  }
  for (const auto& [tier, share] : p.work_by_tier) out["work_by_tier"][std::string(to_string(tier))] = share;
  if (with_regions) {
    out["regions"] = Json::array();
    for (const RegionTime& region : p.regions) out["regions"].push_back(write(region));
  }
  if (p.checks) out["checks"] = write(*p.checks);
  if (p.recorded) out["recorded"] = finite_number(*p.recorded);
  if (p.of_totals) out["of_totals"] = write(*p.of_totals);
  out["warnings"] = Json::array();
  for (const Warning& w : p.warnings) out["warnings"].push_back(write(w));
  return out;
}

// Reading: `at` throws Json::exception with the key's name; the entry points turn it into an Error.
double read_number(const Json& j, const char* key) {
  const Json& value = j.at(key);
  return value.is_null() ? std::nan("") : value.get<double>();
}

Origin read_origin(const Json& j, const char* key) {
  const auto name = j.at(key).get<std::string>();
  const auto origin = origin_from(name);
  if (!origin) throw Json::other_error::create(501, "there is no origin \"" + name + "\"", &j);
  return *origin;
}

Estimate read_estimate(const Json& j) {
  return {read_number(j, "value"), read_number(j, "low"),           read_number(j, "high"),
          read_number(j, "level"), j.at("unit").get<std::string>(), read_origin(j, "origin")};
}

Parts read_parts(const Json& j) {
  return {read_estimate(j.at("compute")), read_estimate(j.at("memory")),
          read_estimate(j.at("message_startup")), read_estimate(j.at("transfer")),
          read_estimate(j.at("wait"))};
}

Dimension read_dimension(const Json& j) {
  const auto unit = j.at("unit").get<std::string>();
  for (const Dimension dimension :
       {Dimension::none, Dimension::time, Dimension::data, Dimension::rate, Dimension::time_per_byte})
    if (unit == base_unit(dimension)) return dimension;
  throw Json::other_error::create(501, "there is no unit \"" + unit + "\"", &j);
}

std::int32_t read_integer(const Json& j, const char* key, std::int32_t least) {
  const Json& value = j.at(key);
  const auto fits =
      value.is_number_integer() ? checked_cast<std::int32_t>(value.get<std::int64_t>()) : std::nullopt;
  if (!fits || *fits < least)
    throw Json::other_error::create(501, std::string(key) + " is not a whole number in range", &j);
  return *fits;
}

Question read_question(const Json& j) {
  Question out;
  const Json& parameters = j.at("parameters");
  out.point.processes = read_integer(parameters, "p", 1);
  for (const auto& [name, value] : parameters.items())
    if (name != "p") out.point.parameters[name] = value.get<double>();
  out.ranks_per_node = read_integer(j, "ranks_per_node", 1);
  out.threads = read_integer(j, "threads", 1);
  out.level = read_number(j.at("seconds"), "level");
  const Json& limit = j.at("within_limit").at("limit");
  if (!limit.is_null()) out.limit = limit.get<double>();
  if (j.contains("machine_parameters"))
    for (const auto& [name, varied] : j.at("machine_parameters").items())
      out.machine[name] = {read_number(varied, "value"), read_dimension(varied)};
  return out;
}

RegionTime read_region(const Json& j) {
  return {read_integer(j, "node", program::kNone),
          j.at("path").get<std::string>(),
          j.at("where").get<std::string>(),
          read_estimate(j.at("seconds")),
          read_parts(j.at("parts")),
          j.at("executions").get<std::string>(),
          read_origin(j, "origin")};
}

CheckSummary::Of read_misses(const Json& j) {
  CheckSummary::Of out{
      j.at("runs").get<std::size_t>(), read_number(j, "median"), read_number(j, "largest"), {}};
  for (const auto& [name, value] : j.at("worst").items())
    if (name != "p") out.worst.parameters[name] = value.get<double>();
  out.worst.processes = read_integer(j.at("worst"), "p", 1);
  return out;
}

CheckSummary read_checks(const Json& j) {
  CheckSummary out;
  out.computing = read_misses(j.at("computing"));
  if (j.contains("total"))
    out.total = read_misses(j.at("total")), out.machine = j.at("machine").get<std::string>();
  if (j.contains("nearest")) out.nearest = read_number(j, "nearest");
  if (!j.contains("forward")) return out;
  out.left_out = j.at("forward").at("left_out").get<std::vector<std::string>>();
  out.forward = read_number(j.at("forward"), "largest");
  return out;
}

Warning read_warning(const Json& j) {
  Warning out{j.at("code").get<std::string>(), j.at("text").get<std::string>(),
              j.at("hint").get<std::string>()};
  if (j.contains("about")) out.about = j.at("about").get<std::string>();
  if (!j.contains("numbers")) return out;
  for (const auto& [name, value] : j.at("numbers").items())
    out.numbers[name] = read_number(j.at("numbers"), name.c_str());
  return out;
}

Prediction read_prediction(const Json& j) {
  if (j.contains("hang")) throw Json::other_error::create(501, "its run would hang, so it holds no time", &j);
  Prediction out;
  out.program = j.at("program").get<std::string>();
  out.machine = j.at("machine").get<std::string>();
  out.engine = j.at("engine").get<std::string>();
  out.question = read_question(j);
  out.nodes = read_integer(j, "nodes", 1);
  out.ranks_per_node = read_integer(j, "ranks_per_node", 1);
  if (j.contains("second"))
    out.second =
        SecondTotal{j.at("second").at("engine").get<std::string>(), read_number(j.at("second"), "seconds")};
  out.seconds = read_estimate(j.at("seconds"));
  out.parts = read_parts(j.at("parts"));
  out.node_hours = read_estimate(j.at("node_hours"));
  if (!j.at("memory_per_node").at("value").is_null())
    out.memory_per_node = read_estimate(j.at("memory_per_node"));
  const Json& probability = j.at("within_limit").at("probability");
  if (!probability.is_null()) out.within_limit = probability.get<double>();
  for (const auto& [name, factor] : j.at("extrapolation").items())
    out.extrapolation[name] = factor.get<double>();
  for (const Origin origin : kOrigins)
    out.coverage[origin] = j.at("coverage").at(std::string(to_string(origin))).get<double>();
  if (j.contains("work_by_tier"))
    for (const auto& [name, share] : j.at("work_by_tier").items())
      if (const auto tier = program::count_tier_named(name)) out.work_by_tier[*tier] = share.get<double>();
  if (j.contains("regions"))
    for (const Json& region : j.at("regions")) out.regions.push_back(read_region(region));
  if (j.contains("checks")) out.checks = read_checks(j.at("checks"));
  if (j.contains("recorded")) out.recorded = read_number(j, "recorded");
  if (j.contains("of_totals")) out.of_totals = read_estimate(j.at("of_totals"));
  for (const Json& w : j.at("warnings")) out.warnings.push_back(read_warning(w));
  return out;
}

// Removes the bracket from "[json.exception.out_of_range.403] key 'x' not found".
std::string reason(const Json::exception& e) {
  const std::string text = e.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Prediction& prediction) {
  return dump(write(prediction, true));
}

std::string sweep_to_json(const std::vector<Prediction>& points, bool with_regions) {
  Json out{{"schema", kSweep}, {"points", Json::array()}};
  for (const Prediction& point : points) out["points"].push_back(write(point, with_regions));
  return dump(out);
}

Result<Prediction> prediction_from_json(std::string_view text, const std::string& where) {
  PARCAST_TRY(check_json_nesting(text, where));
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("schema"))
      return Error{"this is not a prediction: it has no schema", where,
                   "write one with parcast predict --json"};
    if (json.at("schema") != kPrediction)
      return Error{"the schema is " + json.at("schema").dump() + ", not \"" + std::string(kPrediction) + "\"",
                   where, ""};
    return read_prediction(json);
  } catch (const Json::exception& e) {
    return Error{"this is not a prediction: " + reason(e), where, ""};
  }
}

}  // namespace parcast::predict
