// SPDX-License-Identifier: Apache-2.0
#include "report/calls_text.h"

#include <algorithm>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using recording::CalledFunction;
using recording::ProgramCalls;
using recording::ProgramClass;
using recording::ProgramFunction;
using recording::SourceLine;

constexpr std::size_t kDeepest = 16;

std::string place_of(const SourceLine& where) {
  if (where.line == 0) return "";
  return where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

std::string classes_text(const ProgramCalls& calls, const Style& style) {
  Table table({{"class", Column::Align::left, Column::Shrink::cut_middle},
               {"bases", Column::Align::left, Column::Shrink::cut_end},
               {"methods", Column::Align::left, Column::Shrink::cut_end},
               {"where", Column::Align::left, Column::Shrink::cut_front}});
  for (const ProgramClass& each : calls.classes)
    table.add({each.name, join(each.bases, ", "), join(each.methods, ", "), place_of(each.where)});
  return table.empty() ? "" : table.text(style) + "\n";
}

class Tree {
 public:
  Tree(const ProgramCalls& calls, Table& table)
      : calls_(calls), table_(table), is_shown_(calls.functions.size()), is_called_(is_shown_.size()) {
    for (std::uint32_t i = 0; i < calls.functions.size(); ++i)
      for (const CalledFunction& called : calls.functions[i].calls)
        if (called.function != i) is_called_[called.function] = true;
  }

  /// Begins with the functions that nobody calls, main first; then those of cycles that are left.
  void add_all() {
    for (const bool is_main : {true, false})
      for (std::uint32_t i = 0; i < calls_.functions.size(); ++i)
        if ((calls_.functions[i].name == "main") == is_main && !is_called_[i]) add(i, {}, 0);
    for (std::uint32_t i = 0; i < calls_.functions.size(); ++i)
      if (!is_shown_[i]) add(i, {}, 0);
  }

 private:
  void add(std::uint32_t number, const SourceLine& called_at, std::size_t depth) {
    const ProgramFunction& function = calls_.functions[number];
    const bool is_again = is_shown_[number] && !function.calls.empty();
    const std::string indent(2 * depth, ' ');
    table_.add({indent + function.name, place_of(called_at), place_of(function.where),
                is_again             ? "its calls: above"
                : !function.has_code ? "library"
                : function.indirect  ? counted(function.indirect, "call") + " of unknown functions"
                                     : ""});
    if (is_shown_[number] || depth > kDeepest) return;
    is_shown_[number] = true;
    for (const CalledFunction& called : function.calls) add(called.function, called.where, depth + 1);
  }

  const ProgramCalls& calls_;
  Table& table_;
  std::vector<bool> is_shown_, is_called_;
};

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
  Tree(calls, table).add_all();
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
