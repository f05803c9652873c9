// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a compiled program executes in a segment, and what operations weigh beside each other. docs/models/source_counts.md.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace parcast::program {

/// The class of operation: a branch that went another way than foreseen (source/counts/unforeseen.h).
inline constexpr const char* kMispredicted = "branch_mispredicted";

/// In additions: reciprocal throughputs on current processors in whole steps; 0 of what is no operation.
symbolic::Rational weight_of(std::string_view operation);
/// Of one execution, in additions.
double weight_of(const std::map<std::string, std::int64_t>& operations);
/// Operations by class weighted and added up.
symbolic::Expression weighted_work(const std::map<std::string, symbolic::Expression>& operations);

/// Executions of blocks in a segment, in a process of a run. What stands behind a call is known for all ways on from
/// there together; each has its part by the time that it took in the recordings. Empty where nothing was counted.
std::vector<Work::Executions> executions_in(const Model& model, std::size_t segment);
/// The same as operations by class, and bytes.
std::map<std::string, symbolic::Expression> operations_in(const Model& model, std::size_t segment);
/// Operations of those classes as instructions: what vector instructions of the final code do together counts once.
std::map<std::string, symbolic::Expression> instructions_in(const Model& model, std::size_t segment);

}  // namespace parcast::program
