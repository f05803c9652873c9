// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cases with a known answer for the search of causes. Half of them hold one cause among candidates that have nothing to do with it; of
// the other half some have candidates that resemble the cause, some a cause that nobody measured, some none at all.

#include <cstdint>
#include <string>
#include <vector>

#include "causes/refine.h"

namespace parcast::causes {

enum class CaseKind { plain, resembling, unmeasured, healthy };

struct GeneratedCase {
  CaseKind kind = CaseKind::plain;
  std::vector<Sample> samples;
  std::vector<Candidate> candidates;
  std::string cause;  // the right answer; empty: there is none among the candidates
  double noise = 0;
};

/// 14 to 24 samples over one and a half to two decades of work on 1 to 8 processes, 1 to 3 % noise. Behind a break at 35 to 65 % of the range the time grows
/// by 25 to 150 % of the work's at the largest sample. kind = number modulo 8: 0 to 3 plain, 4 and 5 resembling, 6 unmeasured, 7 healthy.
GeneratedCase generated_case(std::uint64_t number);

}  // namespace parcast::causes
