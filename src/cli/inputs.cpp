// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/number_range.h"
#include "base/shell.h"
#include "base/text.h"
#include "calibrate/environment.h"
#include "cli/machine_catalogue.h"
#include "cli/output.h"
#include "config/settings.h"
#include "language/written.h"
#include "machine/machine_file.h"
#include "model/model_file.h"
#include "predict/machine_prices.h"
#include "predict/pure_costs.h"
#include "predict/question.h"
#include "recording/containers.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

struct Noun {
  std::string_view name, ending;  // e.g. "a model", ".model.json"
  std::string_view also;          // the kind of a file without an ending that is accepted, too
};
constexpr Noun kModel{"a model", ".model.json", "JSON"};
constexpr Noun kProgram{"a written program", program::written::kEnding, ""};
constexpr Noun kMachine{"a machine", ".machine.toml", "a text"};

std::string with_ending(const std::string& name, std::string_view ending) {
  return name.ends_with(ending) ? name : name + std::string(ending);
}

std::string kind_of_content(const fs::path& path) {
  char start[4] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  const std::string_view first(start, sizeof start);
  if (first ==
      "\x7f"
      "ELF")
    return "a program";
  return trim(first).starts_with('{') ? "JSON" : "a text";
}

/// Prefers NAME with the ending to NAME without it: a program lies next to its model under the model's name.
Result<fs::path> find_file(const std::string& name, const Noun& wanted, const std::string& maker) {
  std::error_code problem;
  const std::string full = with_ending(name, wanted.ending);
  if (fs::is_regular_file(full, problem)) return fs::path(full);
  const std::string kind = kind_of(name);
  if (kind.empty())
    return nothing_there("there is no file " + name + (name == full ? "" : " nor " + full), full,
                         {wanted.ending}, maker);
  if (kind == wanted.name || kind == wanted.also) return fs::path(name);
  return Error{name + " is " + kind + ", not " + std::string(wanted.name), "", "make one with: " + maker};
}

Result<std::int32_t> count_of(const Invocation& invocation, const std::string& flag, std::int32_t otherwise) {
  const auto text = invocation.value(flag);
  if (!text) return otherwise;
  const auto value = parse_integer(*text);
  if (!value || *value < 1 || *value > 1'000'000'000)
    return Error{flag + " " + *text + " is not a whole number of at least 1", "", ""};
  return static_cast<std::int32_t>(*value);
}

/// -s p=16 is the same as -p 16.
Result<void> take_processes(Asked& asked) {
  const auto set = asked.parameters.extract("p");
  if (set.empty()) return {};
  PARCAST_ASSIGN(const std::int32_t processes, process_count(set.mapped()));
  if (asked.processes > 0 && asked.processes != processes)
    return Error{"the process count is given twice: " + std::to_string(asked.processes) + " and " +
                     std::to_string(processes),
                 "", "give p once"};
  asked.processes = processes;
  return {};
}

}  // namespace

Result<std::map<std::string, double>> parameters_from(const std::vector<std::string>& words) {
  std::map<std::string, double> out;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : parse_in_range(word.substr(equals + 1));
    if (equals != 0 && equals != std::string::npos && !value)
      if (const auto fault = fault_of(std::string_view(word).substr(equals + 1)); fault != kNoNumber)
        return Error{"\"" + word + "\": the number is " + std::string(fault), "", kRangeHint};
    if (equals != 0 && equals != std::string::npos && word.find(',', equals) != std::string::npos)
      return Error{"\"" + word + "\" has several values", "", "parcast sweep and compare take lists"};
    if (equals == 0 || equals == std::string::npos)
      return Error{"\"" + word + "\" is not NAME=VALUE", "", "write for example n=1024"};
    if (!value) return Error{"the value of \"" + word + "\" is no number", "", "write for example n=1024"};
    if (!out.emplace(word.substr(0, equals), *value).second)
      return Error{word.substr(0, equals) + " is given twice", "", "give it once"};
  }
  return out;
}

std::string kind_of(const std::string& path) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) return recording::holds_ranks(path) ? "a recording" : "a folder";
  if (!fs::is_regular_file(path, problem)) return "";
  for (const Noun& noun : {kModel, kProgram, kMachine})
    if (path.ends_with(noun.ending)) return std::string(noun.name);
  return kind_of_content(path);
}

Error nothing_there(const std::string& what, const std::string& name,
                    const std::vector<std::string_view>& endings, const std::string& maker) {
  std::error_code problem;
  std::vector<std::string> present;
  for (fs::directory_iterator at(".", problem), end; !problem && at != end; at.increment(problem)) {
    const std::string file = at->path().filename();
    if (std::any_of(endings.begin(), endings.end(),
                    [&](std::string_view ending) { return file.ends_with(ending); }))
      present.push_back(file);
  }
  std::sort(present.begin(), present.end());
  const std::string near = did_you_mean(name, present);
  return {what, "", near.empty() ? "make one with: " + maker : near};
}

namespace {

std::string written_file(const std::string& name) {
  return with_ending(name, program::written::kEnding);
}

}  // namespace

/// Returns true for NAME.program, or NAME if no model has that name.
bool is_written(const std::string& name) {
  if (kind_of(name) == kProgram.name) return true;
  return kind_of(with_ending(name, kModel.ending)).empty() && kind_of(name).empty() &&
         kind_of(written_file(name)) == kProgram.name;
}

Result<program::Model> load_model(const std::string& name) {
  if (is_written(name)) return program::written::read_program(written_file(name));
  PARCAST_ASSIGN(const fs::path path, find_file(name, kModel, "parcast model R.recording..."));
  return program::read_model(path);
}

namespace {

/// Returns a file in this folder, else one that is shipped.
Result<fs::path> machine_file(const std::string& name) {
  auto found =
      find_file(name, kMachine, "parcast calibrate -o " + shell_quoted(with_ending(name, kMachine.ending)));
  if (found) return found;
  if (const auto published = published_machine(name)) return *published;
  const std::string near = did_you_mean(name, published_machines());
  if (!near.empty() && kind_of(name).empty() && !found.error().hint.starts_with("did you mean"))
    return Error{found.error().what, "", near};
  return found;
}

}  // namespace

Result<machine::Machine> load_machine(const std::string& name) {
  for (machine::Machine& machine : built_in_machines())
    if (name == machine.name) return std::move(machine);
  PARCAST_ASSIGN(const fs::path path, machine_file(name));
  PARCAST_ASSIGN(machine::Machine machine, machine::read_machine(path));
  if (const std::string own = machine::name_of_file(path); !own.empty()) machine.name = own;
  return machine;
}

std::vector<predict::Warning> calibration_warnings(const machine::Machine& machine,
                                                   const machine::Machine* recorded) {
  std::vector<predict::Warning> out;
  for (const machine::Machine* each : {&machine, recorded}) {
    if (!each || each->environment.empty()) continue;
    for (const std::string& change :
         calibrate::changes_since(each->environment, calibrate::host_environment()))
      predict::add_unique(out, {{"stale-calibration", each->name + " is measured on this host, but " + change,
                                 "measure it anew: parcast calibrate -o " +
                                     shell_quoted(with_ending(each->name, kMachine.ending))}});
  }
  return out;
}

void say_warnings(const Invocation& invocation, const std::vector<predict::Warning>& warnings) {
  for (const predict::Warning& warning : warnings) say_warning(invocation, {warning.text, "", warning.hint});
}

Result<std::shared_ptr<const machine::Machine>> recorded_machine(const Invocation& invocation) {
  const auto name = invocation.value("--recorded-on");
  if (!name) return std::shared_ptr<const machine::Machine>();
  PARCAST_ASSIGN(machine::Machine machine, load_machine(*name));
  return std::shared_ptr<const machine::Machine>(std::make_shared<machine::Machine>(std::move(machine)));
}

const Flag& recorded_on_flag() {
  static const Flag flag{"--recorded-on", 0, "X",
                         "machine of the recordings: computing is scaled by the core speeds of the two"};
  return flag;
}

const Flag& engine_flag() {
  static const Flag flag{"--engine", 0, "NAME",
                         std::string(predict::kEnginesHelp) + "; extrap: as simulate, on ExtraP's machine"};
  return flag;
}

const Flag& notes_flag() {
  static const Flag flag{"--notes", 0, "", "print all notes, not only the three that matter most"};
  return flag;
}

Result<std::string> machine_named(const Invocation& invocation) {
  const std::vector<std::string> names = invocation.values("--machine");
  if (names.size() > 1)
    return Error{std::to_string(names.size()) + " machines are named, and one is asked about", "",
                 "parcast predict and parcast sweep take several"};
  if (!names.empty()) return names[0];
  return Error{
      "no machine was named", "",
      "add -m NAME (made by parcast calibrate -o NAME.machine.toml), or -m ideal; or name one for all "
      "questions: machine = \"NAME\" in parcast.toml"};
}

Result<double> time_from(const std::string& flag, const std::string& text) {
  const std::string number(trim(text));
  if (parse_double(number))
    return Error{flag + " " + number + " needs a unit", "",
                 "write " + number + "s, " + number + "min or " + number + "h"};
  const auto seconds = parse_measure(number, Dimension::time);
  if (!seconds) return Error{flag + ": " + seconds.error().what, "", seconds.error().hint};
  if (*seconds <= 0) return Error{flag + " " + number + " is not more than 0", "", ""};
  if (!is_in_range(*seconds))
    return Error{flag + " " + number + " is " + std::string(fault_of(*seconds)), "", kRangeHint};
  char digits[32];  // rounded to digits: 100 times 1e-6 is not quite 0.0001
  std::snprintf(digits, sizeof digits, "%.15g", *seconds);
  return parse_double(digits).value_or(*seconds);
}

Result<double> number_behind(const Invocation& invocation, const std::string& flag, double otherwise,
                             double least) {
  const auto given = invocation.value(flag);
  if (!given) return otherwise;
  const auto number = parse_double(*given);
  if (!number || !(*number >= least) || *number > 1e18)
    return Error{flag + " " + *given + " is not a number of at least " + format_significant(least, 3), "",
                 ""};
  return *number;
}

Result<std::int32_t> process_count(double value) {
  if (value >= 1 && value <= 1e9 && value == std::floor(value)) return static_cast<std::int32_t>(value);
  return Error{"p = " + format_exact(value) + " is not a whole number of at least 1", "", ""};
}

Result<std::optional<symbolic::Language>> language_from(const Invocation& invocation) {
  const auto wanted = invocation.value("--as");
  if (!wanted) return std::optional<symbolic::Language>{};
  const auto language = symbolic::language_named(*wanted);
  if (!language)
    return Error{"--as " + *wanted + " is not known", "", "known: text, latex, maple, c++, javascript"};
  if (invocation.json()) return Error{"--as and --json exclude each other", "", "give one of them"};
  return language;
}

int exit_code_of(const std::vector<predict::Warning>& warnings) {
  return std::ranges::any_of(warnings, [](const predict::Warning& each) { return each.code == "damaged"; })
             ? kPartial
             : kAnswered;
}

const std::vector<Flag>& question_flags() {
  static const std::vector<Flag> flags{
      {"--machine", 'm', "X",
       "machine: X.machine.toml, or one that parcast machine list names; predict and sweep take several",
       true, "machine"},
      {"--processes", 'p', "P", "number of processes"},
      {"--set", 's', "K=V", "value of a parameter of the problem", true},
      {"--nodes", 0, "N", "number of nodes (with --ranks-per-node instead of -p)"},
      {"--ranks-per-node", 0, "R", "processes on a node (default: its cores)"},
      {"--threads", 0, "T", "threads per process (default 1)"},
      {"--level", 0, "L", "level of the intervals (default 0.9)"},
      {"--limit", 0, "TIME", "time limit of the job, e.g. 24h: gives the probability of ending within it"},
      {"--costs", 0, "FORM",
       "kappa (default): measured computing times, scaled by counted operations; pure: counted operations at "
       "the machine's costs"},
      recorded_on_flag(),
      notes_flag(),
  };
  return flags;
}

Result<program::Model> with_costs(const Invocation& invocation, const program::Model& model,
                                  const machine::Machine& machine) {
  if (!model.written_in.empty()) {
    if (invocation.value("--costs").value_or("kappa") != "kappa")
      return Error{"--costs pure is of recorded programs, and " + model.program + " is written by hand", "",
                   "give its computing in operations: compute 4 double_add"};
    if (invocation.has("--recorded-on") && predict::needs_prices(model))
      return Error{"computing of " + model.program + " is priced by the machine that is asked about", "",
                   "leave out --recorded-on"};
    return predict::with_machine_prices(model, machine);
  }
  if (invocation.value("--costs").value_or("kappa") == "kappa") return model;
  return predict::with_pure_costs(model, machine);
}

namespace {

Result<void> check_costs(const Invocation& invocation) {
  const std::string form = invocation.value("--costs").value_or("kappa");
  if (form == "kappa") return {};
  if (form != "pure") return Error{"--costs " + form + " is not known", "", "known: kappa, pure"};
  if (invocation.has("--recorded-on"))
    return Error{"--recorded-on has no effect with --costs pure", "", "leave out one of the two"};
  if (invocation.value("--engine").value_or("equation") != "equation")
    return Error{"--costs pure is answered by the equation only", "", "leave out --engine"};
  return {};
}

}  // namespace

Result<const predict::Engine*> engine_from(const Invocation& invocation) {
  const bool pure = invocation.value("--costs").value_or("kappa") == "pure";
  return predict::find_engine(
      invocation.value("--engine").value_or(pure ? "equation" : std::string(predict::kDefaultEngine)));
}

Result<Asked> asked_from(const Invocation& invocation) {
  Asked asked;
  PARCAST_TRY(check_costs(invocation));
  PARCAST_ASSIGN(asked.parameters, parameters_from(invocation.values("--set")));
  PARCAST_ASSIGN(asked.processes, count_of(invocation, "--processes", 0));
  PARCAST_ASSIGN(asked.nodes, count_of(invocation, "--nodes", 0));
  PARCAST_ASSIGN(asked.ranks_per_node, count_of(invocation, "--ranks-per-node", 0));
  PARCAST_ASSIGN(asked.threads, count_of(invocation, "--threads", 1));
  PARCAST_TRY(take_processes(asked));
  if (const auto text = invocation.value("--level")) {
    const auto level = parse_double(*text);
    if (!level || *level <= 0 || *level >= 1)
      return Error{"--level " + *text + " is not between 0 and 1", "", "for example --level 0.9"};
    asked.level = *level;
  }
  if (const auto text = invocation.value("--limit")) {
    PARCAST_ASSIGN(asked.limit, time_from("--limit", *text));
  }
  PARCAST_ASSIGN(asked.recorded_machine, recorded_machine(invocation));
  return asked;
}

namespace {

/// Returns the value of a parameter that the user left out: the only recorded one, or that of a given
/// parameter with the same value in every recording, as where a program names the argument that --param names
/// too.
std::optional<double> usual_value(const program::Model& model, const program::Parameter& parameter,
                                  const std::map<std::string, double>& given) {
  if (parameter.values.size() == 1) return parameter.values.front();
  for (const auto& [name, value] : given) {
    const auto is_equal = [&](const program::Source& source) {
      const auto own = source.parameters.find(parameter.name), other = source.parameters.find(name);
      return own != source.parameters.end() && other != source.parameters.end() &&
             own->second == other->second;
    };
    if (!model.sources.empty() && std::ranges::all_of(model.sources, is_equal)) return value;
  }
  return std::nullopt;
}

}  // namespace

Result<predict::Question> question_from(const Asked& asked, const program::Model& model) {
  const std::int64_t places = std::int64_t{asked.nodes} * asked.ranks_per_node;
  const std::int64_t processes = asked.processes > 0 ? asked.processes : places;
  if (processes == 0) {
    // A wrong name is reported first.
    for (const auto& [name, value] : asked.parameters)
      if (std::ranges::find(model.parameters, name, &program::Parameter::name) == model.parameters.end()) {
        predict::Question wrong;
        wrong.point = {asked.parameters, 1};
        PARCAST_TRY(predict::check(model, wrong));
      }
    return Error{"the number of processes is missing", "", "add -p P, or --nodes N --ranks-per-node R"};
  }
  if (places > 0 && places != processes)
    return Error{"-p, --nodes and --ranks-per-node disagree", "", "leave one of them out"};
  predict::Question question;
  question.point.parameters = asked.parameters;
  for (const program::Parameter& parameter : model.parameters)
    if (const auto usual = usual_value(model, parameter, asked.parameters))
      question.point.parameters.try_emplace(parameter.name, *usual);
  PARCAST_ASSIGN(question.point.processes, process_count(static_cast<double>(processes)));
  if (asked.ranks_per_node > 0)
    question.ranks_per_node = asked.ranks_per_node;
  else if (asked.nodes > 0)
    question.ranks_per_node = (question.point.processes - 1) / asked.nodes + 1;
  question.threads = asked.threads;
  question.level = asked.level;
  question.limit = asked.limit;
  question.recorded_machine = asked.recorded_machine;
  PARCAST_TRY(predict::check(model, question));
  return question;
}

Result<predict::Question> question_from(const Invocation& invocation, const program::Model& model) {
  PARCAST_ASSIGN(const Asked asked, asked_from(invocation));
  return question_from(asked, model);
}

std::string store_url(const Invocation& invocation) {
  return invocation.value("--store").value_or(std::string(config::find_setting("store")->built_in));
}

const Flag& store_flag() {
  static const Flag flag{"--store",
                         0,
                         "URL",
                         "where experiments are kept: a file or postgresql://USER@HOST/DB (default: "
                         "$PARCAST_STORE, a parcast.toml, else parcast.db here)",
                         false,
                         "store"};
  return flag;
}

}  // namespace parcast::cli
