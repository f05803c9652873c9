// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pattern's training set as numbers: what was measured, what the fitted formula says there and beyond, and what the same call
// would cost by messages alone (docs/models/communication.md, equations 1, 2, 6 and the table of algorithms).

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// What of a table was measured, on more than one process.
struct MeasuredRange {
  std::vector<std::int32_t> processes;  // ascending
  double smallest_bytes = 0, largest_bytes = 0;
};

class PatternCurve {
 public:
  /// Both outlive it.
  PatternCurve(const Machine& machine, const PatternCost& table);

  const PatternCost& table() const { return *table_; }
  const MeasuredRange& measured() const { return measured_; }
  /// Seconds of one call of `bytes` per process by the fit; of a table without pieces 0.
  double fitted(double processes, double bytes) const;
  /// The same from messages over the machine's links, by the pattern's usual algorithm and LogGPS without corrections; nothing for
  /// a pattern that has no such algorithm, or where the machine has no links.
  std::optional<double> from_messages(double processes, double bytes) const;
  /// How many times more processes or bytes than the most that were measured (or fewer than the fewest, as their ratio); 1 within.
  double beyond_processes(double processes) const;
  double beyond_bytes(double bytes) const;

 private:
  const PatternCost* table_;
  MeasuredRange measured_;
  std::optional<symbolic::Expression> messages_;  // of "p" and "m"
  symbolic::Binding costs_;
};

/// "3.2 us + 1.1 us ceil(log2 p) + m (0.4 ns/B + 0.1 ns/B (p - 1))": one piece, as people write it.
std::string formula_of(const PatternCost::Piece& piece);

}  // namespace parcast::machine
