// SPDX-License-Identifier: Apache-2.0
#pragma once
// The folder of a study (docs/formats/study.md):
//
//   app.study/
//     study.toml               the description
//     journal.json             the steps that are done
//     runs/NAME.recording      a run each; failed/ has those of runs that failed
//     logs/NAME.log            what each run printed
//     inputs/                  the filled templates of the last run
//     here.machine.toml, app.model.json, prediction.json, ...
//     lock

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace parcast::study {

class Folder {
 public:
  /// Makes the folder, or opens an existing one, and removes what a killed study left half written. Fails if
  /// something else lies there, if it cannot be written, or if another study still works in it.
  static Result<Folder> open(const std::filesystem::path& path);
  Folder(Folder&& other) noexcept : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path description() const { return path_ / "study.toml"; }
  std::filesystem::path inputs() const { return path_ / "inputs"; }
  std::filesystem::path recording(const std::string& run) const {
    return path_ / "runs" / (run + ".recording");
  }
  std::filesystem::path failed(const std::string& run) const {
    return path_ / "failed" / (run + ".recording");
  }
  std::filesystem::path log(const std::string& run) const { return path_ / "logs" / (run + ".log"); }
  std::filesystem::path tasks() const { return path_ / "tasks"; }

  /// Returns whether a job of an earlier study may still record here.
  bool has_jobs() const;
  /// Removes all results; the description stays. Fails while jobs may still record here.
  Result<void> reset() const;

 private:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
  Result<void> lock();
  Result<void> make_subfolders() const;
  void clean() const;

  std::filesystem::path path_;
  int lock_ = -1;
};

/// Returns whether the path is a folder that a study has made.
bool is_study(const std::filesystem::path& path);

}  // namespace parcast::study
