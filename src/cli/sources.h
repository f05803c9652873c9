// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files behind the places of an answer, such as "swe.c:120", for its JSON: their full paths as the
// recording has them, and with --source their lines.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "model/model.h"
#include "predict/prediction.h"
#include "report/html/report.h"

namespace parcast::cli {

struct SourcePlace {
  std::string path;  // as compiled, or of the excerpt; empty: not known
  std::optional<report::html::Excerpt> excerpt;
};
using SourcePlaces = std::map<std::string, SourcePlace>;  // by place

const Flag& source_flag();
/// Fails if --source is given without --json.
Result<void> check_source(const Invocation& invocation);

/// Returns the places of which a path or lines are known. A file name that several files have is none.
SourcePlaces source_places(const Invocation& invocation, const program::Model& model,
                           const std::vector<std::string>& places);
/// Returns the places of a prediction's regions.
std::vector<std::string> places_of(const predict::Prediction& prediction);

/// Adds "sources" to the JSON of an answer.
std::string with_sources(const std::string& json, const SourcePlaces& places);

}  // namespace parcast::cli
