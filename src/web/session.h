// SPDX-License-Identifier: Apache-2.0
#pragma once
// One start of `parcast ui`: its folder, its experiments and the commands that it runs, and the answers to
// requests. The server (server.h) carries them.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "web/experiments.h"
#include "web/library.h"
#include "web/message.h"
#include "web/stream.h"
#include "web/tasks.h"

namespace parcast::web {

struct Settings {
  std::filesystem::path parcast;  // this program
  std::filesystem::path folder;   // absolute
  std::string store;              // URL; empty: entries are those of the folder
  int at_once = 2;                // commands
};

class Session {
 public:
  /// Makes a private folder for files of this session.
  static Result<std::unique_ptr<Session>> open(Settings settings);
  Session(const Session&) = delete;
  ~Session();

  /// Answers a request whose access is granted. `path` is that after the token: "/api/library".
  void answer(const Request& request, const std::string& path, const Reply& reply);
  /// Follows the commands.
  void step() { tasks_.step(); }

  const Settings& settings() const { return settings_; }
  const std::filesystem::path& scratch() const { return scratch_; }
  Tasks& tasks() { return tasks_; }
  Broadcast& pages() { return pages_; }
  Experiments& experiments() { return experiments_; }

  /// Runs `parcast WORDS` for somebody who waits for it; `use` gets how it ended.
  void run(std::vector<std::string> words, const std::function<void(const TaskEnd&)>& use);
  /// Returns the path of a file that is not there yet, in this session's folder.
  std::string new_file(const std::string& ending);
  /// Lists the entries anew and calls `use` with them.
  void list(const std::function<void(const std::vector<Entry>&)>& use);
  /// Returns the file of an entry's name; fails for what is not listed.
  Result<std::string> file_of(Kind kind, const std::string& name) const;
  /// Returns the file of a listed machine, or the name of one that Parcast ships.
  Result<std::string> machine_of(const std::string& name) const;
  Result<Files> files_of(const Experiment& experiment) const;

 private:
  Session(Settings settings, std::filesystem::path scratch);

  Settings settings_;
  std::filesystem::path scratch_;
  int files_ = 0;
  std::vector<Entry> entries_;
  Tasks tasks_;
  Broadcast pages_;
  Experiments experiments_;
};

}  // namespace parcast::web
