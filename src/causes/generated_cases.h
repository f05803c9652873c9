// SPDX-License-Identifier: Apache-2.0
#pragma once
// Test cases with a known answer for the search of causes, with one cause and with two. In half of them the
// causes are among the candidates, and the other candidates are unrelated. In the other half, some have
// candidates that resemble a cause, some have an unmeasured cause, and some have no cause.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "causes/refine.h"

namespace parcast::causes {

enum class CaseKind {
  plain,
  resembling,
  unmeasured,
  healthy,
  two,
  two_resembling,
  twin,
  one_unmeasured,
  both_unmeasured
};

struct GeneratedCase {
  CaseKind kind = CaseKind::plain;
  std::vector<Sample> samples;
  std::vector<Candidate> candidates;
  std::vector<std::string> causes;  // the right answer, sorted: the causes among the candidates
  double noise = 0;
  bool now_and_then = false;  // the second of two causes does not follow the work: it adds scatter, no break
  bool second_only = false;   // only the second of two causes was measured
  /// The weaker evidence of two causes, in standard deviations of the noise. It is the part of a cause's
  /// times that neither the work nor the other cause explains: the root of the sum of squares, over all
  /// samples, of its fraction of the time. It equals the expected value of Student's t of the cause's cost.
  /// The search must find the first cause before the second one, so a cause that happens now and then counts
  /// as noise for it.
  double evidence = std::numeric_limits<double>::infinity();
};

/// Returns 14 to 24 samples over one and a half to two decades of work on 1 to 8 processes, with 1 to 3 %
/// noise. Beyond a break at 35 to 65 % of the range, the time grows by 25 to 150 % of the work's time at the
/// largest sample. kind = number modulo 8: 0 to 3 plain, 4 and 5 resembling, 6 unmeasured, 7 healthy.
GeneratedCase generated_case(std::uint64_t number);

/// Returns a case with two causes; samples, noise and amounts as above. Of four cases, two have separate
/// breaks (at 30 to 50 and at 55 to 70 % of the range), one has both at the same place, and in one the second
/// cause happens in half of the runs, whatever their work. Unrelated candidates may follow the time or a
/// power of the work. kind = number modulo 8: 0 to 2 two, 3 and 4 two_resembling, 5 twin (a candidate differs
/// by 2 % from one of the causes), 6 one_unmeasured, 7 both_unmeasured.
GeneratedCase generated_pair(std::uint64_t number);

}  // namespace parcast::causes
