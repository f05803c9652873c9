// SPDX-License-Identifier: Apache-2.0
#pragma once
// The request of `parcast study`: a launch line with flags, a description file, or the folder of a study,
// which flags may change.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "study/description.h"

namespace parcast::cli {

struct StudyRequest {
  study::Description description;
  std::filesystem::path folder;   // of the study, absolute
  std::string name;               // of the folder, as the user names it
  std::filesystem::path working;  // where commands are run, absolute
};

/// Fails on contradictory or unreadable words, and on a description that cannot be read.
Result<StudyRequest> study_request(const Invocation& invocation);

/// Returns the flags that describe an experiment.
const std::vector<Flag>& study_flags();

}  // namespace parcast::cli
