// SPDX-License-Identifier: Apache-2.0
#pragma once
// What several verbs read from the command line in the same way: models, machines, parameters, questions, the store.

#include <filesystem>
#include <map>
#include <string>

#include "cli/verb.h"
#include "machine/machine.h"
#include "predict/prediction.h"
#include "program/model.h"

namespace parcast::cli {

/// "k=v" words as parameters; the error names the word.
Result<std::map<std::string, double>> parameters_from(const std::vector<std::string>& words);

/// A model by its file name, or NAME for NAME.model.json.
Result<program::Model> load_model(const std::string& name);
/// A machine by its file name, NAME for NAME.machine.toml, or "ideal".
Result<machine::Machine> load_machine(const std::string& name);
/// The same, from -m, which must be given.
Result<machine::Machine> machine_from(const Invocation& invocation);

/// p, -s, --nodes, --ranks-per-node, --threads, --level, --limit of a prediction.
Result<predict::Question> question_from(const Invocation& invocation, const program::Model& model);
const std::vector<Flag>& question_flags();

/// Where experiments are kept: --store, PARCAST_STORE, or parcast.db here.
std::string store_url(const Invocation& invocation);
const Flag& store_flag();

}  // namespace parcast::cli
