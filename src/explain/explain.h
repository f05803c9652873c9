// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why a prediction is what it is: the terms it was summed from, what it is sensitive to, how it would scale, and which
// run would narrow it most. docs/models/explain.md has the equations.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/equation/equation.h"
#include "predict/prediction.h"

namespace parcast::explain {

/// What one call or one stretch of computing brings; all of them sum to the total.
struct Contribution {
  program::NodeId node = program::kNone;
  std::int32_t segment = -1;
  std::string path, where, executions;
  predict::Estimate seconds;
  predict::Parts parts;
  double share = 0;             // of the total
  double cumulative = 0;        // share of this one and all larger ones
  double interval_share = 0;    // of the squared half width of the total's interval
  Origin origin = Origin::unknown;
  symbolic::Expression formula; // seconds in the model's symbols and machine costs, of the slowest rank there
};

/// What a basic block of a compiled program brings, or a stretch of computing of which no blocks are known; all of them sum to
/// computing and memory.
struct BlockContribution {
  std::int32_t block = -1;      // of the model; -1: a stretch, with its path in the place of the function
  std::string function, where;
  std::optional<program::CountTier> tier;  // the least sure of its counts
  double executions = 0;        // of the slowest rank in each stretch
  double seconds = 0;
  double share = 0;             // of the total
};

/// How the answer grows with a parameter of the problem, or p, all else as asked.
struct Growth {
  std::string parameter;
  double value = 0, next = 0;   // asked, and about a tenth more (p: twice as many)
  double seconds = 0;           // at `next`
  double elasticity = 0;        // log(seconds / as asked) / log(next / value)
};

/// A machine parameter and what its own error does to the answer.
struct ParameterWeight {
  predict::Sensitivity sensitivity;
  double standard_error = 0;
  double half_width = 0;        // seconds of the answer that its error alone spans, at the question's level
  bool identified = true;       // |value| >= 2 standard errors
  Origin origin = Origin::unknown;
};

/// Speedup against the model's own time on one process, and what is lost: the overheads of all parts sum to 1/efficiency.
struct Efficiency {
  double sequential_seconds = 0;
  double speedup = 0, efficiency = 0;
  double compute_overhead = 0, memory_overhead = 0, startup_overhead = 0, transfer_overhead = 0, wait_overhead = 0;
  double load_balance = 0;      // computing / (computing + waiting)
  double communication_efficiency = 0;  // (computing + waiting) / total; times load balance: the share of computing
};

/// A process count from which something else is true, all else as asked: the first power of two at which it holds.
struct Crossover {
  std::string code;             // "fastest", "communication-exceeds-computing", "efficiency-below-half"
  std::string text;
  std::int32_t processes = 0;
  double seconds = 0;           // the total there
};

/// Where the data of a process leave a level of the memory: along one parameter, or p, all else as asked.
struct CacheStep {
  std::string level;            // of the machine, its fastest first
  double capacity = 0;          // bytes
  std::string parameter;
  double last = 0;              // the largest value with which the data fit; along p the smallest
};

/// One thing to do that narrows the answer, the most rewarding first.
struct Advice {
  std::string code;             // "ambiguous-count", "record-larger", "repeat-runs", "calibrate"
  std::string text;
  double gain = 0;              // share of the squared half width that it addresses
};

struct Explanation {
  predict::Prediction prediction;
  std::vector<Contribution> contributions;     // largest first
  std::vector<BlockContribution> blocks;       // largest first; empty where the program was not compiled to count
  std::vector<ParameterWeight> sensitivities;  // largest elasticity first
  std::vector<Growth> growth;                  // of the problem's parameters, then p
  std::vector<std::string> no_leverage;        // machine parameters that do not occur
  std::optional<Efficiency> efficiency;        // nothing when the model has no value at p = 1
  std::vector<Crossover> crossovers;
  double footprint = 0;                        // bytes of the data of rank 0 as asked; 0: not known
  std::vector<CacheStep> cache_steps;          // by level, then parameter
  std::vector<Advice> advice;
  symbolic::Binding values;                    // of all symbols in formulas, as asked
};

Result<Explanation> explain(const program::Model& model, const machine::Machine& machine, const predict::Question& question);

}  // namespace parcast::explain
