// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/measurement_question.h"
#include "cli/model_counts.h"
#include "cli/output.h"
#include "cli/store_actions.h"
#include "cli/stored_counts.h"
#include "cli/stored_measurements.h"
#include "cli/verbs.h"
#include "machine/machine_file.h"
#include "regress/costs.h"
#include "regress/linearise.h"
#include "regress/machine.h"
#include "regress/runs_csv.h"
#include "report/regress_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

constexpr std::string_view kMachineFile = ".machine.toml";

std::vector<std::string> names_behind(const Invocation& invocation, const std::string& flag) {
  std::vector<std::string> out;
  for (const std::string& text : invocation.values(flag))
    for (const std::string& name : split(text, ','))
      if (!trim(name).empty()) out.emplace_back(trim(name));
  return out;
}

Result<regress::Options> options_from(const Invocation& invocation) {
  regress::Options options;
  options.fit = {.plain = invocation.has("--plain"),
                 .robust = invocation.has("--robust"),
                 .nonnegative = invocation.has("--nonnegative")};
  options.held_out = !invocation.has("--quick");
  PARCAST_ASSIGN(options.level, level_from(invocation));
  return options;
}

Result<std::optional<regress::Formulas>> formulas_from(const Invocation& invocation) {
  const auto file = invocation.value("--formulas");
  if (!file) return std::optional<regress::Formulas>();
  PARCAST_ASSIGN(const std::string text, read_file(*file));
  PARCAST_ASSIGN(regress::Formulas formulas, regress::formulas_from_csv(text, *file));
  return std::optional<regress::Formulas>(std::move(formulas));
}

Result<regress::Runs> tables(const Invocation& invocation, const regress::TableOptions& options) {
  std::vector<regress::Runs> all;
  for (const std::string& input : invocation.inputs) {
    PARCAST_ASSIGN(const std::string text, read_file(input));
    PARCAST_ASSIGN(regress::Runs runs, regress::runs_from_csv(text, input, options));
    all.push_back(std::move(runs));
  }
  return regress::joined(std::move(all));
}

Result<std::shared_ptr<const machine::Machine>> prices_from(const Invocation& invocation) {
  const auto name = invocation.value("--priced-by");
  if (!name) return std::shared_ptr<const machine::Machine>();
  if (!invocation.has("--models") && !asks_store(invocation))
    return Error{"--priced-by prices the counts of models, and none is named", "",
                 "name them: --models M.model.json, or take runs of a store"};
  if (invocation.has("--recorded-on"))
    return Error{"--recorded-on has no effect with --priced-by", "", "leave out one of the two"};
  PARCAST_ASSIGN(machine::Machine machine, load_machine(*name));
  say_warnings(invocation, calibration_warnings(machine));
  return std::shared_ptr<const machine::Machine>(std::make_shared<machine::Machine>(std::move(machine)));
}

/// Returns the models for tables whose counts follow from models; nothing for tables with formulas.
Result<std::optional<ModelCounts>> models_from(const Invocation& invocation,
                                               const std::optional<regress::Formulas>& formulas) {
  if (!invocation.has("--models")) {
    if (!asks_store(invocation)) PARCAST_TRY(prices_from(invocation));  // there is nothing to price
    return std::optional<ModelCounts>();
  }
  for (const char* flag : {"--counts", "--linearise"})
    if (invocation.has(flag))
      return Error{std::string("with --models counts follow from these, and ") + flag + " gives others", "",
                   "leave one of them out"};
  if (asks_store(invocation))
    return Error{"--models is for tables; the counts of stored runs follow from the models in the store", "",
                 "leave it out"};
  for (const std::string& name : ModelCounts::names())
    if (formulas && std::ranges::count(formulas->counts, name) > 0)
      return Error{name + " follows from the models, and has formulas", *invocation.value("--formulas"),
                   "leave out the column, or --models"};
  PARCAST_ASSIGN(const auto prices, prices_from(invocation));
  ModelCounts counts(prices);
  for (const std::string& file : names_behind(invocation, "--models")) {
    PARCAST_ASSIGN(const program::Model model, load_model(file));
    PARCAST_TRY(counts.add(model, file));
  }
  return std::optional<ModelCounts>(std::move(counts));
}

/// All columns of numbers are parameters.
const regress::Formulas& no_formulas() {
  static const regress::Formulas none{{}, {}, {{"*", "", {}, {}, {}}}};
  return none;
}

Result<regress::Runs> runs_from(const Invocation& invocation, const regress::Formulas* formulas) {
  if (!asks_store(invocation)) {
    if (invocation.inputs.empty())
      return Error{"no runs are named", "", "name a table of runs, or take those of a store: --store URL"};
    return tables(invocation, {names_behind(invocation, "--counts"), names_behind(invocation, "--parameters"),
                               formulas, false});
  }
  if (!invocation.inputs.empty())
    return Error{invocation.inputs.front() + " and runs of a store are both named", "",
                 "leave one of them out"};
  for (const char* flag : {"--formulas", "--counts", "--parameters"})
    if (invocation.has(flag))
      return Error{
          std::string(flag) + " is for tables; the counts of stored runs follow from their programs' models",
          "", "leave it out"};
  PARCAST_ASSIGN(const store::Query query, query_from(invocation));
  PARCAST_ASSIGN(const store::Store store, store::Store::open_existing(store_url(invocation)));
  PARCAST_ASSIGN(const auto prices, prices_from(invocation));
  return stored_counts(store, query, prices);
}

/// Returns the runs to predict: tables, or words with `=`.
Result<std::vector<regress::Run>> asked_by(const Invocation& invocation, const regress::Runs& runs,
                                           const regress::Formulas* formulas) {
  std::vector<regress::Run> out;
  for (const std::string& asked : invocation.values("--predict")) {
    std::error_code problem;
    if (asked.find('=') != std::string::npos && !std::filesystem::exists(asked, problem)) {
      PARCAST_ASSIGN(regress::Run run, regress::run_from_words(asked, runs, formulas));
      out.push_back(std::move(run));
      continue;
    }
    PARCAST_ASSIGN(const std::string text, read_file(asked));
    const bool by_formulas = formulas != nullptr;
    PARCAST_ASSIGN(
        regress::Runs table,
        regress::runs_from_csv(text, asked,
                               {by_formulas ? std::vector<std::string>() : runs.counts, {}, formulas, true}));
    regress::Runs known = runs;
    known.runs.clear();
    PARCAST_ASSIGN(regress::Runs ordered,
                   regress::joined({known, std::move(table)}, regress::Repeated::kept));
    for (regress::Run& run : ordered.runs) out.push_back(std::move(run));
  }
  return out;
}

Result<regress::LineariseBy> linearise_by(const Invocation& invocation) {
  constexpr std::array kWays{std::pair("misses", regress::LineariseBy::misses),
                             std::pair("bandwidth", regress::LineariseBy::bandwidth),
                             std::pair("curve", regress::LineariseBy::curve)};
  const auto way = invocation.value("--linearise-by");
  if (way && !invocation.has("--linearise"))
    return Error{"--linearise-by needs a machine", "", "name it: --linearise MACHINE"};
  for (const auto& [name, by] : kWays)
    if (!way || *way == name) return by;
  return Error{"\"" + *way + "\" is no way to linearise", "--linearise-by",
               "take misses, bandwidth or curve"};
}

/// Turns arrays into counts if a machine is named; else warns that they are left out.
Result<void> count_arrays(const Invocation& invocation, regress::LineariseBy by, regress::Runs& runs,
                          std::vector<regress::Run>& asked) {
  if (const auto name = invocation.value("--linearise")) {
    PARCAST_ASSIGN(const machine::Machine machine, load_machine(*name));
    say_warnings(invocation, calibration_warnings(machine));
    PARCAST_TRY(regress::linearise(runs, asked, machine, by));
    // On stderr as well: readers of tables and files may not see the notes below them.
    for (const std::string& warning : runs.warnings) print_message("parcast: warning: " + warning + "\n");
    return {};
  }
  if (runs.arrays.empty()) return {};
  const char* hint = "--linearise MACHINE makes counts of them";
  if (runs.counts.empty()) return Error{"there are arrays, but no counts", runs.where, hint};
  runs.notes.push_back(std::string("footprints and traffic of arrays (") + join(runs.arrays, ", ") +
                       ") are passed over; " + hint);
  return {};
}

/// Removes the program's runs and returns them.
Result<regress::HeldOut> leave_out(const std::string& program, const regress::Options& options,
                                   regress::Runs& runs) {
  const std::vector<std::string> programs = regress::programs_of(runs);
  if (std::ranges::find(programs, program) == programs.end()) {
    const std::string near = did_you_mean(program, programs);
    return Error{"no run is of " + program, "--leave-out",
                 near.empty() ? "they are of " + join(programs, ", ") : near};
  }
  if (programs.size() == 1)
    return Error{"all runs are of " + program + ", so none is left", "--leave-out",
                 "add runs of other programs"};
  PARCAST_ASSIGN(regress::HeldOut out, regress::without_program(runs, program, options));
  std::erase_if(runs.runs, [&](const regress::Run& run) { return run.program == program; });
  return out;
}

Result<std::string> file_content(const Invocation& invocation, const std::string& file,
                                 const report::CostsAnswer& answer) {
  if (file.ends_with(kMachineFile)) {
    PARCAST_ASSIGN(const auto recorded, recorded_machine(invocation));
    if (recorded) say_warnings(invocation, calibration_warnings(*recorded));
    PARCAST_ASSIGN(const machine::Machine machine,
                   regress::machine_of(answer.costs, machine::name_of_file(file), recorded.get()));
    return machine::to_toml(machine);
  }
  if (file.ends_with(".csv")) return report::costs_csv(answer);
  if (file.ends_with(".json")) return report::costs_to_json(answer);
  if (file.ends_with(".svg")) return report::costs_svg(answer.costs);
  return report::costs_text(answer, {}, invocation.has("--all"));
}

std::string chi_of(const regress::Costs& costs) {
  std::vector<double> predicted;
  for (const regress::Run& run : costs.runs.runs) {
    double sum = 0;
    for (std::size_t j = 0; j < run.counts.size(); ++j) sum += run.counts[j] * costs.costs[j].value;
    predicted.push_back(sum);
  }
  return regress::chi_to_csv(costs.runs, predicted);
}

Result<void> write_files(const Invocation& invocation, const report::CostsAnswer& answer) {
  std::vector<std::pair<std::string, std::string>> files;
  if (const auto chi = invocation.value("--chi")) files.emplace_back(*chi, chi_of(answer.costs));
  for (const std::string& file : invocation.values("--output")) {
    PARCAST_ASSIGN(std::string content, file_content(invocation, file, answer));
    files.emplace_back(file, std::move(content));
  }
  for (const auto& [file, content] : files) {
    PARCAST_TRY(write_file(file, content));
    if (!invocation.quiet()) print_message("parcast: " + file + " is written\n");
  }
  return {};
}

void deliver(const Invocation& invocation, const report::CostsAnswer& answer, const report::Style& look) {
  if (invocation.json()) {
    print_result(report::costs_to_json(answer));
  } else if (invocation.has("--csv")) {
    print_data(report::costs_csv(answer));
  } else {
    print_result(report::costs_text(answer, look, invocation.has("--all")));
  }
}

int run_regress(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (invocation.json() && invocation.has("--csv"))
    return say_error({"--json and --csv exclude each other", "",
                      "give one of them; -o FILE writes another format besides"}),
           kUsage;
  const auto options = options_from(invocation);
  if (!options) return say_error(options.error()), kUsage;
  const auto way = linearise_by(invocation);
  if (!way) return say_error(way.error()), kUsage;
  const auto formulas = formulas_from(invocation);
  if (!formulas) return say_error(formulas.error()), kFailed;
  const auto models = models_from(invocation, *formulas);
  if (!models) return say_error(models.error()), kFailed;
  const regress::Formulas* by = *formulas ? &**formulas : *models ? &no_formulas() : nullptr;
  auto runs = runs_from(invocation, by);
  if (!runs) return say_error(runs.error()), kFailed;
  auto asked = asked_by(invocation, *runs, by);
  if (!asked) return say_error(asked.error()), kUsage;
  if (*models)
    if (const auto counted = (*models)->count(*runs, *asked); !counted)
      return say_error(counted.error()), kFailed;
  if (const auto counted = count_arrays(invocation, *way, *runs, *asked); !counted)
    return say_error(counted.error()), kFailed;
  std::optional<regress::HeldOut> left_out;
  if (const auto program = invocation.value("--leave-out")) {
    auto out = leave_out(*program, *options, *runs);
    if (!out) return say_error(out.error()), kUsage;
    left_out = *std::move(out);
  }
  const auto costs = regress::find_costs(*std::move(runs), *options);
  if (!costs) return say_error(costs.error()), kFailed;
  report::CostsAnswer answer{*costs, {}, left_out ? &*left_out : nullptr};
  for (const regress::Run& run : *asked) answer.predictions.push_back(regress::answer(*costs, run));
  if (const auto written = write_files(invocation, answer); !written)
    return say_error(written.error()), kFailed;
  deliver(invocation, answer, *look);
  return kAnswered;
}

}  // namespace

const Verb& regress_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "regress",
        .summary = "what a machine's operations cost, from runs of several programs",
        .inputs = "RUNS.csv... | --store URL",
        .fewest_inputs = 0,
        .most_inputs = 1000,
        .flags =
            {{"--formulas", 0, "FILE",
              "counts of each program as formulas of its parameters: CSV with program and a column per "
              "count"},
             {"--models", 0, "M,...",
              "counts of each program by its model: computing, messages, bytes; --formulas may add more",
              true},
             {"--priced-by", 0, "MACHINE",
              "computing of compiled programs by this machine's prices of operations, not as recorded"},
             {"--counts", 0, "NAME,...", "columns that are counts; all others are then parameters"},
             {"--parameters", 0, "NAME,...", "columns that are parameters, not counts"},
             {"--predict", 0, "K=V,...|FILE",
              "a run to predict by its counts (with --formulas by its parameters), or a table of such runs",
              true},
             {"--linearise", 0, "MACHINE",
              "count what arrays (footprint_NAME, traffic_NAME) miss in this machine's caches and memory"},
             {"--linearise-by", 0, "WAY",
              "misses of each cache (default), or seconds by bandwidth of levels, or by the measured curve"},
             {"--leave-out", 0, "PROGRAM", "fit without this program's runs, and predict them"},
             {"--robust", 0, "", "Huber's estimate: runs far off count less"},
             {"--nonnegative", 0, "", "hold costs at 0 that would be negative"},
             {"--plain", 0, "", "ordinary least squares: equal errors in seconds, programs alike"},
             {"--level", 0, "X", "level of intervals, default 0.9"},
             {"--quick", 0, "", "do not judge the costs by runs left out"},
             {"--all", 0, "", "print all runs with their residuals"},
             {"--csv", 0, "", "print CSV: the costs, or where some are asked for the predictions"},
             {"--chi", 0, "FILE", "write times and counts as CSV, with the times that the costs give"},
             {"--output", 'o', "FILE",
              "file to write: X.machine.toml, costs.json, costs.csv, residuals.svg, or a text", true}},
        .examples =
            {"parcast regress runs.csv --counts operations,messages,bytes",
             "parcast regress published.csv --formulas counts.csv --predict program=ocean,n=640,p=16",
             "parcast regress runs.csv --models gauss.model.json,ocean.model.json --priced-by here",
             "parcast regress sweeps.csv --linearise here --predict more.csv",
             "parcast regress runs.csv --leave-out gauss --robust",
             "parcast regress runs.csv --chi chi.csv -o cluster.machine.toml -o residuals.svg",
             "parcast regress --store parcast.db -m cluster --recorded-on here -o cluster.machine.toml"},
        .notes = {"RUNS.csv has program, seconds, and a column per count (operations, messages, bytes, ...); "
                  "p, processes, threads, nodes are parameters. docs/formats/regress.md",
                  "Without RUNS.csv the runs of a store are taken that the flags choose; their counts follow "
                  "from the newest model of each program."},
        .run = run_regress};
    v.flags.push_back(recorded_on_flag());
    v.flags.push_back(store_flag());
    v.flags.insert(v.flags.end(), query_flag_list().begin(), query_flag_list().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
