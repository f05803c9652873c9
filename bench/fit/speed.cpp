// SPDX-License-Identifier: Apache-2.0
// parcast_fit_speed [kernels]: kernels per second with one parameter (five points) and three (4 x 4 x 4
// points), five repetitions each, on all cores, one predicted point per kernel. Also per second of one core's
// time, which other load on the machine disturbs less. For comparison, the same by the published normal form
// without intervals on the same threads, and the ratio of core times.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>

#include "fit/fit.h"
#include "normal_form.h"
#include "statistics/random.h"

namespace {

using namespace parcast;

fit::Measurements generated(std::size_t parameters, std::size_t kernels, std::size_t repetitions) {
  statistics::Random random(7);
  fit::Measurements out;
  for (std::size_t j = 0; j < parameters; ++j)
    out.parameters.push_back(std::string(1, static_cast<char>('a' + j)));
  std::vector<std::vector<double>> points{{}};
  for (std::size_t j = 0; j < parameters; ++j) {
    std::vector<std::vector<double>> longer;
    for (const auto& point : points)
      for (const double x :
           parameters == 1 ? std::vector<double>{4, 8, 16, 32, 64} : std::vector<double>{4, 8, 16, 32}) {
        longer.push_back(point);
        longer.back().push_back(x);
      }
    points = longer;
  }
  const std::vector<double> exponents{-1, 0, 0.5, 1, 1.5, 2};
  for (std::size_t k = 0; k < kernels; ++k) {
    fit::Kernel kernel{"k" + std::to_string(k), "time", "s", points, {}};
    std::vector<double> powers;
    for (std::size_t j = 0; j < parameters; ++j) powers.push_back(exponents[random.below(exponents.size())]);
    const double constant = random.uniform();
    for (const auto& point : points) {
      double value = 1;
      for (std::size_t j = 0; j < parameters; ++j) value *= std::pow(point[j] / 8, powers[j]);
      kernel.values.emplace_back();
      for (std::size_t r = 0; r < repetitions; ++r)
        kernel.values.back().push_back((constant + value) * std::exp(0.03 * random.normal()));
    }
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

struct Taken {
  double seconds = 0, core_seconds = 0;
};

Taken taken(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t before = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC};
}

Taken normal_form_taken(const fit::Measurements& data) {
  return taken([&] {
    std::atomic<std::size_t> next{0};
    std::atomic<int> found{0};
    const auto run = [&] {
      for (std::size_t k = next++; k < data.kernels.size(); k = next++) {
        std::vector<double> means;
        for (const auto& runs : data.kernels[k].values) {
          means.push_back(0);
          for (const double v : runs) means.back() += v / static_cast<double>(runs.size());
        }
        found += bench::fit_normal_form(data.kernels[k].points, means).has_value();
      }
    };
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) threads.emplace_back(run);
    run();
    for (auto& thread : threads) thread.join();
  });
}

void measure(std::size_t parameters, std::size_t kernels, std::size_t repetitions) {
  const auto data = generated(parameters, kernels, repetitions);
  fit::Options options;
  options.asked = {std::vector<double>(parameters, 256)};
  const Taken ours = taken([&] {
    if (!fit::fit_all(data, options)) std::exit(1);
  });
  const Taken theirs = normal_form_taken(data);
  const double n = static_cast<double>(kernels);
  std::printf(
      "%zu parameter%s %zu repetition%s %9.0f kernels/s %9.0f per core   normal form %9.0f   ratio %.2f\n",
      parameters, parameters == 1 ? ", " : "s,", repetitions, repetitions == 1 ? " " : "s", n / ours.seconds,
      n / ours.core_seconds, n / theirs.core_seconds, theirs.core_seconds / ours.core_seconds);
}

}  // namespace

int main(int count, char** words) {
  const std::size_t kernels = count > 1 ? std::strtoull(words[1], nullptr, 10) : 20000;
  for (const std::size_t repetitions : {1u, 5u}) {
    measure(1, kernels, repetitions);
    measure(3, std::max<std::size_t>(100, kernels / 20), repetitions);
  }
  return 0;
}
