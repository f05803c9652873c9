// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names for the rows of a table of regions: the region, what it does there, and the lines.
//
//   update: computing, lines 143-150
//   update: MPI_Sendrecv, line 130
//   eliminate: computing before MPI_Bcast     of a program without line numbers

#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace parcast::program {

/// A place as engines name it: labels of the region tree, "update/loop/compute before MPI_Sendrecv", and the
/// lines, "swe.c:143-150" (empty if unknown).
struct RowPlace {
  std::string path, where;
};

/// Returns the labels from below the program down: "solve/loop/MPI_Allreduce". Of several children of one
/// parent with the same label the second is "loop#2".
std::string path_of(const Model& model, NodeId node);
/// Returns the region around a segment with the call at its end, and the lines of the calls at both ends.
RowPlace place_of(const Model& model, const Segment& segment);
/// Returns the name of the segment's row in a table of its own: "update: computing, lines 143-150".
std::string row_name(const Model& model, const Segment& segment);

/// Returns a name for each row; no two are equal. A row outside all regions begins with the program's name.
/// Lines are without their file where all rows have the same one.
std::vector<std::string> row_names(std::span<const RowPlace> rows, const std::string& program);
/// Returns the name of a row in a tree of regions, without its region: "computing, lines 143-150", or
/// "computing before MPI_Bcast" without lines. Lines of other files than `file` are with theirs.
std::string name_in_region(const RowPlace& row, const std::string& file);
/// Returns the places of the calls at both ends as "swe.c:120-131", or the one that is known.
std::string lines_between(const std::string& from, const std::string& to);
/// Returns a place of a program without line numbers as its functions without their parameters.
std::string short_place(const std::string& where);
/// Returns the file that all rows share; empty if they have several or none.
std::string common_file(std::span<const RowPlace> rows);

}  // namespace parcast::program
