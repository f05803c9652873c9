// SPDX-License-Identifier: Apache-2.0
#pragma once
// The completed launches of an unfinished calibration, in a folder next to the file that it makes. The same
// command resumes an interrupted calibration from it (docs/formats/machine.md, Unfinished calibrations).
//
//   here.machine.toml.partial/
//     basis            what the launches depend on: launcher, process counts, budget, training program,
//                      host, MPI library; a line "key text" each
//     launch-2-0       measurements of the first launch of two processes (measurements.h), once complete
//     log              output of the last launch
//     lock             held by the calibration and by the launch that it started, even if one outlives the
//                      other

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "calibrate/measurements.h"

namespace parcast::calibrate {

using Basis = std::map<std::string, std::string>;

class Partial {
 public:
  /// Makes the folder, or opens an existing one. Removes content from another basis, or all content with
  /// `fresh`. Fails if the folder cannot be made, or if another calibration, or a launch that a killed
  /// calibration left, is still running in it.
  static Result<Partial> open(const std::filesystem::path& folder, const Basis& basis, bool fresh);
  /// Makes a temporary folder in `base`, or in the system's temporary folder if that fails. It is removed
  /// with its owner.
  static Result<Partial> temporary(const std::filesystem::path& base);
  Partial(Partial&& other) noexcept;
  Partial& operator=(Partial&&) = delete;
  ~Partial();

  /// What was found and not used, in words: "the launcher (mpirun -n {p}, and now srun -n {p})".
  const std::vector<std::string>& misfits() const { return misfits_; }

  std::filesystem::path result(int processes, int pass) const;
  std::filesystem::path log() const { return folder_ / "log"; }
  /// Returns the measurements of a launch. Returns nothing if the launch is not done, or its file is
  /// incomplete or of another number of processes.
  std::optional<Measurements> finished(int processes, int pass) const;
  /// Returns whether a launch is done.
  bool any() const;

  /// Removes the folder after the calibration is complete.
  void remove();

 private:
  explicit Partial(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> lock();
  Result<void> lock_again();
  void clear() const;

  std::filesystem::path folder_;
  std::vector<std::string> misfits_;
  int lock_ = -1;
  bool temporary_ = false;
};

}  // namespace parcast::calibrate
