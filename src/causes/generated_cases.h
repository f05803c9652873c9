// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cases with a known answer for the search of causes, with one cause and with two. Half of them hold them among candidates that have
// nothing to do with it; of the other half some have candidates that resemble a cause, some a cause that nobody measured, some none at all.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "causes/refine.h"

namespace parcast::causes {

enum class CaseKind { plain, resembling, unmeasured, healthy, two, two_resembling, twin, one_unmeasured, both_unmeasured };

struct GeneratedCase {
  CaseKind kind = CaseKind::plain;
  std::vector<Sample> samples;
  std::vector<Candidate> candidates;
  std::vector<std::string> causes;  // the right answer, sorted: those among the candidates
  double noise = 0;
  bool now_and_then = false;        // of two, the second one does not follow the work: it adds scatter, no break
  bool second_only = false;         // of two, only the second one was measured
  /// Of two causes, the lesser one's evidence: what of its times follows neither from the work nor from the other cause, as the root of the sum of squares over all
  /// samples of its share of the time, in standard deviations of the noise. The expected value of Student's t of its cost.
  /// The first cause must be seen before the second is known: one that happens now and then is noise for it.
  double evidence = std::numeric_limits<double>::infinity();
};

/// 14 to 24 samples over one and a half to two decades of work on 1 to 8 processes, 1 to 3 % noise. Behind a break at 35 to 65 % of the range the time grows
/// by 25 to 150 % of the work's at the largest sample. kind = number modulo 8: 0 to 3 plain, 4 and 5 resembling, 6 unmeasured, 7 healthy.
GeneratedCase generated_case(std::uint64_t number);

/// Two causes, the same samples, noise and amounts. Of four, two begin apart (at 30 to 50 and at 55 to 70 % of the range), one at the same place, and of one the second happens in
/// half of the runs, whatever their work. Candidates that have nothing to do with it may follow the time or a power of the work. kind = number modulo 8: 0 to 2 two, 3 and
/// 4 two_resembling, 5 twin (a candidate differs by 2 % from one of the causes), 6 one_unmeasured, 7 both_unmeasured.
GeneratedCase generated_pair(std::uint64_t number);

}  // namespace parcast::causes
