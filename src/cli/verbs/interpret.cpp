// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/replay_attempts.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "machine/mapping.h"
#include "machine/tools.h"
#include "predict/auto_engine.h"
#include "predict/by_interpretation.h"
#include "predict/question.h"
#include "report/comparison_text.h"
#include "report/interpretation_text.h"
#include "report/notes.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using predict::Interpreted;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostChanges = 4'000'000;  // in an animation

/// Returns the rules of --map.
Result<std::vector<machine::MapRule>> maps_of(const Invocation& invocation) {
  std::vector<std::string> texts = invocation.values("--map");
  if (texts.empty()) texts = {"block"};
  std::optional<std::int32_t> per_node;
  if (const auto text = invocation.value("--ranks-per-node")) {
    const auto value = parse_integer(*text);
    if (!value || *value < 1 || *value > 1'000'000)
      return Error{"--ranks-per-node " + *text + " is not a number of ranks", "",
                   "give a whole number from 1 on"};
    per_node = static_cast<std::int32_t>(*value);
  }
  std::vector<machine::MapRule> out;
  for (const std::string& text : texts) {
    PARCAST_ASSIGN(machine::MapRule rule, machine::map_rule_from(text));
    rule.ranks_per_node = per_node;
    out.push_back(std::move(rule));
  }
  return out;
}

Result<report::UnitsShown> units_shown(const Invocation& invocation) {
  report::UnitsShown out;
  out.pattern = invocation.value("--at").value_or("");
  out.by_rank = invocation.has("--by-rank");
  if (const auto text = invocation.value("--depth")) {
    const auto value = parse_integer(*text);
    if (!value || *value < 0 || *value > 1000)
      return Error{"--depth " + *text + " is not a number of levels", "", "give a whole number from 0 on"};
    out.depth = static_cast<int>(*value);
  }
  if (const auto text = invocation.value("--statistic")) {
    const auto which = report::unit_statistic_from(*text);
    const std::string guess = did_you_mean(*text, report::unit_statistic_names());
    if (!which)
      return Error{"there is no statistic " + *text, "",
                   guess.empty() ? "known are " + join(report::unit_statistic_names(), ", ") : guess};
    out.statistic = *which;
  }
  return out;
}

Result<void> check_interpret_flags(const Invocation& invocation) {
  const bool several = invocation.values("--map").size() > 1;
  for (const char* flag :
       {"--timeline", "--animation", "--graph", "--routes", "--measured", "--at", "--by-rank", "--csv"})
    if (several && invocation.has(flag))
      return Error{std::string(flag) + " works with a single mapping", "", "give --map once"};
  for (const char* flag : {"--timeline", "--routes", "--measured"})
    if (invocation.has(flag) && (invocation.json() || invocation.has("--csv")))
      return Error{std::string(flag) + " is printed as text", "",
                   "leave out " + std::string(invocation.json() ? "--json" : "--csv")};
  if (invocation.json() && invocation.has("--csv"))
    return Error{"--json and --csv exclude each other", "", "give one of them"};
  if (const auto graph = invocation.value("--graph");
      graph && !graph->ends_with(".dot") && !graph->ends_with(".json"))
    return Error{"--graph " + *graph + " has no ending of a known format", "",
                 "end it in .dot (Graphviz) or .json"};
  return {};
}

/// The input of an interpretation: a model at a point, or an existing trace.
struct InterpretAsked {
  std::optional<program::Model> model;
  predict::Question question;
  std::optional<LoadedTrace> loaded;
};

/// Returns whether the input is a recorded run, which therefore ended.
bool has_ended(const InterpretAsked& asked) {
  return asked.loaded && !asked.loaded->recording.empty();
}

/// Reads the input. On an error, `code` is the exit code: kUsage if the request is wrong, kFailed if its
/// input is.
Result<InterpretAsked> asked_of(const Invocation& invocation, Progress& progress, int& code) {
  InterpretAsked out;
  const std::string& name = invocation.inputs[0];
  const TraceForm form = trace_form_of(name);
  if (form != TraceForm::model && form != TraceForm::nothing) {
    PARCAST_ASSIGN(const RunAsked run, run_asked(invocation));
    if (run.processes > 0 || invocation.has("--set"))
      return Error{"-p and -s ask for a run of a model, and " + name + " is one run", name,
                   "leave them out, or give a model"};
    code = kUsage;
    for (const char* flag : {"--nodes", "--threads", "--level"})
      if (invocation.has(flag))
        return Error{std::string(flag) + " works with a model, and " + name + " is one run", name,
                     "leave it out, or give a model"};
    code = kFailed;
    PARCAST_ASSIGN(LoadedTrace loaded, load_trace(name, 0, progress, run.matching));
    out.loaded = std::move(loaded);
    return out;
  }
  PARCAST_ASSIGN(program::Model model, load_model(name));
  code = kUsage;
  PARCAST_ASSIGN(out.question, question_from(invocation, model));
  out.model = std::move(model);
  return out;
}

Result<Interpreted> interpret_one(const Invocation& invocation, const InterpretAsked& asked,
                                  const machine::Machine& machine, const machine::MapRule& map,
                                  Progress& progress) {
  if (asked.model) {
    PARCAST_ASSIGN(const program::Model model, with_costs(invocation, *asked.model, machine));
    PARCAST_ASSIGN(Interpreted out,
                   predict::interpret_on(model, machine, asked.question, predict::map_of(asked.question, map),
                                         [&](double done) { progress.show(done, "interpret"); }));
    if (std::string sentence = predict::left_out_by_following(model, machine, asked.question);
        !sentence.empty())
      out.assumptions.push_back(std::move(sentence));
    return out;
  }
  predict::HowInterpreted how;
  how.map = map;
  how.options.edges = true;
  PARCAST_ASSIGN(const RecordedComputing computing, recorded_computing(invocation, *asked.loaded, machine));
  how.compute_ratio = computing.ratio;
  PARCAST_ASSIGN(Interpreted out,
                 predict::interpret_on(program::graph_trace(asked.loaded->trace), machine, how));
  if (!computing.assumption.empty()) out.assumptions.push_back(computing.assumption);
  return out;
}

/// Interprets; while the replay of a recording deadlocks, changes its trace and tries again.
Result<Interpreted> interpret_until_it_ends(const Invocation& invocation, InterpretAsked& asked,
                                            const machine::Machine& machine, const machine::MapRule& map,
                                            Progress& progress) {
  std::optional<ReplayAttempts> attempts;
  for (;;) {
    PARCAST_ASSIGN(Interpreted out, interpret_one(invocation, asked, machine, map, progress));
    if (!asked.loaded || out.result.waiting.empty()) return out;
    if (!attempts) attempts.emplace(*asked.loaded);
    PARCAST_ASSIGN(const bool again, attempts->try_again(out.result.waiting, machine.name));
    if (!again) return out;
  }
}

/// Returns the warnings about the machine, for any input. The engine adds the other warnings of a model.
std::vector<predict::Warning> machine_warnings(const Invocation& invocation, const InterpretAsked& asked,
                                               const machine::Machine& machine) {
  const auto recorded = recorded_machine(invocation);  // an unreadable one was reported before
  std::vector<predict::Warning> out = calibration_warnings(machine, recorded ? recorded->get() : nullptr);
  if (asked.loaded) predict::add_unique(out, predict::library_warnings(asked.loaded->mpi_libraries, machine));
  return out;
}

/// Returns every unit of every rank, in order of its end.
Result<std::vector<interpret::Evaluated>> evaluated_of(const Interpreted& of,
                                                       const machine::Machine& machine) {
  std::vector<interpret::Evaluated> all;
  bool too_many = false;
  predict::HowInterpreted how{.map = of.map, .compute_ratio = of.compute_ratio};
  how.options.evaluated = [&](const interpret::Evaluated& each) {
    if (all.size() < kMostChanges)
      all.push_back(each);
    else
      too_many = true;
  };
  PARCAST_ASSIGN(const Interpreted again, predict::interpret_on(of.program, machine, how));
  (void)again;
  if (too_many)
    return Error{"the run has more than " + format_integer(static_cast<long long>(kMostChanges)) +
                     " units one after the other",
                 "", "ask for fewer iterations or ranks"};
  return all;
}

Result<void> write_files(const Invocation& invocation, const Interpreted& of, const machine::Machine& machine,
                         const report::Style& look, std::string& text) {
  if (const auto graph = invocation.value("--graph"))
    PARCAST_TRY(write_file(*graph, graph->ends_with(".dot") ? report::graph_to_dot(of.program.graph)
                                                            : report::graph_to_json(of.program.graph)));
  if (!invocation.has("--timeline") && !invocation.has("--animation")) return {};
  PARCAST_ASSIGN(const auto evaluated, evaluated_of(of, machine));
  if (invocation.has("--timeline")) text += "\n" + report::timeline_text(of, evaluated, look);
  if (const auto file = invocation.value("--animation"))
    PARCAST_TRY(write_file(*file, report::animation_to_json(of, evaluated)));
  return {};
}

Result<std::string> beside_measured(const Interpreted& of, const std::string& name, const report::Style& look,
                                    bool all) {
  PARCAST_ASSIGN(const recording::Recording measured, recording::read_recording(name));
  const report::Comparison comparison{
      {"interpreted", of.program.graph.program, of.result.ranks,
       static_cast<double>(of.result.makespan) / 1e12},
      {name, measured.program, measured.processes, recording::longest_wall(measured)},
      recording::pair_classes(report::interpreted_classes(of), recording::event_classes(measured))};
  return report::comparison_text(comparison, look, all);
}

int exit_code_of(const InterpretAsked& asked, const std::vector<predict::Warning>& warnings) {
  return asked.loaded && asked.loaded->partial ? kPartial : cli::exit_code_of(warnings);
}

/// Returns every sentence about the answer.
std::vector<predict::Warning> notes_on(const InterpretAsked& asked, const Interpreted& of) {
  std::vector<predict::Warning> out;
  const auto add = [&](const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences)
      out.push_back({asked.model ? "interpreted" : "trace-assumed", sentence, ""});
  };
  add(of.program.trace.assumptions), add(of.assumptions);
  predict::add_unique(out, of.warnings);
  if (of.result.unreceived > 0)
    add({"no rank receives " + report::counted(static_cast<std::int64_t>(of.result.unreceived), "message")});
  if (asked.loaded) add(asked.loaded->warnings);
  return out;
}

/// Prints notes that the text does not contain.
void print_notes(const Invocation& invocation, const std::vector<predict::Warning>& notes) {
  for (const predict::Warning& note : notes)
    say_warning(invocation, {note.text, invocation.inputs[0], note.hint});
}

int compare_maps(const Invocation& invocation, const InterpretAsked& asked, std::vector<Interpreted> all,
                 const report::Style& look) {
  std::ranges::stable_sort(all, {}, [](const Interpreted& each) { return each.result.makespan; });
  std::vector<predict::Warning> notes;
  for (const Interpreted& each : all) predict::add_unique(notes, notes_on(asked, each));
  if (invocation.json()) {
    print_result(report::mappings_to_json(all));
    print_notes(invocation, notes);
  } else {
    print_result(report::mappings_text(all, look) + report::notes_text(notes, look));
  }
  return exit_code_of(asked, all.front().warnings);
}

int answer(const Invocation& invocation, const InterpretAsked& asked, const Interpreted& of,
           const machine::Machine& machine, const report::Style& look) {
  const auto shown = units_shown(invocation);
  if (!shown) return say_error(shown.error()), kUsage;
  if (!shown->pattern.empty() && report::unit_rows(of, *shown).empty()) {
    std::vector<std::string> paths;
    for (const auto& unit : of.program.graph.units) paths.push_back(unit.path);
    const std::string guess = did_you_mean(shown->pattern, paths);
    return say_error({"no unit has a path like " + shown->pattern, invocation.inputs[0],
                      guess.empty() ? "without --at all units are shown; * matches any text" : guess}),
           kFailed;
  }
  report::InterpretationShown all{
      of, asked.model ? asked.question.point.parameters : std::map<std::string, double>{}, has_ended(asked)};
  std::string text = invocation.json()         ? report::interpretation_to_json(all, *shown)
                     : invocation.has("--csv") ? report::interpretation_csv(of, *shown)
                                               : report::interpretation_text(all, *shown, look);
  const bool hangs = !of.result.waiting.empty();
  const bool words = !invocation.json() && !invocation.has("--csv");
  if (words && invocation.has("--routes")) text += "\n" + report::routes_text(of, look);
  if (!hangs) {
    std::string more;
    if (const auto written = write_files(invocation, of, machine, look, more); !written)
      return say_error(written.error()), kFailed;
    if (words) text += more;
    if (const auto measured = invocation.value("--measured"); measured && words) {
      const auto beside = beside_measured(of, *measured, look, invocation.has("--all"));
      if (!beside) return say_error(beside.error()), kFailed;
      text += "\n" + *beside;
    }
  }
  const std::vector<predict::Warning> notes = notes_on(asked, of);
  if (words) text += report::notes_text(notes, look);
  if (invocation.has("--csv") && !invocation.json())
    print_data(text);
  else
    print_result(text);
  if (!words) print_notes(invocation, notes);
  if (hangs && !has_ended(asked)) return kWouldHang;
  return exit_code_of(asked, of.warnings);
}

int run_interpret(const Invocation& invocation) {
  const auto began = Clock::now();
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (const auto checked = check_interpret_flags(invocation); !checked)
    return say_error(checked.error()), kUsage;
  if (const auto shown = units_shown(invocation); !shown) return say_error(shown.error()), kUsage;
  const auto maps = maps_of(invocation);
  if (!maps) return say_error(maps.error()), kUsage;
  machine::Machine machine = machine::ideal_machine();
  if (const auto named = invocation.value("--machine")) {
    auto loaded = load_machine(*named);
    if (!loaded) return say_error(loaded.error()), kFailed;
    machine = std::move(*loaded);
  }
  for (const std::string& assignment : invocation.values("--with"))
    if (const auto set = machine::set_parameter(machine, assignment); !set)
      return say_error(set.error()), kUsage;
  Progress progress(invocation);
  int code = kFailed;
  auto asked = asked_of(invocation, progress, code);
  if (!asked) return say_error(asked.error()), code;
  std::vector<Interpreted> all;
  for (const machine::MapRule& map : *maps) {
    auto interpreted = interpret_until_it_ends(invocation, *asked, machine, map, progress);
    progress.clear();
    if (!interpreted) return say_error(interpreted.error()), kFailed;
    predict::add_unique(interpreted->warnings, machine_warnings(invocation, *asked, machine));
    all.push_back(std::move(*interpreted));
    if (!all.back().result.waiting.empty()) break;  // it would deadlock with any other mapping, too
  }
  if (all.size() > 1 && all.back().result.waiting.empty())
    return compare_maps(invocation, *asked, std::move(all), *look);
  code = answer(invocation, *asked, all.back(), machine, *look);
  // The elapsed time is not part of the answer: the same input gives the same bytes.
  if (code != kUsage && code != kFailed && !invocation.quiet())
    print_message("parcast: interpreted in " +
                  report::duration(std::chrono::duration<double>(Clock::now() - began).count()) + "\n");
  return code;
}

}  // namespace

const Verb& interpret_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "interpret",
        .summary =
            "follow a program's graph chain by chain on a system's graph: statistics of every unit, routes, "
            "hangs",
        .inputs = "M.model.json | P.program | R.recording | T.trace | P.goal",
        .fewest_inputs = 1,
        .most_inputs = 1,
        .flags =
            {{"--machine", 'm', "X",
              "machine: NAME for NAME.machine.toml, or one that parcast machine list names (default: ideal)",
              false, "machine"},
             {"--with", 0, "KEY=VALUE",
              "change a parameter of the machine (L=2us, links.network.latency=1us, L*2)", true},
             {"--map", 0, "RULE",
              "which rank is where: block (default), cyclic, host+block, host+cyclic, list:0,2,1,3; several "
              "are compared",
              true},
             {"--at", 0, "PATTERN",
              "only units whose path is like PATTERN, with all inside them: 'repeat steps/*', "
              "'*/MPI_Sendrecv'"},
             {"--depth", 0, "N", "so many levels below those"},
             {"--statistic", 0, "NAME",
              "one of all, time, compute, communication, idle, executions, messages, bytes"},
             {"--by-rank", 0, "", "a row for each rank"},
             notes_flag(),
             {"--routes", 0, "", "the hops between ranks that exchange messages"},
             {"--timeline", 0, "", "a line for each rank: computing, communicating, waiting"},
             {"--animation", 0, "FILE", "write when each unit becomes active and red, as JSON"},
             {"--graph", 0, "FILE",
              "write the application graph with its messages: .dot (Graphviz) or .json"},
             {"--measured", 0, "R.recording", "a measured run to compare, call by call"},
             {"--matching", 0, "HOW",
              "of a recording: receives and probes from any source get arrival (what comes first, default) "
              "or recorded (the message that came)"},
             {"--csv", 0, "", "units as CSV"},
             {"--all", 0, "", "all rows of --measured"}},
        .examples =
            {"parcast interpret lmp.model.json -m cluster -p 64 -s steps=1000",
             "parcast interpret lmp -m cluster -p 64 -s steps=1000 --map block --map cyclic",
             "parcast interpret lmp-1.recording -m here --measured lmp-1.recording",
             "parcast interpret lmp -m cluster -p 8 -s steps=10 --at 'repeat*' --statistic idle --by-rank",
             "parcast interpret lmp -m here -p 4 -s steps=2 --graph lmp.dot --timeline"},
        .notes = {"Exit code 4: some units never become red, so the program would hang; what each rank waits "
                  "for is printed.",
                  "docs/models/interpretation.md has all costs, docs/models/system_graph.md what a system is "
                  "made of."},
        .run = run_interpret};
    for (const Flag& flag : question_flags())
      if (flag.name != "--limit" && flag.name != "--costs" &&
          std::ranges::find(v.flags, flag.name, &Flag::name) == v.flags.end())
        v.flags.push_back(flag);
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
