// SPDX-License-Identifier: Apache-2.0
#include "predict/computing_scale.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "predict/segment_computing.h"
#include "predict/simulated_seconds.h"
#include "trace/computing.h"

namespace parcast::predict {
namespace {

using symbolic::Expression;

constexpr double kNoteworthy = 0.25;
constexpr double kRounding = 1e-9;

constexpr double kLeastKnown = 0.95;  // of the computing, whose executions are known for every rank

struct OfRanks {
  std::vector<double> seconds;
  double sum = 0, known = 0;  // known: of segments whose executions are identified
};

Result<OfRanks> seconds_of_segments(const program::Model& model, const program::Point& point) {
  const std::vector<Expression> all = computing_by_segment(model);
  std::vector<Expression> known;
  for (std::size_t s = 0; s < all.size(); ++s)
    if (model.segments[s].executions.origin <= Origin::ambiguous) known.push_back(all[s]);
  const Expression sums[] = {symbolic::sum_of(all), symbolic::sum_of(known)};
  PARCAST_ASSIGN(std::vector<double> values, values_by_rank(model, point, sums));
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  OfRanks out;
  out.sum = std::accumulate(values.begin(), half, 0.0), out.known = std::accumulate(half, values.end(), 0.0);
  out.seconds.assign(values.begin(), half);
  return out;
}

std::vector<double> seconds_of_sequences(const trace::Trace& trace) {
  std::vector<double> out;
  for (const trace::Sequence& sequence : trace.sequences)
    out.push_back(trace::computing_of(sequence) * kSecond);
  return out;
}

struct OfSequence {
  double ranks = 0, in_trace = 0, in_segments = 0;  // seconds: of one rank, mean
  double factor = 1;
};

/// Changes the factors until no sequence differs from its segments by more than kMostUneven. The sum over
/// ranks stays.
void bound(std::vector<OfSequence>& sequences, double sum) {
  constexpr int kMostPasses = 100;
  constexpr double kNegligible = 1e-9;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double now = 0, most = 0;
    for (const OfSequence& each : sequences) now += each.ranks * each.factor * each.in_trace;
    for (OfSequence& each : sequences) {
      each.factor *= sum / now;
      if (!(each.in_trace > 0) || !(each.in_segments > 0)) continue;
      const double uneven = each.factor * each.in_trace / each.in_segments;
      const double bounded = std::clamp(uneven, 1 / kMostUneven, kMostUneven);
      most = std::max(most, std::abs(bounded / uneven - 1));
      each.factor *= bounded / uneven;
    }
    if (most <= kNegligible) return;
  }
}

void even_out(const OfRanks& segments, double common, trace::Trace& trace) {
  const std::vector<double> in_trace = seconds_of_sequences(trace);
  std::vector<OfSequence> sequences(in_trace.size());
  for (std::size_t rank = 0; rank < segments.seconds.size(); ++rank) {
    OfSequence& of = sequences[trace.sequence_of[rank]];
    ++of.ranks, of.in_segments += segments.seconds[rank];
  }
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (sequences[s].ranks > 0) sequences[s].in_segments /= sequences[s].ranks;
    sequences[s].in_trace = in_trace[s];
  }
  bound(sequences, segments.sum);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const double change = sequences[s].factor / common;
    if (std::abs(change - 1) > kRounding) trace::scale_computing(trace.sequences[s], change);
  }
}

}  // namespace

double computing_seconds(const trace::Trace& trace) {
  const std::vector<double> of_sequence = seconds_of_sequences(trace);
  double sum = 0;
  for (const std::uint32_t sequence : trace.sequence_of) sum += of_sequence[sequence];
  return sum;
}

Result<ComputingScale> fit_to_segments(const program::Model& model, const Question& question,
                                       trace::Trace& trace) {
  ComputingScale out;
  if (!model.written_in.empty() || model.segments.empty()) return out;
  PARCAST_ASSIGN(const OfRanks segments, seconds_of_segments(model, question.point));
  out.in_segments = segments.sum;
  out.in_trace = computing_seconds(trace);
  out.in_parts = model.structure && model.structure->copied > 0;
  if (!(out.in_trace > 0) || !(out.in_segments > 0) || !std::isfinite(out.in_segments)) return out;
  if (!out.in_parts && segments.known >= kLeastKnown * segments.sum)
    even_out(segments, out.in_segments / out.in_trace, trace);
  const double factor = out.in_segments / computing_seconds(trace);
  if (std::abs(factor - 1) > kRounding) out.factor = factor;  // otherwise equal up to rounding to picoseconds
  return out;
}

std::optional<Warning> scale_warning(const ComputingScale& scale) {
  if (scale.in_parts || std::abs(scale.factor - 1) <= kNoteworthy) return std::nullopt;
  return Warning{"computing-scaled",
                 "the order of operations alone has " + format_seconds(scale.in_trace) +
                     " of computing in all ranks, and the model's segments " +
                     format_seconds(scale.in_segments) + "; the latter is taken",
                 "a recording nearer to this point would narrow both"};
}

}  // namespace parcast::predict
