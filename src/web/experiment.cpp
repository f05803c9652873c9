// SPDX-License-Identifier: Apache-2.0
#include "web/experiment.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/vary.h"

namespace parcast::web {
namespace {

constexpr std::size_t kLongestText = 400, kMostChanges = 64;
constexpr std::array<std::string_view, 5> kStatus{"waiting", "running", "done", "failed", "cancelled"};
constexpr std::array<std::string_view, 4> kEngines{"auto", "equation", "interpret", "simulate"};

/// A name or a value may not be read as a flag, and fits on a line.
Result<void> check_word(const std::string& what, const std::string& word) {
  if (word.empty() || word.size() > kLongestText || word[0] == '-' || word[0] == '=')
    return Error{"\"" + word.substr(0, 60) + "\" is not " + what, "", ""};
  for (const char c : word)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return Error{what + " has control characters", "", ""};
  return {};
}

Result<void> check_name(const std::string& name) {
  PARCAST_TRY(check_word("the name of a parameter", name));
  if (name.find_first_of("=*/ ") != std::string::npos)
    return Error{"\"" + name + "\" is not the name of a parameter", "", ""};
  return {};
}

/// A value of a machine's parameter may not contain a further assignment.
Result<void> check_change(const Change& change) {
  PARCAST_TRY(check_name(change.name));
  PARCAST_TRY(check_word("a value of " + change.name, change.value));
  return {};
}

Result<void> check_numbers(const Experiment& experiment) {
  if (experiment.processes < 1) return Error{"the number of processes is less than 1", "", ""};
  if (experiment.threads < 1 || experiment.ranks_per_node < 0)
    return Error{"the number of threads or of ranks per node is less than 1", "", ""};
  if (!(experiment.level > 0 && experiment.level < 1))
    return Error{"the level of intervals is not between 0 and 1", "", "for example 0.9"};
  for (const auto& [name, value] : experiment.parameters) {
    PARCAST_TRY(check_name(name));
    if (!std::isfinite(value)) return Error{name + " has no number", "", "give every parameter a value"};
  }
  return {};
}

Result<void> check(const Experiment& experiment) {
  PARCAST_TRY(check_numbers(experiment));
  if (std::ranges::find(kEngines, experiment.engine) == kEngines.end())
    return Error{"engine " + experiment.engine + " is not known", "",
                 "auto, equation, interpret or simulate"};
  if (experiment.axes.size() > 2) return Error{"more than two things vary", "", "vary one or two"};
  if (experiment.axes.size() == 2 && experiment.axes[0].name == experiment.axes[1].name)
    return Error{experiment.axes[0].name + " varies twice", "", "vary it once"};
  if (experiment.changes.size() > kMostChanges)
    return Error{"more than " + std::to_string(kMostChanges) + " parameters of the machine differ", "",
                 "make a machine of them: parcast machine set"};
  for (const Change& change : experiment.changes) PARCAST_TRY(check_change(change));
  return {};
}

bool are_multiples(const Axis& axis) {
  return axis.is_of_machine && axis.values.starts_with('*');
}

/// Returns "1..8*2" for "*1..*8*2" and "1,2" for "*1,*2".
std::string factors_text(std::string text) {
  text.erase(0, 1);
  for (const std::string sign : {",*", "..*"})
    for (std::size_t at; (at = text.find(sign)) != std::string::npos;) text.erase(at + sign.size() - 1, 1);
  return text;
}

constexpr std::array<std::string_view, 5> kUnits{"", "s", "B", "B/s", "s/B"};  // by Dimension

/// Values of a machine's parameter as a range of measures: "1us..64us*2".
Result<std::vector<Tick>> measured_ticks(const Axis& axis) {
  Dimension dimension = Dimension::none;
  const auto read = [&](const std::string& text) -> Result<double> {
    PARCAST_ASSIGN(const Measure measure, parse_measure(text));
    dimension = measure.dimension;
    return measure.value;
  };
  PARCAST_ASSIGN(const Variation variation, parse_variation(axis.name + "=" + axis.values, read));
  std::vector<Tick> out;
  for (const double value : variation.values)
    out.push_back({format_exact(value) + std::string(kUnits[static_cast<std::size_t>(dimension)]), value});
  return out;
}

/// Values of a machine's parameter that are written one by one: measures or names.
std::vector<Tick> listed_ticks(const Axis& axis) {
  std::vector<Tick> out;
  for (const std::string& word : split(axis.values, ',')) {
    const std::string text(trim(word));
    const auto plain = parse_double(text);
    const auto measure = parse_measure(text);
    out.push_back({text, plain ? plain : measure ? std::optional(measure->value) : std::nullopt});
  }
  return out;
}

Result<std::vector<Tick>> ticks_of(const Axis& axis) {
  PARCAST_TRY(check_name(axis.name));
  PARCAST_TRY(check_word("values of " + axis.name, axis.values));
  std::vector<Tick> out;
  if (axis.is_of_machine && !are_multiples(axis)) {
    if (axis.values.find("..") != std::string::npos) return measured_ticks(axis);
    out = listed_ticks(axis);
    for (const Tick& tick : out) PARCAST_TRY(check_change({axis.name, tick.text}));
    return out;
  }
  const std::string text = are_multiples(axis) ? factors_text(axis.values) : axis.values;
  PARCAST_ASSIGN(const Variation variation, parse_variation(axis.name + "=" + text));
  if (variation.values.size() > kMostPoints)
    return Error{axis.name + " has more than " + std::to_string(kMostPoints) + " values", "",
                 "give fewer values"};
  for (const double value : variation.values)
    out.push_back({(are_multiples(axis) ? "*" : "") + format_exact(value), value});
  return out;
}

Result<void> take(const Axis& axis, const Tick& tick, Point& point) {
  point.at.push_back(tick);
  if (axis.is_of_machine) {
    std::erase_if(point.changes, [&](const Change& change) { return change.name == axis.name; });
    point.changes.push_back({axis.name, tick.text});
  } else if (axis.name != "p") {
    point.parameters[axis.name] = *tick.number;
  } else {
    if (*tick.number != std::floor(*tick.number) || *tick.number < 1 || *tick.number > 1e9)
      return Error{"p = " + tick.text + " is not a number of processes", "", "take whole numbers from 1"};
    point.processes = static_cast<std::int32_t>(*tick.number);
  }
  return {};
}

std::vector<std::string> question_words(const Experiment& experiment, const Point& point,
                                        const std::string& machine) {
  std::vector<std::string> out{"-m",       machine,          "-p", std::to_string(point.processes),
                               "--engine", experiment.engine};
  for (const auto& [name, value] : point.parameters) {
    out.emplace_back("-s");
    out.push_back(name + "=" + format_exact(value));
  }
  if (experiment.threads > 1) out.insert(out.end(), {"--threads", std::to_string(experiment.threads)});
  if (experiment.ranks_per_node > 0)
    out.insert(out.end(), {"--ranks-per-node", std::to_string(experiment.ranks_per_node)});
  if (experiment.level != 0.9) out.insert(out.end(), {"--level", format_exact(experiment.level)});
  if (!experiment.recorded_on.empty()) out.insert(out.end(), {"--recorded-on", experiment.recorded_on});
  return out;
}

}  // namespace

std::string_view to_string(Status status) {
  return kStatus[static_cast<std::size_t>(status)];
}

std::optional<Status> status_from(std::string_view name) {
  const auto at = std::ranges::find(kStatus, name);
  if (at == kStatus.end()) return std::nullopt;
  return static_cast<Status>(at - kStatus.begin());
}

Result<std::vector<Point>> points_of(const Experiment& experiment) {
  PARCAST_TRY(check(experiment));
  Point common;
  common.processes = experiment.processes;
  common.parameters = experiment.parameters;
  common.changes = experiment.changes;
  std::vector<Point> points{common};
  for (const Axis& axis : experiment.axes) {
    PARCAST_ASSIGN(const std::vector<Tick> ticks, ticks_of(axis));
    if (points.size() * ticks.size() > kMostPoints)
      return Error{"the experiment has more than " + std::to_string(kMostPoints) + " points", "",
                   "give fewer values"};
    std::vector<Point> next;
    for (const Tick& tick : ticks)
      for (const Point& point : points) {
        next.push_back(point);
        PARCAST_TRY(take(axis, tick, next.back()));
      }
    points = std::move(next);
  }
  return points;
}

std::vector<std::string> predict_words(const Experiment& experiment, const Point& point,
                                       const std::string& model, const std::string& machine) {
  std::vector<std::string> out{"predict", model, "--json", "--no-store"};
  const auto question = question_words(experiment, point, machine);
  out.insert(out.end(), question.begin(), question.end());
  return out;
}

std::vector<std::string> report_words(const Experiment& experiment, const Point& point,
                                      const std::string& model, const std::string& machine,
                                      const std::string& file) {
  std::vector<std::string> out{"report", model, "-o", file};
  const auto question = question_words(experiment, point, machine);
  out.insert(out.end(), question.begin(), question.end());
  return out;
}

std::vector<std::string> machine_words(const Point& point, const std::string& machine,
                                       const std::string& file) {
  std::vector<std::string> out{"machine", "set", machine};
  for (const Change& change : point.changes)
    out.push_back(change.name + (change.value.starts_with('*') ? "" : "=") + change.value);
  out.insert(out.end(), {"-o", file, "-q"});
  return out;
}

}  // namespace parcast::web
