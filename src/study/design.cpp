// SPDX-License-Identifier: Apache-2.0
// The design of a description: which placeholders it has, and the runs that their values give.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/number_range.h"
#include "base/plain_number.h"
#include "base/text.h"
#include "base/vary.h"
#include "machine/extrap.h"
#include "model/binding.h"
#include "study/commands.h"
#include "study/description.h"

namespace parcast::study {
namespace {

constexpr double kMostProcesses = 1e9;

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns "did you mean X?"; empty for names so short that any other is as near.
std::string suggestion(const std::string& name, const Names& known) {
  constexpr std::size_t kShort = 2;
  return name.size() <= kShort ? "" : did_you_mean(name, known);
}

/// Returns the placeholders of the launch line and of the templates, p first.
Names placeholders_of(const Description& description, const std::vector<Template>& templates) {
  std::set<std::string> found;
  for (const std::string& word : description.launch)
    for (const std::string& name : placeholders_in(word)) found.insert(name);
  for (const Template& each : templates)
    for (const std::string& name : placeholders_in(each.content)) found.insert(name);
  Names names;
  if (found.erase("p") > 0) names.emplace_back("p");
  names.insert(names.end(), found.begin(), found.end());
  return names;
}

Result<void> check_axis_name(const std::string& name) {
  if (name == "p") return {};
  if (!is_name(name))
    return Error{"\"" + name + "\" cannot be the name of what varies", "--vary",
                 "take letters, digits and _, at most " + std::to_string(kLongestName) + ", for example N"};
  if (program::symbol_kinds({}).contains(name))
    return Error{"what varies may not be named " + name + ", a symbol for a rank or a process grid", "--vary",
                 "choose another name"};
  return {};
}

Result<void> check_value(const std::string& name, double value, const std::string& flag) {
  if (name != "p") return {};
  if (value == std::floor(value) && value >= 1 && value <= kMostProcesses) return {};
  return Error{"p is " + format_plain(value) + ", but must be a whole number from 1", flag,
               "p is the number of processes"};
}

Result<Variation> variation_of(const Axis& axis) {
  PARCAST_TRY(check_axis_name(axis.name));
  auto variation = parse_variation(axis.name + "=" + axis.values);
  if (!variation) return Error{variation.error().what, "--vary", variation.error().hint};
  std::set<double> seen;
  for (const double value : variation->values) {
    PARCAST_TRY(check_value(axis.name, value, "--vary"));
    if (!seen.insert(value).second)
      return Error{axis.name + " has the value " + format_plain(value) + " twice", "--vary",
                   "give each value once; a run is repeated where that narrows the answer"};
  }
  return variation;
}

/// Fails on a placeholder without values, and on values without a placeholder.
Result<void> check_names(const Names& names, const std::vector<Axis>& vary) {
  Names varied;
  for (const Axis& axis : vary) {
    if (holds(varied, axis.name))
      return Error{axis.name + " varies twice", "--vary", "give all its values in one list"};
    varied.push_back(axis.name);
  }
  for (const std::string& name : names) {
    if (name == "p" || holds(varied, name)) continue;
    const std::string near = suggestion(name, varied);
    return Error{
        "the placeholder {" + name + "} has no values", "",
        near.empty() ? "add --vary " + name + "=..., or write {{" + name + "}} for the text itself" : near};
  }
  for (const std::string& name : varied) {
    if (holds(names, name)) continue;
    const std::string near = suggestion(name, names);
    return Error{name + " varies, but {" + name + "} is neither in the launch line nor in a template",
                 "--vary", near.empty() ? "write {" + name + "} where the program takes it" : near};
  }
  return {};
}

/// Fails unless a launch line names each template, so that the filled file can take its place.
Result<void> check_templates(const Description& description) {
  std::set<std::string> files;
  for (const std::string& path : description.templates) {
    const bool named = std::ranges::any_of(description.launch,
                                           [&](const std::string& word) { return names_path(word, path); });
    if (!named)
      return Error{"the launch line does not name the template " + path, "--template",
                   "write " + path +
                       " where the program takes its input; if it reads a fixed name: sh -c 'cp " + path +
                       " INPUT && mpirun ...'"};
    if (!files.insert(std::filesystem::path(path).filename().string()).second)
      return Error{"two templates are named " + std::filesystem::path(path).filename().string(), "--template",
                   "rename one of them"};
  }
  return {};
}

/// Returns 1, 2, 4: as many as the cores, unless more are allowed.
Variation usual_processes(int cores, bool oversubscribe) {
  Variation out{"p", {}};
  for (const int p : {1, 2, 4})
    if (p <= cores || oversubscribe) out.values.push_back(p);
  return out;
}

Result<void> check_processes(const Values& point, const Description& description, int cores,
                             const std::string& flag) {
  const auto p = point.find("p");
  if (p == point.end() || p->second <= cores || description.oversubscribe || runs_in_turn(description))
    return {};
  return Error{"p = " + format_plain(p->second) + " is more processes than the " + std::to_string(cores) +
                   (cores == 1 ? " core" : " cores") + " here",
               flag,
               "--oversubscribe makes such runs, for counts; the launcher has to allow them, too: mpirun "
               "--oversubscribe"};
}

/// Fails unless the point gives each name that runs have a value, and no other.
Result<void> check_point(const Values& point, const Names& names, const std::string& flag) {
  Names missing;
  for (const std::string& name : names)
    if (!point.contains(name)) missing.push_back(name);
  for (const auto& [name, value] : point) {
    PARCAST_TRY(check_value(name, value, flag));
    if (holds(names, name) || name == "p") continue;
    const std::string near = suggestion(name, names);
    return Error{"\"" + name + "\" does not vary", flag,
                 near.empty() ? "runs have " + join(names, ", ") : near};
  }
  if (!missing.empty())
    return Error{"the value of " + join(missing, ", ") + " is missing", flag,
                 "give every value: " + flag + " " + join(names, "=..,") + "=.."};
  return {};
}

/// Returns twice the processes of the largest run and its other values.
Values usual_question(const std::vector<Values>& points) {
  Values ask;
  for (const Values& point : points)
    for (const auto& [name, value] : point)
      ask[name] = std::max(value, ask.contains(name) ? ask[name] : value);
  if (ask.contains("p")) ask["p"] *= 2;
  return ask;
}

Result<void> check_graph(const Description& description) {
  if (description.graph.size() > 2)
    return Error{
        std::to_string(description.graph.size()) + " parameters vary in the graph, which has room for two",
        "--graph", "leave out " + description.graph.back().name + ", or make a study of each of its values"};
  if (description.graph.size() == 2 && description.graph[0].name == description.graph[1].name)
    return Error{description.graph[0].name + " varies twice in the graph", "--graph",
                 "give all its values in one list"};
  return {};
}

/// Only runs that are replayed, and the engine extrap, know ExtraP's machine.
Result<void> check_extrap(const Description& description) {
  if (takes_extrap(description)) return {};
  for (const auto* axes : {&description.set, &description.graph})
    for (const Axis& each : *axes)
      if (machine::extrap_key(each.name))
        return Error{each.name +
                         " is a parameter of ExtraP's model, by which a study of processes does not "
                         "predict",
                     axes == &description.set ? "set" : "--graph",
                     "add --engine extrap; so does parcast simulate APP.model.json --set " + each.name + "=" +
                         each.values};
  return {};
}

Result<void> check_limits(const Description& description) {
  if (description.precision && !(*description.precision > 0 && *description.precision < 100))
    return Error{"the precision is not between 0 and 100 %", "--precision", "for example 10%"};
  if (description.budget && !(*description.budget > 0))
    return Error{"the budget is not more than 0", "--budget", "for example 15min"};
  if (description.calibration && !(*description.calibration >= 1))
    return Error{"the time for the calibration is less than a second", "--calibration", "for example 20s"};
  if (!(description.level > 0 && description.level < 1))
    return Error{"the level is not between 0 and 1", "--level", "for example 0.9"};
  return {};
}

}  // namespace

bool runs_in_turn(const Description& description) {
  return std::ranges::any_of(description.launch, [](const std::string& word) {
    return word.find("cooperative:{p}") != std::string::npos;
  });
}

bool replays(const Description& description) {
  return runs_in_turn(description) && description.engine == "auto";
}

bool takes_extrap(const Description& description) {
  return description.engine == "extrap" || replays(description);
}

Result<std::vector<Template>> read_templates(const Description& description) {
  std::vector<Template> out;
  for (const std::string& path : description.templates) {
    auto content = read_file(path);
    if (!content)
      return Error{"the template " + content.error().what, path, "name a file that is there with --template"};
    out.push_back({path, *std::move(content)});
  }
  return out;
}

Result<Design> design_of(const Description& description, const std::vector<Template>& templates, int cores) {
  if (description.launch.empty())
    return Error{"there is no launch line", "",
                 "for example: parcast study --vary N=96,143,203 -- mpirun -n {p} ./app {N}"};
  PARCAST_TRY(check_limits(description));
  PARCAST_TRY(check_templates(description));
  PARCAST_TRY(check_graph(description));
  PARCAST_TRY(check_extrap(description));
  Design design;
  design.names = placeholders_of(description, templates);
  std::vector<Variation> variations;
  for (const Axis& axis : description.vary) {
    PARCAST_ASSIGN(auto variation, variation_of(axis));
    variations.push_back(std::move(variation));
  }
  PARCAST_TRY(check_names(design.names, description.vary));
  if (design.names.empty())
    return Error{"nothing varies: the launch line has no placeholder", "",
                 "write {p} for the number of processes, for example mpirun -n {p} ./app"};
  if (holds(design.names, "p") &&
      std::ranges::none_of(description.vary, [](const Axis& axis) { return axis.name == "p"; })) {
    variations.insert(variations.begin(),
                      usual_processes(cores, description.oversubscribe || runs_in_turn(description)));
    design.notes.push_back(
        "no values of p are given: runs have p = " +
        [&] {
          Names words;
          for (const double p : variations.front().values) words.push_back(format_plain(p));
          return join(words, ", ");
        }() +
        (description.oversubscribe || cores == kAnyCores
             ? ""
             : " (there " +
                   std::string(cores == 1 ? "is 1 core" : "are " + std::to_string(cores) + " cores") + ")"));
  }
  if (combinations(variations) > kMostRuns)
    return Error{"the values give " + std::to_string(combinations(variations)) + " runs, and at most " +
                     std::to_string(kMostRuns) + " are made",
                 "--vary", "give fewer values: three or four of each show how the time grows"};
  design.points = cross(variations);
  for (const Values& point : design.points) PARCAST_TRY(check_processes(point, description, cores, "--vary"));
  design.ask = description.ask;
  if (design.ask.empty()) {
    design.ask = usual_question(design.points);
    design.notes.push_back("nothing is asked: the answer is for " + point_text(design.ask));
  }
  PARCAST_TRY(check_point(design.ask, design.names, "--ask"));
  for (const Values& check : description.checks) {
    PARCAST_TRY(check_point(check, design.names, "--check"));
    PARCAST_TRY(check_processes(check, description, cores, "--check"));
  }
  return design;
}

Result<Values> values_from(const std::string& flag, const std::string& text) {
  Values out;
  for (const std::string& word : split(text, ',')) {
    const auto equals = word.find('=');
    const auto value = equals == std::string::npos || equals == 0
                           ? std::nullopt
                           : parse_in_range(trim(std::string_view(word).substr(equals + 1)));
    if (!value)
      return Error{"\"" + word + "\" is not a name with its value", flag,
                   "write for example " + flag + " p=64,N=4096"};
    const std::string name(trim(std::string_view(word).substr(0, equals)));
    if (!out.emplace(name, *value).second) return Error{name + " is given twice", flag, "give it once"};
  }
  return out;
}

}  // namespace parcast::study
