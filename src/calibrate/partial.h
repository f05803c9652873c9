// SPDX-License-Identifier: Apache-2.0
#pragma once
// The launches that an unfinished calibration has done, in a folder beside the file that it makes, so that the same command goes on where
// it was ended (docs/formats/machine.md, Unfinished calibrations).
//
//   here.machine.toml.partial/
//     basis            what they rest on: launcher, process counts, budget, training program, host, MPI library; a line "key text" each
//     launch-2-0       what the first launch of two processes measured (measurements.h), there once it is whole
//     log              what the last launch printed
//     lock             held by the calibration and by the launch that it started, also when one of them outlives the other

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
  /// Makes the folder, or takes the one that is there. What it holds on another basis, or all of it with `fresh`, is removed. An error
  /// where it cannot be made, or another calibration, or a launch that a killed one left, still works in it.
  static Result<Partial> open(const std::filesystem::path& folder, const Basis& basis, bool fresh);
  /// A folder of its own in `base`, or for temporary files where that fails, which is gone with its owner.
  static Result<Partial> temporary(const std::filesystem::path& base);
  Partial(Partial&& other) noexcept;
  Partial& operator=(Partial&&) = delete;
  ~Partial();

  /// What was found there and not used, in words: "the launcher (mpirun -n {p}, and now srun -n {p})".
  const std::vector<std::string>& misfits() const { return misfits_; }

  std::filesystem::path result(int processes, int pass) const;
  std::filesystem::path log() const { return folder_ / "log"; }
  /// Nothing where that launch is not done, or its file is not whole or of another number of processes.
  std::optional<Measurements> finished(int processes, int pass) const;
  /// Whether some launch is done.
  bool any() const;

  /// Removes the folder: all is done.
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
