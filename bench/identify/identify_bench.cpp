// SPDX-License-Identifier: Apache-2.0
// Measures how often a count outside of the searched family is reported as exact, and how often one inside is
// found.
//
//   parcast_identify_bench [functions = 10000]
//
// Prints for each kind: functions; those that vary at the observed points; those with a fitting formula;
// those reported as exact, and wrong somewhere; those reported as exact at some of the tested points at least
// (model/resolved.h), and wrong at one of these.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "generated_counts.h"

namespace {

struct Row {
  int functions = 0, visible = 0, found = 0, exact = 0, false_exact = 0, claimed = 0, false_claims = 0;
  void add(const parcast::bench::Verdict& v) {
    ++functions;
    if (!v.visible) return;  // constant wherever it was observed: nothing can distinguish it from a constant
    ++visible;
    found += v.found;
    exact += v.exact;
    false_exact += v.exact && v.wrong;
    claimed += v.claimed;
    false_claims += v.claimed && v.wrong_claim;
  }
  void add(const Row& other) {
    functions += other.functions, visible += other.visible, found += other.found;
    exact += other.exact, false_exact += other.false_exact;
    claimed += other.claimed, false_claims += other.false_claims;
  }
};

void print(const char* title, const std::map<std::string, Row>& rows) {
  std::printf("%-26s %9s %9s %11s %13s %12s %11s %11s\n", title, "functions", "visible", "form holds",
              "called exact", "false exact", "claimed", "false claim");
  Row total;
  const auto line = [](const char* name, const Row& row) {
    std::printf("%-26s %9d %9d %11d %13d %12d %11d %11d", name, row.functions, row.visible, row.found,
                row.exact, row.false_exact, row.claimed, row.false_claims);
  };
  for (const auto& [kind, row] : rows) {
    line(kind.c_str(), row);
    std::puts("");
    total.add(row);
  }
  line("all", total);
  const double visible = std::max(1, total.visible);
  std::printf("   %.3f %% and %.3f %% of the visible\n\n", 100 * total.false_exact / visible,
              100 * total.false_claims / visible);
}

struct Results {
  std::map<std::string, Row> outside, inside, by_p;
  std::string false_exact;
  std::uint64_t functions = 0;
};

// The functions of one design: the same whatever else runs.
Results try_design(const parcast::bench::ObservedAt& at, std::uint64_t first, std::uint64_t count) {
  using namespace parcast::bench;
  Results results;
  Judge judge(at);
  const auto tell = [&](const Generated& f, const Verdict& v, std::uint64_t i) {
    if (!v.visible || (!v.wrong && !v.wrong_claim)) return;
    char line[400];
    std::snprintf(line, sizeof line, "%s: %s (function %llu), %zu n from %lld, %zu p up to %d: %s\n",
                  v.wrong ? "false exact" : "false claim", f.kind.c_str(), static_cast<unsigned long long>(i),
                  at.n.size(), static_cast<long long>(at.n[0]), at.p.size(), at.p.back(), v.formula.c_str());
    results.false_exact += line;
  };
  for (std::uint64_t i = first; i < first + count; ++i) {
    const Generated f = outside(i, at);
    const Verdict v = judge.judge(f.count);
    results.outside[f.kind].add(v);
    tell(f, v, i);
  }
  for (std::uint64_t k = 0; k < 24; ++k) {
    const Generated f = inside(k);
    const Verdict v = judge.judge(f.count);
    results.inside[f.kind].add(v);
    results
        .by_p[std::string(at.shape == Shape::star       ? "star, "
                          : at.shape == Shape::diagonal ? "diagonal, "
                                                        : "") +
              "p up to " + std::to_string(at.p.back()) + ", " + std::to_string(at.p.size()) + " values"]
        .add(v);
    tell(f, v, k);
  }
  results.functions = count + 24;
  return results;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace parcast::bench;
  const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
  const auto all = designs();
  const std::uint64_t share = static_cast<std::uint64_t>(count) / all.size() + 1;
  std::vector<Results> results(all.size());
  const auto start = std::chrono::steady_clock::now();
  {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
      threads.emplace_back([&] {
        for (std::size_t d = next++; d < all.size(); d = next++) {
          results[d] = try_design(all[d], d * share, share);
          std::fprintf(stderr, "design %zu of %zu is done\n", d + 1, all.size());
        }
      });
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Results total;
  for (const Results& r : results) {
    for (const auto& [kind, row] : r.outside) total.outside[kind].add(row);
    for (const auto& [kind, row] : r.inside) total.inside[kind].add(row);
    for (const auto& [design, row] : r.by_p) total.by_p[design].add(row);
    total.functions += r.functions;
    std::fputs(r.false_exact.c_str(), stdout);
  }
  print("outside of the family", total.outside);
  print("inside of the family", total.inside);
  print("inside, by design", total.by_p);
  std::printf("%.1f s, %.1f ms per function and thread\n", seconds,
              1e3 * seconds * std::thread::hardware_concurrency() / static_cast<double>(total.functions));
  return 0;
}
