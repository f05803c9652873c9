// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function: what is known of it, as facts (docs/formats/facts.md), and the code that counts the rest.

#include "llvm/IR/PassManager.h"
#include "llvm/Support/JSON.h"
#include "pass/final_code.h"
#include "pass/insertion.h"

namespace parcast::pass {

/// How blocks are counted. In place: each block where it begins, in memory; slow, and the oracle of the other
/// way.
enum class Counting { planned, in_place };

/// The function's facts; it counts from now on, and `final` follows its loops and blocks. `number`: of the function in the module's facts.
llvm::json::Object count_function(llvm::Function& function, int number, llvm::FunctionAnalysisManager& analyses,
                                  CounterMemory& memory, Counting counting, FinalCode& final);

}  // namespace parcast::pass
