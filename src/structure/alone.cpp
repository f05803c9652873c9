// SPDX-License-Identifier: Apache-2.0
#include "structure/alone.h"

#include <algorithm>
#include <cmath>

#include "fit_counts/counts.h"
#include "trace/builder.h"
#include "trace/computing.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using trace::Item;

constexpr double kPerSecond = 1e12;

trace::Time rounded_time(double time) {
  if (!(time > 0)) return 0;
  return time < static_cast<double>(trace::kLongest) ? std::llround(time) : trace::kLongest;
}

}  // namespace

Result<double> computing_alone(const Model& model, const Point& point) {
  PARCAST_ASSIGN(const auto binding, bind(model, point, 0));
  double sum = 0;
  for (const Segment& segment : model.segments) {
    if (segment.cost.growth->hypotheses.empty()) continue;
    PARCAST_ASSIGN(const CountValue executions, value_of(segment.executions, binding));
    if (!(executions.value > 0)) continue;
    const Expression each =
        growth_expression(segment.cost.growth->hypotheses.front(), segment.cost.arguments);
    PARCAST_ASSIGN(const double seconds, symbolic::evaluate(each, binding));
    const bool first = segment.cost.first_excess > 0;
    sum += std::max(0.0, seconds) * (executions.value + (first ? segment.cost.first_excess : 0));
  }
  return sum;
}

bool sends_alone(const Model& model, const Point& point) {
  const auto counts = predict_counts(model, point);
  return counts && counts->front().messages_sent.value > 0;
}

trace::Trace trace_of_computing(const std::string& program, double seconds) {
  trace::Builder builder(program, 1);
  trace::Sequence words;
  if (const trace::Time time = rounded_time(seconds * kPerSecond); time > 0)
    words.push_back(Item::compute(time));
  builder.sequence(0, std::move(words));
  return builder.finish();
}

void set_computing(trace::Trace& trace, double seconds) {
  trace::Sequence& words = trace.sequences[trace.sequence_of.front()];
  const double now = trace::computing_of(words), wanted = seconds * kPerSecond;
  if (now > 0) {
    trace::scale_computing(words, wanted / now);
  } else if (const trace::Time time = rounded_time(wanted); time > 0) {
    words.insert(words.begin(), Item::compute(time));
  }
}

}  // namespace parcast::program
