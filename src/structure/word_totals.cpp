// SPDX-License-Identifier: Apache-2.0
#include "structure/word_totals.h"

namespace parcast::program {
namespace {

/// Appends `rounds` repetitions of `more`.
void append(WordTotals& totals, const WordTotals& more, std::int64_t rounds) {
  if (more.first == kNotCounted || rounds <= 0) return;
  for (const auto& [mark, times] : more.executions) totals.executions[mark] += times * rounds;
  for (const auto& [pair, times] : more.followed) totals.followed[pair] += times * rounds;
  if (rounds > 1) totals.followed[{more.last, more.first}] += rounds - 1;
  if (totals.last == kNotCounted)
    totals.first = more.first;
  else
    ++totals.followed[{totals.last, more.first}];
  totals.last = more.last;
}

}  // namespace

WordTotals totals_of_words(std::span<const trace::Item> words, const std::vector<Mark>& marks) {
  WordTotals totals;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const trace::Item item = words[k];
    if (item.what() == trace::Item::What::operation) {
      const Mark mark = marks[item.index()];
      if (mark != kNotCounted) append(totals, {{{mark, 1}}, {}, mark, mark}, item.times());
    } else if (item.what() == trace::Item::What::loop) {
      append(totals, totals_of_words(words.subspan(k + 1, item.words()), marks), item.times());
      k += item.words();
    }
  }
  return totals;
}

}  // namespace parcast::program
