// SPDX-License-Identifier: Apache-2.0
#pragma once
// The experiments of a session, running ones and those of the history. Each point is a command `parcast
// predict`; pages receive it when it has ended:
//
//   event: run    the whole run, when it begins, ends or changes its status
//   event: point  {"id", "index", "point"}
//   event: gone   {"id"}, when it is removed

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "web/run.h"
#include "web/stream.h"
#include "web/tasks.h"

namespace parcast::web {

/// Where the files of an experiment lie, and where results go.
struct Places {
  std::filesystem::path parcast;  // this program
  std::filesystem::path folder;   // of the history
  std::filesystem::path scratch;  // of this session; machines with changed parameters are made there
};

/// The paths behind an experiment's names.
struct Files {
  std::string model, machine;
};

class Experiments {
 public:
  using UseMachine = std::function<void(const Result<std::string>&)>;

  Experiments(Places places, Tasks& tasks, Broadcast& pages);

  /// Begins an experiment and returns its number. Fails on what no command may get.
  Result<std::int64_t> begin(Experiment experiment, const Files& files);
  /// Ends the commands of a running experiment; its points so far stay. False: no such run.
  bool cancel(std::int64_t id);
  /// Removes an ended experiment, also from the history. False: no such run, or it is running.
  bool remove(std::int64_t id);

  /// Calls `use` with the machine of a point, which is made first if its parameters differ; else with why
  /// not.
  void with_machine(const Point& point, const std::string& machine, const UseMachine& use);

  const std::vector<Run>& runs() const { return runs_; }
  /// Returns all runs as a JSON list.
  std::string to_json() const;

 private:
  struct MadeMachine {
    std::string file;
    bool is_ready = false;
    std::vector<UseMachine> waiting;
  };
  struct Active {
    Files files;
    std::size_t begun = 0;                // points, in their order
    std::map<std::size_t, TaskId> tasks;  // by point
  };
  Run* find(std::int64_t id);
  Point* active_point(std::int64_t id, std::size_t index);
  void begin_points(Run& run);
  void predict(std::int64_t id, std::size_t index, const std::string& machine);
  void end_point(std::int64_t id, std::size_t index, const TaskEnd& end);
  void finish_point(std::int64_t id, std::size_t index, Status status, std::string answer, std::string fault);
  void end_machine(const std::string& key, const TaskEnd& end);
  void settle(Run& run, Status status);
  void send_point(const Run& run, std::size_t index);
  void keep();

  Places places_;
  Tasks& tasks_;
  Broadcast& pages_;
  std::vector<Run> runs_;
  std::int64_t last_ = 0;
  std::map<std::int64_t, Active> active_;        // by run
  std::map<std::string, MadeMachine> machines_;  // by what they are made of
  int made_ = 0;
};

}  // namespace parcast::web
