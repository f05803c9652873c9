// SPDX-License-Identifier: Apache-2.0
#pragma once
// The warnings of an answer as text. A reader gets at most three sentences: those that change what to do
// next, each with the command that helps. The others are counted, and printed with --notes; JSON has all.
//
//   ! here has 1 node and the run needs 32: costs between nodes are assumed; measure them: parcast calibrate
//   ... ! 3 counts fit several formulas, MPI_Bcast the most: record a run at p = 2, N = 97 9 more notes:
//   --notes
//
// The table of codes in notes.cpp ranks them. It also has the short sentence of each code, made of the
// warning's data; warnings of one code about several pieces become one sentence about the worst piece.

#include <span>
#include <string>

#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::report {

/// What the warnings are printed with: an answer, or the model of recordings, where notes about recordings
/// are more urgent.
enum class Subject { answer, model };

/// Returns the lines. `details`: lines printed with the notes, such as how recordings are given back.
std::string notes_text(std::span<const predict::Warning> warnings, const Style& style,
                       const std::string& details = "", const std::string& how_to_see_all = "--notes",
                       Subject subject = Subject::answer);

/// Returns the sentence in full: text and hint.
std::string in_full(const predict::Warning& warning);

}  // namespace parcast::report
