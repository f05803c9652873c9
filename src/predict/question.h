// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a question means for a model and a machine: checked, placed on nodes, and compared with what was recorded.

#include "predict/prediction.h"

namespace parcast::predict {

/// An error for p < 1, a parameter that the model does not have (with the nearest name) or that the question does not
/// give, values that are not finite, and levels outside 0..1.
Result<void> check(const program::Model& model, const Question& question);

struct Placement {
  std::int32_t nodes = 1, ranks_per_node = 1;
};
/// Block by block, ranks_per_node (default: as many as fit the cores) to a node.
Placement place(const machine::Machine& machine, const Question& question);

/// parameter -> value / nearest end of the recorded range, for parameters outside it; "p" is the process count.
std::map<std::string, double> extrapolation(const program::Model& model, const program::Point& point);

/// Warnings that follow from model, machine and question alone.
std::vector<Warning> question_warnings(const program::Model& model, const machine::Machine& machine,
                                       const Question& question);

/// Code "part-ignored": sections of the machine file that an engine does not follow where messages are sent.
std::vector<Warning> ignored_parts(std::string_view engine, const machine::Machine& machine, const Question& question);

/// The MPI library of each recording, as far as it is known.
std::vector<std::string> libraries_of(const program::Model& model);
/// Where some of these libraries are another, or another version, than the one that the machine was measured with; nothing where either is not known.
std::vector<Warning> library_warnings(const std::vector<std::string>& libraries, const machine::Machine& machine);

/// Those of `more` that are not there yet.
void add_unique(std::vector<Warning>& all, const std::vector<Warning>& more);
/// What the model says of itself, but for what is said already, with the question's own numbers.
void add_notices(const program::Model& model, std::vector<Warning>& out);

/// Whether computing times can be carried from the machine of the recordings to this one as they are.
bool same_processor(const std::string& recorded_on, const machine::Machine& machine);

}  // namespace parcast::predict
