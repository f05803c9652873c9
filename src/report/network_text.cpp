// SPDX-License-Identifier: Apache-2.0
#include "report/network_text.h"

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {

std::string network_text(const simulate::Outcome& outcome, const Style& style) {
  if (outcome.busiest.empty()) return "";
  const auto right = Column::Align::right;
  const double whole = static_cast<double>(outcome.makespan) * 1e-12;
  Table table({{"busiest link"}, {"carried", right}, {"of what it could", right}});
  for (const simulate::LinkLoad& load : outcome.busiest) {
    const double most = load.bytes_per_second * whole;
    table.add({load.link, format_bytes(static_cast<double>(load.bytes)),
               most > 0 ? in_percent(static_cast<double>(load.bytes) / most) : "-"});
  }
  return "\n  sharing links made messages take " + duration(static_cast<double>(outcome.slowed) * 1e-12) +
         " longer, all together\n\n" + table.text(style);
}

}  // namespace parcast::report
