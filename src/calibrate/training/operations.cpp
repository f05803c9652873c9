// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/operations.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "statistics/random.h"

namespace parcast::training {
namespace {

// The compiler must assume that a value changes after each operation, so that nothing is dropped, vectorised
// or reordered.
#if defined(__x86_64__)
#define PARCAST_KEEP_DOUBLE(x) asm volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define PARCAST_KEEP_DOUBLE(x) asm volatile("" : "+w"(x))
#else
#define PARCAST_KEEP_DOUBLE(x) asm volatile("" : "+m"(x))
#endif
void keep(double& x) {
  PARCAST_KEEP_DOUBLE(x);
}
void keep(std::uint64_t& x) {
  asm volatile("" : "+r"(x));
}

constexpr int kChains = 8;    // independent chains: latency times number of pipes for an addition
constexpr int kUnrolled = 4;  // operations of a chain per iteration

/// Each operation waits for the previous one.
template <class T, class Operation>
std::int64_t dependent(std::int64_t turns, T start, Operation operation) {
  T x = start;
  for (std::int64_t i = 0; i < turns; ++i) {
    for (int k = 0; k < kUnrolled * kChains; ++k) x = operation(x), keep(x);
  }
  return turns * kUnrolled * kChains;
}

template <class T, class Operation>
std::int64_t independent(std::int64_t turns, T start, Operation operation) {
  T a = start, b = start, c = start, d = start, e = start, f = start, g = start, h = start;
  for (std::int64_t i = 0; i < turns; ++i)
    for (int k = 0; k < kUnrolled; ++k) {
      a = operation(a), keep(a), b = operation(b), keep(b), c = operation(c), keep(c), d = operation(d),
      keep(d);
      e = operation(e), keep(e), f = operation(f), keep(f), g = operation(g), keep(g), h = operation(h),
      keep(h);
    }
  return turns * kUnrolled * kChains;
}

constexpr std::size_t kWords = 512;  // 4 KiB: fits into the first cache

/// Returns a cycle through all words: each load gives the index of the next one.
std::array<std::uint64_t, kWords> cycle() {
  std::array<std::uint64_t, kWords> order{}, next{};
  std::iota(order.begin(), order.end(), 0u);
  statistics::Random random(1);
  for (std::size_t i = kWords - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  for (std::size_t i = 0; i < kWords; ++i) next[order[i]] = order[(i + 1) % kWords];
  return next;
}

std::int64_t loads(std::int64_t turns, const std::array<std::uint64_t, kWords>& words) {
  for (std::int64_t i = 0; i < turns; ++i)
    for (std::size_t k = 0; k < kWords; k += kChains)
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kChains; ++c) {
        std::uint64_t x = words[k + c];
        keep(x);
      }
  return turns * static_cast<std::int64_t>(kWords);
}

std::int64_t stores(std::int64_t turns, std::array<std::uint64_t, kWords>& words) {
  for (std::int64_t i = 0; i < turns; ++i)
    for (std::size_t k = 0; k < kWords; k += kChains)
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kChains; ++c) {
        words[k + c] = static_cast<std::uint64_t>(i);
        asm volatile("" : "+m"(words[k + c]));
      }
  return turns * static_cast<std::int64_t>(kWords);
}

/// A store, and a load that waits for it.
std::int64_t stores_read_back(std::int64_t turns) {
  std::uint64_t x = 1, place = 0;
  for (std::int64_t i = 0; i < turns; ++i)
    for (int k = 0; k < kUnrolled * kChains; ++k) {
      place = x;
      asm volatile("" : "+m"(place));
      x = place;
      keep(x);
    }
  return turns * kUnrolled * kChains;
}

/// One branch per entry, which goes the other way if the entry is 1. The surrounding loop adds an eighth of a
/// branch to it.
std::int64_t branches(std::int64_t turns, const std::vector<std::uint8_t>& taken) {
  std::uint64_t a = 0;
  for (std::int64_t i = 0; i < turns; ++i)
    for (std::size_t k = 0; k < taken.size(); k += kChains)
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kChains; ++c)
        if (__builtin_expect(taken[k + c] != 0, 0)) ++a, keep(a);
  return turns * static_cast<std::int64_t>(taken.size());
}

/// Runs this number of iterations and returns the number of operations.
using Loop = std::function<std::int64_t(std::int64_t turns)>;

struct Task {
  std::string name;
  Loop loop;
  std::string less = {};  // name of a measurement to subtract
  double factor = 1;      // applied after the subtraction
};

double seconds_per_operation(const Loop& loop, std::int64_t turns) {
  const Nanoseconds start = now();
  const std::int64_t operations = loop(turns);
  return static_cast<double>(now() - start) * 1e-9 / static_cast<double>(operations);
}

std::vector<double> repeats(const Loop& loop, double seconds) {
  constexpr int kFewest = 7, kMost = 101;
  const double piece = std::clamp(seconds / (2 * kFewest), 1e-4, 2e-3);
  std::int64_t turns = 16;
  for (;;) {
    const Nanoseconds start = now();
    loop(turns);
    if (static_cast<double>(now() - start) * 1e-9 > piece / 2) break;
    turns *= 2;
  }
  const Nanoseconds end = now() + static_cast<Nanoseconds>(seconds * 1e9);
  std::vector<double> out;
  while (out.size() < kFewest || (now() < end && out.size() < kMost))
    out.push_back(seconds_per_operation(loop, turns));
  return out;
}

template <class T, class Operation>
void add(std::vector<Task>& tasks, const std::string& name, T start, Operation operation,
         const std::string& less = "") {
  const auto minus = [&](const std::string& kind) { return less.empty() ? less : less + kind; };
  tasks.push_back({name + ".dependent",
                   [=](std::int64_t turns) { return dependent(turns, start, operation); },
                   minus(".dependent")});
  tasks.push_back({name + ".independent",
                   [=](std::int64_t turns) { return independent(turns, start, operation); },
                   minus(".independent")});
}

}  // namespace

void measure_operations(double seconds, calibrate::Measurements& into) {
  std::vector<Task> tasks;
  double one = 1, little = 1.0000000001, part = 0.5, some = 1.7;
  std::uint64_t odd = 0x9e3779b97f4a7c15;
  for (double* constant : {&one, &little, &part, &some}) keep(*constant);
  keep(odd);
  add(tasks, "double_add", 1.0, [=](double x) { return x + one; });
  add(tasks, "double_multiply", 1.0, [=](double x) { return x * little; });
  add(tasks, "double_multiply_add", 1.0, [=](double x) { return x * part + one; });
  add(tasks, "double_divide", 1.3, [=](double x) { return some / x; });
  // Multiplies by a constant, so that the numbers do not converge to 1.
  add(
      tasks, "double_square_root", 1.3, [=](double x) { return std::sqrt(x) * some; }, "double_multiply");
  add(tasks, "integer_add", std::uint64_t{1}, [=](std::uint64_t x) { return x + odd; });
  add(tasks, "integer_multiply", std::uint64_t{1}, [=](std::uint64_t x) { return x * odd; });
  auto words = cycle();
  tasks.push_back({"load.dependent", [&](std::int64_t turns) {
                     return dependent(turns, std::uint64_t{0}, [&](std::uint64_t x) { return words[x]; });
                   }});
  tasks.push_back({"load.independent", [&](std::int64_t turns) { return loads(turns, words); }});
  tasks.push_back({"store.dependent", stores_read_back});
  auto written = words;
  tasks.push_back({"store.independent", [&](std::int64_t turns) { return stores(turns, written); }});
  std::vector<std::uint8_t> always(1 << 16, 0), random_ones(1 << 16);
  statistics::Random random(2);
  for (std::uint8_t& each : random_ones) each = static_cast<std::uint8_t>(random.below(2));
  tasks.push_back({"branch.independent", [&](std::int64_t turns) { return branches(turns, always); }});
  // Half of them are mispredicted.
  tasks.push_back({"branch_mispredicted.dependent",
                   [&](std::int64_t turns) { return branches(turns, random_ones); }, "branch.independent",
                   2});
  std::map<std::string, double> known;
  for (const Task& task : tasks) {
    std::vector<double> samples = repeats(task.loop, 0.8 * seconds / static_cast<double>(tasks.size()));
    const double less = task.less.empty() ? 0 : known[task.less];
    for (double& each : samples) each = std::max(0.0, each - less) * task.factor;
    into.values.push_back(value_of("operations." + task.name, samples));
    known[task.name] = into.values.back().value;
  }
}

void measure_pages(double seconds, calibrate::Measurements& into) {
  constexpr std::size_t kPages = 2048;
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), bytes = kPages * page;
  const Nanoseconds end = now() + static_cast<Nanoseconds>(seconds * 1e9);
  std::vector<double> writes, reads;
  while (writes.size() < 5 || (now() < end && writes.size() < 500))
    for (const bool write : {true, false}) {
      void* const fresh = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (fresh == MAP_FAILED) return;
      ::madvise(fresh, bytes, MADV_NOHUGEPAGE);
      volatile char* const at = static_cast<volatile char*>(fresh);
      const Nanoseconds start = now();
      if (write)
        for (std::size_t i = 0; i < bytes; i += page) at[i] = 1;
      else
        for (std::size_t i = 0; i < bytes; i += page) static_cast<void>(at[i]);
      (write ? writes : reads)
          .push_back(static_cast<double>(now() - start) * 1e-9 / static_cast<double>(kPages));
      ::munmap(fresh, bytes);
    }
  into.values.push_back(value_of("first_touch", writes));
  into.values.push_back(value_of("first_read", reads));
}

}  // namespace parcast::training
