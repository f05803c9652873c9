// SPDX-License-Identifier: Apache-2.0
#include "study/study.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/shell.h"
#include "calibrate/environment.h"
#include "cli/inputs.h"
#include "cli/launcher.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/report_inputs.h"
#include "cli/report_page.h"
#include "cli/study_request.h"
#include "cli/study_runner.h"
#include "cli/verbs.h"
#include "predict/auto_engine.h"
#include "report/contour_svg.h"
#include "report/html/page.h"
#include "report/study_text.h"
#include "report/sweep_text.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::pair<std::string, std::string>>;  // what it is, name in the folder

constexpr int kInterrupted = 130;  // as shells report SIGINT
constexpr int kScreen = 80;        // columns

study::Host host_for(const Invocation& invocation, Progress& progress) {
  study::Host host;
  std::error_code problem;
  host.parcast = fs::read_symlink("/proc/self/exe", problem);
  host.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (const auto& [name, value] : calibrate::host_environment())
    if (name == "host" || name == "processor" || name == "cores") host.properties[name] = value;
  host.version = PARCAST_VERSION;
  host.load_machine = load_machine;
  host.machine_warnings = calibration_warnings;
  host.program_in = program_in;
  host.say = [&](const std::string& line) {
    progress.clear();
    if (!invocation.quiet()) print_message("parcast: " + line + "\n");
  };
  host.progress = [&](double fraction, const std::string& text, double left) {
    if (left < 0)
      progress.show(fraction, text);
    else
      progress.show(fraction, text, left);
  };
  return host;
}

/// Returns the points of the graph at the asked parameters, on the asked machine.
std::vector<predict::Prediction> points_over_processes(const study::Outcome& outcome) {
  std::vector<predict::Prediction> out;
  for (const predict::Prediction& point : outcome.graph)
    if (point.question.point.parameters == outcome.prediction.question.point.parameters &&
        point.question.machine.empty() && point.machine == outcome.prediction.machine)
      out.push_back(point);
  std::ranges::sort(out, {}, [](const predict::Prediction& each) { return each.question.point.processes; });
  return out;
}

/// Returns the answer as a report, with the measured runs of the asked parameters.
report::html::Report report_of(const study::Outcome& outcome, const StudyRequest& request,
                               Progress& progress) {
  report::html::Report out;
  out.version = PARCAST_VERSION;
  out.command = "parcast study " + shell_quoted(request.name);
  out.machine = outcome.asked_machine, out.prediction = outcome.prediction;
  if (!outcome.replayed.empty()) {  // the page shows no model, which the answer does not use
    out.scaling = points_over_processes(outcome);
    for (const fs::path& path : outcome.replayed)
      out.files.push_back({"recording", fs::relative(path, request.working).string(), ""});
    find_sources({request.working.string()}, out);
    return out;
  }
  out.model = outcome.model;
  if (outcome.explanation) out.explanation = *outcome.explanation;
  const program::Point& point = outcome.prediction.question.point;
  out.measured = recorded_runs(outcome.model, point);
  for (const study::Checked& check : outcome.checks)
    if (check.run && check.run->is_done && check.prediction.question.point.parameters == point.parameters)
      out.measured.push_back({check.prediction.question.point.processes, check.run->seconds, false});
  const auto engine = predict::find_engine(request.description.engine);
  complete_report(out, engine ? **engine : predict::auto_engine(),
                  usual_processes(outcome.model, point.processes), {request.working.string()},
                  [&](double done) { progress.show(done, "report"); });
  progress.clear();
  return out;
}

/// Writes what the user opens, and returns the files of the study.
Result<Files> write_files(const study::Outcome& outcome, const StudyRequest& request, Progress& progress) {
  Files files{{"description", "study.toml"},
              {"machine", outcome.machine_file.filename()},
              {"model", outcome.model_file.filename()},
              {"prediction", "prediction.json"}};
  if (!outcome.graph.empty()) {
    PARCAST_TRY(write_file(request.folder / "graph.csv", report::sweep_csv(outcome.graph)));
    PARCAST_TRY(write_file(request.folder / "graph.svg", report::sweep_svg(outcome.graph)));
    files.insert(files.end(), {{"graph", "graph.csv"}, {"picture", "graph.svg"}});
  }
  if (!outcome.prediction.hang) {
    PARCAST_TRY(write_file(request.folder / "report.html",
                           report::html::page(report_of(outcome, request, progress))));
    files.emplace_back("report", "report.html");
  }
  files.emplace_back("answer", "answer.json");
  PARCAST_TRY(write_file(request.folder / "answer.json",
                         report::study_to_json(outcome, request.folder.filename(), files)));
  return files;
}

/// Keeps the machine, the runs, the model and the prediction in the store.
void keep_in_store(const Invocation& invocation, const study::Outcome& outcome, const study::Folder& folder) {
  remember(invocation, [&](store::Store& store) -> Result<void> {
    for (const study::Run& run : outcome.runs) {
      const fs::path path = folder.recording(run.name);
      PARCAST_ASSIGN(const auto recording, recording::read_recording(path));
      PARCAST_TRY(store.add_recording(path, recording));
    }
    PARCAST_TRY(store.add_model(outcome.model_file, outcome.model));
    PARCAST_TRY(store.add_prediction(outcome.prediction, outcome.model, outcome.machine));
    return {};
  });
}

std::string go_on_with(const StudyRequest& request) {
  return "parcast: all finished steps are kept in " + request.name + "; go on with: parcast study " +
         shell_quoted(request.name) + "\n";
}

int deliver(const Invocation& invocation, const study::Outcome& outcome, const StudyRequest& request,
            const study::Folder& folder, report::Style look) {
  Progress progress(invocation);
  const auto files = write_files(outcome, request, progress);
  if (!files) return say_error(files.error()), kFailed;
  keep_in_store(invocation, outcome, folder);
  look.width = std::min(look.width, kScreen);
  print_result(invocation.json() ? report::study_to_json(outcome, request.name, *files)
                                 : report::study_text(outcome, request.name, look));
  return outcome.is_partial ? kPartial : exit_code_of(outcome.prediction.warnings);
}

int save(const Invocation& invocation, const StudyRequest& request, const std::string& file) {
  study::Description description = request.description;
  if (fs::absolute(file).lexically_normal().parent_path() == request.working) description.folder.clear();
  if (const auto written = write_file(file, study::to_toml(description)); !written)
    return say_error(written.error()), kFailed;
  if (!invocation.quiet())
    print_message("parcast: description in " + file + "; parcast study " + shell_quoted(file) +
                  " makes it\n");
  return kAnswered;
}

int run_study(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto request = study_request(invocation);
  if (!request) return say_error(request.error()), kUsage;
  const auto file = invocation.value("--save");
  if (file && !file->ends_with(".toml"))
    return say_error({"--save " + *file + " is not the name of a description", "", "end it in .study.toml"}),
           kUsage;
  const fs::path target = file ? fs::absolute(*file) : fs::path();
  std::error_code problem;
  fs::current_path(request->working, problem);  // commands and names of files are relative to it
  if (problem)
    return say_error(
               {"the folder in which the study runs its commands cannot be entered: " + problem.message(),
                request->working, ""}),
           kFailed;
  Progress progress(invocation);
  study::Host host = host_for(invocation, progress);
  if (request->description.runner == "slurm") host.cores = study::kAnyCores;
  if (const auto good = study::check(request->description, host); !good)
    return say_error(good.error()), kUsage;
  if (const auto good = check_study_runner(request->description); !good)
    return say_error(good.error()), kUsage;
  if (file) return save(invocation, *request, target);
  const auto folder = study::Folder::open(request->folder);
  if (!folder) return say_error(folder.error()), kFailed;
  if (invocation.has("--fresh"))
    if (const auto reset = folder->reset(); !reset) return say_error(reset.error()), kFailed;
  const study::Interruptible interruptible("\n" + go_on_with(*request));
  const auto runner = study_runner(*request, host, *folder);
  if (!runner) return say_error(runner.error()), kFailed;
  const auto ran = study::run_study(request->description, *folder, host, **runner);
  progress.clear();
  if (!ran) return say_error(ran.error()), kFailed;
  if (!*ran) return print_message("\n" + go_on_with(*request)), kInterrupted;
  return deliver(invocation, **ran, *request, *folder, *look);
}

}  // namespace

const Verb& study_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "study",
        .summary =
            "from a launch line to an answer: runs, machine, model, prediction, and further runs until it is "
            "precise",
        .inputs = "S.study | NAME.study.toml",
        .fewest_inputs = 0,
        .most_inputs = 1,
        .takes_launch_line = true,
        .launch_after_dashes = true,
        .flags = {{"--output", 'o', "S.study", "folder of the study (default PROGRAM.study)"}},
        .examples = {"parcast study --vary N=96,143,203 --ask p=64,N=4096 -- mpirun -n {p} ./app {N}",
                     "parcast study --vary p=1,2,4 --vary N=96,143,203 --ask p=64,N=4096 --precision 10% "
                     "--budget 15min -- mpirun -n {p} ./app {N}",
                     "parcast study --template in.txt --vary n=10,20,30 --check p=2,n=40 -- mpirun -n {p} "
                     "./app in.txt",
                     "parcast study app.study --graph p=1..256*2 --graph links.network.latency=*1,*2,*4",
                     "parcast study --vary N=96,143,203 --save app.study.toml -- mpirun -n {p} ./app {N}",
                     "parcast study app.study.toml"},
        .notes =
            {"{p} and {NAME} in the launch line and in templates are replaced by the values of a run; "
             "{{NAME}} gives {NAME}; ${NAME} stays.",
             "The same command, or the folder alone, continues an interrupted study; flags change it. Steps "
             "with a result are skipped:",
             "runs are identified by the digest of their command, its files and this host. "
             "docs/formats/study.md.",
             "Runs are made one at a time on this host, unless --runner names another way. Exit code 3: some "
             "runs failed, the others answer; "
             "130: ended by Ctrl-C, all is kept."},
        .run = run_study};
    v.flags.insert(v.flags.end(), study_flags().begin(), study_flags().end());
    v.flags.insert(v.flags.end(),
                   {{"--fresh", 0, "", "remove the results of an earlier study in the folder first"},
                    {"--save", 0, "NAME.study.toml", "write the description there, and run nothing"},
                    store_flag(),
                    no_store_flag()});
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
