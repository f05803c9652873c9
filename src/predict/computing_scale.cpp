// SPDX-License-Identifier: Apache-2.0
#include "predict/computing_scale.h"

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

Result<double> seconds_of_segments(const program::Model& model, const program::Point& point) {
  const Expression of_rank = symbolic::sum_of(computing_by_segment(model));
  PARCAST_ASSIGN(const std::vector<double> values, values_by_rank(model, point, std::span(&of_rank, 1)));
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

double computing_seconds(const trace::Trace& trace) {
  std::vector<double> of_sequence;
  for (const trace::Sequence& sequence : trace.sequences)
    of_sequence.push_back(trace::computing_of(sequence) * kSecond);
  double sum = 0;
  for (const std::uint32_t sequence : trace.sequence_of) sum += of_sequence[sequence];
  return sum;
}

Result<ComputingScale> computing_scale(const program::Model& model, const Question& question,
                                       const trace::Trace& trace) {
  ComputingScale out;
  if (!model.written_in.empty() || model.segments.empty()) return out;
  PARCAST_ASSIGN(out.in_segments, seconds_of_segments(model, question.point));
  out.in_trace = computing_seconds(trace);
  out.in_parts = model.structure && model.structure->copied > 0;
  if (!(out.in_trace > 0) || !(out.in_segments > 0) || !std::isfinite(out.in_segments)) return out;
  const double factor = out.in_segments / out.in_trace;
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
