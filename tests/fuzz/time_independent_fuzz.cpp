// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of SimGrid's time-independent traces, with all ranks in one file. An index is skipped: it
// names files.
//
//   build/fuzz/fuzz/time_independent_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS \
//       tests/fuzz/seeds/time_independent
#include <string_view>

#include "accept_trace.h"
#include "interchange/time_independent.h"

namespace {

/// Returns whether the first line with content has one word.
bool is_index(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const std::size_t end = line.find_first_of(kBlanks, begin);
    return end == std::string_view::npos || line.find_first_not_of(kBlanks, end) == std::string_view::npos;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (is_index(std::string_view(reinterpret_cast<const char*>(data), size))) return 0;
  const parcast::fuzz::InMemory file(data, size);
  const auto read = parcast::interchange::read_time_independent(file.path(), 1e9);
  if (read)
    parcast::fuzz::accept_trace(read->trace);
  else
    parcast::fuzz::demand(!read.error().what.empty());
  return 0;
}
