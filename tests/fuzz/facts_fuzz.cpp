// SPDX-License-Identifier: Apache-2.0
// Any bytes as the compiler's facts about a program, with any counters: no crash, an error message if they
// are invalid. Counts with an origin other than measured equal the counted values. The input is one record's
// JSON; the target adds the header.
//
//   build/fuzz/fuzz/facts_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/facts
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "model/binding.h"
#include "source/counts/block_counts.h"

using namespace parcast;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

std::optional<symbolic::Expression> symbol_of(const facts::Input& input) {
  switch (input.kind) {
    case facts::InputKind::word:
      return symbolic::symbol("n", symbolic::SymbolKind::parameter);
    case facts::InputKind::words:
      return symbolic::Expression(2);
    case facts::InputKind::rank:
      return program::rank_symbol();
    case facts::InputKind::processes:
      return program::processes_symbol();
    default:
      return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const auto modules =
      facts::read_facts("parcast-facts 1 AB " + std::to_string(size) + "\n" + body + "\n", "input");
  if (!modules) {
    demand(!modules.error().what.empty());
    return 0;
  }
  constexpr std::uint64_t kMost = 4096;  // the file of counters limits their number, not the facts
  for (const facts::Module& module : *modules)
    for (const facts::Function& function : module.functions) {
      for (const facts::Loop& loop : function.loops)
        demand(loop.width.value_or(1) >= 1 && loop.width.value_or(1) <= facts::kWidest &&
               loop.interleave.value_or(1) >= 1);
      for (const facts::Block& block : function.blocks)
        for (const auto& [name, packed] : block.packed)
          demand(packed.operations >= 1 && packed.instructions >= 0 &&
                 packed.operations <= facts::kMostPacked);
    }
  for (const facts::Module& module : *modules)
    if (module.counters > kMost || module.probes > kMost) return 0;
  std::vector<program::ModuleCounts> counts;
  std::uint64_t state = 0x9E3779B97F4A7C15u ^ size;
  for (const facts::Module& module : *modules) {
    program::ModuleCounts of{std::vector<std::uint64_t>(module.counters),
                             std::vector<std::array<std::uint64_t, 4>>(module.probes)};
    for (auto& counter : of.counters)
      counter = (state = state * 6364136223846793005u + 1442695040888963407u) >> 58;
    for (auto& probe : of.probes) {
      const std::uint64_t value = (state = state * 6364136223846793005u + 1442695040888963407u) >> 59;
      probe = {value, 1, value, value};
    }
    counts.push_back(std::move(of));
  }
  program::Sighting sighting{1, {{"n", 12}, {"p", 2}, {"r", 1}}, {}};
  for (std::size_t m = 0; m < modules->size(); ++m) sighting.modules[(*modules)[m].id] = &counts[m];
  const std::vector<program::Sighting> sightings{sighting};
  const program::BlockCounts blocks(*modules, sightings, symbol_of, {"n"});
  for (const program::BlockCount& block : blocks.at(sightings).blocks) {
    if (block.tier == program::CountTier::measured) continue;
    const facts::Function& function = (*modules)[static_cast<std::size_t>(block.function.module)]
                                          .functions[static_cast<std::size_t>(block.function.function)];
    const auto executions = static_cast<double>(
        facts::block_executions(function, counts[static_cast<std::size_t>(block.function.module)]
                                              .counters)[static_cast<std::size_t>(block.block)]);
    const auto value = symbolic::evaluate(block.per_visit, sighting.values);
    demand(value && std::abs(*value - executions) <= 1e-9 * executions + 1e-6);
  }
  return 0;
}
