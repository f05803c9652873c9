// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "interchange/goal_files.h"

namespace parcast::interchange {
namespace {

using trace::Item;
using trace::Kind;

/// What the export loses on any rank, and the tags that a trace's tags become.
struct GoalTerms {
  bool several_communicators = false;
  bool synchronous = false, rounded = false, probes = false;

  std::uint32_t tag(const trace::Trace& trace, const trace::Operation& operation) const {
    if (operation.tag == trace::kAny) return kGoalAny;
    const auto tag = static_cast<std::uint64_t>(operation.tag);
    return static_cast<std::uint32_t>(
        several_communicators ? tag * trace.communicators.size() + operation.communicator : tag);
  }
};

bool is_message(Kind kind) {
  return kind == Kind::send || kind == Kind::receive || kind == Kind::start_send ||
         kind == Kind::start_receive;
}

Result<GoalTerms> terms_of(const trace::Trace& trace) {
  GoalTerms out;
  const auto refuse = [](std::size_t index, const std::string& what, const std::string& hint = "") {
    return Error{what, "operation " + std::to_string(index) + " of the trace", hint};
  };
  for (const trace::Operation& each : trace.operations)
    if (is_message(each.kind) && each.communicator != 0) out.several_communicators = true;
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& it = trace.operations[i];
    if (trace::is_access(it.kind))
      return refuse(i, "one-sided accesses cannot be expressed in GOAL: it has point to point messages only");
    if (trace::is_of_lock(it.kind))
      return refuse(i, "locks of windows cannot be expressed in GOAL: it has point to point messages only");
    if (it.kind == Kind::collective)
      return refuse(i, "collectives cannot be expressed in GOAL: it has point to point messages only");
    out.probes = out.probes || it.kind == Kind::probe;
    if (!is_message(it.kind)) continue;
    if (it.mode == trace::Mode::synchronous) out.synchronous = true;
    if (it.tag == trace::kAny && out.several_communicators)
      return refuse(i,
                    "a receive of any tag cannot be expressed in GOAL when there are several communicators, "
                    "since they are distinguished by tags",
                    "of a recording, --matching recorded names the tags that came");
    if (it.tag < 0 && it.tag != trace::kAny)
      return refuse(i, "GOAL has no negative tags, such as " + std::to_string(it.tag));
    const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    if (out.several_communicators && it.tag != trace::kAny &&
        (most - it.communicator) / trace.communicators.size() < static_cast<std::uint64_t>(it.tag))
      return refuse(i, "tag " + std::to_string(it.tag) + " is too large to be distinguished in " +
                           std::to_string(trace.communicators.size()) + " communicators");
  }
  return out;
}

/// Exports a rank. It keeps the operation that began a request as long as a wait may refer to that request.
class RankExport {
 public:
  RankExport(const trace::Trace& trace, std::int32_t rank, std::uint32_t farthest, GoalTerms& terms,
             GoalWriter& writer, ExportedGoal& totals)
      : trace_(trace), rank_(rank), terms_(terms), writer_(writer), totals_(totals), requests_(farthest) {}

  void run() {
    for (trace::Walker walker(trace_.sequences[trace_.sequence_of[static_cast<std::size_t>(rank_)]]);
         walker.next();) {
      const Item item = walker.item();
      if (item.what() == Item::What::compute) {
        compute(item.time());
        continue;
      }
      const trace::Operation& operation = trace_.operations[item.index()];
      if (operation.kind == Kind::wait)
        wait(trace_.request_sets[operation.requests]);
      else if (operation.kind != Kind::probe)
        message(operation);
    }
  }

 private:
  struct Request {
    std::uint64_t operation = 0;
    bool complete = false;
  };

  /// Rounds such that the sum of the rank's calculations is right within half a nanosecond at any point.
  void compute(trace::Time time) {
    computed_ += static_cast<std::uint64_t>(time);
    const std::uint64_t due = computed_ / 1000 + (computed_ % 1000 >= 500 ? 1 : 0);
    if (computed_ % 1000 != 0) terms_.rounded = true;
    GoalOperation out;
    out.size = due - written_;
    written_ = due;
    put(out);
    ended_.push_back(operations_ - 1);
  }

  void message(const trace::Operation& it) {
    const bool send = it.kind == Kind::send || it.kind == Kind::start_send;
    GoalOperation out;
    out.kind = send ? GoalOperation::Kind::send : GoalOperation::Kind::receive;
    out.peer = it.peer == trace::kAny ? kGoalAny : static_cast<std::uint32_t>(rank_ + it.peer);
    out.tag = terms_.tag(trace_, it);
    out.size = it.bytes;
    put(out);
    // no operation depends on the end of a buffered send
    const bool waits = it.mode != trace::Mode::buffered;
    if (waits && (it.kind == Kind::send || it.kind == Kind::receive)) ended_.push_back(operations_ - 1);
    if (trace::begins_request(it.kind) && !requests_.empty())
      requests_[++begun_ % requests_.size()] = {operations_ - 1, !waits};
  }

  /// Two waits in a row would become one, so a calculation of zero time separates them.
  void wait(const std::vector<std::uint32_t>& requests) {
    if (waited_) put({}), ended_.push_back(operations_ - 1);
    for (const std::uint32_t ago : requests) {
      if (ago > begun_) continue;
      Request& request = requests_[(begun_ + 1 - ago) % requests_.size()];
      if (request.complete) continue;
      ended_.push_back(request.operation);
      request.complete = waited_ = true;
    }
  }

  /// Writes an operation. It depends on the end of everything completed since the previous operation, and on
  /// the start of that operation. Through the latter it depends on everything earlier.
  void put(const GoalOperation& operation) {
    writer_.operation(operation);
    ++operations_, ++totals_.operations;
    const bool ended_last = std::find(ended_.begin(), ended_.end(), operations_ - 2) != ended_.end();
    if (operations_ > 1 && !ended_last) depends(operations_ - 2, true);
    for (const std::uint64_t each : ended_) depends(each, false);
    ended_.clear();
    waited_ = false;
  }

  void depends(std::uint64_t earlier, bool on_start) {
    writer_.depends(earlier, on_start);
    ++totals_.dependencies;
  }

  const trace::Trace& trace_;
  const std::int32_t rank_;
  GoalTerms& terms_;
  GoalWriter& writer_;
  ExportedGoal& totals_;
  std::uint64_t operations_ = 0, begun_ = 0;
  std::uint64_t computed_ = 0, written_ = 0;  // picoseconds, nanoseconds
  std::vector<Request> requests_;             // by the number of their begin, modulo the size
  std::vector<std::uint64_t> ended_;          // operations completed since the last one was written
  bool waited_ = false;                       // some of ended_ were completed by a wait
};

std::uint32_t farthest_request(const trace::Trace& trace) {
  std::uint32_t out = 0;
  for (const auto& set : trace.request_sets)
    if (!set.empty()) out = std::max(out, set.back());
  return out;
}

std::vector<std::string> warnings_of(const trace::Trace& trace, const GoalTerms& terms) {
  std::vector<std::string> out;
  if (terms.synchronous) out.push_back("synchronous sends are sends like any other in GOAL");
  if (terms.several_communicators)
    out.push_back("communicators are distinguished by tags: a tag is " +
                  std::to_string(trace.communicators.size()) +
                  " times what it was, and the communicator's number");
  if (terms.probes)
    out.push_back(
        "GOAL has no probes: they are left out, and the receive that follows waits for the message");
  if (terms.rounded)
    out.push_back("computing is in whole nanoseconds; the sum of a rank is right within one");
  return out;
}

}  // namespace

Result<ExportedGoal> write_goal(const trace::Trace& trace, const std::filesystem::path& to, bool binary,
                                const Progress& progress) {
  PARCAST_TRY(trace::check(trace));
  PARCAST_ASSIGN(GoalTerms terms, terms_of(trace));
  PARCAST_ASSIGN(UnfinishedFile file, UnfinishedFile::beside(to));
  const auto ranks = static_cast<std::uint32_t>(trace.ranks);
  const auto writer = binary ? goal_binary_writer(file, ranks) : goal_text_writer(file, ranks);
  ExportedGoal out;
  out.ranks = trace.ranks;
  const std::uint32_t farthest = farthest_request(trace);
  for (std::uint32_t rank = 0; rank < ranks && file.good(); ++rank) {
    writer->begin_rank(rank);
    RankExport(trace, static_cast<std::int32_t>(rank), farthest, terms, *writer, out).run();
    if (const auto done = writer->end_rank(); !done)
      return Error{done.error().what, "rank " + std::to_string(rank), done.error().hint};
    if (progress) progress((rank + 1.0) / ranks, "rank " + std::to_string(rank));
  }
  writer->finish();
  out.bytes = file.size();
  PARCAST_TRY(file.finish());
  out.warnings = warnings_of(trace, terms);
  return out;
}

}  // namespace parcast::interchange
