// SPDX-License-Identifier: Apache-2.0
#include "study/slurm.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "base/files.h"
#include "base/shell.h"
#include "base/text.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPollStep{100}, kFirstPoll{200}, kLongestPoll{10'000};
constexpr int kMostFailures = 30;  // of squeue in sequence, before its host counts as gone

std::string job_of(const ArrayElement& element) {
  return element.substr(0, element.find('_'));
}

std::string jobs_of(const std::map<std::string, ArrayElement>& elements) {
  std::set<std::string> jobs;
  for (const auto& [task, element] : elements) jobs.insert(job_of(element));
  return join(std::vector<std::string>(jobs.begin(), jobs.end()), ",");
}

bool is_element(const std::string& text) {
  const auto parts = split(text, '_');
  return parts.size() == 2 && parse_integer(parts[0]) && parse_integer(parts[1]);
}

/// Replaces {name}, unless it belongs to ${name}. Returns how often.
int replace(std::string& text, const std::string& name, const std::string& value) {
  const std::string placeholder = "{" + name + "}";
  int times = 0;
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;) {
    if (at > 0 && text[at - 1] == '$') {
      at += placeholder.size();
      continue;
    }
    text.replace(at, placeholder.size(), value);
    at += value.size(), ++times;
  }
  return times;
}

}  // namespace

std::optional<std::string> submitted_job(const std::string& output) {
  for (const std::string& line : split(output, '\n')) {
    const std::string job(trim(line.substr(0, line.find(';'))));
    if (!job.empty() && std::ranges::all_of(job, [](char c) { return c >= '0' && c <= '9'; })) return job;
  }
  return std::nullopt;
}

std::set<ArrayElement> queued_elements(const std::string& output) {
  std::set<ArrayElement> out;
  for (const std::string& line : split(output, '\n'))
    if (const std::string element(trim(line.substr(0, line.find('|')))); is_element(element))
      out.insert(element);
  return out;
}

std::map<ArrayElement, Ended> ended_elements(const std::string& output) {
  std::map<ArrayElement, Ended> out;
  for (const std::string& line : split(output, '\n')) {
    const auto columns = split(line, '|');
    if (columns.size() < 3 || !is_element(columns[0])) continue;
    const std::string state = columns[1].substr(0, columns[1].find(' '));  // "CANCELLED by 1000"
    const auto codes = split(columns[2], ':');
    const auto code = parse_integer(codes.front()), signal = parse_integer(codes.back());
    Ended ended{code ? static_cast<int>(*code) : 1, 0, "Slurm ended it: " + state};
    if (signal && *signal > 0) ended.exit_code = 128 + static_cast<int>(*signal);
    if (state == "COMPLETED" || state == "FAILED") ended.fault.clear();
    out[columns[0]] = ended;
  }
  return out;
}

std::string usual_job_template() {
  return "#!/usr/bin/env bash\n"
         "#SBATCH --job-name={name}\n"
         "#SBATCH --array={array}\n"
         "#SBATCH --ntasks={tasks}\n"
         "#SBATCH --output={log}\n"
         "{command}\n";
}

Result<std::string> job_script(const std::string& job_template, const JobScript& job) {
  std::string command = "case $SLURM_ARRAY_TASK_ID in\n", out = job_template;
  for (std::size_t i = 0; i < job.scripts.size(); ++i)
    command +=
        "  " + std::to_string(i + 1) + ") exec bash " + shell_quoted(job.scripts[i].string()) + " ;;\n";
  command += "esac";
  const std::string array = "1-" + std::to_string(job.scripts.size());
  for (const auto& [name, value, is_needed] :
       {std::tuple("array", array, true), std::tuple("name", job.name, false),
        std::tuple("tasks", std::to_string(job.tasks), false), std::tuple("log", job.log.string(), false),
        std::tuple("command", command, true)})  // last: paths may have braces
    if (replace(out, name, value) == 0 && is_needed)
      return Error{std::string("the template of the job has no {") + name + "}", "--job",
                   "it needs {array} and {command}; {name}, {tasks} and {log} may be left out"};
  return out;
}

SlurmRunner::Elements SlurmRunner::known_elements() const {
  Elements out;
  const auto text = read_file(jobs_file());
  for (const std::string& line : split(text ? *text : "", '\n'))
    if (const auto words = split(line, ' '); words.size() == 2 && is_element(words[0]))
      out[words[1]] = words[0];
  return out;
}

Result<void> SlurmRunner::remember(const Elements& elements) const {
  std::string text;
  for (const auto& [task, element] : elements) text += element + " " + task + "\n";
  return write_file(jobs_file(), text);
}

Result<std::string> SlurmRunner::ask(const std::vector<std::string>& words, Ended& ended) const {
  const fs::path log = scripts_.folder() / (words.front() + ".log");
  std::error_code problem;
  fs::create_directories(scripts_.folder(), problem);
  const auto done = run_child(words, log, {});
  if (!done)
    return Error{done.error().what, done.error().where,
                 "--runner slurm needs the programs of Slurm: start the study on a login node"};
  ended = *done;
  return read_file(log);
}

Result<void> SlurmRunner::submit(const std::vector<Task>& tasks, Elements& elements) const {
  JobScript job{name_, 1, scripts_.folder() / "slurm-%A_%a.log", {}};
  for (const Task& task : tasks) {
    PARCAST_ASSIGN(fs::path script, scripts_.write(task));
    job.scripts.push_back(std::move(script));
    job.tasks = std::max(job.tasks, task.processes);
  }
  const fs::path file = scripts_.folder() / "job.sh";
  PARCAST_ASSIGN(const std::string script, job_script(template_, job));
  PARCAST_TRY(write_file(file, script));
  Ended ended;
  PARCAST_ASSIGN(const std::string output, ask({"sbatch", "--parsable", file.string()}, ended));
  const auto number = submitted_job(output);
  if (ended.exit_code != 0 || !number)
    return Error{
        "sbatch did not take the job: " + join(last_lines(scripts_.folder() / "sbatch.log", 2), " | "),
        file.string(), "--job FILE is a template with the partition, account and time that it needs"};
  for (std::size_t i = 0; i < tasks.size(); ++i)
    elements[tasks[i].name] = *number + "_" + std::to_string(i + 1);
  return remember(elements);
}

/// Returns nothing if squeue gives no answer now.
Result<std::optional<std::set<ArrayElement>>> SlurmRunner::queued(const Elements& elements) const {
  Ended ended;
  PARCAST_ASSIGN(const std::string output,
                 ask({"squeue", "-h", "-r", "-o", "%i|%T", "-j", jobs_of(elements)}, ended));
  // jobs that ended some minutes ago are not known to it
  const bool is_known = ended.exit_code == 0 || output.find("Invalid job id") != std::string::npos;
  return is_known ? std::optional(queued_elements(output)) : std::nullopt;
}

/// Returns nothing where Slurm keeps no accounts.
std::map<ArrayElement, Ended> SlurmRunner::accounted(const Elements& elements) const {
  Ended ended;
  const auto output =
      ask({"sacct", "-n", "-P", "-X", "-o", "JobID,State,ExitCode", "-j", jobs_of(elements)}, ended);
  return output && ended.exit_code == 0 ? ended_elements(*output) : std::map<ArrayElement, Ended>();
}

Result<std::vector<Ended>> SlurmRunner::wait_for(const std::vector<Task>& tasks, const Elements& elements,
                                                 const WaitForTasks& wait) const {
  std::map<std::string, int> absences;  // of tasks that squeue no longer lists
  int failures = 0;
  milliseconds until_poll = kFirstPoll;
  Clock::time_point next = Clock::now() + until_poll;
  for (;;) {
    std::vector<std::string> open;
    for (const Task& task : tasks)
      if (!scripts_.code(task.name) && absences[task.name] < 2) open.push_back(task.name);
    if (open.empty()) break;
    if (wait) wait(tasks.size() - open.size());
    std::this_thread::sleep_for(kPollStep);
    if (Clock::now() < next) continue;
    PARCAST_ASSIGN(const auto now, queued(elements));
    failures = now ? 0 : failures + 1;
    if (failures == kMostFailures)
      return Error{"squeue does not answer: " + join(last_lines(scripts_.folder() / "squeue.log", 2), " | "),
                   scripts_.folder().string(), "the jobs go on; the same command waits for them again"};
    for (const std::string& task : open)
      if (now && !now->contains(elements.at(task))) ++absences[task];
    until_poll = std::min(2 * until_poll, kLongestPoll);
    next = Clock::now() + until_poll;
  }
  const bool are_lost = std::ranges::any_of(tasks, [&](const Task& t) { return !scripts_.code(t.name); });
  const auto accounts = are_lost ? accounted(elements) : std::map<ArrayElement, Ended>();
  std::vector<Ended> out;
  for (const Task& task : tasks) {
    const auto code = scripts_.code(task.name);
    const auto account = accounts.find(elements.at(task.name));
    out.push_back(code                        ? Ended{*code, 0, ""}
                  : account != accounts.end() ? account->second
                                              : Ended{1, 0, "its job of Slurm ended without a reason"});
    if (!code && out.back().fault.empty()) out.back().fault = "its job of Slurm was ended";
  }
  return out;
}

Result<std::vector<Ended>> SlurmRunner::run(const std::vector<Task>& tasks, const WaitForTasks& wait) {
  Elements elements = known_elements();
  std::erase_if(elements, [&](const auto& each) {
    return std::ranges::none_of(tasks, [&](const Task& task) { return task.name == each.first; });
  });
  std::set<ArrayElement> alive;
  if (!elements.empty()) {
    PARCAST_ASSIGN(const auto now, queued(elements));
    if (!now)
      return Error{"squeue does not answer, and jobs of this study may still run", scripts_.folder().string(),
                   "try again later"};
    alive = *now;
  }
  std::vector<Task> missing;
  for (const Task& task : tasks)
    if (const auto at = elements.find(task.name); at == elements.end() || !alive.contains(at->second))
      missing.push_back(task), elements.erase(task.name);
  if (!missing.empty()) PARCAST_TRY(submit(missing, elements));
  PARCAST_ASSIGN(auto out, wait_for(tasks, elements, wait));
  PARCAST_TRY(remember({}));
  return out;
}

}  // namespace parcast::study
