// SPDX-License-Identifier: Apache-2.0
// How often the search for causes is right: parcast_causes_bench [CASES]
//
// Generated cases (src/causes/generated_cases.h) with a known answer; printed are, per kind, per cent of right answers and of false
// refinements (a variable entered that is not the cause), and why causes were turned down.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "causes/generated_cases.h"

namespace {

using namespace parcast::causes;

struct Score {
  int cases = 0, right = 0, wrong = 0, unbroken = 0;
  std::map<int, int> turned_down;  // verdicts on the true cause
};

void judge(const GeneratedCase& made, Score& score) {
  BreakOptions options;
  options.permutations = 499;
  const auto refined = refine(made.samples, made.candidates, options);
  if (!refined) return;
  const std::string answer = refined->cause ? refined->tried[*refined->cause].name : "";
  ++score.cases;
  score.right += answer == made.cause;
  score.wrong += !answer.empty() && answer != made.cause;
  if (answer == made.cause || made.cause.empty()) return;
  score.unbroken += !refined->broken();
  for (const Tried& tried : refined->tried)
    if (tried.name == made.cause) ++score.turned_down[static_cast<int>(tried.verdict)];
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (cases < 1) return std::fprintf(stderr, "usage: parcast_causes_bench [CASES]\n"), 2;
  constexpr std::array<const char*, 4> kNames{"plain", "resembling", "unmeasured", "healthy"};
  std::array<Score, 4> scores;
  for (int i = 0; i < cases; ++i) {
    const GeneratedCase made = generated_case(static_cast<std::uint64_t>(i));
    judge(made, scores[static_cast<std::size_t>(made.kind)]);
  }
  std::printf("kind        cases   right   false refinements\n");
  for (std::size_t kind = 0; kind < scores.size(); ++kind) {
    const Score& score = scores[kind];
    std::printf("%-10s %6d %6.1f%% %6.1f%%", kNames[kind], score.cases, 100.0 * score.right / score.cases, 100.0 * score.wrong / score.cases);
    if (score.unbroken > 0) std::printf("   no break found %d", score.unbroken);
    for (const auto& [verdict, count] : score.turned_down) std::printf("   verdict %d: %d", verdict, count);
    std::printf("\n");
  }
}
