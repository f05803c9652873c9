// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs tasks as an array job of Slurm: sbatch submits them, squeue and sacct give their states. The job goes
// on where this process ends. The next one waits for the tasks that are still queued and submits the others.

#include <map>
#include <set>

#include "study/task_scripts.h"

namespace parcast::study {

/// An element of an array job: "1234_3".
using ArrayElement = std::string;

/// Returns the job that sbatch --parsable has submitted: "1234" of "1234;cluster"; nothing if there is none.
std::optional<std::string> submitted_job(const std::string& output);
/// Returns the elements that squeue -h -r -o '%i|%T' lists.
std::set<ArrayElement> queued_elements(const std::string& output);
/// Returns how elements ended, by sacct -n -P -X -o JobID,State,ExitCode.
std::map<ArrayElement, Ended> ended_elements(const std::string& output);

/// What a script of a job is made of.
struct JobScript {
  std::string name;  // of the job
  int tasks = 1;     // processes of its largest element
  std::filesystem::path log;
  std::vector<std::filesystem::path> scripts;  // by element, from 1
};
/// Returns the script of a job. A template has {name}, {array} (1-6), {tasks}, {log} and {command}; ${X}
/// stays. Fails without {array} or {command}.
Result<std::string> job_script(const std::string& job_template, const JobScript& job);
std::string usual_job_template();

class SlurmRunner : public Runner {
 public:
  SlurmRunner(TaskScripts scripts, std::string job_template, std::string job_name)
      : scripts_(std::move(scripts)), template_(std::move(job_template)), name_(std::move(job_name)) {}
  Result<std::vector<Ended>> run(const std::vector<Task>& tasks, const WaitForTasks& wait) override;
  bool takes_many() const override { return true; }
  bool is_elsewhere() const override { return true; }

 private:
  using Elements = std::map<std::string, ArrayElement>;  // by task

  std::filesystem::path jobs_file() const { return scripts_.folder() / "jobs.txt"; }
  Elements known_elements() const;
  Result<void> remember(const Elements& elements) const;
  Result<void> submit(const std::vector<Task>& tasks, Elements& elements) const;
  /// Runs a program of Slurm and returns what it printed, also if it failed.
  Result<std::string> ask(const std::vector<std::string>& words, Ended& ended) const;
  Result<std::optional<std::set<ArrayElement>>> queued(const Elements& elements) const;
  std::map<ArrayElement, Ended> accounted(const Elements& elements) const;
  Result<std::vector<Ended>> wait_for(const std::vector<Task>& tasks, const Elements& elements,
                                      const WaitForTasks& wait) const;

  TaskScripts scripts_;
  std::string template_, name_;
};

}  // namespace parcast::study
