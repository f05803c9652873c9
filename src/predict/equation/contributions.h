// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every segment and call of a model contributes to the time of rank r: expressions in which the rank's symbols
// still stand. docs/models/equation.md says which call pays which part of a message.

#include <string>
#include <vector>

#include "machine/cost.h"
#include "predict/equation/equation.h"
#include "predict/equation/layout.h"

namespace parcast::predict {

struct Contribution {
  Term term;
  program::NodeId interval = program::kNone, phase = program::kNone;  // the calls that close them
  const program::Count* count = nullptr;   // what it is proportional to; nothing: several
  symbolic::Expression per_count;          // seconds for each further one where the count is 0
  symbolic::Expression at_most;            // memory: seconds if none of it hides behind computing
  std::string table;                       // of the machine, that the cost comes from; empty: none
  bool noise = false;                      // expected wait for the last rank of noisy iterations
};

/// What a call asks of its collective's table, or of the link: all bytes of so many executions or messages.
struct Demand {
  program::NodeId node = program::kNone;
  machine::CommunicationCost cost;         // of the table; without a table: the link's
  symbolic::Expression number, bytes, members;
  symbolic::Expression others = 1;         // the part of its messages that another process takes part in
};

struct Contributions {
  std::vector<Contribution> all;
  std::vector<Demand> demands;             // that a table or link may not have been measured for
  std::vector<Warning> warnings;           // about costs: no table, another link
  bool depends_on_rank = false;
  std::vector<int> grids;                  // dimensions of the grids whose symbols occur, ascending
  std::string link;
};

/// How many cores of a node stream at the same time.
std::int32_t streaming_cores(const machine::Machine& machine, const Question& question);

/// For all questions that use the same link, the same machines and equally many streaming cores.
Contributions contributions(const program::Model& model, const Layout& layout, const machine::Machine& machine,
                            const Question& question, const std::string& link);

/// The part of a message that a receive or wait still pays after the sender's part: from departure to receipt.
struct MessageCost {
  symbolic::Expression startup, transfer;
  Origin origin = Origin::measured;
  std::string note;
};
MessageCost flight(const machine::Machine& machine, const std::string& link, const symbolic::Expression& messages,
                   const symbolic::Expression& bytes);

/// Messages that a receiving call takes in, per rank and run; of a wait: those of the receives that it completes.
symbolic::Expression received_messages(const program::Model& model, program::NodeId call);

}  // namespace parcast::predict
