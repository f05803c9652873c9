// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks that a compiled program executes in a segment, and the relative weights of operations.
// docs/models/source_counts.md.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace parcast::program {

/// The class of a mispredicted branch (source/counts/mispredicted.h).
inline constexpr const char* kMispredicted = "branch_mispredicted";

/// Returns the weight in additions: reciprocal throughput on current processors, rounded; 0 for names that
/// are not operations.
symbolic::Rational weight_of(std::string_view operation);
/// Returns the weight of one execution, in additions.
double weight_of(const std::map<std::string, std::int64_t>& operations);
/// Returns the weighted sum of the operations by class.
symbolic::Expression weighted_work(const std::map<std::string, symbolic::Expression>& operations);

/// Returns the executions of blocks in a segment, in a process of a run. Work after a call is known only for
/// all its successors together, so each segment gets a part by its recorded time. Empty if nothing was
/// counted.
std::vector<Work::Executions> executions_in(const Model& model, std::size_t segment);
/// Returns the same as operations by class, and bytes.
std::map<std::string, symbolic::Expression> operations_in(const Model& model, std::size_t segment);
/// Returns the operations of those classes as instructions: a vector instruction of the final code counts
/// once.
std::map<std::string, symbolic::Expression> instructions_in(const Model& model, std::size_t segment);

}  // namespace parcast::program
