// SPDX-License-Identifier: Apache-2.0
#include "causes/generated_cases.h"

#include <algorithm>
#include <cmath>

#include "statistics/random.h"

namespace parcast::causes {
namespace {

using statistics::Random;

const std::vector<std::string> kEvents{"page_faults", "swapped", "cache_misses", "context_switches", "waiting", "message_delay"};

double between(Random& random, double low, double high) { return low + (high - low) * random.uniform(); }

/// What happens behind the break, from run to run by 15 % more or less, as a share of the last sample's work.
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

/// Grows with the work or a power of it, whatever happens.
Column growing(Random& random, const std::vector<Sample>& samples, double power) {
  Column out;
  for (const Sample& sample : samples) out.push_back(std::pow(sample.work, power) * std::exp(0.08 * random.normal()));
  return out;
}

/// Happens so often per second, as interrupts do: an effect of the time, no cause.
Column following(Random& random, const std::vector<Sample>& samples) {
  Column out;
  for (const Sample& sample : samples) out.push_back(100 * sample.seconds * std::exp(0.05 * random.normal()));
  return out;
}

/// Rises where the cause rises, by amounts of its own.
Column resembling(Random& random, const Column& amounts) {
  Column out;
  for (const double amount : amounts) out.push_back(amount * std::exp(0.5 * random.normal()));
  return out;
}

std::vector<Sample> work_of(Random& random) {
  const auto count = static_cast<std::size_t>(14 + random.below(11));
  const double range = between(random, 30, 100);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + between(random, -0.2, 0.2)) / static_cast<double>(count - 1);
    samples.push_back({1e8 * std::pow(range, place), 0, static_cast<double>(1u << random.below(4))});
  }
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.work < b.work; });
  return samples;
}

/// Of one candidate in four the amounts are those of a processor that slows down.
bool is_frequency(std::uint64_t number) { return number % 8 == 3; }

void make_times(Random& random, GeneratedCase& made, const Column& amounts, double delta, double most, bool frequency) {
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    Sample& sample = made.samples[i];
    const double own = delta * sample.work;
    const double extra = frequency ? own * most * amounts[i] : delta * made.samples.back().work * most * amounts[i];
    sample.seconds = (own + extra) * std::exp(made.noise * random.normal());
  }
}

Candidate cause_of(const GeneratedCase& made, const Column& amounts, double most, bool frequency, Random& random) {
  if (!frequency) return {kEvents[random.below(kEvents.size())], Role::event, scaled(amounts, 1e4)};
  Candidate cause{"frequency", Role::speed, {}};
  for (std::size_t i = 0; i < made.samples.size(); ++i) cause.amounts.push_back(3.5e9 / (1 + most * amounts[i]));
  return cause;
}

void add_decoys(Random& random, GeneratedCase& made, const Column& amounts) {
  const bool resembles = made.kind == CaseKind::resembling || made.kind == CaseKind::unmeasured;
  for (const std::string& name : kEvents) {
    if (name == made.cause) continue;
    Column column;
    switch (random.below(resembles ? 6 : 2)) {
      case 0: column = unrelated(random, made.samples.size()); break;
      case 1: column = growing(random, made.samples, 1); break;
      case 2: column = growing(random, made.samples, between(random, 1.3, 2)); break;
      case 3: column = following(random, made.samples); break;
      default: column = resembling(random, amounts); break;
    }
    made.candidates.push_back({name, Role::event, std::move(column)});
  }
}

}  // namespace

GeneratedCase generated_case(std::uint64_t number) {
  Random random(0x5eed0000 + number);
  GeneratedCase made;
  const std::uint64_t turn = number % 8;
  made.kind = turn < 4 ? CaseKind::plain : turn < 6 ? CaseKind::resembling : turn == 6 ? CaseKind::unmeasured : CaseKind::healthy;
  made.noise = between(random, 0.01, 0.03);
  made.samples = work_of(random);
  const double share = between(random, 0.35, 0.65);
  const double from = made.samples.front().work * std::pow(made.samples.back().work / made.samples.front().work, share);
  const Column amounts = hidden_amounts(random, made.samples, from);
  const double most = made.kind == CaseKind::healthy ? 0 : between(random, 0.25, 1.5);
  make_times(random, made, amounts, std::exp(random.normal()) * 1e-9, most, is_frequency(number));
  if (made.kind == CaseKind::plain || made.kind == CaseKind::resembling) {
    made.candidates.push_back(cause_of(made, amounts, most, is_frequency(number), random));
    made.cause = made.candidates.back().name;
  }
  add_decoys(random, made, amounts);
  std::rotate(made.candidates.begin(), made.candidates.begin() + static_cast<std::ptrdiff_t>(random.below(made.candidates.size())), made.candidates.end());
  return made;
}

}  // namespace parcast::causes
