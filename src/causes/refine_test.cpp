// SPDX-License-Identifier: Apache-2.0
#include "causes/refine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "causes/generated_cases.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

struct Score {
  int cases = 0, right = 0, false_refinements = 0;
};

std::string answer_of(const GeneratedCase& made) {
  BreakOptions options;
  options.permutations = 499;
  const auto refined = refine(made.samples, made.candidates, options);
  EXPECT_TRUE(refined.ok());
  return refined.ok() && refined->cause ? refined->tried[*refined->cause].name : "";
}

Score score(CaseKind kind, std::uint64_t from, std::uint64_t to) {
  Score out;
  for (std::uint64_t number = from; number < to; ++number) {
    const GeneratedCase made = generated_case(number);
    if (made.kind != kind) continue;
    const std::string answer = answer_of(made);
    ++out.cases;
    out.right += answer == made.cause;
    out.false_refinements += !answer.empty() && answer != made.cause;
  }
  return out;
}

TEST(Refine, TheInjectedCauseIsFoundInAtLeast95OfAHundredCasesAndFalseOnesEnterInAtMostFive) {
  Score all, none;
  for (const CaseKind kind : {CaseKind::plain, CaseKind::resembling, CaseKind::unmeasured, CaseKind::healthy}) {
    const Score s = score(kind, 0, 200);
    all = {all.cases + s.cases, all.right + s.right, all.false_refinements + s.false_refinements};
    if (kind == CaseKind::unmeasured || kind == CaseKind::healthy) none = {none.cases + s.cases, none.right + s.right, none.false_refinements + s.false_refinements};
    RecordProperty("right_of_kind_" + std::to_string(static_cast<int>(kind)), s.right);
    EXPECT_GE(s.right, 0.9 * s.cases) << "kind " << static_cast<int>(kind) << ": " << s.right << " of " << s.cases << ", " << s.false_refinements << " false";
  }
  EXPECT_EQ(all.cases, 200);
  EXPECT_EQ(none.cases, 50);
  EXPECT_GE(all.right, 190);
  EXPECT_LE(all.false_refinements, 10);
  EXPECT_LE(none.false_refinements, 2);
}

/// EPPA's experiment (figure 4): matrix multiplication, 0.25 us per operation up to 54e9 operations, then pages are swapped at
/// 0.27 ms each.
struct Swapping {
  std::vector<Sample> samples;
  std::vector<Candidate> candidates{{"page_faults", Role::event, {}}, {"swapped", Role::event, {}}, {"context_switches", Role::event, {}}};
};

Swapping swapping(bool swap, std::uint64_t seed) {
  statistics::Random random(seed);
  Swapping made;
  for (double n = 400; n <= 7000; n += 300) {
    const double operations = n * n * n;
    // What goes beyond the memory of 3 n^2 numbers at n = 3800 is read again for each block of rows.
    const double pages = swap ? std::max(0.0, n * n - 3800.0 * 3800) * 3 * 8 / 4096 * 1000 * (1 + 0.1 * random.uniform()) : 0;
    const double seconds = 0.25e-6 * operations + 0.27e-3 * pages;
    made.samples.push_back({operations, seconds * (1 + 0.01 * random.normal()), 1});
    made.candidates[0].amounts.push_back(3 * n * n * 8 / 4096 * (1 + 0.02 * random.normal()));
    made.candidates[1].amounts.push_back(pages);
    made.candidates[2].amounts.push_back(10 * seconds * (1 + 0.1 * random.normal()));
  }
  return made;
}

TEST(Refine, SwapEntersOnlyWhereTheMemoryIsExceeded) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Swapping made = swapping(true, seed);
    const auto refined = refine(made.samples, made.candidates);
    ASSERT_TRUE(refined.ok());
    ASSERT_TRUE(refined->cause) << seed;
    const Tried& cause = refined->tried[*refined->cause];
    EXPECT_EQ(cause.name, "swapped");
    EXPECT_NEAR(cause.delta, 0.27e-3, 5 * cause.standard_error);
    EXPECT_LT(cause.standard_error, 0.2 * 0.27e-3);
    EXPECT_NEAR(refined->refined.delta / 0.25e-6, 1, 0.02);
    EXPECT_EQ(refined->refined.shape, Shape::straight);
    for (const Tried& tried : refined->tried) EXPECT_EQ(tried.verdict == Verdict::enters, tried.name == "swapped");
  }
}

TEST(Refine, AControlRunAddsNothing) {
  int edges = 0, alarms = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Swapping made = swapping(false, seed);
    const auto refined = refine(made.samples, made.candidates);
    ASSERT_TRUE(refined.ok());
    edges += refined->cause.has_value();
    alarms += refined->broken();
  }
  EXPECT_EQ(edges, 0);
  EXPECT_LE(alarms, 12);  // 5 % of 100; the binomial's 99.9 % point
}

TEST(Refine, TwoCandidatesThatAreOneAreNotToldApart) {
  Swapping made = swapping(true, 3);
  made.candidates.push_back({"major_faults", Role::event, made.candidates[1].amounts});
  const auto refined = refine(made.samples, made.candidates);
  ASSERT_TRUE(refined.ok());
  EXPECT_TRUE(refined->unexplained());
  EXPECT_EQ(refined->tried[1].verdict, Verdict::not_told_apart);
  EXPECT_EQ(refined->tried[3].verdict, Verdict::not_told_apart);
}

/// Each page from disk is a switch, and seven more pages that are then found without reading.
TEST(Refine, WhatACauseBringsAboutIsItsEffect) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Swapping made = swapping(true, seed);
    statistics::Random random(seed);
    Column switches, found;
    for (const double pages : made.candidates[1].amounts) {
      switches.push_back(pages * (1 + 0.002 * random.normal()));
      found.push_back(7 * pages * (1 + 0.002 * random.normal()));
    }
    made.candidates = {{"page_faults", Role::event, found, "swapped"}, made.candidates[1], {"context_switches", Role::event, switches, "swapped"}};
    const auto refined = refine(made.samples, made.candidates);
    ASSERT_TRUE(refined && refined->cause) << seed;
    EXPECT_EQ(refined->tried[*refined->cause].name, "swapped");
    EXPECT_EQ(refined->tried[0].verdict, Verdict::effect);
    EXPECT_EQ(refined->tried[2].verdict, Verdict::effect);
    made.candidates[1].amounts.assign(made.samples.size(), 0);  // the same switches, but nothing was read: they are all that is known
    made.candidates.erase(made.candidates.begin());
    const auto switched = refine(made.samples, made.candidates);
    ASSERT_TRUE(switched && switched->cause) << seed;
    EXPECT_EQ(switched->tried[*switched->cause].name, "context_switches");
  }
}

TEST(Refine, WhatWasNotMeasuredInEachSampleIsNoCause) {
  Swapping made = swapping(true, 3);
  made.candidates[1].amounts[2] = kNotMeasured;
  const auto refined = refine(made.samples, made.candidates);
  ASSERT_TRUE(refined.ok());
  EXPECT_TRUE(refined->unexplained());
  EXPECT_EQ(refined->tried[1].verdict, Verdict::not_measured);
}

TEST(Refine, AProcessorThatSlowsDownIsACauseInInverseProportion) {
  std::vector<Sample> samples;
  Candidate frequency{"frequency", Role::speed, {}};
  statistics::Random random(8);
  for (int i = 1; i <= 16; ++i) {
    frequency.amounts.push_back(i <= 8 ? 3e9 : 3e9 - 1e8 * (i - 8));
    samples.push_back({double(i), i * 3e9 / frequency.amounts.back() * (1 + 0.005 * random.normal()), 1});
  }
  const auto refined = refine(samples, {frequency});
  ASSERT_TRUE(refined.ok());
  ASSERT_TRUE(refined->cause);
  EXPECT_NEAR(refined->tried[0].delta, refined->refined.delta, 0.1);  // a slower processor costs the work's own time again
}

}  // namespace
}  // namespace parcast::causes
