// SPDX-License-Identifier: Apache-2.0
#include "explain/scaling.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/binding.h"
#include "predict/equation/footprint.h"
#include "predict/equation/solve.h"
#include "symbolic/program.h"

namespace parcast::explain {
namespace {

using predict::Solution;
using predict::Term;
using predict::TermValue;

constexpr std::int32_t kFarthest = 1 << 22;

struct Sample {
  std::int32_t processes = 0;
  double seconds = 0, computing = 0;
};

predict::Question at(const predict::Question& question, std::int32_t processes) {
  predict::Question out = question;
  out.point.processes = processes;
  out.point.parameters.erase("p");
  return out;
}

std::optional<Sample> sample(const program::Model& model, const machine::Machine& machine,
                             const predict::Question& question) {
  const auto solution = predict::solve_values(model, machine, question);
  if (!solution) return std::nullopt;
  Sample out{question.point.processes, solution->seconds, 0};
  for (const TermValue& term : solution->terms)
    if (term.part == Term::Part::compute || term.part == Term::Part::memory) out.computing += term.value;
  return out;
}

/// Adds the number of the machine's cores to points with more processes: these assume more nodes like its
/// own.
void name_the_cores(const machine::Machine& machine, std::vector<Crossover>& points) {
  if (machine.system || machine.name == machine::ideal_machine().name) return;
  const std::int64_t cores = std::int64_t{machine.nodes} * machine.cores_per_node;
  for (Crossover& each : points)
    if (each.processes > cores)
      each.text += "; " + machine.name + " has " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

}  // namespace

std::optional<Efficiency> efficiency(const program::Model& model, const machine::Machine& machine,
                                     const predict::Prediction& prediction) {
  const auto alone = sample(model, machine, at(prediction.question, 1));
  const double total = prediction.seconds.value;
  if (!alone || !(alone->seconds > 0) || !(total > 0)) return std::nullopt;
  const double p = prediction.question.point.processes;
  const predict::Parts& parts = prediction.parts;
  Efficiency out;
  out.sequential_seconds = alone->seconds;
  out.speedup = alone->seconds / total;
  out.efficiency = out.speedup / p;
  out.compute_overhead = p * parts.compute.value / alone->seconds;
  out.memory_overhead = p * parts.memory.value / alone->seconds;
  out.startup_overhead = p * parts.message_startup.value / alone->seconds;
  out.transfer_overhead = p * parts.transfer.value / alone->seconds;
  out.wait_overhead = p * parts.wait.value / alone->seconds;
  const double computing = parts.compute.value + parts.memory.value;
  const double without_messages = computing + parts.wait.value;
  out.load_balance = without_messages > 0 ? computing / without_messages : 0;
  out.communication_efficiency = without_messages / total;
  return out;
}

std::vector<Crossover> crossovers(const program::Model& model, const machine::Machine& machine,
                                  const predict::Question& question) {
  std::vector<Sample> samples;
  std::int64_t farthest = question.point.processes;
  if (!model.processes.empty()) farthest = std::max<std::int64_t>(farthest, model.processes.back());
  farthest = std::min<std::int64_t>(64 * farthest, kFarthest);
  for (std::int64_t p = 1; p <= farthest; p *= 2)
    if (const auto found = sample(model, machine, at(question, static_cast<std::int32_t>(p))))
      samples.push_back(*found);
  std::vector<Crossover> out;
  if (samples.size() < 2) return out;
  const auto fastest = std::min_element(
      samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.seconds < b.seconds; });
  if (fastest + 1 != samples.end())
    out.push_back({"fastest",
                   "more than " + std::to_string(fastest->processes) + " processes do not make it faster",
                   fastest->processes, fastest->seconds});
  const auto exceeds = std::find_if(samples.begin(), samples.end(),
                                    [](const Sample& s) { return s.seconds - s.computing > s.computing; });
  if (exceeds != samples.end())
    out.push_back({"communication-exceeds-computing", "messages and waiting take longer than computing",
                   exceeds->processes, exceeds->seconds});
  if (samples.front().processes == 1) {
    const double alone = samples.front().seconds;
    const auto half = std::find_if(samples.begin(), samples.end(),
                                   [&](const Sample& s) { return alone < 0.5 * s.seconds * s.processes; });
    if (half != samples.end())
      out.push_back({"efficiency-below-half", "efficiency is below 50 %", half->processes, half->seconds});
  }
  std::ranges::stable_sort(out, {}, &Crossover::processes);
  name_the_cores(machine, out);
  return out;
}

namespace {

// The bytes of rank 0's data, evaluated at many points.
class Footprint {
 public:
  explicit Footprint(const program::Model& model) : model_(model) {
    const auto bytes = predict::footprint_of(model);
    if (!bytes) return;
    for (const symbolic::Expression& symbol : free_symbols(*bytes)) symbols_.push_back(symbol);
    if (auto program = symbolic::FlatProgram::compile(std::span(&*bytes, 1), symbols_))
      program_ = *std::move(program);
  }

  std::optional<double> at(const program::Point& point) const {
    if (!program_) return std::nullopt;
    const auto known = program::bind(model_, point, 0);
    if (!known) return std::nullopt;
    std::vector<double> values;
    for (const symbolic::Expression& symbol : symbols_) {
      const auto value = known->find(symbol.name());
      if (value == known->end()) return std::nullopt;
      values.push_back(value->second);
    }
    double bytes = 0;
    program_->evaluate(values, 1, std::span(&bytes, 1));
    return std::isfinite(bytes) && bytes > 0 ? std::optional(bytes) : std::nullopt;
  }

 private:
  const program::Model& model_;
  std::vector<symbolic::Expression> symbols_;
  std::optional<symbolic::FlatProgram> program_;  // empty: unknown
};

// Returns the last of 1 .. 2^30 for which a condition holds that is true up to some value and false beyond; 0
// or 2^30 if it is never or always true.
template <class Holds>
std::int64_t last_of(Holds holds) {
  std::int64_t low = 0, high = std::int64_t{1} << 30;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (holds(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace

std::optional<double> footprint(const program::Model& model, const program::Point& point) {
  return Footprint(model).at(point);
}

Result<std::vector<Growth>> growth(const program::Model& model, const machine::Machine& machine,
                                   const predict::Question& question, double seconds) {
  constexpr double kStep = 0.1;  // relative increase
  std::vector<Growth> out;
  if (!(seconds > 0)) return out;
  std::vector<predict::Question> questions;
  for (const program::Parameter& parameter : model.parameters) {
    const double value = question.point.parameters.at(parameter.name);
    if (!(value > 0)) continue;
    const double next = value == std::floor(value) ? std::ceil(value + value * kStep) : value + value * kStep;
    questions.push_back(question);
    questions.back().point.parameters[parameter.name] = next;
    out.push_back({parameter.name, value, next, 0, 0});
  }
  constexpr std::int32_t kMostProcesses = 1 << 22;
  if (const std::int32_t p = question.point.processes; p <= kMostProcesses / 2) {
    questions.push_back(question);
    questions.back().point.processes = 2 * p;
    out.push_back({"p", static_cast<double>(p), 2.0 * p, 0, 0});
  }
  PARCAST_ASSIGN(const std::vector<double> found, predict::sweep(model, machine, questions));
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].seconds = found[k];
    out[k].elasticity = std::log(out[k].seconds / seconds) / std::log(out[k].next / out[k].value);
  }
  std::erase_if(out, [](const Growth& each) { return !std::isfinite(each.elasticity); });
  return out;
}

std::vector<CacheStep> cache_steps(const program::Model& model, const machine::Machine& machine,
                                   const program::Point& point) {
  std::vector<CacheStep> steps;
  const Footprint footprint(model);
  if (!footprint.at(point)) return steps;
  std::vector<std::pair<std::string, double>> levels;
  for (const machine::MemoryLevel& level : machine.memory)
    if (level.name != "memory" && level.capacity.value > 0)
      levels.emplace_back(level.name, level.capacity.value);
  constexpr std::int64_t kFarthest = std::int64_t{1} << 30;
  for (const auto& [name, capacity] : levels) {
    const auto fits = [&](const program::Point& at) {
      const auto bytes = footprint.at(at);
      return bytes && *bytes <= capacity;
    };
    for (const program::Parameter& parameter : model.parameters) {
      const std::int64_t last = last_of([&](std::int64_t value) {
        program::Point at = point;
        at.parameters[parameter.name] = static_cast<double>(value);
        return fits(at);
      });
      if (last > 0 && last < kFarthest)
        steps.push_back({name, capacity, parameter.name, static_cast<double>(last)});
    }
    constexpr std::int64_t kMostProcesses = 1 << 22;
    const std::int64_t too_few = last_of([&](std::int64_t value) {
      program::Point at = point;
      at.processes = static_cast<std::int32_t>(std::min(value, kMostProcesses));
      return value < kMostProcesses && !fits(at);
    });
    if (too_few > 0 && too_few + 1 < kMostProcesses)
      steps.push_back({name, capacity, "p", static_cast<double>(too_few + 1)});
  }
  return steps;
}

}  // namespace parcast::explain
