// SPDX-License-Identifier: Apache-2.0
// What collections cost on one core: for_each against a plain loop, accesses, the switch of fibres,
// recording.
//
//     parcast_collections_bench            the least of 30 rounds each
//     PARCAST_OUT=FOLDER parcast_collections_bench record      accesses that are recorded: ns, bytes in the
//     file
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "parcast/collections.h"

using namespace parcast;

namespace {

constexpr int kRounds = 30;

/// Returns the least nanoseconds of several rounds, each divided by `times`.
template <class F>
double least(int rounds, double times, F&& f) {
  double best = 1e300;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    best = std::min(
        best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return best / times;
}

template <class T>
void keep(T& value) {
  asm volatile("" : "+m"(value));
}

struct Loop {
  const char* name;
  void (*plain)(double*, std::int64_t, std::int64_t);
  void (*each)(DistributedMatrix<double>&);
};

const Loop kLoops[] = {
    {"x = a x + b",
     [](double* x, std::int64_t n, std::int64_t m) {
       for (std::int64_t i = 0; i < n; ++i)
         for (std::int64_t j = 0; j < m; ++j) x[i * m + j] = 0.999 * x[i * m + j] + 0.5;
     },
     [](DistributedMatrix<double>& a) { a.for_each([](Index2, double& x) { x = 0.999 * x + 0.5; }); }},
    {"x += i + 2 j",
     [](double* x, std::int64_t n, std::int64_t m) {
       for (std::int64_t i = 0; i < n; ++i)
         for (std::int64_t j = 0; j < m; ++j) x[i * m + j] += static_cast<double>(i + 2 * j);
     },
     [](DistributedMatrix<double>& a) {
       a.for_each([](Index2 at, double& x) { x += static_cast<double>(at[0] + 2 * at[1]); });
     }},
    {"x = 1 / (1 + x x)",
     [](double* x, std::int64_t n, std::int64_t m) {
       for (std::int64_t i = 0; i < n; ++i)
         for (std::int64_t j = 0; j < m; ++j) x[i * m + j] = 1 / (1 + x[i * m + j] * x[i * m + j]);
     },
     [](DistributedMatrix<double>& a) { a.for_each([](Index2, double& x) { x = 1 / (1 + x * x); }); }},
};

void loops() {
  for (const std::int64_t n : {64, 256, 1024})
    for (const Loop& loop : kLoops) {
      const double elements = static_cast<double>(n * n);
      double plain = 1e300, each = 1e300;
      std::vector<double> values(static_cast<std::size_t>(n * n), 1.0);
      const int times = n > 300 ? 1 : 50;
      collections::run({.count = 1}, [&](collections::Team& team) {
        DistributedMatrix<double> a(team, {n, n}, {Block, Whole});
        for (int round = 0; round < kRounds; ++round) {  // in turn, so that both see the same machine
          plain = std::min(plain, least(1, elements * times, [&] {
                             for (int i = 0; i < times; ++i) loop.plain(values.data(), n, n), keep(values[0]);
                           }));
          each = std::min(each, least(1, elements * times, [&] {
                            for (int i = 0; i < times; ++i) loop.each(a);
                          }));
        }
      });
      std::printf("%-18s %5ld x %-5ld plain %6.3f ns, for_each %6.3f ns an element, %+.1f %%\n", loop.name, n,
                  n, plain, each, 100 * (each / plain - 1));
    }
}

void accesses() {
  constexpr std::int64_t n = 1000;
  constexpr int times = 20'000;
  std::vector<double> plain(n * n, 1.0);
  collections::run({.count = 4}, [&](collections::Team& team) {
    DistributedMatrix<double> a(team, {n, n}, {Block, Block});
    a.for_each([](Index2 at, double& x) { x = static_cast<double>(at[0]); });
    if (team.rank() == 0) {
      double sum = 0;
      std::int64_t at = 0;
      const auto next = [&] { return at = (at + 7919) % 500; };
      std::printf("plain access     %6.2f ns\n", least(kRounds, times, [&] {
                    for (int i = 0; i < times; ++i) sum += plain[static_cast<std::size_t>(next() * n + 17)];
                    keep(sum);
                  }));
      std::printf("get, own         %6.2f ns\n", least(kRounds, times, [&] {
                    for (int i = 0; i < times; ++i) sum += a.get({next(), 17});
                    keep(sum);
                  }));
      std::printf("get, another's   %6.2f ns\n", least(kRounds, times, [&] {
                    for (int i = 0; i < times; ++i) sum += a.get({next(), 617});
                    keep(sum);
                  }));
    }
    team.barrier();
  });
}

void switches() {
  for (const int processors : {2, 32, 1024}) {
    const int barriers = 200'000 / processors;
    double best = 0;
    collections::run({.count = processors}, [&](collections::Team& team) {
      const double each = least(kRounds, 1.0 * barriers * processors, [&] {
        for (int i = 0; i < barriers; ++i) team.barrier();
      });
      if (team.rank() == 0) best = each;
    });
    std::printf("barrier of %4d fibres %6.1f ns for each\n", processors, best);
  }
}

/// What a call of for_each costs besides its elements: the region that a recording has, and the barrier.
void calls() {
  constexpr int times = 20'000;
  collections::run({.count = 1}, [&](collections::Team& team) {
    DistributedVector<double> a(team, 1, {Block});
    std::printf("for_each of 1    %6.1f ns\n", least(kRounds, times, [&] {
                  for (int i = 0; i < times; ++i) a.for_each([](Index1, double& x) { x += 1; });
                }));
  });
}

void recorded() {
  constexpr int times = 1'000'000;
  const std::filesystem::path folder = std::getenv("PARCAST_OUT") ? std::getenv("PARCAST_OUT") : "";
  double best = 0;
  collections::run({.count = 2}, [&](collections::Team& team) {
    DistributedVector<double> a(team, 2, {Block});
    double sum = 0;
    if (team.rank() == 0)
      best = least(kRounds, times / kRounds, [&] {
        for (int i = 0; i < times / kRounds; ++i) sum += a.get(1);
        keep(sum);
      });
    team.barrier();
  });
  std::printf("recorded get %6.1f ns; %ju bytes for %d in the file\n", best,
              std::filesystem::file_size(folder / "rank-0.rec"), times);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "record") == 0) return recorded(), 0;
  loops();
  accesses();
  switches();
  calls();
}
