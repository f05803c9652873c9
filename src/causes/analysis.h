// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds causes of times in measured runs. For every phase: the relation of its time to its work, refined
// where the relation breaks. For every run: the overheads, the sources of idle time, and the cause of more
// than ideal speedup. docs/models/causes.md.

#include <optional>
#include <string>
#include <vector>

#include "causes/efficiencies.h"
#include "causes/overheads.h"
#include "causes/refine.h"
#include "causes/runs.h"

namespace parcast::causes {

/// A phase's time against its work. A sample is a run: its values are means over the run's processes, whose
/// errors are not independent.
struct PhaseRelation {
  PhaseClass phase;
  std::string work;               // the variable that measures the work
  std::vector<std::size_t> runs;  // index in Runs::runs, by sample
  std::vector<Sample> samples;
  std::vector<Candidate> candidates;
  std::optional<Refinement> refinement;
  std::string without;  // why there is no refinement
};

/// A part of a time and its source: the work, a cause in the relation, or neither.
struct Term {
  std::string cause;   // a variable; empty: not explained by the relation
  double seconds = 0;  // sum over processes
};
/// Returns the terms of a sample, which sum to the phase's seconds. Empty if the phase has no relation, or no
/// sample of the run.
std::vector<Term> terms_of(const PhaseRelation& relation, std::size_t run, std::int32_t processes);

/// The sources of idle time, in seconds summed over processes. Imbalance is the excess of the slowest
/// process's computing over that of a process, as far as the latter is idle. Computing that is uneven in each
/// step but even in sum appears as delay.
struct Idle {
  double imbalance = 0;
  double delay = 0;          // delay of messages: the rest
  double off_processor = 0;  // the process was ready to run but had no processor
};
Idle idle_of(const Run& run);

/// More than ideal speedup: computation takes less processor time than on one process, because of `changes`.
struct Superlinear {
  struct Change {
    std::string cause;                    // like Term::cause
    double sequential = 0, parallel = 0;  // seconds summed over processes
  };
  std::vector<Change> changes;  // largest gain first
  // number of leading changes that are works or causes and make up at least a fifth of the gain each
  std::size_t telling = 0;
  bool explained = false;  // these make up at least half of the gain
};

struct RunFindings {
  std::optional<Overheads> overheads;        // if there is a sequential time
  std::optional<Efficiencies> efficiencies;  // if some process computes
  Idle idle;
  std::optional<Superlinear> superlinear;
};

struct Analysis {
  std::vector<PhaseRelation> relations;  // computation and communication, in the order of phase_classes
  std::optional<PhaseRelation> delay;    // idle time by delay against communicated amounts
  std::vector<RunFindings> runs;         // in the order of Runs::runs
  std::vector<std::string> notes;        // assumptions, a sentence each
};

struct AnalysisOptions {
  BreakOptions breaks;        // all phases share the level
  double least_share = 0.01;  // phases below this share of every run are not analysed
};

/// Analyses the runs. Fails if `check` fails, or if the time on an ideal network contradicts its run.
Result<Analysis> analyse(const Runs& runs, const AnalysisOptions& options = {});

}  // namespace parcast::causes
