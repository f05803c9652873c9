// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handles one function: derives its facts (docs/formats/facts.md), and inserts the code that counts the rest.

#include "llvm/IR/PassManager.h"
#include "llvm/Support/JSON.h"
#include "pass/final_code.h"
#include "pass/insertion.h"

namespace parcast::pass {

/// How blocks are counted. in_place: each block counts in memory where it begins. This is slow, and is the
/// oracle for the other way.
enum class Counting { planned, in_place };

/// Returns the function's facts. The function counts from now on, and `final` follows its loops and blocks.
/// `number`: index of the function in the module's facts.
llvm::json::Object count_function(llvm::Function& function, int number,
                                  llvm::FunctionAnalysisManager& analyses, CounterMemory& memory,
                                  Counting counting, FinalCode& final);

}  // namespace parcast::pass
