// SPDX-License-Identifier: Apache-2.0
#pragma once
// Commands that the server runs, a few at a time: urgent ones first, then in the order in which they came.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/result.h"
#include "web/child.h"

namespace parcast::web {

struct TaskEnd {
  int exit_code = 0;
  bool was_cancelled = false;
  std::string output, messages;  // of stdout and stderr
};

struct Task {
  std::vector<std::string> words;  // the program's path first
  bool is_urgent = false;          // somebody waits for it
  std::function<void()> started = {};
  std::function<void(double)> progress = {};
  std::function<void(const TaskEnd&)> ended;  // called once
};

using TaskId = std::uint64_t;

class Tasks {
 public:
  /// At most `at_once` commands run at a time, in `folder`.
  Tasks(int at_once, std::filesystem::path folder) : at_once_(at_once), folder_(std::move(folder)) {}

  TaskId add(Task task);
  /// Ends a command, or forgets it if it has not begun; the next step() reports that.
  void cancel(TaskId id);
  /// Starts what may start, follows what runs, and reports what has ended. Does not wait.
  void step();

  std::vector<int> descriptors() const;
  std::size_t waiting() const { return urgent_.size() + others_.size(); }
  std::size_t running() const { return running_.size(); }

 private:
  struct Waiting {
    TaskId id = 0;
    Task task;
  };
  struct Running {
    TaskId id = 0;
    Task task;
    Child child;
    double shown = 0;
    bool was_cancelled = false;
  };
  using Ended = std::vector<std::pair<Task, TaskEnd>>;
  void start_next(Ended& ended);

  int at_once_;
  std::filesystem::path folder_;
  TaskId last_ = 0;
  std::deque<Waiting> urgent_, others_;
  std::vector<Task> cancelled_;  // before they began
  std::list<Running> running_;
};

}  // namespace parcast::web
