// SPDX-License-Identifier: Apache-2.0
#include "report/problems.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::report {
namespace {

/// Returns the rank of a message: 1 for "wave.recording/rank-1.rec: ..." and for its rank-1.counts.
std::optional<std::int32_t> rank_in(std::string_view text) {
  const auto end = std::min(text.find(".rec: "), text.find(".counts: "));
  const auto begin = end == std::string_view::npos ? end : text.rfind("rank-", end);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto number = parse_integer(text.substr(begin + 5, end - begin - 5));
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

/// A reading error has two lines, the second one its hint.
std::string in_one_line(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n'))
    out += (out.empty() ? "" : "; ") + std::string(trim(line));
  if (const auto at = out.find(": error: "); at != std::string::npos) out.erase(at + 2, 7);
  return out;
}

}  // namespace

std::vector<Problem> problems_of(const recording::Recording& recording) {
  std::vector<Problem> out;
  for (const auto& loss : recording.losses) out.push_back({rank_in(loss.what), in_one_line(loss.what)});
  return out;
}

}  // namespace parcast::report
