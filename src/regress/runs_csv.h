// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads runs from tables (docs/formats/regress.md). Counts have their own columns, or follow from the
// parameters by formulas of a second table for each program. So do the arrays of programs (footprint_NAME,
// traffic_NAME), which linearise.h converts to counts. The same columns are written as chi, so that reading a
// written file gives the same regression.

#include <string>
#include <string_view>
#include <vector>

#include "regress/runs.h"

namespace parcast::regress {

/// The columns of a table of formulas: program, one per count, two per array. A program * applies to all that
/// have no own row.
///
///   program,operations,messages,bytes
///   gauss,2/3*n^3/p,(n-1)*ceil(log2(p)),4*n^2*ceil(log2(p))
struct Formulas {
  struct Row {
    std::string program, place;
    std::vector<std::string> texts;                // by counts
    std::vector<std::string> footprints, traffic;  // by arrays
  };
  std::vector<std::string> counts, arrays;
  std::vector<Row> rows;
};
Result<Formulas> formulas_from_csv(std::string_view text, const std::string& where);

struct TableOptions {
  // columns of these kinds; empty: derived from their names (the page above)
  std::vector<std::string> counts, parameters;
  const Formulas* formulas = nullptr;  // columns are then parameters
  bool asked = false;                  // rows need no time and no program: they are to be predicted
};

/// Reads the runs. Fails with file and line on a missing column, a cell that is no number, a time that is not
/// positive, a negative count, and a formula without a value. Rows that are equal to another one are left
/// out, with a note.
Result<Runs> runs_from_csv(std::string_view text, const std::string& where, const TableOptions& options);
/// Joins the rows of several tables; fails if their counts differ. A run in several tables counts once,
/// unless each is to be answered.
enum class Repeated { once, kept };
Result<Runs> joined(std::vector<Runs> tables, Repeated repeated = Repeated::once);

/// Parses one run, written as `program=gauss,n=512,p=4` or with its counts and arrays.
Result<Run> run_from_words(std::string_view words, const Runs& known, const Formulas* formulas);

/// Returns program, parameters, seconds, chi_NAME for each count, and the fitted times if given.
std::string chi_to_csv(const Runs& runs, const std::vector<double>& predicted);

}  // namespace parcast::regress
