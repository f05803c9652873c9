// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs from tables (docs/formats/regress.md): counts stand in columns of their own, or follow from the parameters by formulas that a second
// table gives for each program. So do the arrays that programs hold (footprint_NAME, traffic_NAME), which linearise.h makes counts of. The
// same columns are written as chi, so that what is written reads back as the same regression.

#include <string>
#include <string_view>
#include <vector>

#include "regress/runs.h"

namespace parcast::regress {

/// The columns of a table of formulas: program, and one per count, two per array. A program * stands for all that have no row of their own.
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
  std::vector<std::string> counts, parameters;  // columns that are; empty: told by their names (the page above)
  const Formulas* formulas = nullptr;           // columns are then parameters
  bool asked = false;                           // rows need no time and no program: they are to be predicted
};

/// Fails with file and line on a missing column, a cell that is no number, a time that is not positive, a negative count, and a formula
/// that has no value. Rows that repeat another one in everything are left out, which the notes say.
Result<Runs> runs_from_csv(std::string_view text, const std::string& where, const TableOptions& options);
/// Rows of several tables as one; fails where they have not the same counts. A run that stands in several counts once, unless each is to be answered.
enum class Repeated { once, kept };
Result<Runs> joined(std::vector<Runs> tables, Repeated repeated = Repeated::once);

/// One run written as `program=gauss,n=512,p=4` or with its counts and arrays.
Result<Run> run_from_words(std::string_view words, const Runs& known, const Formulas* formulas);

/// program, parameters, seconds, chi_NAME for each count, and where given the fitted times.
std::string chi_to_csv(const Runs& runs, const std::vector<double>& predicted);

}  // namespace parcast::regress
