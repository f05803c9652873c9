// SPDX-License-Identifier: Apache-2.0
#include "report/calls_text.h"

#include "base/text.h"
#include "report/call_rows.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using recording::CalledFunction;
using recording::ProgramCalls;
using recording::ProgramClass;
using recording::ProgramFunction;

std::string classes_text(const ProgramCalls& calls, const Style& style) {
  Table table({{"class", Column::Align::left, Column::Shrink::cut_middle},
               {"bases", Column::Align::left, Column::Shrink::cut_end},
               {"methods", Column::Align::left, Column::Shrink::cut_end},
               {"where", Column::Align::left, Column::Shrink::cut_front}});
  for (const ProgramClass& each : calls.classes)
    table.add({each.name, join(each.bases, ", "), join(each.methods, ", "), place_text(each.where)});
  return table.empty() ? "" : table.text(style) + "\n";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string calls_text(const ProgramCalls& calls, const Style& style) {
  std::string text =
      calls.program + ", " + counted(static_cast<std::int64_t>(calls.functions.size()), "function") + ", " +
      (calls.classes.size() == 1 ? "1 class" : std::to_string(calls.classes.size()) + " classes") + "\n\n" +
      classes_text(calls, style);
  Table table({{"function", Column::Align::left, Column::Shrink::cut_middle},
               {"called at", Column::Align::left, Column::Shrink::cut_front},
               {"where", Column::Align::left, Column::Shrink::cut_front},
               {"", Column::Align::left, Column::Shrink::cut_end}});
  for (const CallRow& row : call_rows(calls)) {
    const ProgramFunction& function = calls.functions[row.function];
    table.add({std::string(2 * row.depth, ' ') + function.name, place_text(row.where),
               place_text(function.where), remark_of(row, calls)});
  }
  return text + table.text(style);
}

std::string calls_dot(const ProgramCalls& calls) {
  std::string text = "digraph " + quoted(calls.program) + " {\n  rankdir=LR;\n  node [shape=box];\n";
  for (std::size_t i = 0; i < calls.functions.size(); ++i) {
    const ProgramFunction& function = calls.functions[i];
    text += "  f" + std::to_string(i) + " [label=" + quoted(function.name) +
            (function.has_code ? "" : ", style=dashed") + "];\n";
  }
  for (std::size_t i = 0; i < calls.functions.size(); ++i)
    for (const CalledFunction& called : calls.functions[i].calls)
      text += "  f" + std::to_string(i) + " -> f" + std::to_string(called.function) + ";\n";
  for (const ProgramClass& each : calls.classes)
    for (const std::string& base : each.bases)
      text +=
          "  " + quoted("class " + each.name) + " -> " + quoted("class " + base) + " [arrowhead=empty];\n";
  return text + "}\n";
}

}  // namespace parcast::report
