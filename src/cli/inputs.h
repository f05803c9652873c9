// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the inputs that several verbs share from the command line: models, machines, parameters, questions,
// the store.

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

/// Parses "k=v" words as parameters, each name once; the error names the word.
Result<std::map<std::string, double>> parameters_from(const std::vector<std::string>& words);

/// Returns the kind of what is at a path: "a recording", "a folder", "a model", "a machine" (these two by
/// their endings), "a program", "JSON", "a text"; empty if there is nothing.
std::string kind_of(const std::string& path);
/// Returns the error for a missing file. It suggests the nearest name in this folder with one of the endings;
/// if there is none, it names `maker`, the command that makes such a file.
Error nothing_there(const std::string& what, const std::string& name,
                    const std::vector<std::string_view>& endings, const std::string& maker);

/// Returns the engine that --engine names; else the default one. With --costs pure it returns the equation,
/// the only engine that supports pure costs.
Result<const predict::Engine*> engine_from(const Invocation& invocation);

/// Returns whether load_model() reads a program that is written by hand: NAME.program, or NAME if no model
/// has that name.
bool is_written(const std::string& name);
/// Loads a model: NAME for NAME.model.json or NAME.program, or the name of its file.
Result<program::Model> load_model(const std::string& name);
/// Loads a machine: NAME for NAME.machine.toml, the name of its file, a built-in one ("ideal") or a shipped
/// one ("ncube-2"). The machine gets the name of its file.
Result<machine::Machine> load_machine(const std::string& name);
/// Loads the machine that --recorded-on names; null if the flag is not given.
Result<std::shared_ptr<const machine::Machine>> recorded_machine(const Invocation& invocation);
const Flag& recorded_on_flag();
const Flag& engine_flag();
/// Of verbs whose text has at most three warnings (report/notes.h).
const Flag& notes_flag();
/// Returns warnings about changes on this host since the machine, and that of --recorded-on (null: none),
/// were measured here. Returns nothing for machines of other hosts. Every verb that uses numbers of a machine
/// reports these warnings: in its answer, or by say_warnings().
std::vector<predict::Warning> calibration_warnings(const machine::Machine& machine,
                                                   const machine::Machine* recorded = nullptr);
/// Prints the warnings on stderr, unless --quiet.
void say_warnings(const Invocation& invocation, const std::vector<predict::Warning>& warnings);
/// Returns the exit code: kPartial if a warning reports damaged recordings. The answer is valid all the same.
int exit_code_of(const std::vector<predict::Warning>& warnings);
/// Returns the value of -m, which must be given exactly once.
Result<std::string> machine_named(const Invocation& invocation);

/// Parses the value of a flag as a time in seconds, more than 0, e.g. "24h".
Result<double> time_from(const std::string& flag, const std::string& text);
/// Returns the number after a flag, which must be at least `least`; `otherwise` if the flag is not given.
Result<double> number_behind(const Invocation& invocation, const std::string& flag, double otherwise,
                             double least);
/// Converts a value to a number of processes; fails unless it is an integer in range.
Result<std::int32_t> process_count(double value);
/// Returns the language of --as; nothing if it is not given. Fails if the language is not known, or if --json
/// is given too.
Result<std::optional<symbolic::Language>> language_from(const Invocation& invocation);

/// The values of a question's flags: -p, -s, --nodes, --ranks-per-node, --threads, --level, --limit,
/// --recorded-on. A sweep replaces some of them at each point.
struct Asked {
  std::map<std::string, double> parameters;                   // without p
  std::int32_t processes = 0, nodes = 0, ranks_per_node = 0;  // 0: not given
  std::int32_t threads = 1;
  double level = 0.9;
  std::optional<double> limit;                               // seconds
  std::shared_ptr<const machine::Machine> recorded_machine;  // --recorded-on
};
Result<Asked> asked_from(const Invocation& invocation);
/// Checks the values against the model and returns the question. Missing, unknown or contradictory values are
/// usage errors.
Result<predict::Question> question_from(const Asked& asked, const program::Model& model);
Result<predict::Question> question_from(const Invocation& invocation, const program::Model& model);
const std::vector<Flag>& question_flags();
/// Applies --costs: returns the model with measured computing times (kappa, the default), or priced by
/// operations (pure). Only the equation supports the latter.
Result<program::Model> with_costs(const Invocation& invocation, const program::Model& model,
                                  const machine::Machine& machine);

/// Returns the URL of the store of experiments: --store, its setting, or parcast.db in the current folder.
std::string store_url(const Invocation& invocation);
const Flag& store_flag();

}  // namespace parcast::cli
