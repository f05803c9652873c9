// SPDX-License-Identifier: Apache-2.0
#pragma once
// Explains a prediction: the terms of its sum, its sensitivities, its scaling, and the run that would narrow
// it most. docs/models/explain.md has the equations.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/equation/equation.h"
#include "predict/prediction.h"

namespace parcast::explain {

/// The contribution of one call or one stretch of computing; all contributions sum to the total.
struct Contribution {
  program::NodeId node = program::kNone;
  std::int32_t segment = -1;
  std::string path, where, executions;
  predict::Estimate seconds;
  predict::Parts parts;
  double share = 0;           // fraction of the total
  double cumulative = 0;      // fraction of this one and all larger ones
  double interval_share = 0;  // fraction of the squared half width of the total's interval
  Origin origin = Origin::unknown;
  symbolic::Expression
      formula;              // seconds of the slowest rank there, in the model's symbols and machine costs
  bool has_formula = true;  // of another engine's answer, a region may have none
};

/// The contribution of a basic block of a compiled program, or of a stretch of computing without known
/// blocks. All of them sum to computing and memory.
struct BlockContribution {
  std::int32_t block = -1;  // index in the model; -1: a stretch, whose path replaces the function
  std::string function, where;
  std::optional<program::CountTier> tier;  // the least certain of its counts
  double executions = 0;                   // by the slowest rank in each stretch
  double seconds = 0;
  double share = 0;  // fraction of the total
};

/// The growth of the answer with a parameter of the problem, or p, with all other values fixed.
struct Growth {
  std::string parameter;
  double value = 0, next = 0;  // the value of the question, and about a tenth more (p: twice as many)
  double seconds = 0;          // at `next`
  double elasticity = 0;       // log(seconds at next / seconds at value) / log(next / value)
};

/// A machine parameter and the effect of its error on the answer.
struct ParameterWeight {
  predict::Sensitivity sensitivity;
  double standard_error = 0;
  // seconds, half width of the answer's interval from this error alone, at the question's level
  double half_width = 0;
  bool identified = true;  // |value| >= 2 standard errors
  Origin origin = Origin::unknown;
};

/// The speedup against the model's own time on one process, and the losses: the overheads of all parts sum to
/// 1/efficiency.
struct Efficiency {
  double sequential_seconds = 0;
  double speedup = 0, efficiency = 0;
  double compute_overhead = 0, memory_overhead = 0, startup_overhead = 0, transfer_overhead = 0,
         wait_overhead = 0;
  double load_balance = 0;  // computing / (computing + waiting)
  // (computing + waiting) / total; times load balance: the fraction of computing
  double communication_efficiency = 0;
};

/// The first power of two of processes from which a condition holds, with all other values fixed.
struct Crossover {
  std::string code;  // "fastest", "communication-exceeds-computing" or "efficiency-below-half"
  std::string text;
  std::int32_t processes = 0;
  double seconds = 0;  // the total there
};

/// The point where the data of a process no longer fit a level of the memory, along one parameter or p, with
/// all other values fixed.
struct CacheStep {
  std::string level;    // of the machine, its fastest first
  double capacity = 0;  // bytes
  std::string parameter;
  double last = 0;  // the largest value with which the data fit; along p the smallest
};

/// One action that narrows the answer, the most effective first.
struct Advice {
  std::string code;  // "ambiguous-count", "record-larger", "repeat-runs" or "calibrate"
  std::string text;
  double gain = 0;  // fraction of the squared half width that it addresses
};

struct Explanation {
  predict::Prediction prediction;
  std::vector<Contribution> contributions;  // largest first
  std::vector<BlockContribution> blocks;    // largest first; empty if the program was not compiled to count
  std::vector<ParameterWeight> sensitivities;  // largest elasticity first
  std::vector<Growth> growth;                  // of the problem's parameters, then of p
  std::vector<std::string> no_leverage;        // machine parameters that do not occur
  std::optional<Efficiency> efficiency;        // nothing if the model has no value at p = 1
  std::vector<Crossover> crossovers;
  double footprint = 0;                // bytes of the data of rank 0 at the question's point; 0: unknown
  std::vector<CacheStep> cache_steps;  // by level, then parameter
  std::vector<Advice> advice;
  symbolic::Binding values;  // values of all symbols in formulas, at the question's point
};

/// Explains the closed form.
Result<Explanation> explain(const program::Model& model, const machine::Machine& machine,
                            const predict::Question& question);

/// Makes `explanation` that of an answer to the same question, which another engine may have given: parts,
/// contributions and efficiency become the answer's. What only the closed form has keeps its proportions:
/// seconds of blocks, growth and crossovers, and slopes, are scaled by the ratio of both totals. Formulas
/// remain those of the closed form.
void take_answer(const program::Model& model, const machine::Machine& machine,
                 const predict::Prediction& answer, Explanation& explanation);

}  // namespace parcast::explain
