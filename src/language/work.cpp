// SPDX-License-Identifier: Apache-2.0
#include "language/work.h"

#include <algorithm>

#include "language/parser.h"
#include "language/resolve.h"
#include "language/totals.h"
#include "symbolic/build.h"

namespace parcast::program::written {
namespace {

using Kind = Statement::Kind;

template <class Change>
bool change(ComputingPart& part, Change& rule) {
  return rule(part.seconds) &&
         std::ranges::all_of(part.parts, [&](ComputingPart& inner) { return change(inner, rule); });
}

/// Replaces the executions of parts by their mean over the rounds of a surrounding loop. Returns false if a
/// mean does not exist.
bool average_executions(std::vector<ComputingPart>& parts, const Range& range) {
  return std::ranges::all_of(parts, [&](ComputingPart& part) {
    const auto mean = mean_over(range, part.executions);
    if (mean) part.executions = *mean;
    return mean && average_executions(part.parts, range);
  });
}

Error no_sum(const Statement& around, const Source& source) {
  return source.error(around.at, "the powers of two in this loop have no sum that can be written down",
                      "they sum up in: rounds k = 0..log2(X)-1");
}

Work enclosed(const Statement& around, ComputingPart::Kind kind, const Expression& executions, Work inside,
              const Source& source) {
  ComputingPart part{kind,
                     around.label.empty() ? around.word : around.label,
                     source.place(around.at),
                     executions,
                     inside.seconds(),
                     std::move(inside.parts)};
  inside.parts.clear();
  inside.parts.push_back(std::move(part));
  return inside;
}

Work of_compute(const Statement& statement, const Source& source) {
  Work out;
  for (const Amount& amount : statement.amounts) {
    if (amount.relative_error > 0)
      out.uncertain.push_back({amount.seconds, amount.relative_error, statement.at});
    else
      out.certain = out.certain + amount.seconds;
    out.measured = out.measured && amount.measured;
  }
  const Expression seconds = out.seconds();
  out.parts.push_back({ComputingPart::Kind::sequence,
                       statement.label.empty() ? statement.word : statement.label,
                       source.place(statement.at),
                       1,
                       seconds,
                       {}});
  return out;
}

}  // namespace

template <class Change>
bool Work::change(Change rule) {
  bool fine = rule(certain);
  for (Uncertain& each : uncertain) fine = fine && rule(each.seconds);
  for (ComputingPart& part : parts) fine = fine && written::change(part, rule);
  return fine;
}

Expression Work::seconds() const {
  Expression sum = certain;
  for (const Uncertain& each : uncertain) sum = sum + each.seconds;
  return sum;
}

void Work::add(const Work& more) {
  certain = certain + more.certain;
  uncertain.insert(uncertain.end(), more.uncertain.begin(), more.uncertain.end());
  parts.insert(parts.end(), more.parts.begin(), more.parts.end());
  measured = measured && more.measured;
}

bool varies(const Work& work, const Range& range) {
  const auto holds = [&](const Expression& e) {
    return (!range.index.is_zero() && symbolic::contains(e, range.index)) ||
           (!range.power.is_zero() && symbolic::contains(e, range.power));
  };
  return holds(work.certain) || std::ranges::any_of(work.uncertain, [&](const Work::Uncertain& each) {
           return holds(each.seconds);
         });
}

Result<Work> within(const Statement& around, const Range& range, Work inside, const Source& source) {
  const bool fine = inside.change([&](Expression& seconds) {
    const auto sum = sum_over(range, seconds);
    if (sum) seconds = *sum;
    return sum.has_value();
  });
  if (!fine || !average_executions(inside.parts, range)) return no_sum(around, source);
  return enclosed(around, ComputingPart::Kind::iteration, range.count, std::move(inside), source);
}

Work where(const Statement& around, const Expression& indicator, Work inside, const Source& source) {
  inside.change([&](Expression& seconds) { return seconds = indicator * seconds, true; });
  return enclosed(around, ComputingPart::Kind::condition, indicator, std::move(inside), source);
}

Result<Work> averaged(const Statement& around, Work inside, const Source& source) {
  const bool fine = inside.change([&](Expression& seconds) {
    const auto mean = mean_over(around.range, seconds);
    if (mean) seconds = *mean;
    return mean.has_value();
  });
  if (!fine || !average_executions(inside.parts, around.range)) return no_sum(around, source);
  return inside;
}

Result<Work> work_of(const std::vector<Statement>& block, const Source& source) {
  Work out;
  for (const Statement& statement : block) {
    switch (statement.kind) {
      case Kind::compute:
        out.add(of_compute(statement, source));
        break;
      case Kind::loop: {
        PARCAST_ASSIGN(Work inside, work_of(statement.body, source));
        PARCAST_ASSIGN(const Work all, within(statement, statement.range, std::move(inside), source));
        out.add(all);
        break;
      }
      case Kind::condition: {
        PARCAST_ASSIGN(Work inside, work_of(statement.body, source));
        out.add(where(statement, statement.condition.indicator, std::move(inside), source));
        if (statement.otherwise.empty()) break;
        PARCAST_ASSIGN(Work otherwise, work_of(statement.otherwise, source));
        out.add(where(statement, opposite(statement.condition.indicator), std::move(otherwise), source));
        break;
      }
      case Kind::region:
      case Kind::call: {
        PARCAST_ASSIGN(Work inside, work_of(statement.body, source));
        out.add(enclosed(statement, ComputingPart::Kind::sequence, 1, std::move(inside), source));
        break;
      }
      case Kind::operation:
        break;
    }
  }
  return out;
}

}  // namespace parcast::program::written
