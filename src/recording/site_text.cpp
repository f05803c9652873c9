// SPDX-License-Identifier: Apache-2.0
#include "recording/site_text.h"

#include <array>
#include <charconv>

namespace parcast::recording {
namespace {

constexpr const char* kAt = " at 0x";

}  // namespace

std::string function_of(const Site& site) {
  if (site.function.empty() || !site.file.empty() || site.module == kNoModule) return site.function;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), site.offset, 16).ptr;
  return site.function + kAt + std::string(digits.data(), end);
}

std::string without_address(const std::string& function) {
  return function.substr(0, function.rfind(kAt));
}

}  // namespace parcast::recording
