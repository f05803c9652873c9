// SPDX-License-Identifier: Apache-2.0
// parcast_fit_crossed [cases] [seed] [--data FOLDER] [--totals FILE POINT...]: few numbers of processes
// crossed with few sizes.
//
// Generated programs with known laws: computing that is shared by the processes, with parts that are not; and
// messages, absent on one process, with latency and bandwidth. Every total has 1 to 10 % of noise,
// those of noisy programs 20 %. Three
// values of each parameter predict a larger size on as many, two and four times as many processes. A line per
// kind of program and reach: median, mean and 90 % quantile of |predicted - measured| / measured of the fit,
// the median of each plain forecast, and the share of measurements inside 90 % intervals.
//
// --data: published sets of several parameters instead; --totals: a table of totals and points to predict,
// with the answers of plain forecasts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "data_sets.h"
#include "fit/fit.h"
#include "fit/laws.h"
#include "fit/plain_forecasts.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace {

using namespace parcast;
using statistics::Random;

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

template <class T>
const T& one_of(Random& random, const std::vector<T>& list) {
  return list[random.below(list.size())];
}

// coefficient x product of sizes^exponents x g(p); of messages g(1) = 0
struct Part {
  double coefficient = 0;
  std::vector<double> exponents;
  double of_processes = 0;
  enum Kind { computing, steps, tree, linear } kind = computing;

  double at(const std::vector<double>& point) const {
    const double p = point[0];
    double value = coefficient * std::pow(p, of_processes);
    for (std::size_t j = 0; j < exponents.size(); ++j) value *= std::pow(point[j + 1], exponents[j]);
    if (kind == steps) return p > 1 ? value : 0;
    if (kind == tree) return value * std::ceil(std::log2(p));
    if (kind == linear) return value * (p - 1);
    return value;
  }
};

struct Program {
  std::string kind;
  std::vector<std::string> parameters;
  std::vector<std::vector<double>> points, asked;
  std::vector<Part> parts;
  double noise = 0;

  double at(const std::vector<double>& point) const {
    double sum = 0;
    for (const Part& part : parts) sum += part.at(point);
    return sum;
  }
};

// The sizes: one, or a size and a second one that is varied with it, or only at its smallest value.
void add_points(Program& program, Random& random) {
  const std::vector<double> processes = one_of<std::vector<double>>(
      random, {{1, 2, 4}, {1, 2, 4}, {1, 2, 4}, {2, 4, 8}, {1, 4, 9}, {4, 8, 16}});
  const double n = std::round(between(random, 50, 400)), ratio = between(random, 1.3, 2),
               larger = between(random, 1.3, 2), more = between(random, 1, 2);
  const std::size_t sizes = random.below(5) < 3 ? 1 : 2;
  const bool crossed = random.below(2) == 0;
  program.parameters = {"p", "N"};
  if (sizes == 2) program.parameters.push_back("steps");
  for (const double p : processes)
    for (int i = 0; i < 3; ++i)
      for (int s = 0; s < (sizes == 1 ? 1 : crossed ? 3 : i == 0 && p <= processes[1] ? 2 : 1); ++s) {
        std::vector<double> point{p, std::round(n * std::pow(ratio, i))};
        if (sizes == 2) point.push_back(20 * std::pow(2, s));
        program.points.push_back(std::move(point));
      }
  for (const double factor : {1, 2, 4}) {
    std::vector<double> point{processes.back() * factor, std::round(n * std::pow(ratio, 2) * larger)};
    if (sizes == 2) point.push_back(std::round(20 * (crossed ? 4 : 2) * more));
    program.asked.push_back(std::move(point));
  }
}

std::vector<double> exponents_of(const Program& program, double of_size, double of_steps) {
  std::vector<double> out{of_size};
  if (program.parameters.size() > 2) out.push_back(of_steps);
  return out;
}

// Adds a part with a share of the computing at the second number of processes and the middle size.
void add_share(Program& program, Part part, double share) {
  std::vector<double> middle = program.points[program.points.size() / 2];
  middle[0] = std::max(2.0, middle[0]);
  part.coefficient = 1;
  part.coefficient = share * program.parts.front().at(middle) / part.at(middle);
  program.parts.push_back(std::move(part));
}

Program program_of(Random& random) {
  Program program;
  add_points(program, random);
  const double degree = one_of<double>(random, {1, 1.5, 2, 2, 2, 3, 3}),
               falls = one_of<double>(random, {-1, -1, -1, -1, -1, -0.5, 0});
  program.kind = falls == -1 ? "shared" : falls == 0 ? "own" : "half shared";
  program.parts.push_back({1, exponents_of(program, degree, 1), falls});
  if (random.below(2))
    add_share(program, {1, exponents_of(program, degree - 1, 1), falls}, between(random, 0, 0.3));
  if (random.below(5) < 2)
    add_share(program, {1, exponents_of(program, degree - (random.below(2) ? 1.0 : 0.0), 1), 0},
              std::pow(10, between(random, -2, -0.7)));
  if (random.below(2))
    add_share(program, {1, exponents_of(program, 0, 0), 0}, std::pow(10, between(random, -2, -0.5)));
  if (random.below(6) == 0) program.kind = "no messages";
  program.noise = std::pow(10, between(random, -2, -1));
  if (program.kind == "shared" && random.below(5) == 0) program.kind = "noisy", program.noise = 0.2;
  if (program.kind == "no messages") return program;
  const double share = std::pow(10, between(random, -1.5, 1)), latency = random.uniform();
  const auto kind =
      one_of<Part::Kind>(random, {Part::steps, Part::steps, Part::tree, Part::tree, Part::linear});
  add_share(program, {1, exponents_of(program, random.below(2) ? 0.0 : 1.0, 1), 0, kind}, share * latency);
  const double volume = one_of<double>(random, {degree - 1, degree / 2, degree});
  add_share(program,
            {1, exponents_of(program, volume, 1), one_of<double>(random, {0, -0.5, -1}),
             one_of<Part::Kind>(random, {Part::steps, Part::steps, Part::tree})},
            share * (1 - latency));
  return program;
}

struct Scores {
  std::vector<double> ours, widths;
  std::array<std::vector<double>, fit::kPlainForecasts.size()> plain;
  double below = 0, above = 0;
};

using Table = std::map<std::pair<std::string, std::string>, Scores>;

double core_seconds = 0;
std::size_t kernels = 0;

std::optional<fit::KernelFit> fitted(const std::vector<std::string>& parameters, const fit::Kernel& kernel,
                                     const std::vector<std::vector<double>>& asked) {
  fit::Options options;
  options.asked = asked;
  options.threads = 1;
  const std::clock_t before = std::clock();
  auto fits = fit::fit_all({parameters, {kernel}, {}}, options);
  core_seconds += static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  ++kernels;
  return fits ? std::optional(std::move(fits->kernels[0])) : std::nullopt;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v / static_cast<double>(values.size());
  return sum;
}

fit::PlainForecasts plain_of(const std::vector<std::string>& parameters, const fit::Kernel& kernel) {
  std::vector<bool> processes;
  for (const auto& name : parameters) processes.push_back(fit::counts_processes(name));
  std::vector<double> values;
  for (const auto& runs : kernel.values) values.push_back(mean_of(runs));
  return fit::plain_forecasts(kernel.points, values, processes);
}

void score(const fit::Predicted& at, const fit::PlainAnswers& plain, double measured, Scores& scores) {
  scores.ours.push_back(std::fabs(at.value / measured - 1));
  scores.widths.push_back(at.high / at.low);
  scores.below += measured < at.low;
  scores.above += measured > at.high;
  for (std::size_t k = 0; k < plain.size(); ++k)
    scores.plain[k].push_back(plain[k] ? std::fabs(std::exp(*plain[k]) / measured - 1) : 1);
}

void print(const Table& table) {
  std::printf("%-22s %-8s %5s  %6s %6s %6s ", "programs", "reach", "n", "median", "mean", "90 %");
  for (const auto name : fit::kPlainForecasts) std::printf(" %11.11s", std::string(name).c_str());
  std::printf("  %5s %5s %5s  %s\n", "holds", "below", "above", "width");
  for (const auto& [key, scores] : table) {
    const double n = static_cast<double>(scores.ours.size());
    std::printf("%-22s %-8s %5.0f  %6.3f %6.3f %6.3f ", key.first.c_str(), key.second.c_str(), n,
                statistics::median(scores.ours), mean_of(scores.ours),
                statistics::quantile(scores.ours, 0.9));
    for (const auto& plain : scores.plain)
      std::printf(" %5.3f %5.2f", statistics::median(plain), std::min(mean_of(plain), 99.0));
    std::printf("  %5.1f %5.1f %5.1f  %.2f\n", 100 * (1 - (scores.below + scores.above) / n),
                100 * scores.below / n, 100 * scores.above / n, statistics::median(scores.widths));
  }
}

void generated(std::size_t cases, std::uint64_t seed, Table& table) {
  Random random(seed);
  for (std::size_t k = 0; k < cases; ++k) {
    const Program program = program_of(random);
    fit::Kernel kernel{"", "time", "s", program.points, {}};
    for (const auto& point : program.points)
      kernel.values.push_back({program.at(point) * std::exp(program.noise * random.normal())});
    const auto fit = fitted(program.parameters, kernel, program.asked);
    if (!fit) std::exit(1);
    const fit::PlainForecasts plain = plain_of(program.parameters, kernel);
    for (std::size_t i = 0; i < program.asked.size(); ++i) {
      const double measured = program.at(program.asked[i]) * std::exp(program.noise * random.normal());
      const std::string reach = i == 0 ? "p x1" : i == 1 ? "p x2" : "p x4";
      for (const std::string& kind : {program.kind, std::string("(all)")})
        score(fit->predictions[i], fit::answers_at(plain, program.asked[i]), measured, table[{kind, reach}]);
      score(fit->predictions[i], fit::answers_at(plain, program.asked[i]), measured,
            table[{"(all)", "(all)"}]);
    }
  }
}

// The values of the column, ascending.
std::vector<double> values_of(const fit::Kernel& kernel, std::size_t column) {
  std::set<double> values;
  for (const auto& point : kernel.points) values.insert(point[column]);
  return {values.begin(), values.end()};
}

// Takes three consecutive values of each parameter, and predicts all points above them.
void add_windows(const bench::DataSet& set, const fit::Kernel& kernel, Table& table) {
  const auto& parameters = set.measurements.parameters;
  const std::vector<double> first = values_of(kernel, 0), second = values_of(kernel, 1);
  for (std::size_t a = 0; a + 3 <= first.size(); ++a)
    for (std::size_t b = 0; b + 3 <= second.size(); b += 3) {
      fit::Kernel known{"", kernel.metric, kernel.unit, {}, {}};
      std::vector<std::vector<double>> asked;
      std::vector<double> measured;
      for (std::size_t i = 0; i < kernel.points.size(); ++i) {
        const double x = kernel.points[i][0], y = kernel.points[i][1], value = mean_of(kernel.values[i]);
        if (!(value > 0)) continue;
        if (x >= first[a] && x <= first[a + 2] && y >= second[b] && y <= second[b + 2])
          known.points.push_back(kernel.points[i]), known.values.push_back(kernel.values[i]);
        if (x > first[a + 2] && x < 6 * first[a + 2] && y >= second[b + 2] && y < 4.5 * second[b + 2])
          asked.push_back(kernel.points[i]), measured.push_back(value);
      }
      if (known.points.size() < 8 || asked.empty()) continue;
      const auto fit = fitted(parameters, known, asked);
      if (!fit) continue;
      const fit::PlainForecasts plain = plain_of(parameters, known);
      for (std::size_t i = 0; i < asked.size(); ++i)
        score(fit->predictions[i], fit::answers_at(plain, asked[i]), measured[i],
              table[{set.name, asked[i][0] < 3 * first[a + 2] ? "p x2" : "p x4"}]);
    }
}

int published(const std::string& folder, Table& table) {
  const auto sets = bench::read_data_sets(folder);
  if (!sets) return std::fprintf(stderr, "%s\n", to_string(sets.error()).c_str()), 1;
  for (const bench::DataSet& set : *sets) {
    if (set.measurements.parameters.size() != 2 || !fit::counts_processes(set.measurements.parameters[0]))
      continue;
    for (const fit::Kernel& kernel : set.measurements.kernels)
      if (std::ranges::find(set.targets, kernel.metric) != set.targets.end()) add_windows(set, kernel, table);
  }
  return 0;
}

// Prints the fit of a table whose last column has the values, at points like "16,800".
int totals(const std::string& file, std::span<char*> points) {
  const auto text = read_file(file);
  if (!text) return std::fprintf(stderr, "%s\n", to_string(text.error()).c_str()), 1;
  std::vector<std::string> parameters;
  fit::Kernel kernel{"", "time", "s", {}, {}};
  const auto numbers = [](const std::string& line) {
    std::vector<double> out;
    for (const std::string& cell : split(line, ',')) out.push_back(parse_double(cell).value_or(NAN));
    return out;
  };
  for (const std::string& line : split(*text, '\n')) {
    if (trim(line).empty()) continue;
    if (parameters.empty()) {
      parameters = split(std::string(trim(line)), ',');
      parameters.pop_back();
      continue;
    }
    kernel.points.push_back(numbers(std::string(trim(line))));
    kernel.values.push_back({kernel.points.back().back()});
    kernel.points.back().pop_back();
  }
  std::vector<std::vector<double>> asked;
  for (const char* point : points) asked.push_back(numbers(point));
  const auto fit = fitted(parameters, kernel, asked);
  if (!fit) return 1;
  for (const auto& formula : fit->formulas)
    std::printf("# %4.2f  %s\n", formula.weight, formula.text.c_str());
  const fit::PlainForecasts plain = plain_of(parameters, kernel);
  for (std::size_t k = 0; k < plain.size(); ++k) {
    std::printf("# %s:", std::string(fit::kPlainForecasts[k]).c_str());
    for (const auto& point : asked)
      std::printf(" %.4g", std::exp(fit::answers_at(plain, point)[k].value_or(NAN)));
    std::printf("\n");
  }
  for (const auto& at : fit->predictions) std::printf("%.4g %.4g %.4g\n", at.value, at.low, at.high);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  Table table;
  const bool data = count > 2 && std::strcmp(words[1], "--data") == 0;
  if (count > 2 && std::strcmp(words[1], "--totals") == 0)
    return totals(words[2], std::span(words, static_cast<std::size_t>(count)).subspan(3));
  if (data && published(words[2], table) != 0) return 1;
  if (!data)
    generated(count > 1 ? std::strtoull(words[1], nullptr, 10) : 600,
              count > 2 ? std::strtoull(words[2], nullptr, 10) : 1, table);
  print(table);
  std::printf("%zu fits, %.2f ms of a core each\n", kernels,
              1000 * core_seconds / static_cast<double>(kernels));
  return 0;
}
