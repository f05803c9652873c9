// SPDX-License-Identifier: Apache-2.0
#include "report/segments_text.h"

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using program::Classified;
using program::MessagePattern;

std::string pattern_text(const Classified& found) {
  std::string text(name_of(found.pattern));
  if (!found.form.empty()) text += ", " + found.form;
  if (found.groups > 1) text += ", in " + std::to_string(found.groups) + " groups";
  return text;
}

std::string found_text(const Classified& found) {
  if (found.pattern != MessagePattern::irregular) return "exact";
  return percent(found.explained) +
         (found.nearest == MessagePattern::none ? "" : " " + std::string(name_of(found.nearest)));
}

}  // namespace

std::string segments_text(const trace::Trace& trace, const std::vector<program::MessageSegment>& segments,
                          const Style& style) {
  const std::string title =
      (trace.program.empty() ? "" : visible(trace.program) + ", ") + counted(trace.ranks, "rank");
  if (segments.empty()) return bold(style, title) + "\n\n  no messages and no collectives\n";
  const auto right = Column::Align::right;
  Table table({{"region", Column::Align::left, Column::Shrink::cut_front},
               {"pattern", Column::Align::left, Column::Shrink::cut_end},
               {"found"},
               {"ranks", right},
               {"messages", right},
               {"bytes", right},
               {"priced by"},
               {"calls", Column::Align::left, Column::Shrink::cut_end}});
  for (const program::MessageSegment& segment : segments)
    table.add({segment.region.empty() ? "(program)" : segment.region, pattern_text(segment.found),
               found_text(segment.found), std::to_string(segment.ranks),
               format_integer(static_cast<long long>(segment.messages)), format_bytes(segment.bytes),
               segment.found.table.empty() ? "its messages" : segment.found.table, segment.calls});
  return bold(style, title) + "\n\n" + table.text(style) + "\n" +
         wrapped(style,
                 "  messages and bytes are those of all ranks together; of collectives the ranks' calls and "
                 "what they contribute",
                 2) +
         "\n";
}

}  // namespace parcast::report
