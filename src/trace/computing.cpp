// SPDX-License-Identifier: Apache-2.0
#include "trace/computing.h"

#include <cmath>

namespace parcast::trace {
namespace {

double computing_in(const Sequence& words, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t at = begin; at < end; ++at) {
    const Item item = words[at];
    if (item.what() == Item::What::compute) sum += static_cast<double>(item.time());
    if (item.what() != Item::What::loop) continue;
    const std::size_t last = at + item.words();
    sum += item.times() * computing_in(words, at + 1, last + 1);
    at = last;
  }
  return sum;
}

}  // namespace

double computing_of(const Sequence& sequence) {
  return computing_in(sequence, 0, sequence.size());
}

void scale_computing(Sequence& sequence, double factor) {
  for (Item& item : sequence)
    if (item.what() == Item::What::compute) {
      const double time = static_cast<double>(item.time()) * factor;
      item = Item::compute(time < static_cast<double>(kLongest) ? std::llround(time) : kLongest);
    }
}

void scale_computing(Trace& trace, double factor) {
  for (Sequence& sequence : trace.sequences) scale_computing(sequence, factor);
}

}  // namespace parcast::trace
