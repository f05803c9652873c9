// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of machine files. An accepted machine is written and read back. If its system is valid,
// ranks are mapped to it, with a route between any two of them.
//
//   build/fuzz/fuzz/machine_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS src/machine/systems
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/machine_file.h"
#include "machine/mapping.h"
#include "machine/routes.h"
#include "machine/system.h"

using namespace parcast;

namespace {

constexpr std::int32_t kRanks = 5;

void demand(bool holds) {
  if (!holds) std::abort();
}

void map(const machine::System& system, std::string_view rule_text) {
  const auto rule = machine::map_rule_from(rule_text);
  demand(static_cast<bool>(rule));
  auto mapping = machine::map_ranks(system, kRanks, *rule);
  if (!mapping) return demand(!mapping.error().what.empty());
  demand(mapping->processor_of.size() == kRanks);
  auto routes = machine::Routes::of(std::move(*mapping));
  if (!routes) return demand(!routes.error().what.empty());
  for (std::int32_t a = 0; a < kRanks; ++a)
    for (std::int32_t b = 0; b < kRanks; ++b) {
      const machine::Route& route = routes->between(a, b);
      demand(route.link_index < routes->links().size());
      std::int64_t length = 0;
      for (const machine::Hop& hop : route.hops) {
        demand(hop.link != nullptr && hop.times >= 1);
        length += hop.times;
      }
      demand(length == route.length);
      demand(route.length == routes->between(b, a).length);
      demand(!routes->text(a, b).empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto machine =
      machine::machine_from_toml(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  if (!machine) {
    demand(!machine.error().what.empty());
    return 0;
  }
  const std::string text = machine::to_toml(*machine);
  const auto again = machine::machine_from_toml(text, "again");
  demand(again && machine::to_toml(*again) == text);
  demand(!machine::to_json(*machine).empty());
  const auto system = machine::system_of(*machine);
  if (!system) {
    demand(!system.error().what.empty());
    return 0;
  }
  demand(machine::validate(*system).empty());
  for (const char* rule : {"block", "cyclic", "host+block", "list:4,3,2,1,0"}) map(*system, rule);
  return 0;
}
