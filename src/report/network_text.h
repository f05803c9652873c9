// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about the links that messages shared in a simulation:
//
//   sharing links made messages take 1.20 ms longer, all together
//
//   busiest link                    carried  of what it could
//   switch (0, 1) to switch (0, 2)   1.2 GB              83 %

#include <string>

#include "predict/simulate/simulate.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the text; empty if no message crossed a link of a network.
std::string network_text(const simulate::Outcome& outcome, const Style& style);

}  // namespace parcast::report
