// SPDX-License-Identifier: Apache-2.0
#include "web/experiments.h"

#include <algorithm>
#include <ctime>
#include <ranges>

#include "base/text.h"
#include "web/history.h"

namespace parcast::web {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kInFlight = 4;     // points of one run that wait for a processor or have one
constexpr std::size_t kMostAtOnce = 16;  // runs that have not ended
constexpr double kProgressStep = 0.01;
constexpr int kWouldHang = 4;  // exit code of `parcast predict`

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

bool is_open(Status status) {
  return status == Status::waiting || status == Status::running;
}

/// Returns the sentence of an error, without the program's name before it.
std::string fault_of(const TaskEnd& end) {
  std::string text(trim(end.messages));
  for (const std::string_view prefix : {"parcast: ", "error: "})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  if (end.exit_code == kWouldHang) return "the program would hang here; parcast predict shows who waits";
  if (text.empty()) return "parcast ended with exit code " + std::to_string(end.exit_code);
  return text.substr(0, 2000);
}

std::string gone(std::int64_t id) {
  return event_text("gone", "{\"id\":" + std::to_string(id) + "}");
}

/// Returns the name of a machine's file: changed machines keep the name of theirs.
std::string file_name(const std::string& machine) {
  const std::string name = fs::path(machine).filename();
  return name.ends_with(".machine.toml") ? name : name + ".machine.toml";
}

}  // namespace

Experiments::Experiments(Places places, Tasks& tasks, Broadcast& pages)
    : places_(std::move(places)), tasks_(tasks), pages_(pages), runs_(read_history(places_.folder)) {
  for (Run& run : runs_) {
    run.id = ++last_;
    run.line = web::to_json(run);
  }
}

Result<std::int64_t> Experiments::begin(Experiment experiment, const Files& files) {
  PARCAST_ASSIGN(std::vector<Point> points, points_of(experiment));
  if (active_.size() >= kMostAtOnce)
    return Error{std::to_string(kMostAtOnce) + " experiments are running", "", "wait for one, or end one"};
  Run run{++last_, now(), std::move(experiment), std::move(points), Status::running};
  active_[run.id].files = files;
  runs_.push_back(std::move(run));
  pages_.send(event_text("run", web::to_json(runs_.back())));
  begin_points(runs_.back());
  return last_;
}

/// Starts the next points; a run's point that ends makes room for another.
void Experiments::begin_points(Run& run) {
  const auto found = active_.find(run.id);
  if (found == active_.end()) return;
  const std::int64_t id = run.id;
  const auto open = [&] {
    return static_cast<std::size_t>(std::ranges::count(run.points, Status::running, &Point::status));
  };
  for (std::size_t& next = found->second.begun; next < run.points.size() && open() < kInFlight;) {
    const std::size_t index = next++;
    run.points[index].status = Status::running;
    with_machine(run.points[index], found->second.files.machine, [this, id, index](const auto& machine) {
      if (!active_point(id, index)) return;
      if (machine)
        predict(id, index, *machine);
      else
        finish_point(id, index, Status::failed, "", machine.error().what);
    });
  }
}

void Experiments::with_machine(const Point& point, const std::string& machine, const UseMachine& use) {
  if (point.changes.empty()) return use(machine);
  std::string key = machine;
  for (const Change& change : point.changes) key += "\n" + change.name + "=" + change.value;
  const auto [found, is_new] = machines_.try_emplace(key);
  MadeMachine& made = found->second;
  if (made.is_ready) return use(made.file);
  made.waiting.push_back(use);
  if (!is_new) return;
  const fs::path folder = places_.scratch / ("machine-" + std::to_string(++made_));
  std::error_code problem;
  fs::create_directory(folder, problem);
  made.file = folder / file_name(machine);
  Task task;
  task.words = machine_words(point, machine, made.file);
  task.words.insert(task.words.begin(), places_.parcast);
  task.ended = [this, key](const TaskEnd& end) { end_machine(key, end); };
  tasks_.add(std::move(task));
}

void Experiments::end_machine(const std::string& key, const TaskEnd& end) {
  MadeMachine& made = machines_[key];
  const std::vector<UseMachine> waiting = std::move(made.waiting);
  made.waiting.clear();
  made.is_ready = end.exit_code == 0 && !end.was_cancelled;
  const Result<std::string> machine =
      made.is_ready ? Result<std::string>(made.file) : Result<std::string>(Error{fault_of(end), "", ""});
  if (!made.is_ready) machines_.erase(key);
  for (const UseMachine& use : waiting) use(machine);
}

void Experiments::predict(std::int64_t id, std::size_t index, const std::string& machine) {
  const Run& run = *find(id);
  Active& active = active_[id];
  Task task;
  task.words = predict_words(run.experiment, run.points[index], active.files.model, machine);
  task.words.insert(task.words.begin(), places_.parcast);
  task.progress = [this, id, index](double share) {
    Point* point = active_point(id, index);
    if (!point || share < point->progress + kProgressStep) return;
    point->progress = share;
    send_point(*find(id), index);
  };
  task.started = [this, id, index] {
    if (active_point(id, index)) send_point(*find(id), index);
  };
  task.ended = [this, id, index](const TaskEnd& end) { end_point(id, index, end); };
  active.tasks[index] = tasks_.add(std::move(task));
}

void Experiments::end_point(std::int64_t id, std::size_t index, const TaskEnd& end) {
  if (!active_point(id, index)) return;
  constexpr int kFailed = 1, kUsage = 2;
  const bool has_answer = end.exit_code != kFailed && end.exit_code != kUsage && end.exit_code != kWouldHang;
  const bool is_single = find(id)->points.size() == 1;
  std::string answer = has_answer ? shortened_prediction(end.output, is_single) : "";
  const Status status = answer.empty() ? Status::failed : Status::done;
  finish_point(id, index, status, std::move(answer), status == Status::failed ? fault_of(end) : "");
}

void Experiments::finish_point(std::int64_t id, std::size_t index, Status status, std::string answer,
                               std::string fault) {
  Run& run = *find(id);
  Point& point = run.points[index];
  point.status = status, point.answer = std::move(answer), point.fault = std::move(fault);
  active_[id].tasks.erase(index);
  send_point(run, index);
  const auto has = [&](Status wanted) { return std::ranges::count(run.points, wanted, &Point::status) > 0; };
  if (!has(Status::waiting) && !has(Status::running))
    settle(run, has(Status::done) ? Status::done : Status::failed);
  else
    begin_points(run);
}

bool Experiments::cancel(std::int64_t id) {
  Run* run = find(id);
  const auto active = active_.find(id);
  if (!run || active == active_.end()) return false;
  for (const auto& [index, task] : active->second.tasks) tasks_.cancel(task);
  for (Point& point : run->points)
    if (is_open(point.status)) point.status = Status::cancelled;
  settle(*run, Status::cancelled);
  return true;
}

bool Experiments::remove(std::int64_t id) {
  if (!find(id) || active_.contains(id)) return false;
  std::erase_if(runs_, [id](const Run& run) { return run.id == id; });
  pages_.send(gone(id));
  keep();
  return true;
}

/// Ends a run and writes the history.
void Experiments::settle(Run& run, Status status) {
  run.status = status;
  run.line = web::to_json(run);
  active_.erase(run.id);
  pages_.send(event_text("run", run.line));
  keep();
}

/// Drops the oldest ended runs beyond the limits, and writes the history.
void Experiments::keep() {
  std::size_t bytes = 0, count = 0;
  std::vector<std::int64_t> dropped;
  for (const Run& run : runs_ | std::views::reverse) {
    bytes += run.line.size(), count += run.line.empty() ? 0 : 1;
    if (!run.line.empty() && count > 1 && (count > kMostRuns || bytes > kMostHistory))
      dropped.push_back(run.id);
  }
  for (const std::int64_t id : dropped) {
    std::erase_if(runs_, [id](const Run& run) { return run.id == id; });
    pages_.send(gone(id));
  }
  if (const auto written = write_history(places_.folder, runs_); !written)
    pages_.send(event_text("unkept", "{}"));
}

void Experiments::send_point(const Run& run, std::size_t index) {
  pages_.send(event_text("point", "{\"id\":" + std::to_string(run.id) +
                                      ",\"index\":" + std::to_string(index) +
                                      ",\"point\":" + web::to_json(run.points[index]) + "}"));
}

Run* Experiments::find(std::int64_t id) {
  const auto found = std::ranges::find(runs_, id, &Run::id);
  return found == runs_.end() ? nullptr : &*found;
}

/// Returns a point that is being computed; null if its run has ended meanwhile.
Point* Experiments::active_point(std::int64_t id, std::size_t index) {
  Run* run = active_.contains(id) ? find(id) : nullptr;
  return run && run->points[index].status == Status::running ? &run->points[index] : nullptr;
}

std::string Experiments::to_json() const {
  std::string out;
  for (const Run& run : runs_)
    out += (out.empty() ? "" : ",") + (run.line.empty() ? web::to_json(run) : run.line);
  return "[" + out + "]";
}

}  // namespace parcast::web
