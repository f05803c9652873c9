// SPDX-License-Identifier: Apache-2.0
#include "study/study.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/files.h"
#include "base/shell.h"
#include "base/text.h"
#include "build_model/next_recording.h"
#include "machine/machine_file.h"
#include "model/model_file.h"
#include "predict/prediction_file.h"
#include "predict/question.h"
#include "study/advised.h"
#include "study/answer.h"
#include "study/measure.h"
#include "study/replays.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualBudget = 15 * 60;  // seconds, with a precision alone
constexpr double kUsualCalibration = 60;  // seconds
constexpr double kUnknown = -1;           // seconds left
constexpr const char *kHere = "here", *kPrediction = "prediction.json", *kAskedMachine = "asked.machine.toml";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_there(const fs::path& path) {
  std::error_code problem;
  return fs::exists(path, problem);
}

/// Returns the text as one component of a path.
std::string file_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !out.empty());
    out += plain ? c : '_';
  }
  return out.empty() ? "unnamed" : out.substr(0, 100);
}

/// Returns one digest of all texts.
std::string digest_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::to_string(text.size()) + "\n" + text + "\n";
  return digest(all);
}

/// Returns one digest of all files of a folder.
std::string digest_of_folder(const fs::path& folder) {
  std::error_code problem;
  std::vector<std::string> texts;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem))
    if (at->is_regular_file(problem)) files.push_back(at->path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const auto content = digest_of_file(file);
    texts.push_back(file.filename().string()), texts.push_back(content ? *content : "");
  }
  return digest_of(texts);
}

class Session {
 public:
  Session(const Description& description, const Folder& folder, const Host& host, Runner& runner)
      : folder_(folder), host_(host), runner_(runner) {
    out_.description = description;
  }

  Result<Ran> run() {
    using Step = Result<bool> (Session::*)();  // false: a signal ended it
    constexpr std::array<Step, 8> kSteps{
        &Session::prepare,         &Session::build,  &Session::make_design, &Session::take_machine,
        &Session::answer_question, &Session::narrow, &Session::check,       &Session::draw};
    for (const Step step : kSteps) {
      PARCAST_ASSIGN(const bool is_done, (this->*step)());
      if (!is_done) return Ran();
    }
    out_.is_partial |= !out_.failed.empty();
    add_replay_note();
    out_.spent = 0;  // added up in the order of the runs, not of the time
    for (const auto* runs : {&out_.runs, &out_.failed})
      for (const Run& run : *runs) out_.spent += run.launch_seconds;
    return Ran(std::move(out_));
  }

 private:
  const Description& description() const { return out_.description; }
  fs::path file(const std::string& name) const { return folder_.path() / name; }

  Result<bool> prepare() {
    PARCAST_ASSIGN(templates_, read_templates(description()));
    PARCAST_ASSIGN(out_.design, design_of(description(), templates_, host_.cores));
    PARCAST_ASSIGN(engine_, predict::find_engine(description().engine));
    PARCAST_ASSIGN(journal_, read_journal(folder_.path()));
    PARCAST_TRY(write_file(folder_.description(), to_toml(description())));
    out_.notes = out_.design.notes;
    if (description().precision && !description().budget)
      out_.notes.push_back("no budget is given: runs may take " + format_seconds(kUsualBudget));
    if (!description().machine.empty()) PARCAST_TRY(load_named());
    if (!description().recorded_on.empty()) {
      PARCAST_ASSIGN(machine::Machine recorded_on, host_.load_machine(description().recorded_on));
      asking_.recorded_on = std::make_shared<machine::Machine>(std::move(recorded_on));
    }
    measuring_.emplace(description(), templates_, folder_, host_.properties, host_.parcast, runner_,
                       journal_);
    if (replays())
      replays_.emplace(*measuring_, folder_,
                       [this](const Wanted& wanted) { return make(wanted, "run to replay", 1, kUnknown); });
    return true;
  }

  /// A build tool itself skips what is up to date, and alone sees what is not: the line runs each time.
  Result<bool> build() {
    if (description().build.empty()) return true;
    const fs::path log = folder_.log("build");
    host_.progress(0, "build", kUnknown);
    PARCAST_ASSIGN(const Ended ended, run_child({"sh", "-c", description().build}, log, {}));
    if (ended.signal != 0) return false;
    if (ended.exit_code == 0) return true;
    return Error{
        "the build failed with exit code " + std::to_string(ended.exit_code) + ": " + description().build,
        log.string(), join(last_lines(log, 3), " | ")};
  }

  std::optional<double> budget() const {
    if (description().budget) return description().budget;
    return description().precision ? std::optional(kUsualBudget) : std::nullopt;
  }

  /// Makes a run and reports it. Returns nothing if a signal ended it.
  Result<std::optional<Run>> make(const Wanted& wanted, const std::string& what, double fraction,
                                  double seconds_left) {
    const double start = now();
    const std::string text = what + ", " + point_text(wanted.values);
    host_.progress(fraction, text, seconds_left);
    PARCAST_ASSIGN(const auto run, measuring_->make(wanted, [&] {
      host_.progress(fraction, text,
                     seconds_left < 0 ? kUnknown : std::max(0.0, seconds_left - (now() - start)));
    }));
    if (run) report(text, *run);
    return run;
  }

  void report(const std::string& text, const Run& run) {
    host_.say(text + ": " + (run.is_done ? format_seconds(run.launch_seconds) : run.fault));
    if (!run.is_done) out_.failed.push_back(run);
    if (counts(run.kind)) out_.spent += run.launch_seconds;
  }

  /// Makes runs together. Returns false if a signal ended it.
  Result<bool> make_at_once(const std::vector<Wanted>& wanted) {
    const auto show = [&](std::size_t done) {
      host_.progress(static_cast<double>(done) / static_cast<double>(wanted.size()),
                     std::to_string(done) + " of " + std::to_string(wanted.size()) + " runs have ended",
                     kUnknown);
    };
    show(0);
    PARCAST_ASSIGN(const auto runs, measuring_->make_all(wanted, show));
    if (!runs) return false;
    for (const Run& run : *runs) report(point_text(run.values), run);
    return true;
  }

  /// Makes runs one after the other, until the budget is used up. Returns false if a signal ended it.
  Result<bool> make_in_sequence(const std::vector<Wanted>& wanted, std::size_t before) {
    const std::size_t all = before + wanted.size();
    const double start = now();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (description().budget && out_.spent >= *description().budget) {
        out_.not_made = wanted.size() - i;
        break;
      }
      const double left =
          i == 0 ? kUnknown
                 : (now() - start) / static_cast<double>(i) * static_cast<double>(wanted.size() - i);
      const std::string what = "run " + std::to_string(before + i + 1) + " of " + std::to_string(all);
      PARCAST_ASSIGN(const auto run,
                     make(wanted[i], what, static_cast<double>(before + i) / static_cast<double>(all), left));
      if (!run) return false;
      if (before == 0 && i + 1 < wanted.size() && all_failed_alike(i + 1, wanted)) {
        host_.say("the first " + std::to_string(i + 1) + " runs failed alike; the others are not made");
        break;
      }
    }
    return true;
  }

  /// Returns whether all of the first runs failed with one fault, on several numbers of processes, the
  /// largest of `wanted` among them: a program may need more processes than the first runs have.
  bool all_failed_alike(std::size_t count, const std::vector<Wanted>& wanted) const {
    const auto processes = [](const Values& values) {
      const auto p = values.find("p");
      return p == values.end() ? 0 : p->second;
    };
    if (out_.failed.size() != count || count < 2) return false;
    const Run& first = out_.failed.front();
    double largest = 0;
    for (const Wanted& each : wanted) largest = std::max(largest, processes(each.values));
    bool several = false, has_largest = false;
    for (const Run& run : out_.failed) {
      if (run.fault != first.fault) return false;
      several |= processes(run.values) != processes(first.values);
      has_largest |= processes(run.values) == largest;
    }
    return several && has_largest;
  }

  Result<bool> make_design() {
    const auto& points = out_.design.points;
    std::vector<Wanted> missing;
    for (const Values& point : points) {
      PARCAST_ASSIGN(const auto run, measuring_->finished({RunKind::design, point}));
      if (!run) missing.push_back({RunKind::design, point});
    }
    const std::size_t before = points.size() - missing.size();
    PARCAST_ASSIGN(const auto earlier, measuring_->that_count());
    for (const Run& run : earlier) out_.spent += run.launch_seconds;
    if (before > 0)
      host_.say(std::to_string(before) + " of " + std::to_string(points.size()) + " runs are there already");
    if (!missing.empty())
      host_.say(std::to_string(missing.size()) + (missing.size() == 1 ? " run" : " runs") + " to make");
    const bool is_together = runner_.takes_many() && missing.size() > 1;
    PARCAST_ASSIGN(const bool is_done,
                   is_together ? make_at_once(missing) : make_in_sequence(missing, before));
    if (!is_done) return false;
    PARCAST_ASSIGN(out_.runs, measuring_->that_count());
    if (out_.runs.empty() && description().recordings.empty()) {
      const Run& first = out_.failed.front();
      return Error{"no run succeeded; " + point_text(first.values) + ": " + first.fault,
                   folder_.path().string(), first.hint};
    }
    return true;
  }

  Result<void> load_named() {
    PARCAST_ASSIGN(out_.machine, host_.load_machine(description().machine));
    const std::string name = file_name(out_.machine.name) + ".machine.toml";
    out_.machine_file = file(name);
    journal_.made.erase(name);  // a calibration of that name is replaced
    PARCAST_ASSIGN(out_.asked_machine, with_parameters(out_.machine, description().set));
    PARCAST_TRY(check_axes(out_.asked_machine, description().graph, out_.design.ask, out_.design.names));
    return keep(out_.machine_file, machine::to_toml(out_.machine));
  }

  /// Writes a file, unless it has this content.
  Result<void> keep(const fs::path& path, const std::string& content) const {
    if (const auto present = is_there(path) ? read_file(path) : Result<std::string>(Error{});
        present && *present == content)
      return {};
    return write_file(path, content);
  }

  /// Returns the words of the launch line before the program, as --launcher; empty if they do not contain {p}
  /// alone.
  std::string launcher() const {
    const auto command = command_of(description(), templates_, out_.design.points.front(), folder_.inputs());
    if (!command) return "";
    const fs::path program = host_.program_in(command->words);
    std::vector<std::string> before;
    for (std::size_t i = 0; i < command->words.size(); ++i) {
      std::error_code problem;
      const bool is_program = command->words[i] == program.filename().string() ||
                              fs::equivalent(command->words[i], program, problem);
      if (i > 0 && is_program) break;
      before.push_back(description().launch[i]);
      if (i + 1 == command->words.size()) return "";
    }
    const std::string line = shell_line(before);
    return placeholders_in(line) == std::vector<std::string>{"p"} ? line : "";
  }

  Result<bool> take_machine() {
    if (description().machine.empty()) {
      PARCAST_ASSIGN(const bool is_done, calibrate());
      if (!is_done) return false;
      PARCAST_ASSIGN(out_.machine, machine::read_machine(out_.machine_file));
      out_.machine.name = kHere;
      PARCAST_ASSIGN(out_.asked_machine, with_parameters(out_.machine, description().set));
      PARCAST_TRY(check_axes(out_.asked_machine, description().graph, out_.design.ask, out_.design.names));
    }
    return true;
  }

  /// Calibrates this machine into the folder, in a process of its own: it goes on with what a killed one
  /// measured.
  Result<bool> calibrate() {
    const double seconds = description().calibration.value_or(kUsualCalibration);
    const std::string name = std::string(kHere) + ".machine.toml", line = launcher();
    out_.machine_file = file(name);
    std::vector<std::string> basis{line, format_exact(seconds)};
    for (const auto& [property, value] : host_.properties) basis.push_back(property + "=" + value);
    const std::string key = digest_of(basis);
    if (is_there(out_.machine_file) && journal_.made[name] == key) return true;
    std::vector<std::string> words{host_.parcast.string(),
                                   "calibrate",
                                   "--quiet",
                                   "--no-store",
                                   "--output",
                                   out_.machine_file.string(),
                                   "--budget",
                                   format_exact(seconds) + "s"};
    if (!line.empty()) words.insert(words.end(), {"--launcher", line});
    const double start = now();
    const auto wait = [&] {
      host_.progress(std::min(1.0, (now() - start) / seconds), "calibrate this machine",
                     std::max(0.0, seconds - (now() - start)));
    };
    const fs::path log = folder_.log("calibrate");
    wait();
    PARCAST_ASSIGN(const Ended ended, run_calibration({"calibrate", words, log, most_processes()}, wait));
    if (ended.signal != 0) return false;
    if (ended.exit_code != 0)
      return Error{"this machine could not be calibrated: " +
                       (ended.fault.empty() ? "" : ended.fault + ": ") + join(last_lines(log, 3), " | "),
                   log.string(), "name a machine with -m"};
    host_.say("calibrated this machine: " + format_seconds(now() - start));
    journal_.made[name] = key;
    PARCAST_TRY(write_journal(folder_.path(), journal_));
    return true;
  }

  /// Calibrates where the runs are made.
  Result<Ended> run_calibration(const Task& task, const std::function<void()>& wait) {
    if (!runner_.is_elsewhere()) return run_child(task.words, task.log, wait);
    PARCAST_ASSIGN(const std::vector<Ended> ended, runner_.run({task}, [&](std::size_t) { wait(); }));
    return ended.front();
  }

  /// Returns the processes that a run may have: the cores here, or elsewhere those of the largest run.
  int most_processes() const {
    if (!runner_.is_elsewhere()) return host_.cores;
    int most = 1;
    for (const Values& point : out_.design.points)
      if (const auto p = point.find("p"); p != point.end())
        most = std::max(most, static_cast<int>(p->second));
    return most;
  }

  /// Keeps a file of the machine with its changed parameters, for the next commands.
  Result<void> keep_asked_machine() {
    out_.asked_machine_file = description().set.empty() ? out_.machine_file : file(kAskedMachine);
    return description().set.empty() ? Result<void>()
                                     : keep(out_.asked_machine_file, machine::to_toml(out_.asked_machine));
  }

  /// Makes the model of the runs so far and predicts, unless both are there.
  Result<bool> answer_question() {
    PARCAST_TRY(keep_asked_machine());
    PARCAST_TRY(take_model());
    asking_.model = &out_.model, asking_.machine = &out_.asked_machine, asking_.engine = engine_,
    asking_.level = description().level;
    if (!out_.runs.empty()) asking_.processes = out_.runs.front().processes;
    if (replays())
      asking_.replay = [this](const machine::Machine& machine, const Values& values) {
        return replays_->answer(machine, values, asking_.recorded_on, asking_.level);
      };
    return take_prediction();
  }

  Result<void> take_model() {
    std::vector<fs::path> recordings;
    std::vector<std::string> basis{host_.version, machine::to_toml(out_.machine)};
    for (const Run& run : out_.runs)
      recordings.push_back(folder_.recording(run.name)), basis.push_back(run.key + run.digest),
          out_.is_partial |= run.is_damaged;
    for (const std::string& earlier : description().recordings)
      recordings.emplace_back(earlier), basis.push_back(digest_of_folder(earlier));
    model_key_ = digest_of(basis);
    for (const auto& [name, key] : journal_.made) {
      if (!name.ends_with(".model.json") || key != model_key_) continue;
      auto model = program::read_model(file(name));
      if (!model) continue;
      out_.model = *std::move(model), out_.model_file = file(name);
      return {};
    }
    const double start = now();
    PARCAST_ASSIGN(Modelled made, model_of(recordings, out_.machine, [&](double done, std::string_view what) {
                     host_.progress(done, "model: " + std::string(what),
                                    done > 0 ? (now() - start) * (1 - done) / done : kUnknown);
                   }));
    const std::string name = file_name(made.model.program) + ".model.json";
    out_.is_partial |= made.is_damaged;
    out_.model = std::move(made.model), out_.model_file = file(name);
    for (const std::string& sentence : made.unchecked) host_.say(sentence);
    PARCAST_TRY(program::write_model(out_.model_file, out_.model));
    journal_.made[name] = model_key_;
    return write_journal(folder_.path(), journal_);
  }

  Result<bool> take_prediction() {
    const std::string key =
        digest_of({host_.version, model_key_, machine::to_toml(out_.asked_machine),
                   asking_.recorded_on ? machine::to_toml(*asking_.recorded_on) : "", description().engine,
                   format_exact(description().level), point_text(out_.design.ask)});
    host_.progress(0, "predict " + point_text(out_.design.ask), kUnknown);
    if (replays()) return take_replay(key);
    PARCAST_ASSIGN(const predict::Question question, question_of(asking_, out_.design.ask));
    if (const auto explanation = explain::explain(out_.model, out_.asked_machine, question))
      out_.explanation = *explanation;
    if (is_there(file(kPrediction)) && journal_.made[kPrediction] == key) {
      const auto text = read_file(file(kPrediction));
      auto prediction = text ? predict::prediction_from_json(*text, file(kPrediction).string())
                             : Result<predict::Prediction>(text.error());
      if (prediction) {
        out_.prediction = *std::move(prediction);
        take_answer_into_explanation();
        return true;
      }
    }
    PARCAST_ASSIGN(out_.prediction, predict_at(asking_, out_.design.ask));
    if (out_.prediction.hang)
      return Error{"the run would hang at " + point_text(out_.design.ask), out_.model_file.string(),
                   "parcast predict shows what each rank waits for"};
    for (const predict::Warning& warning :
         host_.machine_warnings(out_.asked_machine, asking_.recorded_on.get()))
      out_.prediction.warnings.push_back(warning);
    take_answer_into_explanation();
    PARCAST_TRY(write_file(file(kPrediction), predict::to_json(out_.prediction) + "\n"));
    journal_.made[kPrediction] = key;
    PARCAST_TRY(write_journal(folder_.path(), journal_));
    return true;
  }

  void take_answer_into_explanation() {
    if (out_.explanation)
      explain::take_answer(out_.model, out_.asked_machine, out_.prediction, *out_.explanation);
  }

  /// Virtual processors answer by a run of as many as are asked for.
  bool replays() const { return study::replays(description()); }

  /// Adds how much faster the answers are than the runs that they are about.
  void add_replay_note() {
    const std::string text = replays_ ? replays_->comparison(out_.asked_machine.name) : "";
    if (!text.empty()) out_.notes.push_back(text);
  }

  Result<bool> take_replay(const std::string& key) {
    PARCAST_ASSIGN(out_.prediction, predict_at(asking_, out_.design.ask));
    PARCAST_ASSIGN(out_.replayed, replays_->recordings_at(out_.design.ask));
    PARCAST_TRY(write_file(file(kPrediction), predict::to_json(out_.prediction) + "\n"));
    journal_.made[kPrediction] = key;
    PARCAST_TRY(write_journal(folder_.path(), journal_));
    return true;
  }

  /// Sets why no further run is made; returns whether that is so.
  bool is_enough() {
    if (replays()) return out_.stop = Stop::not_asked, true;
    if (!description().precision && !description().budget) return out_.stop = Stop::not_asked, true;
    if (description().precision && precision_of(out_.prediction.seconds) <= *description().precision)
      return out_.stop = Stop::precision, true;
    if (out_.not_made > 0 || (budget() && out_.spent >= *budget())) return out_.stop = Stop::budget, true;
    return false;
  }

  std::string stop_key() const {
    const auto text = [](const std::optional<double>& value) { return value ? format_exact(*value) : ""; };
    return digest_of({model_key_, point_text(out_.design.ask), format_exact(description().level),
                      description().engine, text(description().precision), text(budget()),
                      std::to_string(host_.cores)});
  }

  /// Makes the runs that narrow the answer most for their cost, one after the other.
  Result<bool> narrow() {
    const std::optional<Stop> before = stop_from(journal_.stopped.code);
    if (before && journal_.stopped.key == stop_key()) {
      out_.stop = *before, out_.stop_reason = journal_.stopped.reason;
      return true;
    }
    std::vector<double> reached{precision_of(out_.prediction.seconds)};  // after each further run
    while (!is_enough()) {
      host_.progress(1, "choose the next run", kUnknown);
      const std::optional<Wanted> next = no_longer_helps(reached) ? std::nullopt : next_wanted();
      if (!next) break;
      PARCAST_ASSIGN(const auto run, make(*next, "further run", 1, kUnknown));
      if (!run) return false;
      if (!run->is_done) continue;
      PARCAST_ASSIGN(out_.runs, measuring_->that_count());
      PARCAST_TRY(answer_question());
      reached.push_back(precision_of(out_.prediction.seconds));
      host_.say(point_text(out_.design.ask) + ": " + format_seconds(out_.prediction.seconds.value) +
                ", half the interval is " + format_significant(reached.back(), 2) + " % of it");
    }
    journal_.stopped = {stop_key(), std::string(to_string(out_.stop)), out_.stop_reason};
    PARCAST_TRY(write_journal(folder_.path(), journal_));
    return true;
  }

  /// Returns whether several further runs narrowed the answer by less than 5 % together.
  bool no_longer_helps(const std::vector<double>& reached) {
    constexpr std::size_t kTried = 6;
    constexpr double kLeast = 0.95;
    if (reached.size() <= kTried || reached.back() < kLeast * reached[reached.size() - 1 - kTried])
      return false;
    out_.stop = Stop::nothing_worth;
    return true;
  }

  bool has_failed(const Values& values) const {
    return std::ranges::any_of(out_.failed, [&](const Run& run) { return run.values == values; });
  }

  /// Returns the next run; nothing if there is none, with the reason in out_.stop. If what limits the
  /// accuracy is which formula of a count holds, it is a small run that separates the formulas.
  std::optional<Wanted> next_wanted() {
    if (const auto counts = next_for_counts()) return counts;
    std::vector<Values> failed;
    for (const Run& run : out_.failed) failed.push_back(run.values);
    const std::optional<double> left = budget() ? std::optional(*budget() - out_.spent) : std::nullopt;
    const auto next = next_run(
        out_.runs, {out_.design.names, out_.design.ask, description().level, most_processes(), left, failed});
    if (!next)
      out_.stop = Stop::not_known, out_.stop_reason = next.error().what;
    else if (!*next)
      out_.stop = Stop::nothing_worth;
    return next && *next ? std::optional(Wanted{RunKind::advised, (*next)->values, (*next)->repeat})
                         : std::nullopt;
  }

  std::optional<Wanted> next_for_counts() {
    if (!out_.explanation || out_.explanation->advice.empty() ||
        out_.explanation->advice.front().code != "ambiguous-count")
      return std::nullopt;
    const auto next = program::next_recording(out_.model, program::shares_of(out_.model), {});
    if (!next || (next->point.processes > most_processes() && !description().oversubscribe))
      return std::nullopt;
    Values values = next->point.parameters;
    for (const std::string& name : out_.design.names)
      if (name == "p")
        values[name] = next->point.processes;
      else if (!values.contains(name))
        return std::nullopt;
    std::erase_if(values, [&](const auto& each) {
      return std::ranges::find(out_.design.names, each.first) == out_.design.names.end();
    });
    const bool is_made = std::ranges::any_of(out_.runs, [&](const Run& run) { return run.values == values; });
    return is_made || has_failed(values) ? std::nullopt : std::optional(Wanted{RunKind::advised, values});
  }

  /// Predicts each check before its run is made, on the machine of the recordings.
  Result<bool> check() {
    Asking here = asking_;
    here.machine = asking_.recorded_on ? asking_.recorded_on.get() : &out_.machine;
    here.recorded_on = nullptr;
    if (!description().checks.empty() && !predict::same_processor(out_.model.recorded_on, *here.machine))
      out_.notes.push_back("measured runs are made here, and their predictions are for " +
                           here.machine->name + "; name the machine of the recordings with --recorded-on");
    for (const Values& values : description().checks) {
      PARCAST_ASSIGN(predict::Prediction prediction, predict_at(here, values));
      Checked checked{values, std::move(prediction), std::nullopt};
      const Wanted wanted{RunKind::check, values};
      PARCAST_ASSIGN(checked.run, measuring_->finished(wanted));
      if (!checked.run) {
        PARCAST_ASSIGN(checked.run, make(wanted, "measured run", 1, checked.prediction.seconds.value));
        if (!checked.run) return false;
      }
      out_.checks.push_back(std::move(checked));
    }
    return true;
  }

  Result<bool> draw() {
    if (description().graph.empty()) return true;
    host_.progress(1, "predict the graph", kUnknown);
    PARCAST_ASSIGN(out_.graph, graph_of(asking_, description().graph, out_.design.ask, out_.design.names));
    return true;
  }

  const Folder& folder_;
  const Host& host_;
  Runner& runner_;
  Outcome out_;
  std::vector<Template> templates_;
  Journal journal_;
  std::optional<Measuring> measuring_;
  const predict::Engine* engine_ = nullptr;
  Asking asking_;
  std::string model_key_;
  std::optional<Replays> replays_;  // of virtual processors
};

}  // namespace

std::optional<Stop> stop_from(std::string_view name) {
  for (const Stop stop :
       {Stop::not_asked, Stop::precision, Stop::budget, Stop::nothing_worth, Stop::not_known})
    if (to_string(stop) == name) return stop;
  return std::nullopt;
}

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::not_asked:
      return "not-asked";
    case Stop::precision:
      return "precision";
    case Stop::budget:
      return "budget";
    case Stop::nothing_worth:
      return "nothing-worth";
    case Stop::not_known:
      return "not-known";
  }
  return "";
}

Result<void> check(const Description& description, const Host& host) {
  PARCAST_ASSIGN(const auto templates, read_templates(description));
  PARCAST_ASSIGN(const Design design, design_of(description, templates, host.cores));
  PARCAST_TRY(predict::find_engine(description.engine));
  PARCAST_TRY(check_runner(description.runner));
  PARCAST_TRY(check_engine_parameters(description, design.names));
  if (replays(description) && !description.checks.empty())
    return Error{"virtual processors that take turns on one core have no measured time of their own",
                 "--check",
                 "leave it out; to measure, start the program with --collections threads:{p}, or by mpirun"};
  if (!description.recorded_on.empty()) PARCAST_TRY(host.load_machine(description.recorded_on));
  if (description.machine.empty()) return {};
  PARCAST_ASSIGN(machine::Machine machine, host.load_machine(description.machine));
  PARCAST_ASSIGN(const machine::Machine asked, with_parameters(std::move(machine), description.set));
  return check_axes(asked, description.graph, design.ask, design.names);
}

Result<Ran> run_study(const Description& description, const Folder& folder, const Host& host,
                      Runner& runner) {
  return Session(description, folder, host, runner).run();
}

}  // namespace parcast::study
