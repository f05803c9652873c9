// SPDX-License-Identifier: Apache-2.0
// How often a count outside of the searched family is called exact, and how often one inside is found.
//
//   parcast_identify_bench [functions = 10000]
//   outside of the family     functions  visible   form holds   called exact   false exact
//   n log n                        1000     1000          ...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "generated_counts.h"

namespace {

struct Row {
  int functions = 0, visible = 0, found = 0, exact = 0, false_exact = 0;
  void add(const parcast::bench::Verdict& v) {
    ++functions;
    if (!v.visible) return;  // constant wherever it was observed: nothing can tell it from a constant
    ++visible;
    found += v.found;
    exact += v.exact;
    false_exact += v.exact && v.wrong;
  }
};

void print(const char* title, const std::map<std::string, Row>& rows) {
  std::printf("%-24s %9s %9s %11s %13s %12s\n", title, "functions", "visible", "form holds", "called exact", "false exact");
  Row total;
  for (const auto& [kind, row] : rows) {
    std::printf("%-24s %9d %9d %11d %13d %12d\n", kind.c_str(), row.functions, row.visible, row.found, row.exact, row.false_exact);
    total.functions += row.functions, total.visible += row.visible, total.found += row.found;
    total.exact += row.exact, total.false_exact += row.false_exact;
  }
  std::printf("%-24s %9d %9d %11d %13d %12d   %.3f %% of the visible\n\n", "all", total.functions, total.visible, total.found,
              total.exact, total.false_exact, 100.0 * total.false_exact / std::max(1, total.visible));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace parcast::bench;
  const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
  const auto all = designs();
  std::map<std::string, Row> outside_rows, inside_rows, by_p;
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t i = 0;
  for (std::size_t d = 0; d < all.size(); ++d) {
    Judge judge(all[d]);
    const int share = count / static_cast<int>(all.size()) + 1;
    for (int k = 0; k < share; ++k, ++i) {
      const Generated f = outside(i, all[d]);
      const Verdict v = judge.judge(f.count);
      outside_rows[f.kind].add(v);
      if (v.exact && v.wrong && v.visible && argc > 2)
        std::printf("false exact: %s (function %llu) at n %lld.. p ..%d\n", f.kind.c_str(), static_cast<unsigned long long>(i),
                    static_cast<long long>(all[d].n[0]), all[d].p.back());
    }
    for (std::uint64_t k = 0; k < 24; ++k) {
      const Generated f = inside(k);
      const Verdict v = judge.judge(f.count);
      inside_rows[f.kind].add(v);
      by_p["p up to " + std::to_string(all[d].p.back()) + ", " + std::to_string(all[d].p.size()) + " values"].add(v);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print("outside of the family", outside_rows);
  print("inside of the family", inside_rows);
  print("inside, by design", by_p);
  std::printf("%.1f s, %.1f ms per function\n", seconds, 1e3 * seconds / static_cast<double>(i + 24 * all.size()));
  return 0;
}
