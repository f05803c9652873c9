// SPDX-License-Identifier: Apache-2.0
// Measures how often the search for causes is right: parcast_causes_bench [CASES [FIRST]]
//
// Generated cases (src/causes/generated_cases.h) with a known answer, CASES with one cause and as many with
// two, from number FIRST on. Printed are, per kind, per cent of right answers and of false refinements (a
// variable entered that is no cause), and why causes were turned down. Of two causes of which one was not
// measured, "explains part of it" and "unexplained" are right; a twin may be reported as indistinguishable.
// "alone": one of two causes was reported as the only one. The last columns are of cases in which the
// evidence of either cause is at least 10 standard deviations of the noise.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "causes/generated_cases.h"

namespace {

using namespace parcast::causes;

constexpr double kEvident = 10;

struct Answer {
  std::vector<std::string> names;  // sorted
  bool partly = false;
};

struct Score {
  int cases = 0, right = 0, wrong = 0, unbroken = 0, alone = 0, part = 0, unexplained = 0, evident = 0,
      evident_right = 0;
  std::map<int, int> turned_down;  // verdicts on the true cause, or on both together
};

Answer answer_of(const Refinement& refined) {
  Answer out{{}, refined.partly()};
  for (const Cause& cause : refined.causes) out.names.push_back(refined.tried[cause.variable].name);
  std::sort(out.names.begin(), out.names.end());
  return out;
}

bool all_true(const Answer& answer, const GeneratedCase& made) {
  return std::includes(made.causes.begin(), made.causes.end(), answer.names.begin(), answer.names.end());
}

/// The cause that was measured makes the only break there is: it may be reported as its only cause.
bool breaks_alone(const GeneratedCase& made) {
  return made.now_and_then && !made.second_only;
}

bool is_right(const Answer& answer, const GeneratedCase& made) {
  if (answer.names == made.causes && !answer.partly)
    return made.kind != CaseKind::one_unmeasured || breaks_alone(made);
  if (made.kind != CaseKind::one_unmeasured && made.kind != CaseKind::twin) return false;
  return all_true(answer, made) && (answer.names.empty() || answer.partly);
}

void add_verdict(const Refinement& refined, const GeneratedCase& made, Score& score) {
  if (made.causes.size() == 1)
    for (const Tried& tried : refined.tried)
      if (tried.name == made.causes[0]) ++score.turned_down[static_cast<int>(tried.verdict)];
  if (made.causes.size() == 2)
    for (const TriedPair& pair : refined.pairs)
      if (std::minmax(refined.tried[pair.variables[0]].name, refined.tried[pair.variables[1]].name) ==
          std::minmax(made.causes[0], made.causes[1]))
        ++score.turned_down[static_cast<int>(pair.verdict)];
}

void judge(const GeneratedCase& made, Score& score) {
  BreakOptions options;
  options.permutations = 499;
  const auto refined = refine(made.samples, made.candidates, options);
  if (!refined) return;
  const Answer answer = answer_of(*refined);
  const bool right = is_right(answer, made);
  ++score.cases;
  score.right += right;
  score.wrong += !all_true(answer, made);
  score.part += answer.partly;
  score.unexplained += answer.names.empty();
  score.alone +=
      made.kind >= CaseKind::two && answer.names.size() == 1 && !answer.partly && all_true(answer, made);
  score.evident += made.evidence >= kEvident;
  score.evident_right += right && made.evidence >= kEvident;
  if (right || made.causes.empty()) return;
  score.unbroken += !refined->broken();
  add_verdict(*refined, made, score);
}

void print(const char* name, const Score& score, bool two) {
  const auto per_cent = [](int part, int of) { return of > 0 ? 100.0 * part / of : 0; };
  std::printf("%-16s %6d %6.1f%% %6.1f%%", name, score.cases, per_cent(score.right, score.cases),
              per_cent(score.wrong, score.cases));
  if (two)
    std::printf(" %6.1f%% %6.1f%% %6.1f%% %6d %6.1f%%", per_cent(score.alone, score.cases),
                per_cent(score.part, score.cases), per_cent(score.unexplained, score.cases), score.evident,
                per_cent(score.evident_right, score.evident));
  if (score.unbroken > 0) std::printf("   no break found %d", score.unbroken);
  for (const auto& [verdict, count] : score.turned_down) std::printf("   verdict %d: %d", verdict, count);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 2000, first = argc > 2 ? std::atoi(argv[2]) : 0;
  if (cases < 1 || first < 0) return std::fprintf(stderr, "usage: parcast_causes_bench [CASES [FIRST]]\n"), 2;
  constexpr std::array<const char*, 9> kNames{
      "plain",           "resembling", "unmeasured",     "healthy",        "two",
      "two, resembling", "twin",       "one unmeasured", "both unmeasured"};
  std::array<Score, kNames.size()> scores;
  for (int i = first; i < first + cases; ++i)
    for (const GeneratedCase& made :
         {generated_case(static_cast<std::uint64_t>(i)), generated_pair(static_cast<std::uint64_t>(i))})
      judge(made, scores[static_cast<std::size_t>(made.kind)]);
  std::printf("one cause         cases   right   false\n");
  for (std::size_t kind = 0; kind < 4; ++kind) print(kNames[kind], scores[kind], false);
  std::printf("two causes        cases   right   false   alone    part  unexpl.  evident  right\n");
  for (std::size_t kind = 4; kind < kNames.size(); ++kind) print(kNames[kind], scores[kind], true);
}
