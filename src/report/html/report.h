// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values that a page shows about one prediction. They come from the same functions as the output of
// `parcast predict`, `sweep` and `explain`; a page adds its form only.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "machine/machine.h"
#include "model/model.h"
#include "patterns/segments.h"
#include "predict/prediction.h"
#include "report/html/call_graph.h"
#include "report/html/field.h"
#include "report/html/live.h"
#include "report/html/timeline.h"

namespace parcast::report::html {

/// A run with a known time, at the parameters of the question.
struct MeasuredRun {
  std::int32_t processes = 1;
  double seconds = 0;
  bool recorded = false;  // one of the model's recordings; else a run of --against
};

/// Lines of a source file around a place of the program.
struct Excerpt {
  std::string file;           // as it was found
  int first = 1, marked = 1;  // numbers of the first line, and of the place
  int last_marked = 1;
  std::vector<std::string> lines;
};

/// A file that the report was made from.
struct InputFile {
  std::string role, path, digest;
};

struct Report {
  program::Model model;
  machine::Machine machine;
  predict::Prediction prediction;            // of the engine that answers
  explain::Explanation explanation;          // of the closed form
  std::vector<predict::Prediction> scaling;  // by p, with all other values as asked
  std::vector<std::string> unscaled;         // what the charts lack and why, one sentence each
  Field field;                               // over p and a size
  std::vector<MeasuredRun> measured;
  std::optional<program::Traffic> traffic;  // of the run that is asked for; nothing: not known
  std::vector<program::MessageSegment> segments;
  std::optional<ProgramFile> program;       // nothing: not found, or without debug data
  std::vector<TimelineView> views;          // of simulated runs
  std::map<std::string, Excerpt> excerpts;  // by place, "swe.c:120"
  std::vector<InputFile> files;
  std::string command, version;
  Live live;  // of the sliders; empty: none
};

}  // namespace parcast::report::html
