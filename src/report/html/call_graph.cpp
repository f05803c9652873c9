// SPDX-License-Identifier: Apache-2.0
#include "report/html/call_graph.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/call_rows.h"
#include "report/html/markup.h"
#include "report/words.h"

namespace parcast::report::html {
namespace {

using recording::ProgramCalls;
using recording::ProgramClass;
using recording::ProgramFunction;

constexpr std::size_t kMostRows = 2000;  // of the tree and of each table

std::string place_html(const recording::SourceLine& where) {
  const std::string place = place_text(where);
  return place.empty() ? "" : " <small class=\"place\">" + text(place) + "</small>";
}

std::string line_of(const CallRow& row, const ProgramCalls& calls) {
  const ProgramFunction& function = calls.functions[row.function];
  const std::string remark = remark_of(row, calls), at = place_text(row.where);
  return "<code>" + text(function.name) + "</code>" + place_html(function.where) +
         (at.empty() ? "" : " <small>called at " + text(at) + "</small>") +
         (remark.empty() ? "" : " <small>" + text(remark) + "</small>");
}

/// Returns lists in lists: a function with calls opens and closes.
std::string tree_html(const std::vector<CallRow>& rows, const ProgramCalls& calls) {
  std::string out;
  std::size_t open = 0;  // lists
  const std::size_t most = std::min(rows.size(), kMostRows);
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t depth = rows[i].depth;
    for (; open > depth + 1; --open) out += "</ul></details></li>\n";
    if (open == 0) out += "<ul class=\"call-tree\">\n", ++open;
    const std::string line = line_of(rows[i], calls);
    const bool is_parent = i + 1 < most && rows[i + 1].depth > depth;
    out += is_parent ? "<li><details><summary>" + line + "</summary><ul>\n" : "<li>" + line + "</li>\n";
    if (is_parent) ++open;
  }
  for (; open > 1; --open) out += "</ul></details></li>\n";
  return out + (open ? "</ul>\n" : "");
}

std::string classes_table(const ProgramCalls& calls) {
  Table table("Classes", {{"class"}, {"bases"}, {"methods"}, {"where"}});
  for (std::size_t i = 0; i < std::min(calls.classes.size(), kMostRows); ++i) {
    const ProgramClass& each = calls.classes[i];
    table.add({plain(each.name), plain(join(each.bases, ", ")), plain(join(each.methods, ", ")),
               plain(place_text(each.where))});
  }
  return table.empty() ? "" : folded("Classes", table.html());
}

std::string files_table(const ProgramCalls& calls) {
  std::map<std::string, std::vector<std::string>> functions;
  for (const ProgramFunction& each : calls.functions)
    if (each.has_code && !each.where.file.empty()) functions[each.where.file].push_back(each.name);
  Table table("Files", {{"file"}, {"functions", true}, {"names"}});
  for (const auto& [file, names] : functions)
    table.add({plain(file), plain(std::to_string(names.size())), plain(join(names, ", "))});
  return table.empty() ? "" : folded("Files", table.html());
}

}  // namespace

std::string call_graph(const std::optional<ProgramFile>& program) {
  if (!program || program->calls.functions.empty()) return "";
  const ProgramCalls& calls = program->calls;
  const std::vector<CallRow> rows = call_rows(calls);
  std::string out =
      "<p>" + text(counted(static_cast<std::int64_t>(calls.functions.size()), "function")) +
      (calls.classes.empty()       ? ""
       : calls.classes.size() == 1 ? " and 1 class"
                                   : " and " + std::to_string(calls.classes.size()) + " classes") +
      " by the debug data of <code>" + text(program->path) + "</code>.";
  if (!calls.has_calls())
    out += " They describe no calls: compile with <code>-g</code> and <code>-O1</code> or more.";
  if (rows.size() > kMostRows || calls.classes.size() > kMostRows)
    out += " Each list ends after " + std::to_string(kMostRows) + " entries; <code>parcast show " +
           text(program->path) + " --calls</code> prints all.";
  out += "</p>\n" + folded("Who calls whom", tree_html(rows, calls));
  return out + classes_table(calls) + files_table(calls);
}

}  // namespace parcast::report::html
