// SPDX-License-Identifier: Apache-2.0
#include "report/call_rows.h"

#include <utility>

#include "report/words.h"

namespace parcast::report {
namespace {

using recording::CalledFunction;
using recording::ProgramCalls;
using recording::ProgramFunction;
using recording::SourceLine;

constexpr std::size_t kDeepest = 16;

class Tree {
 public:
  explicit Tree(const ProgramCalls& calls)
      : calls_(calls), is_shown_(calls.functions.size()), is_called_(is_shown_.size()) {
    for (std::uint32_t i = 0; i < calls.functions.size(); ++i)
      for (const CalledFunction& called : calls.functions[i].calls)
        if (called.function != i) is_called_[called.function] = true;
  }

  /// Begins with the functions that nobody calls, main first; then those of cycles that are left.
  std::vector<CallRow> rows() {
    for (const bool is_main : {true, false})
      for (std::uint32_t i = 0; i < calls_.functions.size(); ++i)
        if ((calls_.functions[i].name == "main") == is_main && !is_called_[i]) add(i, {}, 0);
    for (std::uint32_t i = 0; i < calls_.functions.size(); ++i)
      if (!is_shown_[i]) add(i, {}, 0);
    return std::move(rows_);
  }

 private:
  void add(std::uint32_t number, const SourceLine& called_at, std::size_t depth) {
    const ProgramFunction& function = calls_.functions[number];
    rows_.push_back({number, depth, called_at, is_shown_[number] && !function.calls.empty()});
    if (is_shown_[number] || depth > kDeepest) return;
    is_shown_[number] = true;
    for (const CalledFunction& called : function.calls) add(called.function, called.where, depth + 1);
  }

  const ProgramCalls& calls_;
  std::vector<bool> is_shown_, is_called_;
  std::vector<CallRow> rows_;
};

}  // namespace

std::vector<CallRow> call_rows(const ProgramCalls& calls) {
  return Tree(calls).rows();
}

std::string remark_of(const CallRow& row, const ProgramCalls& calls) {
  const ProgramFunction& function = calls.functions[row.function];
  if (row.is_again) return "its calls: above";
  if (!function.has_code) return "library";
  return function.indirect ? counted(function.indirect, "call") + " of unknown functions" : "";
}

std::string place_text(const SourceLine& where) {
  if (where.line == 0) return "";
  return where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

}  // namespace parcast::report
