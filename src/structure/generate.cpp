// SPDX-License-Identifier: Apache-2.0
#include "structure/generate.h"

#include <algorithm>

#include "base/shell.h"
#include "base/text.h"
#include "model/prices.h"
#include "structure/alone.h"
#include "structure/alternatives.h"
#include "structure/each_step.h"
#include "structure/step_text.h"
#include "trace/paired.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr std::size_t kEnoughProcesses = 3;
constexpr std::int32_t kMostCopies = 1 << 20;  // ranks, each of which goes through all steps

std::string place_text(const Point& point) {
  std::string text = "p = " + std::to_string(point.processes);
  for (const auto& [name, value] : point.parameters) text += ", " + name + " = " + format_exact(value);
  return text;
}

bool uses_grid(const Expression& expression, int dimensions) {
  for (const Expression& symbol : symbolic::free_symbols(expression))
    for (int k = 0; k < dimensions; ++k)
      if (symbol == extent_symbol(dimensions, k) || symbol == coordinate_symbol(dimensions, k)) return true;
  return false;
}

bool uses_grid(const Step& step, int dimensions) {
  if (step.guard.kind != Guard::Kind::all && step.guard.dimensions == dimensions) return true;
  if (step.partner.kind == Partner::Kind::grid && step.partner.dimensions == dimensions) return true;
  if (step.members.kind == Members::Kind::plane && step.members.dimensions == dimensions) return true;
  for (const Expression* e : {&step.rounds.expression, &step.bytes.count.expression,
                              &step.bytes.slope.expression, &step.root.expression})
    if (uses_grid(*e, dimensions)) return true;
  return std::ranges::any_of(
      step.computing, [&](const Computing& computing) { return uses_grid(computing.seconds, dimensions); });
}

Result<void> check_grids(const Model& model, const Step& step, std::int32_t processes) {
  for (const ProcessGrid& grid : model.grids)
    if (!grid.from_dims_create && !grid.recorded.contains(processes) && uses_grid(step, grid.dimensions))
      return Error{name_of_step(*model.structure, step) +
                       " follows a process grid that is not as MPI_Dims_create makes it, so its extents are "
                       "not known here",
                   "p = " + std::to_string(processes), "ask for a recorded p, or record one with this p"};
  return {};
}

/// Returns an error if computing of a written program is given in operations without a machine that prices
/// them.
Result<void> check_prices(const Model& model, const std::vector<Computing>& all) {
  if (model.written_in.empty() ||
      std::ranges::none_of(all, [](const Computing& each) { return has_prices(each.seconds); }))
    return {};
  return Error{"computing of " + model.program + " is given in operations, which a machine prices",
               model.written_in, "name one with -m, calibrated with parcast calibrate"};
}

Result<void> check_parameters(const Model& model, const Point& point) {
  for (const Parameter& parameter : model.parameters)
    if (!point.parameters.contains(parameter.name))
      return Error{"the parameter " + parameter.name + " has no value", model.program,
                   "give it with -s " + shell_quoted(parameter.name) + "=..."};
  return {};
}

Result<void> check_steps(const Model& model, const Point& point) {
  Result<void> problem;
  for_each_step(model.structure->steps, [&](const Step& step) {
    if (problem && point.processes > 1)
      problem = check_grids(model, step, point.processes);  // one process: each extent is 1
    if (problem) problem = check_prices(model, step.computing);
  });
  if (problem) problem = check_prices(model, model.structure->tail);
  return problem;
}

Result<void> check_question(const Model& model, const Point& point) {
  if (!model.structure)
    return Error{"the model does not hold what the ranks do in order", model.program,
                 "make it again from its recordings: parcast model R.recording..."};
  const Structure& structure = *model.structure;
  if (!structure.has_steps()) return structure.refusal();
  if (point.processes < structure.copied) {
    Error refusal = structure.refusal();
    refusal.what +=
        "; copies of the run at p = " + std::to_string(structure.copied) + " serve no fewer processes";
    return refusal;
  }
  if (structure.copied > 0 && point.processes > kMostCopies)
    return Error{"copies of the recorded run serve at most " + format_integer(kMostCopies) + " processes",
                 "p = " + std::to_string(point.processes), "ask for fewer, or take --engine equation"};
  const bool recorded = std::ranges::binary_search(structure.processes, point.processes);
  if (structure.processes.size() < 2 && !recorded && structure.copied == 0)
    return Error{"all runs had p = " + std::to_string(structure.processes.front()) +
                     ", so nothing is known of what ranks do at another",
                 place_text(point), "record at two further process counts"};
  PARCAST_TRY(check_parameters(model, point));
  return check_steps(model, point);
}

std::vector<std::string> assumptions_of(const Model& model, const Point& point,
                                        const StepEvaluation& evaluation) {
  const Structure& structure = *model.structure;
  const bool written = !model.written_in.empty();
  std::vector<std::string> all{written
                                   ? "generated from " + model.written_in + ", written by hand, not recorded"
                                   : "generated from a model, not recorded"};
  const bool recorded = written || std::ranges::binary_search(structure.processes, point.processes);
  if (structure.copied > 0) all.push_back(copies_text(structure, point));
  if (structure.processes.size() < kEnoughProcesses && !recorded && structure.copied == 0)
    all.push_back("the order of operations rests on " + std::to_string(structure.processes.size()) +
                  " process counts alone; a recording at a third would confirm it");
  if (!written) std::ranges::copy(range_sentences(model, point), std::back_inserter(all));
  for_each_step(structure.steps, [&](const Step& step) {
    const auto doubtful = evaluation.doubtful().find(step.id);
    if (doubtful == evaluation.doubtful().end()) return;
    std::string said = "several formulas hold for " +
                       std::string(step.kind == Step::Kind::operation ? "the bytes of "
                                                                      : "the rounds of what begins with ") +
                       name_of_step(structure, step) + "; the simplest is taken" +
                       (doubtful->second.empty() ? "" : "; " + doubtful->second);
    if (std::ranges::find(all, said) == all.end()) all.push_back(std::move(said));
  });
  all.insert(all.end(), structure.assumptions.begin(), structure.assumptions.end());
  return all;
}

/// Chooses the simplest of rules that differ here. Returns an error if messages then have no receive.
Result<void> assume_rules(const Model& model, const Point& point, trace::Trace& trace) {
  const std::vector<Doubt> doubts = doubts_at(model, point);
  if (doubts.empty()) return {};
  const Doubt& first = doubts.front();
  if (!trace::is_paired(trace))
    return Error{"the recordings do not determine who does " + first.step + ": " + first.taken + " and " +
                     first.other + " hold for all of them, and differ for rank " +
                     std::to_string(first.rank) + "; with the simplest rules not every message has a receive",
                 "p = " + std::to_string(trace.ranks),
                 "a recording at p = " + std::to_string(first.resolved) + " would decide"};
  for (const Doubt& doubt : doubts)
    if (const std::string said = to_text(doubt);
        std::ranges::find(trace.assumptions, said) == trace.assumptions.end())
      trace.assumptions.push_back(said);
  return {};
}

void add_to_signature(const std::vector<Step>& steps, const std::vector<StepValues>& values,
                      const Place& place, std::int64_t round, std::int64_t rounds,
                      std::vector<std::int64_t>& into) {
  for (const Step& step : steps) {
    const StepValues& of = values[step.id];
    into.push_back(of.takes);
    if (!of.takes) continue;
    if (step.kind == Step::Kind::operation) {
      const auto partner = partner_of(step.partner, place, round, rounds);
      into.push_back(!partner                  ? -2 - std::int64_t{trace::kAny}
                     : *partner == trace::kAny ? trace::kAny
                                               : *partner - place.r);
      if (step.tag.kind == Tag::Kind::own_rank) into.push_back(place.r);
      if (step.tag.kind == Tag::Kind::partners_rank) into.push_back(partner.value_or(0));
      if (step.members.kind != Members::Kind::all) into.push_back(group_of(step.members, place));
      into.insert(into.end(), {of.bytes, of.slope, of.root});
      into.insert(into.end(), of.computing.begin(), of.computing.end());
      continue;
    }
    if (step.kind == Step::Kind::every) {
      add_to_signature(step.body, values, place, round, rounds, into);
      continue;
    }
    into.push_back(of.rounds);
    const std::int64_t different =
        step.kind == Step::Kind::rounds ? of.rounds : std::min<std::int64_t>(1, of.rounds);
    for (std::int64_t k = 0; k < different; ++k)
      add_to_signature(step.body, values, place, step.kind == Step::Kind::rounds ? k : round,
                       step.kind == Step::Kind::rounds ? of.rounds : rounds, into);
  }
}

/// Returns a 128-bit hash of the data that determine a rank's words: equal for ranks with equal operations.
std::pair<std::uint64_t, std::uint64_t> digest(const std::vector<std::int64_t>& signature) {
  std::uint64_t a = 0x243f6a8885a308d3u, b = 0x13198a2e03707344u;
  for (const std::int64_t value : signature) {
    a = (a ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    a ^= a >> 32;
    b = (b + static_cast<std::uint64_t>(value)) * 0xd1342543de82ef95u;
    b ^= b >> 29;
  }
  return {a, b};
}

}  // namespace

Result<trace::Sequence> sequence_of(const Structure& structure, const std::vector<StepValues>& values,
                                    const Place& place, RankWords& words) {
  Unroller unroller(values, place, words);
  unroller.go(structure.steps);
  words.end(structure.tail, values.back().computing);
  if (words.too_long())
    return Error{"it would do more different things than a trace can hold (" +
                     format_integer(static_cast<long long>(RankWords::kMostWords)) + " words)",
                 "rank " + std::to_string(place.r), "ask for a smaller run"};
  return words.take();
}

namespace {

/// Returns the trace that the steps give for all ranks.
Result<trace::Trace> unrolled(const Model& model, const Point& point) {
  const Structure& structure = *model.structure;
  const Places places(point.processes, model.grids, ordered_parameters(model, point));
  StepEvaluation evaluation(model, point);
  trace::Builder builder(model.program, point.processes);
  GeneratedCommunicators communicators(places, builder);
  std::vector<std::uint32_t> place_of;
  for (const trace::Place& place : structure.places) place_of.push_back(builder.place(place));
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> sequences;
  std::vector<StepValues> values;
  std::vector<std::int64_t> signature;
  bool unseen = false;
  for (std::int32_t rank = 0; rank < point.processes; ++rank) {
    const Place place = places.of(rank);
    PARCAST_TRY(evaluation.at(place, values));
    signature.clear();
    add_to_signature(structure.steps, values, place, 0, 1, signature);
    signature.insert(signature.end(), values.back().computing.begin(), values.back().computing.end());
    const auto [at, is_new] = sequences.emplace(digest(signature), 0);
    if (!is_new) {
      builder.same_sequence(rank, at->second);
      continue;
    }
    RankWords words(place_of, structure.step_count, place, communicators, builder);
    PARCAST_ASSIGN(trace::Sequence sequence, sequence_of(structure, values, place, words));
    unseen = unseen || words.unseen_order();
    at->second = builder.sequence(rank, std::move(sequence));
  }
  if (unseen && point.processes > 1)
    builder.assume(
        "some ranks do operations in an order that none had in the recordings; how long they compute between "
        "them is taken from similar ones");
  for (std::string& sentence : assumptions_of(model, point, evaluation)) builder.assume(std::move(sentence));
  trace::Trace trace = builder.finish();
  PARCAST_TRY(trace::check(trace));
  return trace;
}

/// Returns the trace of one process. Its computing is that of the segments, which recordings with one process
/// may have shown. Messages to itself are kept if the counts have them and each has a receive.
Result<trace::Trace> generate_alone(const Model& model, const Point& point) {
  PARCAST_TRY(check_parameters(model, point));
  const bool ordered = model.structure && model.structure->found();
  if (ordered) PARCAST_TRY(check_steps(model, point));
  if (ordered && !model.written_in.empty()) return unrolled(model, point);
  PARCAST_ASSIGN(const double seconds, computing_alone(model, point));
  if (ordered)
    if (auto trace = unrolled(model, point);
        trace && trace::is_paired(*trace) && (trace->operations.empty() || sends_alone(model, point))) {
      if (!model.segments.empty()) set_computing(*trace, seconds);
      return trace;
    }
  trace::Trace trace = trace_of_computing(model.program, seconds);
  trace.assumptions = {"generated from a model, not recorded",
                       "one process alone is taken to compute, and to exchange nothing with itself"};
  PARCAST_TRY(trace::check(trace));
  return trace;
}

}  // namespace

std::string copies_text(const Structure& structure, const Point& point) {
  if (structure.copied == 0) return "";
  const std::string p = std::to_string(structure.copied);
  if (point.processes == structure.copied)
    return "no rule was found for what the ranks do in order: each does what it did in the recording at p "
           "= " +
           p + "; rounds and bytes follow the parameters as far as recordings at this p show it";
  return "no rule was found for what the ranks do in order: rank r does what rank r mod " + p +
         " did in the recording at p = " + p + ", so each message stays within " + p + " ranks" +
         (point.processes % structure.copied > 0 ? ", and the last ranks leave out messages to ranks beyond p"
                                                 : "");
}

std::vector<std::string> range_sentences(const Model& model, const Point& point) {
  std::vector<std::string> all;
  const auto beyond = [&](const std::string& name, double asked, double largest) {
    if (asked > largest && largest > 0)
      all.push_back(name + " = " + format_exact(asked) + " is " + format_significant(asked / largest, 3) +
                    " times the largest recorded: computing is extrapolated");
  };
  if (model.structure && !model.structure->processes.empty())
    beyond("p", point.processes, model.structure->processes.back());
  for (const Parameter& parameter : model.parameters)
    if (!parameter.values.empty())
      beyond(parameter.name, point.parameters.at(parameter.name), parameter.values.back());
  if (!model.sources.empty() && std::ranges::all_of(model.sources, &Source::oversubscribed))
    all.push_back("all recordings had more processes than cores: computing is what it took there");
  return all;
}

Result<trace::Trace> generate(const Model& model, const Point& point) {
  if (point.processes == 1) return generate_alone(model, point);
  PARCAST_TRY(check_question(model, point));
  PARCAST_ASSIGN(trace::Trace trace, unrolled(model, point));
  if (model.structure->copied > 0 && !trace::is_paired(trace)) {
    Error refusal = model.structure->refusal();
    refusal.what += "; copies of the recorded run have messages or collectives without a partner here";
    return refusal;
  }
  PARCAST_TRY(assume_rules(model, point, trace));
  return trace;
}

}  // namespace parcast::program
