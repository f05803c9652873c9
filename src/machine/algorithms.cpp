// SPDX-License-Identifier: Apache-2.0
#include "machine/algorithms.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "machine/fields.h"

namespace parcast::machine {
namespace {

using recording::Pattern;

constexpr std::array kNames{"dissemination", "binomial", "recursive_doubling", "ring",        "bruck",
                            "pairwise",      "linear",   "scatter_allgather",  "rabenseifner"};
constexpr std::string_view kFrom = " from ";
constexpr std::uint64_t kLong = 64 << 10;  // own choice

/// The usual algorithm first. With `second_when_long`, the second serves from kLong on.
struct Served {
  Pattern pattern;
  std::vector<Algorithm> algorithms;
  bool second_when_long = false;
};

const std::vector<Served>& table() {
  using enum Algorithm;
  static const std::vector<Served> rows{
      {Pattern::barrier, {dissemination, binomial, linear}},
      {Pattern::broadcast, {binomial, scatter_allgather, linear}},
      {Pattern::reduce, {binomial, linear}},
      {Pattern::allreduce, {recursive_doubling, ring, rabenseifner, binomial, linear}, true},
      {Pattern::gather, {binomial, linear}},
      {Pattern::scatter, {binomial, linear}},
      {Pattern::allgather, {bruck, ring, linear}, true},
      {Pattern::alltoall, {bruck, pairwise}, true},
      {Pattern::reduce_scatter, {pairwise, linear}},
      {Pattern::scan, {recursive_doubling, linear}}};
  return rows;
}

const Served* served(Pattern pattern) {
  const auto at =
      std::find_if(table().begin(), table().end(), [&](const Served& row) { return row.pattern == pattern; });
  return at == table().end() ? nullptr : &*at;
}

Result<Algorithm> algorithm_from(Pattern pattern, const std::string& name) {
  std::vector<std::string> known;
  for (const Algorithm algorithm : algorithms_of(pattern)) {
    known.emplace_back(algorithm_name(algorithm));
    if (known.back() == name) return algorithm;
  }
  const std::string near = did_you_mean(name, known);
  return Error{"\"" + name + "\" is not an algorithm for " + std::string(pattern_name(pattern)), "",
               near.empty() ? "known are " + join(known, ", ") : near};
}

Result<AlgorithmChoice> choice_from(Pattern pattern, std::string_view text) {
  AlgorithmChoice choice;
  const auto from = text.find(kFrom);
  PARCAST_ASSIGN(choice.algorithm, algorithm_from(pattern, std::string(trim(text.substr(0, from)))));
  if (from == std::string_view::npos) return choice;
  PARCAST_ASSIGN(const double bytes, parse_measure(text.substr(from + kFrom.size()), Dimension::data));
  if (!(bytes >= 0) || bytes > 1e18)
    return Error{"an algorithm begins at " + format_exact(bytes) + " bytes", "", "at least 0"};
  choice.from_bytes = static_cast<std::uint64_t>(bytes);
  return choice;
}

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) {
  return kNames[static_cast<std::size_t>(algorithm)];
}

std::span<const Algorithm> algorithms_of(Pattern pattern) {
  const Served* row = served(pattern);
  return row ? std::span<const Algorithm>(row->algorithms) : std::span<const Algorithm>();
}

const std::vector<std::string_view>& simulated_patterns() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> out;
    for (const Served& row : table()) out.push_back(pattern_name(row.pattern));
    return out;
  }();
  return names;
}

const AlgorithmChoices& usual_algorithms(Pattern pattern) {
  static const std::map<Pattern, AlgorithmChoices> usual = [] {
    std::map<Pattern, AlgorithmChoices> out;
    for (const Served& row : table()) {
      out[row.pattern] = {{0, row.algorithms[0]}};
      if (row.second_when_long) out[row.pattern].push_back({kLong, row.algorithms[1]});
    }
    return out;
  }();
  static const AlgorithmChoices none;
  const auto at = usual.find(pattern);
  return at == usual.end() ? none : at->second;
}

Result<AlgorithmChoices> algorithms_from(Pattern pattern, std::string_view text) {
  AlgorithmChoices choices;
  for (const std::string& part : split(text, ',')) {
    PARCAST_ASSIGN(const AlgorithmChoice choice, choice_from(pattern, trim(part)));
    if (choices.empty() ? choice.from_bytes > 0 : choice.from_bytes <= choices.back().from_bytes)
      return Error{"\"" + std::string(text) + "\" does not ascend from 0 bytes", "",
                   "write for example \"" + algorithms_text(usual_algorithms(Pattern::allreduce)) + "\""};
    choices.push_back(choice);
  }
  return choices;
}

std::string algorithms_text(const AlgorithmChoices& choices) {
  std::string out;
  for (const AlgorithmChoice& choice : choices) {
    out += (out.empty() ? "" : ", ") + std::string(algorithm_name(choice.algorithm));
    if (choice.from_bytes > 0)
      out += std::string(kFrom) + format_measure(static_cast<double>(choice.from_bytes), Dimension::data);
  }
  return out;
}

Algorithm algorithm_at(const AlgorithmChoices& choices, std::uint64_t bytes, bool uneven) {
  auto last = choices.end() - 1;
  while (!uneven && last->from_bytes > bytes) --last;
  return last->algorithm;
}

}  // namespace parcast::machine
