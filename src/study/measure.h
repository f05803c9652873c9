// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes the runs of a study, each once: a run whose recording lies in the folder and whose key is unchanged
// is not made again.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/commands.h"
#include "study/folder.h"
#include "study/journal.h"
#include "study/runner.h"

namespace parcast::study {

/// A run to make.
struct Wanted {
  RunKind kind = RunKind::design;
  Values values;
  int repeat = 1;
};

class Measuring {
 public:
  /// `host`: what a run depends on besides its command; `parcast`: this program. All references must outlive
  /// this.
  Measuring(const Description& description, const std::vector<Template>& templates, const Folder& folder,
            const std::map<std::string, std::string>& host, std::filesystem::path parcast, Runner& runner,
            Journal& journal)
      : description_(description),
        templates_(templates),
        folder_(folder),
        host_(host),
        parcast_(std::move(parcast)),
        runner_(runner),
        journal_(journal) {}

  /// Returns the finished run; nothing if it has to be made. A recording without an entry in the journal, of
  /// a study that was killed in between, is entered.
  Result<std::optional<Run>> finished(const Wanted& wanted);
  /// Makes the run and enters it, also if it fails. Returns nothing if a signal ended it.
  Result<std::optional<Run>> make(const Wanted& wanted, const std::function<void()>& wait);
  /// Makes all runs at once, likewise.
  Result<std::optional<std::vector<Run>>> make_all(const std::vector<Wanted>& wanted,
                                                   const WaitForTasks& wait);

  /// Returns all runs of the journal that the present description would make the same way, also with values
  /// that it no longer has; without checks.
  Result<std::vector<Run>> that_count();

 private:
  Result<std::string> key(const Wanted& wanted);
  Result<void> enter(const Run& run);
  Result<Task> prepare(const Wanted& wanted, const Run& run, const std::filesystem::path& inputs);
  Result<void> finish(const Ended& ended, Run& run);

  const Description& description_;
  const std::vector<Template>& templates_;
  const Folder& folder_;
  const std::map<std::string, std::string>& host_;
  std::filesystem::path parcast_;
  Runner& runner_;
  Journal& journal_;
  FileDigests digests_;
};

}  // namespace parcast::study
