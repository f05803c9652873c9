// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of SimGrid's platform files: an accepted machine is written and read back.
//
//   build/fuzz/fuzz/simgrid_platform_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS \
//       tests/fuzz/seeds/simgrid_platform
#include <cstdlib>
#include <string_view>

#include "interchange/simgrid_platform.h"
#include "machine/machine_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto machine = parcast::interchange::simgrid_platform(
      std::string_view(reinterpret_cast<const char*>(data), size), "input");
  if (!machine) {
    if (machine.error().what.empty()) std::abort();
    return 0;
  }
  const std::string text = parcast::machine::to_toml(*machine);
  const auto again = parcast::machine::machine_from_toml(text, "again");
  if (!again || parcast::machine::to_toml(*again) != text) std::abort();
  return 0;
}
