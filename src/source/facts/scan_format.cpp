// SPDX-License-Identifier: Apache-2.0
#include "source/facts/scan_format.h"

#include "source/facts/formula.h"

namespace parcast::facts {
namespace {

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

std::optional<Conversion> conversion(std::string_view& format) {
  if (!take(format, "%")) return std::nullopt;
  unsigned whole = 32, real = 32;
  if (take(format, "ll") || take(format, "j") || take(format, "z") || take(format, "t"))
    whole = 64, real = 0;
  else if (take(format, "l"))
    whole = real = 64;
  for (const std::string_view letter : {"d", "u", "i"})
    if (take(format, letter)) return Conversion{whole, false};
  for (const std::string_view letter : {"f", "g", "e"})
    if (real > 0 && take(format, letter)) return Conversion{real, true};
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Conversion>> conversions_of(std::string_view format) {
  std::vector<Conversion> all;
  while (take(format, " ")) continue;
  for (;;) {
    const auto next = conversion(format);
    if (!next) return std::nullopt;
    all.push_back(*next);
    if (format.empty()) return all;
    if (kBetweenNumbers.find(format.front()) == kBetweenNumbers.npos) return std::nullopt;
    format.remove_prefix(1);
  }
}

}  // namespace parcast::facts
