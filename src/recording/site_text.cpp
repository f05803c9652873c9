// SPDX-License-Identifier: Apache-2.0
#include "recording/site_text.h"

#include <array>
#include <charconv>
#include <string_view>

namespace parcast::recording {
namespace {

constexpr const char* kAt = " at 0x";

// Returns where the list in parentheses begins that ends the name, or npos.
std::size_t begin_of_parameters(std::string_view name) {
  if (name.ends_with(" const")) name.remove_suffix(6);
  if (!name.ends_with(')')) return std::string_view::npos;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

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

std::string without_parameters(const std::string& function) {
  const std::string name = without_address(function);
  const std::size_t begin = begin_of_parameters(name);
  if (begin == std::string::npos || begin == 0) return function;
  return name.substr(0, begin) + function.substr(name.size());
}

}  // namespace parcast::recording
