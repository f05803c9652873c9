// SPDX-License-Identifier: Apache-2.0
#pragma once
// An experiment of the page: a question to an engine, at one point or over up to two axes.
//
//   gauss.model.json on sp-2, engine auto, N = 400, p = 1..64*2     ->   7 points

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::web {

/// A parameter of the machine that differs: a value with its unit, or "*2" for twice the present one.
struct Change {
  std::string name, value;
  bool operator==(const Change&) const = default;
};

/// What varies: p, a parameter of the program, or one of the machine. "1,2,4", "1..64*2"; of a machine also
/// "*1,*2,*4" and "1us,2us".
struct Axis {
  std::string name, values;
  bool is_of_machine = false;
  bool operator==(const Axis&) const = default;
};

struct Experiment {
  std::string model, machine, recorded_on, engine = "auto";
  std::int32_t processes = 1, threads = 1;
  std::int32_t ranks_per_node = 0;  // 0: cores per node
  double level = 0.9;
  std::map<std::string, double> parameters;
  std::vector<Change> changes;  // of the machine
  std::vector<Axis> axes;       // at most two
  bool operator==(const Experiment&) const = default;
};

enum class Status { waiting, running, done, failed, cancelled };
std::string_view to_string(Status status);
std::optional<Status> status_from(std::string_view name);

/// A value on an axis, as text and as a number for the graph; a name has no number.
struct Tick {
  std::string text;
  std::optional<double> number;
  bool operator==(const Tick&) const = default;
};

struct Point {
  std::vector<Tick> at;  // one per axis
  std::int32_t processes = 1;
  std::map<std::string, double> parameters;
  std::vector<Change> changes;
  Status status = Status::waiting;
  double progress = 0;
  std::string answer;  // a part of parcast.prediction/1
  std::string fault;   // why it failed
};

inline constexpr std::size_t kMostPoints = 1000;

/// Returns the points, the first axis fastest. Fails on names and values that no command may get.
Result<std::vector<Point>> points_of(const Experiment& experiment);

/// Returns the words of `parcast predict` after the program's name. Paths are given: those of the experiment
/// are names in the page.
std::vector<std::string> predict_words(const Experiment& experiment, const Point& point,
                                       const std::string& model, const std::string& machine);
/// Returns the words of `parcast report` that write the page of a point.
std::vector<std::string> report_words(const Experiment& experiment, const Point& point,
                                      const std::string& model, const std::string& machine,
                                      const std::string& file);
/// Returns the words of `parcast machine set` that make the machine of a point.
std::vector<std::string> machine_words(const Point& point, const std::string& machine,
                                       const std::string& file);

Result<Experiment> experiment_from_json(std::string_view json);
std::string to_json(const Experiment& experiment);
std::string to_json(const Point& point);
/// Returns what a page shows of a prediction: time, parts, engine, warnings and, of one point alone, its
/// twelve largest regions. Empty if it is none.
std::string shortened_prediction(const std::string& json, bool has_regions);

}  // namespace parcast::web
