// SPDX-License-Identifier: Apache-2.0
#pragma once
// From measured runs to reasons: the relation of every phase's time to its work, refined where it breaks; and per run the
// overheads, what idle time is made of, and whether more than ideal speedup has a cause. docs/models/causes.md.

#include <optional>
#include <string>
#include <vector>

#include "causes/efficiencies.h"
#include "causes/overheads.h"
#include "causes/refine.h"
#include "causes/runs.h"

namespace parcast::causes {

/// A phase's time against its work. A sample is a run: both are means over its processes, since those of one run share its luck.
struct PhaseRelation {
  PhaseClass phase;
  std::string work;                 // the variable that it is compared with
  std::vector<std::size_t> runs;    // of Runs::runs, by sample
  std::vector<Sample> samples;
  std::vector<Candidate> candidates;
  std::optional<Refinement> refinement;
  std::string without;              // why there is no refinement
};

/// A part of a time, and what it comes from: the work, a cause that entered, or neither.
struct Term {
  std::string cause;                // a variable; empty: what the relation leaves
  double seconds = 0;               // of all processes
};
/// The terms of a sample sum to the phase's seconds. Nothing where the phase has no relation or the run no sample of it.
std::vector<Term> terms_of(const PhaseRelation& relation, std::size_t run, std::int32_t processes);

/// What idle time comes from, in seconds of all processes. Imbalance is what a process computes less than the slowest one, as far as it
/// is idle; computing that is uneven in turns and even in sum looks like delay.
struct Idle {
  double imbalance = 0;
  double delay = 0;                 // of messages: the rest
  double off_processor = 0;         // wanted to run and could not
};
Idle idle_of(const Run& run);

/// More than ideal speedup: computation takes less processor time than on one process, because of `terms`.
struct Superlinear {
  struct Change {
    std::string cause;              // as Term::cause
    double sequential = 0, parallel = 0;  // seconds of all processes
  };
  std::vector<Change> changes;      // largest gain first
  std::size_t telling = 0;          // so many of the first are works or causes that make up at least a fifth of the gain
  bool explained = false;           // these make up at least half of it
};

struct RunFindings {
  std::optional<Overheads> overheads;        // where there is a sequential time
  std::optional<Efficiencies> efficiencies;  // where some process computes
  Idle idle;
  std::optional<Superlinear> superlinear;
};

struct Analysis {
  std::vector<PhaseRelation> relations;      // computation and communication, as phase_classes orders them
  std::optional<PhaseRelation> delay;        // idle time by delay against what is communicated
  std::vector<RunFindings> runs;             // as Runs::runs
  std::vector<std::string> notes;            // what was assumed, a sentence each
};

struct AnalysisOptions {
  BreakOptions breaks;       // the level is shared among all phases
  double least_share = 0.01;  // phases that take less of every run are compared with nothing
};

/// Fails where `check` does, or where an ideal network's time contradicts its run.
Result<Analysis> analyse(const Runs& runs, const AnalysisOptions& options = {});

}  // namespace parcast::causes
