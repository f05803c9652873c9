// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contribution of every segment and call of a model to the time of rank r: expressions with the rank's
// symbols. docs/models/equation.md defines which call pays which part of a message.

#include <span>
#include <string>
#include <vector>

#include "machine/cost.h"
#include "predict/equation/equation.h"
#include "predict/equation/layout.h"

namespace parcast::predict {

struct Contribution {
  Term term;
  program::NodeId interval = program::kNone, phase = program::kNone;  // the calls that close them
  const program::Count* count = nullptr;  // the count to which it is proportional; null: several
  symbolic::Expression per_count;         // seconds for each additional one where the count is 0
  symbolic::Expression at_most;           // memory: seconds if computing hides none of it
  std::string table;                      // of the machine, that gives the cost; empty: none
  bool noise = false;                     // expected wait for the last rank in noisy iterations
};

/// The demand of a call on its collective's table, or on the link: number of executions or messages, and
/// their total bytes.
struct Demand {
  program::NodeId node = program::kNone;
  machine::CommunicationCost cost;  // of the table; without a table: of the link
  symbolic::Expression number, bytes, members;
  symbolic::Expression others = 1;  // share of its messages that involve another process
};

struct Contributions {
  std::vector<Contribution> all;
  std::vector<Demand> demands;    // for which a table or link may not have been measured
  std::vector<Warning> warnings;  // about costs: no table, another link
  bool depends_on_rank = false;
  std::vector<int> grids;  // dimensions of the grids whose symbols occur, ascending
  std::string link;
};

/// Returns the number of cores of a node that stream at the same time.
std::int32_t streaming_cores(const machine::Machine& machine, const Question& question);

/// Returns the contributions for all questions with the same link, machines, and number of streaming cores.
/// The seconds of each segment are multiplied by its factor; without factors they stay as fitted.
Contributions contributions(const program::Model& model, const Layout& layout,
                            const machine::Machine& machine, const Question& question,
                            const std::string& link, std::span<const symbolic::Expression> factors = {});

/// The part of a message's cost, from departure to receipt, that a receive or wait pays in addition to the
/// sender's part.
struct MessageCost {
  symbolic::Expression startup, transfer;
  Origin origin = Origin::measured;
  std::string note;
};
MessageCost flight(const machine::Machine& machine, const std::string& link,
                   const symbolic::Expression& messages, const symbolic::Expression& bytes);

/// Returns the messages that a receiving call receives, per rank and run; for a wait, those of the receives
/// that it completes.
symbolic::Expression received_messages(const program::Model& model, program::NodeId call);

}  // namespace parcast::predict
