// SPDX-License-Identifier: Apache-2.0
#include "cli/study_runner.h"

#include "base/files.h"
#include "study/parallel.h"
#include "study/slurm.h"

namespace parcast::cli {
namespace {

Result<std::string> job_template(const study::Description& description) {
  if (description.job.empty()) return study::usual_job_template();
  auto text = read_file(description.job);
  if (!text) return Error{text.error().what, description.job, "name the template of the job with --job"};
  return text;
}

}  // namespace

Result<void> check_study_runner(const study::Description& description) {
  if (description.runner != "slurm") {
    if (description.job.empty()) return {};
    return Error{"--job is the script of a job of Slurm, and the runner is " + description.runner, "",
                 "add --runner slurm"};
  }
  PARCAST_ASSIGN(const std::string text, job_template(description));
  const auto script = study::job_script(text, {"name", 1, "log", {"script"}});
  if (!script) return Error{script.error().what, description.job, script.error().hint};
  return {};
}

Result<std::unique_ptr<study::Runner>> study_runner(const StudyRequest& request, const study::Host& host,
                                                    const study::Folder& folder) {
  using Owner = std::unique_ptr<study::Runner>;
  const study::TaskScripts scripts(folder.tasks(), request.working);
  const std::string& name = request.description.runner;
  if (name == "parallel") return Owner(std::make_unique<study::ParallelRunner>(scripts, host.cores));
  if (name != "slurm") return Owner(std::make_unique<study::LocalRunner>());
  PARCAST_ASSIGN(std::string text, job_template(request.description));
  return Owner(
      std::make_unique<study::SlurmRunner>(scripts, std::move(text), folder.path().filename().string()));
}

}  // namespace parcast::cli
