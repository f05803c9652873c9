// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include "base/visible.h"

namespace parcast {

std::string to_string(const Error& error) {
  return to_string(error, "error");
}

std::string to_string(const Error& error, std::string_view kind) {
  // bytes: enough for a path, and for a proposed command
  constexpr std::size_t kMostWhere = 5000, kMostHint = 10'000;
  std::string text;
  if (!error.where.empty()) text += visible(error.where, kMostWhere) + ": ";
  text += std::string(kind) + ": " + visible(error.what);
  if (!error.hint.empty()) text += "\n  " + visible_lines(error.hint, kMostHint);
  return text;
}

}  // namespace parcast
