// SPDX-License-Identifier: Apache-2.0
#pragma once
// The runner of a study, by its description.

#include <memory>

#include "cli/study_request.h"
#include "study/folder.h"
#include "study/runner.h"
#include "study/study.h"

namespace parcast::cli {

/// Fails on a template of a job that cannot be read or lacks a placeholder, before anything is written.
Result<void> check_study_runner(const study::Description& description);

/// Returns the runner; its scripts lie in the folder of the study.
Result<std::unique_ptr<study::Runner>> study_runner(const StudyRequest& request, const study::Host& host,
                                                    const study::Folder& folder);

}  // namespace parcast::cli
