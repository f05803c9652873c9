// SPDX-License-Identifier: Apache-2.0
#include "causes/generated_cases.h"

#include <algorithm>
#include <cmath>

#include "statistics/least_squares.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

using statistics::Random;

const std::vector<std::string> kEvents{"page_faults",      "swapped", "cache_misses",
                                       "context_switches", "waiting", "message_delay"};

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

/// Returns the amounts after the break, as a fraction of the last sample's work, with random factors of up to
/// 15 %.
Column hidden_amounts(Random& random, const std::vector<Sample>& samples, double from) {
  Column amounts;
  const double last = samples.back().work;
  for (const Sample& sample : samples)
    amounts.push_back(std::max(0.0, sample.work - from) / (last - from) * between(random, 0.85, 1.15));
  return amounts;
}

Column scaled(const Column& column, double factor) {
  Column out = column;
  for (double& value : out) value *= factor;
  return out;
}

Column unrelated(Random& random, std::size_t count) {
  Column out;
  const double level = std::exp(3 * random.normal());
  for (std::size_t i = 0; i < count; ++i) out.push_back(level * std::exp(0.4 * random.normal()));
  return out;
}

/// Grows with the work or a power of it.
Column growing(Random& random, const std::vector<Sample>& samples, double power) {
  Column out;
  for (const Sample& sample : samples)
    out.push_back(std::pow(sample.work, power) * std::exp(0.08 * random.normal()));
  return out;
}

/// Has a constant rate per second, like interrupts: an effect of the time, no cause.
Column following(Random& random, const std::vector<Sample>& samples) {
  Column out;
  for (const Sample& sample : samples) out.push_back(100 * sample.seconds * std::exp(0.05 * random.normal()));
  return out;
}

/// Rises where the cause rises, with random amounts.
Column resembling(Random& random, const Column& amounts, double spread = 0.5) {
  Column out;
  for (const double amount : amounts) out.push_back(amount * std::exp(spread * random.normal()));
  return out;
}

std::vector<Sample> work_of(Random& random) {
  const auto count = static_cast<std::size_t>(14 + random.below(11));
  const double range = between(random, 30, 100);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double place =
        (static_cast<double>(i) + between(random, -0.2, 0.2)) / static_cast<double>(count - 1);
    samples.push_back({1e8 * std::pow(range, place), 0, static_cast<double>(1u << random.below(4))});
  }
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.work < b.work; });
  return samples;
}

/// One candidate in four has the amounts of a processor that slows down.
bool is_frequency(std::uint64_t number) {
  return number % 8 == 3;
}

void make_times(Random& random, GeneratedCase& made, const Column& amounts, double delta, double most,
                bool frequency) {
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    Sample& sample = made.samples[i];
    const double own = delta * sample.work;
    const double extra =
        frequency ? own * most * amounts[i] : delta * made.samples.back().work * most * amounts[i];
    sample.seconds = (own + extra) * std::exp(made.noise * random.normal());
  }
}

Candidate cause_of(const GeneratedCase& made, const Column& amounts, double most, bool frequency,
                   Random& random) {
  if (!frequency) return {kEvents[random.below(kEvents.size())], Role::event, scaled(amounts, 1e4)};
  Candidate cause{"frequency", Role::speed, {}};
  for (std::size_t i = 0; i < made.samples.size(); ++i)
    cause.amounts.push_back(3.5e9 / (1 + most * amounts[i]));
  return cause;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_decoys(Random& random, GeneratedCase& made, const Column& amounts) {
  const bool resembles = made.kind == CaseKind::resembling || made.kind == CaseKind::unmeasured;
  for (const std::string& name : kEvents) {
    if (holds(made.causes, name)) continue;
    Column column;
    switch (random.below(resembles ? 6 : 2)) {
      case 0:
        column = unrelated(random, made.samples.size());
        break;
      case 1:
        column = growing(random, made.samples, 1);
        break;
      case 2:
        column = growing(random, made.samples, between(random, 1.3, 2));
        break;
      case 3:
        column = following(random, made.samples);
        break;
      default:
        column = resembling(random, amounts);
        break;
    }
    made.candidates.push_back({name, Role::event, std::move(column)});
  }
}

void shuffle(Random& random, std::vector<Candidate>& candidates) {
  std::rotate(candidates.begin(),
              candidates.begin() + static_cast<std::ptrdiff_t>(random.below(candidates.size())),
              candidates.end());
}

/// Happens in half of the runs, whatever their work.
Column now_and_then(Random& random, const std::vector<Sample>& samples) {
  Column amounts;
  for (const Sample& sample : samples)
    amounts.push_back(random.below(2) == 0 ? 0 : sample.work / samples.back().work * between(random, 0.3, 1));
  return amounts;
}

struct Hidden {
  Column amounts;
  double most = 0;  // addition at the largest sample, as a fraction of the work's time
  bool frequency = false;
};

double work_at(const std::vector<Sample>& samples, double share) {
  return samples.front().work * std::pow(samples.back().work / samples.front().work, share);
}

std::vector<Hidden> two_hidden(Random& random, const std::vector<Sample>& samples, std::uint64_t number) {
  const double first = work_at(samples, between(random, 0.3, 0.5)),
               second = work_at(samples, between(random, 0.55, 0.7));
  const std::uint64_t turn = number / 8 % 4;
  std::vector<Hidden> out{
      {hidden_amounts(random, samples, first), between(random, 0.25, 1.5), random.below(4) == 0}};
  out.push_back({turn == 3 ? now_and_then(random, samples)
                           : hidden_amounts(random, samples, turn == 2 ? first : second),
                 between(random, 0.25, 1.5), false});
  return out;
}

/// Returns the seconds that a cause adds to each sample, without noise.
Column added(const std::vector<Sample>& samples, const Hidden& hidden, double delta) {
  Column out;
  for (std::size_t i = 0; i < samples.size(); ++i)
    out.push_back(delta * hidden.most * hidden.amounts[i] *
                  (hidden.frequency ? samples[i].work : samples.back().work));
  return out;
}

/// Returns the part of a column that neither work nor another column explains, all divided by the times: the
/// root of its sum of squares.
double evidence_of(const std::vector<Sample>& samples, const Column& column, const Column& other) {
  statistics::Matrix design(samples.size(), 2);
  std::vector<double> response;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    design(i, 0) = samples[i].work / samples[i].seconds;
    design(i, 1) = other[i] / samples[i].seconds;
    response.push_back(column[i] / samples[i].seconds);
  }
  const auto fitted = statistics::fit_least_squares(design, response);
  double sum = 0;
  if (fitted)
    for (const double rest : fitted->residuals) sum += rest * rest;
  return std::sqrt(sum);
}

/// Adds unrelated candidates. If a cause was not measured, some candidates resemble it.
void add_decoys_of_two(Random& random, GeneratedCase& made, const std::vector<Hidden>& hidden) {
  const bool resembles = made.kind != CaseKind::two;
  bool twin = made.kind == CaseKind::twin;
  for (const std::string& name : kEvents) {
    if (holds(made.causes, name)) continue;
    const Column& amounts = hidden[random.below(2)].amounts;
    Column column;
    switch (random.below(resembles ? 6 : 4)) {
      case 0:
        column = unrelated(random, made.samples.size());
        break;
      case 1:
        column = growing(random, made.samples, 1);
        break;
      case 2:
        column = growing(random, made.samples, between(random, 1.3, 2));
        break;
      case 3:
        column = following(random, made.samples);
        break;
      default:
        column = resembling(random, amounts);
        break;
    }
    if (twin) column = resembling(random, hidden[1].amounts, 0.02);
    twin = false;
    made.candidates.push_back({name, Role::event, std::move(column)});
  }
}

CaseKind kind_of_pair(std::uint64_t turn) {
  if (turn < 3) return CaseKind::two;
  if (turn < 5) return CaseKind::two_resembling;
  return turn == 5 ? CaseKind::twin : turn == 6 ? CaseKind::one_unmeasured : CaseKind::both_unmeasured;
}

}  // namespace

GeneratedCase generated_pair(std::uint64_t number) {
  Random random(0x7a170000 + number);
  GeneratedCase made;
  made.kind = kind_of_pair(number % 8);
  made.noise = between(random, 0.01, 0.03);
  made.samples = work_of(random);
  const std::vector<Hidden> hidden = two_hidden(random, made.samples, number);
  const double delta = std::exp(random.normal()) * 1e-9;
  const std::vector<Column> adds{added(made.samples, hidden[0], delta),
                                 added(made.samples, hidden[1], delta)};
  for (std::size_t i = 0; i < made.samples.size(); ++i)
    made.samples[i].seconds = delta * made.samples[i].work + adds[0][i] + adds[1][i];
  made.now_and_then = number / 8 % 4 == 3;
  made.evidence =
      std::min(evidence_of(made.samples, adds[0], adds[1]), evidence_of(made.samples, adds[1], adds[0])) /
      made.noise;
  if (made.now_and_then) {
    const Column none(made.samples.size(), 0.0);
    const double scatter =
        evidence_of(made.samples, adds[1], none) / std::sqrt(static_cast<double>(made.samples.size()));
    made.evidence =
        std::min(made.evidence, evidence_of(made.samples, adds[0], none) / std::hypot(made.noise, scatter));
  }
  for (Sample& sample : made.samples) sample.seconds *= std::exp(made.noise * random.normal());
  const std::size_t measured = made.kind == CaseKind::both_unmeasured  ? 0
                               : made.kind == CaseKind::one_unmeasured ? 1
                                                                       : 2;
  const std::size_t known = made.kind == CaseKind::one_unmeasured ? random.below(2) : 0;
  made.second_only = measured == 1 && known == 1;
  for (std::size_t k = 0; k < measured; ++k) {
    const Hidden& one = hidden[(known + k) % 2];
    Candidate cause = cause_of(made, one.amounts, one.most, one.frequency, random);
    while (holds(made.causes, cause.name)) cause.name = kEvents[random.below(kEvents.size())];
    made.causes.push_back(cause.name);
    made.candidates.push_back(std::move(cause));
  }
  std::sort(made.causes.begin(), made.causes.end());
  add_decoys_of_two(random, made, hidden);
  shuffle(random, made.candidates);
  return made;
}

GeneratedCase generated_case(std::uint64_t number) {
  Random random(0x5eed0000 + number);
  GeneratedCase made;
  const std::uint64_t turn = number % 8;
  made.kind = turn < 4    ? CaseKind::plain
              : turn < 6  ? CaseKind::resembling
              : turn == 6 ? CaseKind::unmeasured
                          : CaseKind::healthy;
  made.noise = between(random, 0.01, 0.03);
  made.samples = work_of(random);
  const double share = between(random, 0.35, 0.65);
  const double from =
      made.samples.front().work * std::pow(made.samples.back().work / made.samples.front().work, share);
  const Column amounts = hidden_amounts(random, made.samples, from);
  const double most = made.kind == CaseKind::healthy ? 0 : between(random, 0.25, 1.5);
  make_times(random, made, amounts, std::exp(random.normal()) * 1e-9, most, is_frequency(number));
  if (made.kind == CaseKind::plain || made.kind == CaseKind::resembling) {
    made.candidates.push_back(cause_of(made, amounts, most, is_frequency(number), random));
    made.causes = {made.candidates.back().name};
  }
  add_decoys(random, made, amounts);
  shuffle(random, made.candidates);
  return made;
}

}  // namespace parcast::causes
