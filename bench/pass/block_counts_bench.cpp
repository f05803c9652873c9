// SPDX-License-Identifier: Apache-2.0
// Predicts the executions of all blocks of a program at larger sizes and more processes, from few small runs,
// and compares them with the program's counters there. Called by block_counts.py:
//
//   $ parcast_block_counts_bench FACTS NAMES SEEN... -- UNSEEN...
//
// FACTS: the section parcast_facts. NAMES: the words of the command line, as n,steps (- for a word that is
// not a parameter). The file of a process is a line of `name=value` for all symbols, followed by the output
// of tests/pass/print_counters.c.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <list>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "model/binding.h"
#include "source/counts/block_counts.h"

namespace parcast::program {
namespace {

struct Process {
  symbolic::Binding values;
  std::map<std::uint64_t, ModuleCounts> modules;
};

Process read_process(const std::string& path) {
  Process process;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::istringstream values(line);
  for (std::string word; values >> word;) process.values[word.substr(0, word.find('='))] = std::stod(word.substr(word.find('=') + 1));
  while (std::getline(file, line)) {
    std::istringstream head(line);
    std::string word, id;
    std::size_t counters = 0, probes = 0;
    head >> word >> id >> counters >> probes;
    ModuleCounts counts{std::vector<std::uint64_t>(counters), std::vector<std::array<std::uint64_t, 4>>(probes)};
    for (auto& counter : counts.counters) file >> counter;
    for (auto& probe : counts.probes)
      for (auto& each : probe) file >> each;
    std::getline(file, line);
    process.modules[std::stoull(id, nullptr, 16)] = std::move(counts);
  }
  return process;
}

std::vector<Sighting> sightings_of(const std::list<Process>& processes) {
  std::vector<Sighting> all;
  for (const Process& process : processes) {
    Sighting sighting{1, process.values, {}};
    for (const auto& [id, counts] : process.modules) sighting.modules[id] = &counts;
    all.push_back(std::move(sighting));
  }
  return all;
}

int run(const std::vector<std::string>& words) {
  const auto text = read_file(words.at(0));
  if (!text) return std::fprintf(stderr, "%s\n", to_string(text.error()).c_str()), 1;
  const auto modules = facts::read_facts(*text, words.at(0));
  if (!modules) return std::fprintf(stderr, "%s\n", to_string(modules.error()).c_str()), 1;
  std::vector<std::string> names;
  std::istringstream list(words.at(1));
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  std::list<Process> seen, unseen;
  bool larger = false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--") larger = true;
    else (larger ? unseen : seen).push_back(read_process(words[i]));
  }
  const auto symbol_of = [&](const facts::Input& input) -> std::optional<symbolic::Expression> {
    using Kind = facts::InputKind;
    const auto index = static_cast<std::size_t>(input.index);
    if (input.kind == Kind::word && index >= 1 && index <= names.size() && names[index - 1] != "-") return parameter_symbol(names[index - 1]);
    if (input.kind == Kind::words) return symbolic::Expression(static_cast<std::int64_t>(names.size()) + 1);
    if (input.kind == Kind::rank) return rank_symbol();
    if (input.kind == Kind::processes) return processes_symbol();
    if (input.kind == Kind::grid_extent) return extent_symbol(input.dimensions, input.index);
    if (input.kind == Kind::grid_coordinate) return coordinate_symbol(input.dimensions, input.index);
    return std::nullopt;
  };
  const std::vector<Sighting> small = sightings_of(seen);
  std::vector<std::string> parameters;
  for (const std::string& name : names)
    if (name != "-") parameters.push_back(name);
  const std::vector<BlockCount> blocks = BlockCounts(*modules, small, symbol_of, parameters).at(small).blocks;
  std::map<CountTier, double> executions, number;
  double error = 0, all = 0, of_symbolic = 0;
  struct Miss {
    double error;
    std::string text;
  };
  std::vector<Miss> misses;
  std::map<std::pair<facts::FunctionPlace, int>, bool> given;
  for (const BlockCount& block : blocks) {
    const facts::Function& function = (*modules)[block.function.module].functions[block.function.function];
    ++number[block.tier];
    given[{block.function, block.block}] = true;
    double missed = 0, of_block = 0;
    for (const Process& process : unseen) {
      const auto counts = process.modules.find((*modules)[block.function.module].id);
      if (counts == process.modules.end()) continue;
      const double truth = static_cast<double>(facts::block_executions(function, counts->second.counters)[block.block]);
      const auto value = symbolic::evaluate(block.per_visit, process.values);
      missed += std::abs((value ? *value : 0) - truth);
      of_block += truth;
    }
    error += missed;
    executions[block.tier] += of_block;
    if (block.tier == CountTier::symbolic) of_symbolic += missed;
    if (missed > 0) {
      const auto& at = function.blocks[block.block].at;
      misses.push_back({missed, function.name + " block " + std::to_string(block.block) + " " +
                                    (at.empty() ? "" : at[0].file + ":" + std::to_string(at[0].line)) + " (" +
                                    std::string(to_string(block.tier)) + "): " +
                                    symbolic::readable_text(block.per_visit)});
    }
  }
  for (const Process& process : unseen)
    for (int m = 0; m < static_cast<int>(modules->size()); ++m)
      if (const auto counts = process.modules.find((*modules)[m].id); counts != process.modules.end())
        for (int f = 0; f < static_cast<int>((*modules)[m].functions.size()); ++f) {
          const auto of = facts::block_executions((*modules)[m].functions[f], counts->second.counters);
          for (int b = 0; b < static_cast<int>(of.size()); ++b) {
            all += static_cast<double>(of[b]);
            if (!given.contains({{m, f}, b})) error += static_cast<double>(of[b]);
          }
        }
  std::printf("%zu blocks, %.4g executions:", blocks.size(), all);
  for (const CountTier tier : kCountTiers) std::printf(" %.0f %s %.2f %%", number[tier], std::string(to_string(tier)).c_str(), 100 * executions[tier] / all);
  std::printf("\n");
  std::printf("execution-weighted error %.4g %%; of what is called symbolic %.4g %%\n", 100 * error / all, 100 * of_symbolic / all);
  std::sort(misses.begin(), misses.end(), [](const Miss& a, const Miss& b) { return a.error > b.error; });
  for (std::size_t i = 0; i < std::min<std::size_t>(8, misses.size()); ++i) std::printf("  %.3g %%  %s\n", 100 * misses[i].error / all, misses[i].text.c_str());
  return 0;
}

}  // namespace
}  // namespace parcast::program

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "usage: parcast_block_counts_bench FACTS NAMES SEEN... -- UNSEEN...\n"), 2;
  return parcast::program::run({argv + 1, argv + argc});
}
