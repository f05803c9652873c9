// SPDX-License-Identifier: Apache-2.0
#include "source/facts/allocators.h"

namespace parcast::facts {

std::vector<int> size_arguments(std::string_view function) {
  if (function == "malloc" || function == "valloc") return {0};
  if (function == "calloc") return {0, 1};
  if (function == "realloc" || function == "aligned_alloc" || function == "memalign") return {1};
  if (function == "reallocarray") return {1, 2};
  if (function == "posix_memalign") return {2};
  // operator new, operator new[]; of std::size_t, with or without alignment and std::nothrow
  if (function.starts_with("_Znwm") || function.starts_with("_Znam")) return {0};
  return {};
}

}  // namespace parcast::facts
