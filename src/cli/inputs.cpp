// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "machine/machine_file.h"
#include "program/model_file.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// `name` itself, or with `ending` put behind it; the error lists what lies in the current folder.
Result<fs::path> find_file(const std::string& name, const std::string& ending, const std::string& maker) {
  std::error_code problem;
  for (const fs::path& candidate : {fs::path(name), fs::path(name + ending)})
    if (fs::is_regular_file(candidate, problem)) return candidate;
  std::vector<std::string> present;
  for (const auto& entry : fs::directory_iterator(".", problem)) {
    const std::string file = entry.path().filename();
    if (file.ends_with(ending)) present.push_back(file);
  }
  const std::string near = did_you_mean(name.ends_with(ending) ? name : name + ending, present);
  return Error{"there is no file " + name + (name.ends_with(ending) ? "" : " nor " + name + ending), "", near.empty() ? "make one with: " + maker : near};
}

Result<double> number_at_least(const Invocation& invocation, const std::string& flag, double least, double otherwise) {
  const auto text = invocation.value(flag);
  if (!text) return otherwise;
  const auto value = parse_integer(*text);
  if (!value || static_cast<double>(*value) < least || *value > 1'000'000'000)
    return Error{flag + " " + *text + " is not a whole number of at least " + format_exact(least), "", ""};
  return static_cast<double>(*value);
}

}  // namespace

Result<std::map<std::string, double>> parameters_from(const std::vector<std::string>& words) {
  std::map<std::string, double> out;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : parse_double(word.substr(equals + 1));
    if (equals == 0 || !value) return Error{"\"" + word + "\" is not a parameter with its value", "", "write for example n=1024"};
    out[word.substr(0, equals)] = *value;
  }
  return out;
}

Result<program::Model> load_model(const std::string& name) {
  PARCAST_ASSIGN(const fs::path path, find_file(name, ".model.json", "parcast model R.recording..."));
  return program::read_model(path);
}

Result<machine::Machine> load_machine(const std::string& name) {
  if (name == "ideal") return machine::ideal_machine();
  PARCAST_ASSIGN(const fs::path path, find_file(name, ".machine.toml", "parcast calibrate -o " + name + ".machine.toml"));
  return machine::read_machine(path);
}

Result<machine::Machine> machine_from(const Invocation& invocation) {
  const auto name = invocation.value("--machine");
  if (!name) return Error{"no machine was named", "", "add -m NAME (made by parcast calibrate -o NAME.machine.toml), or -m ideal"};
  return load_machine(*name);
}

const std::vector<Flag>& question_flags() {
  static const std::vector<Flag> flags{
      {"--machine", 'm', "X", "machine: X.machine.toml, or ideal"},
      {"--processes", 'p', "P", "number of processes"},
      {"--set", 's', "K=V", "value of a parameter of the problem", true},
      {"--nodes", 0, "N", "number of nodes (with --ranks-per-node instead of -p)"},
      {"--ranks-per-node", 0, "R", "processes on a node (default: its cores)"},
      {"--threads", 0, "T", "threads per process (default 1)"},
      {"--level", 0, "L", "level of the intervals (default 0.9)"},
      {"--limit", 0, "TIME", "time limit of the job, e.g. 24h: gives the probability of ending within it"},
  };
  return flags;
}

Result<predict::Question> question_from(const Invocation& invocation, const program::Model& model) {
  predict::Question question;
  PARCAST_ASSIGN(question.point.parameters, parameters_from(invocation.values("--set")));
  PARCAST_ASSIGN(const double nodes, number_at_least(invocation, "--nodes", 1, 0));
  PARCAST_ASSIGN(const double per_node, number_at_least(invocation, "--ranks-per-node", 1, 0));
  PARCAST_ASSIGN(double processes, number_at_least(invocation, "--processes", 1, 0));
  const auto set_p = question.point.parameters.extract("p");  // -s p=16 says the same as -p 16
  if (processes == 0 && !set_p.empty()) {
    processes = set_p.mapped();
    if (processes < 1 || processes != std::floor(processes) || processes > 1e9)
      return Error{"p = " + format_exact(processes) + " is not a whole number of at least 1", "", ""};
  }
  if (processes == 0 && nodes > 0 && per_node > 0) processes = nodes * per_node;
  if (processes == 0) return Error{"the number of processes is missing", "", "add -p P, or --nodes N --ranks-per-node R"};
  if (nodes > 0 && per_node > 0 && nodes * per_node != processes)
    return Error{"-p, --nodes and --ranks-per-node disagree", "", "leave one of them out"};
  question.point.processes = static_cast<std::int32_t>(processes);
  if (per_node > 0) question.ranks_per_node = static_cast<std::int32_t>(per_node);
  else if (nodes > 0) question.ranks_per_node = static_cast<std::int32_t>(std::ceil(processes / nodes));
  PARCAST_ASSIGN(const double threads, number_at_least(invocation, "--threads", 1, 1));
  question.threads = static_cast<std::int32_t>(threads);
  if (const auto text = invocation.value("--level")) {
    const auto level = parse_double(*text);
    if (!level || *level <= 0 || *level >= 1) return Error{"--level " + *text + " is not between 0 and 1", "", "for example --level 0.9"};
    question.level = *level;
  }
  if (const auto text = invocation.value("--limit")) {
    PARCAST_ASSIGN(question.limit, parse_measure(*text, Dimension::time));
  }
  std::vector<std::string> names{"p"};
  for (const auto& parameter : model.parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : question.point.parameters) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = did_you_mean(name, names);
    return Error{"the model has no parameter " + name, "", near.empty() ? "it has: " + join(names, ", ") : near};
  }
  return question;
}

std::string store_url(const Invocation& invocation) {
  if (const auto given = invocation.value("--store")) return *given;
  const char* environment = std::getenv("PARCAST_STORE");
  return environment && *environment ? environment : "parcast.db";
}

const Flag& store_flag() {
  static const Flag flag{"--store", 0, "URL", "where experiments are kept (default: $PARCAST_STORE, else parcast.db here)"};
  return flag;
}

}  // namespace parcast::cli
