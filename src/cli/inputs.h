// SPDX-License-Identifier: Apache-2.0
#pragma once
// What several verbs read from the command line in the same way: models, machines, parameters, questions, the store.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "machine/machine.h"
#include "model/model.h"
#include "predict/prediction.h"
#include "symbolic/languages.h"

namespace parcast::cli {

/// "k=v" words as parameters, each name once; the error names the word.
Result<std::map<std::string, double>> parameters_from(const std::vector<std::string>& words);

/// What lies at a path: "a recording", "a folder", "a model", "a machine" (these two by their endings), "a program",
/// "JSON", "a text"; empty where there is nothing.
std::string kind_of(const std::string& path);
/// The error for a file that is not there: names the nearest one here with one of the endings, else how to make one.
Error nothing_there(const std::string& what, const std::string& name, const std::vector<std::string_view>& endings,
                    const std::string& maker);

/// The engine that --engine names; else the default one, and with --costs pure the equation, which alone prices computing so.
Result<const predict::Engine*> engine_from(const Invocation& invocation);

/// Whether load_model() reads a program that is written by hand: NAME.program, or NAME where no model has that name.
bool is_written(const std::string& name);
/// A model: NAME for NAME.model.json or NAME.program, or the name of its file.
Result<program::Model> load_model(const std::string& name);
/// A machine: NAME for NAME.machine.toml, the name of its file, one that is built in ("ideal") or shipped ("ncube-2"). It is called as its file is.
Result<machine::Machine> load_machine(const std::string& name);
/// The machine that --recorded-on names; nothing where it is not given.
Result<std::shared_ptr<const machine::Machine>> recorded_machine(const Invocation& invocation);
const Flag& recorded_on_flag();
/// What has changed on this host since the machine, and that of --recorded-on (null: none), were measured on it; nothing for machines of elsewhere.
/// Every verb that takes numbers of a machine says these: in its answer's warnings, or by say_warnings().
std::vector<predict::Warning> calibration_warnings(const machine::Machine& machine, const machine::Machine* recorded = nullptr);
/// On stderr, unless --quiet.
void say_warnings(const Invocation& invocation, const std::vector<predict::Warning>& warnings);
/// Answered from damaged recordings: the answer stands, and the exit code says it.
int exit_code_of(const std::vector<predict::Warning>& warnings);
/// What -m names; it must be given, and once.
Result<std::string> machine_named(const Invocation& invocation);

/// Seconds, more than 0, from "24h" behind a flag.
Result<double> time_from(const std::string& flag, const std::string& text);
/// A number of at least `least` behind a flag; `otherwise` where the flag is not given.
Result<double> number_behind(const Invocation& invocation, const std::string& flag, double otherwise, double least);
/// A whole number of processes.
Result<std::int32_t> process_count(double value);
/// --as: nothing where it is not given; an error where the language is not known, or --json is given, too.
Result<std::optional<symbolic::Language>> language_from(const Invocation& invocation);

/// What the flags of a question say: -p, -s, --nodes, --ranks-per-node, --threads, --level, --limit, --recorded-on. A sweep replaces parts.
struct Asked {
  std::map<std::string, double> parameters;                   // without p
  std::int32_t processes = 0, nodes = 0, ranks_per_node = 0;  // 0: not given
  std::int32_t threads = 1;
  double level = 0.9;
  std::optional<double> limit;                                // seconds
  std::shared_ptr<const machine::Machine> recorded_machine;   // --recorded-on
};
Result<Asked> asked_from(const Invocation& invocation);
/// Checked against the model: what is missing, unknown or contradictory is an error of usage.
Result<predict::Question> question_from(const Asked& asked, const program::Model& model);
Result<predict::Question> question_from(const Invocation& invocation, const program::Model& model);
const std::vector<Flag>& question_flags();
/// As --costs says: the model with measured computing (kappa, the default), or priced by operations (pure), which the equation alone
/// answers.
Result<program::Model> with_costs(const Invocation& invocation, const program::Model& model, const machine::Machine& machine);

/// Where experiments are kept: --store, PARCAST_STORE, or parcast.db here.
std::string store_url(const Invocation& invocation);
const Flag& store_flag();

}  // namespace parcast::cli
