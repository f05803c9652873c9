// SPDX-License-Identifier: Apache-2.0
#include "predict/question.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/plain_number.h"
#include "base/shell.h"
#include "base/text.h"
#include "machine/tools.h"
#include "model/formula_text.h"
#include "model/lattice.h"
#include "model/resolved.h"
#include "model/run_options.h"
#include "predict/check_evidence.h"
#include "predict/equation/compiled.h"
#include "predict/flat_system.h"
#include "predict/memory.h"
#include "predict/table_placement.h"

namespace parcast::predict {
namespace {

using program::Model;

std::vector<std::string> parameter_names(const Model& model) {
  std::vector<std::string> names;
  for (const program::Parameter& parameter : model.parameters) names.push_back(parameter.name);
  return names;
}

// Formats four significant digits, without trailing zeros after the point.
std::string number(double value) {
  std::string text = format_significant(value, 4);
  if (text.find('.') == std::string::npos || text.find('e') != std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Result<void> check_process_count(const Question& question) {
  if (const auto p = question.point.parameters.find("p"); p != question.point.parameters.end()) {
    if (p->second != std::floor(p->second))
      return Error{"p = " + number(p->second) + " is not a whole number of processes", "",
                   "ask for a whole number, 1 or more"};
    if (p->second != question.point.processes)
      return Error{"the process count is given twice: " + number(p->second) + " and " +
                       std::to_string(question.point.processes),
                   "", "give p once"};
  }
  if (question.point.processes < 1)
    return Error{"p = " + std::to_string(question.point.processes) + " is not a number of processes", "",
                 "ask for a whole number, 1 or more"};
  if (question.ranks_per_node && *question.ranks_per_node < 1)
    return Error{"a node cannot hold " + std::to_string(*question.ranks_per_node) + " processes", "",
                 "ask for 1 or more"};
  if (question.threads < 1) return Error{"a process has at least one thread", "", ""};
  return {};
}

// Refuses values below 0 of parameters that were positive in every recording: sizes and numbers of steps.
Result<void> check_signs(const Model& model, const program::Point& point) {
  for (const program::Parameter& parameter : model.parameters) {
    const auto at = point.parameters.find(parameter.name);
    if (at == point.parameters.end() || at->second >= 0 || parameter.values.empty()) continue;
    if (parameter.values.front() > 0)
      return Error{parameter.name + " = " + number(at->second) + " is below 0, and every recording has " +
                       parameter.name + " above it",
                   "", "give a positive value, for example " + format_plain(parameter.values.front())};
  }
  return {};
}

Result<void> check_parameters(const Model& model, const program::Point& point) {
  const std::vector<std::string> names = parameter_names(model);
  for (const auto& [name, value] : point.parameters) {
    if (name == "p") continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      for (const program::Quantity& each : model.quantities)
        if (each.name == name)
          return Error{name + " is derived, " + program::formula_text(each.expression) +
                           ", and no parameter of " + model.program,
                       "", names.empty() ? "ask for another p" : "give " + join(names, ", ")};
      const std::string guess = did_you_mean(name, names);
      const std::string known = names.empty() ? "it has none but p" : "it has " + join(names, ", ");
      return Error{"the model of " + model.program + " has no parameter " + name, "",
                   guess.empty() ? known : guess};
    }
    if (!std::isfinite(value)) return Error{name + " is not a finite number", "", ""};
  }
  PARCAST_TRY(check_signs(model, point));
  std::vector<std::string> missing, words;
  for (const program::Parameter& parameter : model.parameters) {
    if (point.parameters.contains(parameter.name)) continue;
    const std::string example = parameter.values.empty() ? "..." : format_plain(parameter.values.back());
    missing.push_back(parameter.name);
    words.push_back("-s " + shell_quoted(parameter.name) + "=" + example);
  }
  if (missing.empty()) return {};
  return Error{(missing.size() == 1 ? "the parameter " : "the parameters ") + join(missing, ", ") +
                   (missing.size() == 1 ? " is not given" : " are not given"),
               "", "add for example " + join(words, " ") + ", the largest recorded"};
}

double factor_beyond(double value, double low, double high) {
  if (value > high && high > 0) return value / high;
  if (value < low && low > 0) return value / low;
  return 1;
}

std::string range_text(double low, double high) {
  return low == high ? "at " + number(low) + " only" : "from " + number(low) + " to " + number(high);
}

// `by_code`: the program was compiled with counts of its code, which predict other values.
void warn_of_parameter(const std::string& name, double value, double low, double high, bool by_code,
                       std::vector<Warning>& out) {
  if (value >= low && value <= high) return;
  if (low == high) {
    out.push_back({by_code ? "by-code-alone" : "never-varied",
                   name + " was recorded " + range_text(low, high) + ", so its effect at " + number(value) +
                       (by_code ? " comes from the program's own code alone" : " is unknown"),
                   "record one or two runs at other values of " + name,
                   name,
                   {{"value", value}, {"recorded", low}}});
    return;
  }
  if (value == 0 && low > 0) {
    out.push_back({"never-zero",
                   name + " = 0, and every recording has more (" + range_text(low, high) +
                       "): what the program does then is unknown",
                   "record a run at " + name + " = 0",
                   name,
                   {{"lowest", low}, {"highest", high}}});
    return;
  }
  const double factor = factor_beyond(value, low, high);
  const std::string how = factor > 1                 ? number(factor) + " times the largest"
                          : factor < 1 && factor > 0 ? number(1 / factor) + " times below the smallest"
                                                     : "outside what was";
  out.push_back({"beyond-data",
                 name + " = " + number(value) + " is " + how + " recorded (" + range_text(low, high) + ")",
                 "record a run nearer to " + name + " = " + number(value),
                 name,
                 {{"value", value},
                  {"factor", factor},
                  {"lowest", low},
                  {"highest", high},
                  {"weight", std::max(factor, 1 / factor)}}});
}

void warn_of_sources(const Model& model, std::vector<Warning>& out) {
  const auto count = [&](auto member) {
    return static_cast<std::size_t>(std::count_if(model.sources.begin(), model.sources.end(),
                                                  [&](const program::Source& s) { return s.*member; }));
  };
  const std::string total = std::to_string(model.sources.size());
  if (const std::size_t n = count(&program::Source::oversubscribed); n > 0)
    out.push_back(
        {"oversubscribed",
         std::to_string(n) + " of " + total + " recordings had more processes than cores: " +
             (n == model.sources.size() ? "their times are disturbed"
                                        : "counts rest on them, times on the others where possible"),
         n == model.sources.size() ? "record one run with at most as many processes as cores" : "",
         "",
         {{"recordings", static_cast<double>(n)}, {"of", static_cast<double>(model.sources.size())}}});
  if (const std::size_t n = count(&program::Source::reserved); n > 0)
    out.push_back({"reserved-share",
                   std::to_string(n) + " of " + total +
                       " recordings ran on a reserved share of a core: their computing "
                       "time is taken as the time on the processor divided by that share",
                   ""});
  if (const std::size_t n = count(&program::Source::damaged); n > 0)
    out.push_back(
        {"damaged", std::to_string(n) + " of " + total + " recordings are incomplete", "record them again"});
  const auto unknown = model.share_by_origin.find("unknown");
  if (unknown != model.share_by_origin.end() && unknown->second >= 0.005)
    out.push_back({"unknown-share",
                   number(100 * unknown->second) +
                       " % of the recorded time is outside the model (input and output, "
                       "other waiting) and is not part of the answer",
                   ""});
  if (!model.unfollowed.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, calls] : model.unfollowed) names.push_back(name);
    out.push_back({"unfollowed-calls", "calls that are counted but not modelled: " + join(names, ", "), ""});
  }
}

/// The other formulas that match the counts of segments, compiled.
class Alternatives {
 public:
  explicit Alternatives(const Model& model) : model_(model) {
    std::vector<symbolic::Expression> outputs;
    for (const program::Segment& segment : model.segments) {
      Of of{&segment, outputs.size(), 0};
      for (const symbolic::Expression& alternative : segment.cost.alternatives)
        if (Compiled::accepts(model, alternative, {})) outputs.push_back(alternative), ++of.count;
      if (of.count > 0) segments_.push_back(of);
    }
    if (auto compiled = Compiled::compile(model, outputs, {})) compiled_ = *std::move(compiled);
  }

  /// Warns if they differ from the segments' own formulas at the point.
  void warn(const program::Point& point, std::vector<Warning>& out) const {
    constexpr double kWorthSaying = 1.05;
    if (segments_.empty() || !compiled_) return;
    const GridExtents extents = grid_extents(model_, point);
    const std::vector<double> parameters = program::ordered_parameters(model_, point);
    std::vector<Station> stations;
    for (const std::int32_t rank : program::sampled_ranks(point.processes))
      stations.push_back({point.processes, rank, &extents, parameters});
    const std::vector<double> values = compiled_->evaluate(stations);
    double share = 0, most = 1;
    std::string advice;
    double widest = 0;
    for (const Of& of : segments_) {
      double apart = 1;
      for (std::size_t i = of.first * stations.size(); i < (of.first + of.count) * stations.size(); ++i)
        if (const double times = values[i]; times > 0 && std::isfinite(times))
          apart = std::max({apart, times, 1 / times});
      if (apart < kWorthSaying) continue;
      share += of.segment->share;
      most = std::max(most, apart);
      if (of.segment->share > widest && !of.segment->cost.advice.empty())
        widest = of.segment->share, advice = of.segment->cost.advice;
    }
    if (share >= 0.01)
      out.push_back({"ambiguous-work",
                     "several formulas give the counts behind " + number(std::round(100 * share)) +
                         " % of the computing, and differ here by up to " + format_significant(most, 2) +
                         " times; the interval spans them",
                     advice});
  }

 private:
  struct Of {
    const program::Segment* segment = nullptr;
    std::size_t first = 0, count = 0;  // outputs
  };
  const Model& model_;
  std::vector<Of> segments_;
  std::optional<Compiled> compiled_;
};

void warn_of_placement(const machine::Machine& machine, const Question& question, std::vector<Warning>& out) {
  if (machine.system && routes_of(machine, question)) return;
  const Placement placement = place(machine, question);
  if (placement.nodes > machine.nodes)
    out.push_back({"machine-too-small",
                   std::to_string(question.point.processes) + " processes need " +
                       std::to_string(placement.nodes) + " nodes, " + machine.name + " has " +
                       std::to_string(machine.nodes),
                   "costs between nodes are assumed",
                   machine.name,
                   {{"processes", question.point.processes},
                    {"nodes", placement.nodes},
                    {"has", machine.nodes},
                    {"ranks_per_node", placement.ranks_per_node}}});
  if (placement.ranks_per_node * question.threads > machine.cores_per_node) {
    const auto counted = [](int n, const std::string& what, const char* more) {
      return std::to_string(n) + " " + what + (n == 1 ? "" : more);
    };
    const std::string threads =
        question.threads > 1 ? " of " + std::to_string(question.threads) + " threads" : "";
    const bool one = placement.ranks_per_node == 1;
    out.push_back({"more-than-cores",
                   counted(placement.ranks_per_node, "process", "es") + threads +
                       (one ? " has the " : " share the ") + counted(machine.cores_per_node, "core", "s") +
                       " of a node; the answer assumes a core for each",
                   one ? "ask for fewer threads" : "ask for fewer processes per node"});
  }
  if (question.threads > 1)
    out.push_back({"threads-not-modelled",
                   "the computing of a process is taken as recorded, not divided among " +
                       std::to_string(question.threads) + " threads",
                   "record with that number of threads"});
}

void warn_of_memory(const machine::Machine& machine, const Question& question,
                    const std::optional<Estimate>& needed, std::vector<Warning>& out) {
  if (!(machine.memory_per_node > 0)) return;
  if (!needed || !(needed->high > machine.memory_per_node)) return;
  const bool one = place(machine, question).ranks_per_node == 1;
  out.push_back({"memory",
                 "the run needs about " + format_bytes(needed->value) + " per node (" +
                     format_bytes(needed->low) + " to " + format_bytes(needed->high) + "), " + machine.name +
                     " has " + format_bytes(machine.memory_per_node) + ": it " +
                     (needed->value > machine.memory_per_node ? "would" : "may") +
                     " page or fail, which the time does not count",
                 one ? "ask for more processes, or a machine with more memory"
                     : "ask for more nodes or fewer processes per node"});
}

std::string lower_processor(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, text.find_first_of(",;(")))
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

Result<void> check(const Model& model, const Question& question) {
  PARCAST_TRY(check_process_count(question));
  PARCAST_TRY(check_parameters(model, question.point));
  if (!(question.level > 0 && question.level < 1))
    return Error{"the level " + number(question.level) + " is not between 0 and 1", "",
                 "0.9 gives 90 % intervals"};
  if (question.limit && !(*question.limit > 0)) return Error{"the time limit is not positive", "", ""};
  return {};
}

Placement place(const machine::Machine& machine, const Question& question) {
  const std::int32_t p = std::max(1, question.point.processes);
  const std::int32_t fit = std::max(1, machine.cores_per_node / std::max(1, question.threads));
  const std::int32_t per_node = std::min(p, std::max(1, question.ranks_per_node.value_or(fit)));
  return {(p - 1) / per_node + 1, per_node};
}

std::map<std::string, double> extrapolation(const Model& model, const program::Point& point) {
  std::map<std::string, double> out;
  if (!model.written_in.empty()) return out;  // written by a person: nothing was measured at particular sizes
  const auto add = [&](const std::string& name, double value, double low, double high) {
    if (const double factor = factor_beyond(value, low, high); factor != 1) out[name] = factor;
  };
  if (!model.processes.empty()) add("p", point.processes, model.processes.front(), model.processes.back());
  for (const program::Parameter& parameter : model.parameters)
    if (const auto given = point.parameters.find(parameter.name);
        given != point.parameters.end() && !parameter.values.empty())
      add(parameter.name, given->second, parameter.values.front(), parameter.values.back());
  return out;
}

namespace {

/// Warns of counts that would be exact, except for what no recording could show.
class OffLattice {
 public:
  explicit OffLattice(const Model& model) : settlements_(model) {
    const auto recorded = program::recorded_points(model);
    lattice_ = program::lattice_of(recorded);
    rules_ = to_text(lattice_);
    if (!rules_.empty()) advice_ = advice_off(lattice_, recorded);
  }

  void warn(const program::Point& point, std::vector<Warning>& out) const {
    for (const std::string& name : lattice_.whole) {
      const auto at = point.parameters.find(name);
      if (at != point.parameters.end() && at->second != std::floor(at->second))
        out.push_back({"not-whole",
                       name + " = " + number(at->second) + " is no whole number, unlike in every recording",
                       ""});
    }
    for (const std::string& name : lattice_.not_negative) {
      const auto at = point.parameters.find(name);
      if (at != point.parameters.end() && at->second < 0)
        out.push_back(
            {"negative", name + " = " + number(at->second) + " is negative, unlike in every recording", ""});
    }
    if (rules_.empty() || !settlements_.held_back_by_lattice(point)) return;
    out.push_back(
        {"off-lattice",
         "in every recording " + rules_ +
             ", which is not so here: what remainders do was not seen, and no count is called exact",
         advice_.empty() ? "" : "add " + advice_});
  }

 private:
  program::Settlements settlements_;
  program::Lattice lattice_;
  std::string rules_, advice_;
};

std::vector<Warning> processor_warnings(const Model& model, const machine::Machine& machine,
                                        const Question& question) {
  if (question.recorded_machine) {
    const auto ratio = machine::compute_ratio(*question.recorded_machine, machine);
    if (ratio) return {};
    return {{"compute-not-scaled", ratio.error().what + ": computing is taken to be as fast as recorded",
             ratio.error().hint}};
  }
  if (same_processor(model.recorded_on, machine)) return {};
  return {{"compute-not-scaled",
           "recorded on " + model.recorded_on + ", asked for " + machine.description +
               ": computing is taken to be equally fast",
           "calibrate the machine of the recordings too and name it with --recorded-on"}};
}

}  // namespace

struct QuestionWarnings::Constant {
  const Model& model;
  const machine::Machine& machine;
  CheckEvidence checks;
  OffLattice lattice;
  Alternatives alternatives;
  PlacementWarnings placement;
  std::vector<Warning> sources, processor, libraries;
};

QuestionWarnings::QuestionWarnings(const Model& model, const machine::Machine& machine,
                                   const Question& question) {
  std::vector<Warning> sources;
  warn_of_sources(model, sources);
  if (!model.written_in.empty())
    sources.push_back({"written-program",
                       "counts and computing are those that " + model.written_in +
                           " gives, not recorded ones; the interval has the errors stated there",
                       ""});
  constant_ = std::unique_ptr<const Constant>(new Constant{
      model, machine, CheckEvidence(model), OffLattice(model), Alternatives(model),
      PlacementWarnings(model, machine), std::move(sources), processor_warnings(model, machine, question),
      library_warnings(libraries_of(model), machine)});
}

QuestionWarnings::~QuestionWarnings() = default;

std::vector<Warning> QuestionWarnings::at(const Question& question,
                                          const std::optional<Estimate>& memory) const {
  const Model& model = constant_->model;
  const machine::Machine& machine = constant_->machine;
  std::vector<Warning> out;
  if (model.written_in.empty()) {
    const bool by_code = !model.work.empty();
    if (!model.processes.empty())
      warn_of_parameter("p", question.point.processes, model.processes.front(), model.processes.back(),
                        by_code, out);
    for (const program::Parameter& parameter : model.parameters)
      if (!parameter.values.empty())
        warn_of_parameter(parameter.name, question.point.parameters.at(parameter.name),
                          parameter.values.front(), parameter.values.back(), by_code, out);
  }
  add_unique(out, constant_->checks.warnings(question.point, machine.name));
  constant_->lattice.warn(question.point, out);
  out.insert(out.end(), constant_->sources.begin(), constant_->sources.end());
  constant_->alternatives.warn(question.point, out);
  warn_of_placement(machine, question, out);
  warn_of_memory(machine, question, memory, out);
  add_unique(out, constant_->placement.at(question));
  out.insert(out.end(), constant_->processor.begin(), constant_->processor.end());
  add_unique(out, constant_->libraries);
  return out;
}

std::vector<Warning> question_warnings(const Model& model, const machine::Machine& machine,
                                       const Question& question) {
  const bool is_limited = machine.memory_per_node > 0;
  return QuestionWarnings(model, machine, question)
      .at(question, is_limited ? memory_per_node(model, machine, question) : std::nullopt);
}

std::vector<Warning> ignored_parts(std::string_view engine, const machine::Machine& machine,
                                   const Question& question) {
  if (question.point.processes < 2) return {};
  std::vector<Warning> out;
  const std::string who = "the engine " + std::string(engine);
  if (machine.network && engine != "simulate")
    out.push_back({"part-ignored",
                   who + " ignores [network] of " + machine.name + ": messages share no links there",
                   "--engine simulate follows them"});
  if (!machine.system || engine == "interpret") return out;
  if (const auto routes = routes_of(machine, question); !routes)
    out.push_back({"part-ignored",
                   who + " ignores the [system] of " + machine.name + ": " + routes.error().what,
                   routes.error().hint});
  else
    out.push_back({"part-ignored",
                   who +
                       " takes the longest way within a unit and the longest between two for all messages on "
                       "the [system] of " +
                       machine.name,
                   "--engine interpret takes the routes of the system"});
  return out;
}

std::vector<std::string> libraries_of(const Model& model) {
  std::vector<std::string> out;
  for (const program::Source& source : model.sources) out.push_back(source.mpi_library);
  return out;
}

std::vector<Warning> library_warnings(const std::vector<std::string>& libraries,
                                      const machine::Machine& machine) {
  const auto measured = machine.environment.find("mpi");
  if (measured == machine.environment.end() || measured->second.empty()) return {};
  std::size_t n = 0;
  std::set<std::string> others;
  for (const std::string& library : libraries)
    if (!library.empty() && library != measured->second) ++n, others.insert(library);
  if (n == 0) return {};
  const std::string names = join(std::vector<std::string>(others.begin(), others.end()), " and ");
  return {{"other-library",
           (n == libraries.size()
                ? "recorded"
                : std::to_string(n) + " of " + std::to_string(libraries.size()) + " recordings ran") +
               " with " + names + ", but " + machine.name + " is measured with " + measured->second +
               ": messages are taken to cost what they do with " + measured->second,
           "calibrate with the library that the run will use (by a Parcast that is built with it), or record "
           "with " +
               measured->second}};
}

void add_unique(std::vector<Warning>& all, const std::vector<Warning>& more) {
  for (const Warning& w : more) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const Warning& a) { return a.code == w.code && a.text == w.text; });
    if (!known) all.push_back(w);
  }
}

void add_notices(const Model& model, std::vector<Warning>& out) {
  const std::size_t before = out.size();  // several notices may share a code
  for (const program::Notice& notice : model.notices) {
    if (notice.code == "next-run") continue;  // about the model; predictions have warnings of their own
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(before);
    const bool said = std::any_of(out.begin(), end, [&](const Warning& w) { return w.code == notice.code; });
    if (!said) add_unique(out, {{notice.code, notice.text, notice.hint}});
  }
}

bool same_processor(const std::string& recorded_on, const machine::Machine& machine) {
  // The ideal machine has the cores of the recordings.
  if (machine.name == machine::ideal_machine().name) return true;
  const std::string a = lower_processor(recorded_on);
  const std::string b = lower_processor(machine.description);
  return a.empty() || b.empty() || a.find(b) != std::string::npos || b.find(a) != std::string::npos;
}

}  // namespace parcast::predict
