// SPDX-License-Identifier: Apache-2.0
#include "source/counts/command_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "model/binding.h"
#include "source/facts/formula.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Returns the number that the entire word is, then the separate numbers in it. If one of these is not a
/// number, only the first entry is returned.
std::vector<std::optional<double>> numbers_in(std::string_view word) {
  std::vector<std::optional<double>> all{number_in(word)};
  for (bool more = true; more;) {
    const std::size_t end = word.find_first_of(facts::kBetweenNumbers);
    more = end != word.npos;
    all.push_back(number_in(word.substr(0, end)));
    if (!all.back()) return {all.front()};
    if (more) word.remove_prefix(end + 1);
  }
  return all;
}

}  // namespace

CommandWords::CommandWords(const std::vector<recording::Recording>& recordings, const Inputs& inputs) {
  std::vector<std::vector<std::string>> commands;
  for (const std::size_t run : inputs.order) {
    const auto& ranks = recordings[run].ranks;
    commands.push_back(ranks.empty() ? std::vector<std::string>{} : ranks.front().command);
  }
  if (commands.empty()) return;
  std::size_t least = commands.front().size(), most = least;
  for (const auto& command : commands) {
    least = std::min(least, command.size());
    most = std::max(most, command.size());
  }
  if (least == most) count_ = Expression(static_cast<std::int64_t>(most));
  for (std::size_t word = 1; word < least; ++word) {
    std::vector<std::vector<std::optional<double>>> runs;
    for (const auto& command : commands) runs.push_back(numbers_in(command[word]));
    for (std::size_t part = 0; part < runs.front().size(); ++part) {
      if (!std::ranges::all_of(
              runs, [&](const auto& run) { return run.size() == runs.front().size() && run[part]; }))
        continue;
      const double first = *runs.front()[part];
      const auto is = [&](std::size_t v) {
        for (std::size_t k = 0; k < runs.size(); ++k)
          if (inputs.runs[inputs.order[k]].parameters[v] != *runs[k][part]) return false;
        return true;
      };
      std::optional<Expression> found;
      for (std::size_t v = 0; v < inputs.parameters.size() && !found; ++v)
        if (is(v)) found = parameter_symbol(inputs.parameters[v]);
      if (!found && std::ranges::all_of(runs, [&](const auto& run) { return *run[part] == first; })) {
        const auto exact = symbolic::nearest_rational(first, 1'000'000);
        found = exact && exact->to_double() == first ? Expression(*exact) : symbolic::real(first);
      }
      if (found) numbers_.emplace(std::pair(static_cast<int>(word), static_cast<int>(part)), *found);
    }
  }
}

std::optional<Expression> CommandWords::number(int word, int part) const {
  const auto found = numbers_.find({word, part});
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace parcast::program
