// SPDX-License-Identifier: Apache-2.0
#pragma once
// The patterns of a trace's messages, segment by segment:
//
//   shallow_water, 6 ranks
//
//     region       pattern                          found  ranks  messages     bytes  priced by
//     main/fluxes  halo, 3 x 2, periodic            exact      6     2,400  1.21 MB  halo2d
//     main         combine, collective              exact      6        18      288 B  allreduce

#include <string>
#include <vector>

#include "patterns/segments.h"
#include "report/style.h"

namespace parcast::report {

std::string segments_text(const trace::Trace& trace, const std::vector<program::MessageSegment>& segments,
                          const Style& style);
/// Returns the segments as parcast.patterns/1.
std::string segments_to_json(const trace::Trace& trace, const std::vector<program::MessageSegment>& segments);

}  // namespace parcast::report
