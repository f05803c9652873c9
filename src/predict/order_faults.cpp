// SPDX-License-Identifier: Apache-2.0
#include "predict/order_faults.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "model/binding.h"

namespace parcast::predict {
namespace {

using trace::Operation;

constexpr std::int32_t kMostCounted = 256;  // ranks whose messages the model's formulas are evaluated for
constexpr double kNear = 0.1;               // relative difference, for counts that are fitted

bool sends(const Operation& of) {
  return of.kind == trace::Kind::send || of.kind == trace::Kind::start_send;
}
bool receives(const Operation& of) {
  return of.kind == trace::Kind::receive || of.kind == trace::Kind::start_receive;
}

/// Messages of a run: all that are sent, and those without a receive or the reverse.
class Messages {
 public:
  explicit Messages(const trace::Trace& trace) {
    std::vector<std::map<std::uint32_t, std::uint64_t>> executions;
    for (const trace::Sequence& sequence : trace.sequences)
      executions.push_back(trace::executions_of(sequence));
    open_to_any_.resize(static_cast<std::size_t>(trace.ranks));
    for (const bool only_open : {true, false})
      for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
        for (const auto& [index, times] : executions[trace.sequence_of[static_cast<std::size_t>(rank)]])
          add(rank, trace.operations[index], static_cast<std::int64_t>(times), only_open);
  }

  std::int64_t sent() const { return sent_; }
  std::int64_t unmatched() const {
    std::int64_t out = 0;
    for (const auto& [what, surplus] : surplus_) out += std::abs(surplus);
    return out;
  }

 private:
  void add(std::int32_t rank, const Operation& of, std::int64_t times, bool only_open) {
    if (!sends(of) && !receives(of)) return;
    if (only_open) {
      const bool any = receives(of) && (of.peer == trace::kAny || of.tag == trace::kAny);
      if (any) open_to_any_[static_cast<std::size_t>(rank)] = true;
      return;
    }
    if (sends(of)) sent_ += times;
    const std::int32_t to = sends(of) ? rank + of.peer : rank;
    if (open_to_any_.at(static_cast<std::size_t>(to)))
      surplus_[{trace::kAny, to, trace::kAny, 0}] += sends(of) ? times : -times;
    else
      surplus_[{sends(of) ? rank : rank + of.peer, to, of.tag, of.communicator}] +=
          sends(of) ? times : -times;
  }

  std::vector<bool> open_to_any_;  // by receiver: some receive takes any message
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::uint32_t>, std::int64_t> surplus_;
  std::int64_t sent_ = 0;
};

std::string start_of_sentence(std::int32_t processes) {
  return "at p = " + std::to_string(processes) + " the order of operations found has ";
}

/// Sum over ranks of the messages that the model counts.
Result<double> counted(const program::Model& model, const program::Point& point) {
  double out = 0;
  PARCAST_ASSIGN(const auto ranks, program::predict_counts(model, point));
  for (const program::PredictedCounts& rank : ranks) out += rank.messages_sent.value;
  return out;
}

}  // namespace

std::string unmatched_messages(const trace::Trace& trace) {
  const std::int64_t unmatched = Messages(trace).unmatched();
  if (unmatched == 0) return "";
  return start_of_sentence(trace.ranks) +
         "messages without a receive, or receives without a message: " + format_integer(unmatched);
}

std::string other_message_count(const program::Model& model, const program::Point& point,
                                const trace::Trace& trace) {
  const bool is_recorded = std::ranges::any_of(model.sources, [&](const program::Source& source) {
    return source.processes == point.processes && source.parameters == point.parameters;
  });
  if (is_recorded || point.processes > kMostCounted) return "";
  const auto expected = counted(model, point);
  if (!expected) return "";
  const std::int64_t sent = Messages(trace).sent();
  if (std::abs(static_cast<double>(sent) - *expected) <= kNear * *expected) return "";
  return start_of_sentence(trace.ranks) + format_integer(sent) + " messages, and the model counts " +
         format_integer(static_cast<long long>(*expected + 0.5));
}

}  // namespace parcast::predict
