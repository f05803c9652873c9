// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pattern's training set as numbers: the measured times, the fitted formula within and beyond their range,
// and the cost of the same call built from messages (docs/models/communication.md, equations 1, 2, 6 and the
// table of algorithms).

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// Measured range of a table, on more than one process.
struct MeasuredRange {
  std::vector<std::int32_t> processes;  // ascending
  double smallest_bytes = 0, largest_bytes = 0;
};

class PatternCurve {
 public:
  /// Both must outlive this object.
  PatternCurve(const Machine& machine, const PatternCost& table);

  const PatternCost& table() const { return *table_; }
  const MeasuredRange& measured() const { return measured_; }
  /// Returns the fitted seconds of one call of `bytes` per process; 0 for a table without pieces.
  double fitted(double processes, double bytes) const;
  /// Returns the seconds of the same call built from messages over the machine's links, by the pattern's
  /// usual algorithm and LogGPS without corrections. Empty for a pattern without such an algorithm, or if the
  /// machine has no links.
  std::optional<double> from_messages(double processes, double bytes) const;
  /// Returns the ratio of the value to the largest measured one (or of the smallest measured one to the
  /// value), in processes or bytes; 1 within the range.
  double beyond_processes(double processes) const;
  double beyond_bytes(double bytes) const;

 private:
  const PatternCost* table_;
  MeasuredRange measured_;
  std::optional<symbolic::Expression> messages_;  // in "p" and "m"
  symbolic::Binding costs_;
};

/// Returns one piece as text: "3.2 us + 1.1 us ceil(log2 p) + m (0.4 ns/B + 0.1 ns/B (p - 1))".
std::string formula_of(const PatternCost::Piece& piece);

}  // namespace parcast::machine
