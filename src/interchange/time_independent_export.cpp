// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "interchange/time_independent.h"
#include "interchange/time_independent_rank.h"
#include "interchange/unfinished_file.h"
#include "interchange/unfinished_folder.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using recording::Pattern;
using trace::Item;
using trace::Kind;
using trace::Operation;

struct TiLosses {
  bool several_communicators = false, synchronous = false, uneven = false, raised = false, probes = false;
  std::uint64_t split_waits = 0, doubtful_waits = 0, open_waits = 0;
};

bool moves_data(Kind kind) {
  return kind != Kind::wait && kind != Kind::collective && kind != Kind::probe;
}

/// Returns whether the communicator has all ranks, in any order.
bool is_of_all(const trace::Trace& trace, std::uint32_t communicator) {
  return communicator == 0 ||
         trace.communicators[communicator].members.size() == static_cast<std::size_t>(trace.ranks);
}

Result<TiLosses> losses_of(const trace::Trace& trace) {
  TiLosses out;
  for (const Operation& each : trace.operations)
    if (moves_data(each.kind) && each.communicator != 0) out.several_communicators = true;
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    const Operation& it = trace.operations[i];
    const auto refuse = [&](const std::string& what) {
      return Error{what, "operation " + std::to_string(i) + " of the trace",
                   "SimGrid's replay has MPI_COMM_WORLD alone"};
    };
    if (it.kind == Kind::collective) {
      if (!is_of_all(trace, it.communicator))
        return refuse("a collective of a part of the ranks cannot be expressed");
      if (it.pattern == Pattern::neighbourhood || it.pattern == Pattern::none)
        return refuse("a collective with neighbours cannot be expressed");
      if (it.pattern == Pattern::alltoall && it.bytes % static_cast<std::uint64_t>(trace.ranks) != 0)
        out.uneven = true;
    }
    if (trace::is_access(it.kind)) return refuse("a one-sided access cannot be expressed");
    out.probes = out.probes || it.kind == Kind::probe;
    if (trace::is_of_lock(it.kind)) return refuse("a lock of a window cannot be expressed");
    if (!moves_data(it.kind)) continue;
    if (it.mode == trace::Mode::synchronous) out.synchronous = true;
    if (it.tag == trace::kAny && out.several_communicators)
      return refuse(
          "a receive of any tag cannot be expressed when there are several communicators, since they are "
          "distinguished by tags (of a recording, --matching recorded names them)");
    if (it.tag == trace::kAny) continue;
    if (it.tag < 0)
      return refuse("negative tags, such as " + std::to_string(it.tag) + ", cannot be expressed");
    const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    if (out.several_communicators &&
        (most - it.communicator) / trace.communicators.size() < static_cast<std::uint64_t>(it.tag))
      return refuse("tag " + std::to_string(it.tag) + " is too large to be distinguished in " +
                    std::to_string(trace.communicators.size()) + " communicators");
  }
  return out;
}

/// Chooses one size for all ranks of a collective, because replay treats different sizes as an error of the
/// program. Operations that several ranks execute as their n-th collective belong together. They all get the
/// largest size among them; an operation that occurs in several such groups joins the groups.
class CollectiveSizes {
 public:
  explicit CollectiveSizes(const trace::Trace& trace)
      : trace_(trace), same_as_(trace.operations.size()), largest_(trace.operations.size()) {
    std::iota(same_as_.begin(), same_as_.end(), 0u);
    std::vector<trace::Walker> walkers;
    for (const trace::Sequence& each : trace.sequences) walkers.emplace_back(each);
    while (join_next(walkers)) {
    }
    for (std::uint32_t i = 0; i < same_as_.size(); ++i)
      largest_[first_of(i)] = std::max(largest_[first_of(i)], trace.operations[i].bytes);
  }

  std::uint64_t bytes(std::uint32_t operation) { return largest_[first_of(operation)]; }
  bool raised() {
    for (std::uint32_t i = 0; i < same_as_.size(); ++i)
      if (trace_.operations[i].kind == Kind::collective && bytes(i) != trace_.operations[i].bytes)
        return true;
    return false;
  }

 private:
  std::uint32_t first_of(std::uint32_t operation) {
    while (same_as_[operation] != operation) operation = same_as_[operation] = same_as_[same_as_[operation]];
    return operation;
  }

  std::optional<std::uint32_t> next_collective(trace::Walker& walker) const {
    while (walker.next())
      if (const Item item = walker.item();
          item.what() == Item::What::operation && trace_.operations[item.index()].kind == Kind::collective)
        return item.index();
    return std::nullopt;
  }

  bool join_next(std::vector<trace::Walker>& walkers) {
    std::optional<std::uint32_t> first;
    for (trace::Walker& each : walkers) {
      const auto here = next_collective(each);
      if (!here) return false;
      if (!first) first = here;
      if (trace_.operations[*first].pattern == trace_.operations[*here].pattern)
        same_as_[first_of(*here)] = first_of(*first);
    }
    return first.has_value();
  }

  const trace::Trace& trace_;
  std::vector<std::uint32_t> same_as_;  // leads to the first operation of the group
  std::vector<std::uint64_t> largest_;  // of the group of that operation
};

class RankActions {
 public:
  RankActions(const trace::Trace& trace, std::int32_t rank, double flops_per_second, CollectiveSizes& sizes,
              TiLosses& losses, UnfinishedFile& file)
      : trace_(trace),
        rank_(rank),
        flops_per_second_(flops_per_second),
        sizes_(sizes),
        losses_(losses),
        file_(file),
        prefix_(std::to_string(rank) + " ") {}

  std::uint64_t run() {
    put("init");
    for (trace::Walker walker(trace_.sequences[trace_.sequence_of[static_cast<std::size_t>(rank_)]]);
         walker.next();) {
      const Item item = walker.item();
      if (item.what() == Item::What::compute)
        put("compute " + format_exact(static_cast<double>(item.time()) * 1e-12 * flops_per_second_));
      else
        put_operation(item.index());
    }
    put("finalize");
    return actions_;
  }

 private:
  struct Open {
    std::uint64_t begun_as = 0;
    std::int32_t source = 0, destination = 0, tag = 0;
    bool buffered = false;  // no wait refers to it
    bool same_names(const Open& other) const {
      return source == other.source && destination == other.destination && tag == other.tag;
    }
  };

  void put(const std::string& action) {
    file_.write(prefix_ + action + "\n");
    ++actions_;
  }

  void put_operation(std::uint32_t index) {
    const Operation& it = trace_.operations[index];
    if (it.kind == Kind::wait) return wait(trace_.request_sets[it.requests]);
    if (it.kind == Kind::collective) return put(collective(it, sizes_.bytes(index)));
    if (it.kind == Kind::probe) return;
    message(it);
  }

  void message(const Operation& it) {
    const bool send = it.kind == Kind::send || it.kind == Kind::start_send,
               buffered = send && it.mode == trace::Mode::buffered,
               begins = it.kind == Kind::start_send || it.kind == Kind::start_receive,
               start = begins || buffered;
    const std::int32_t partner = it.peer == trace::kAny ? kTiAnySource : rank_ + it.peer;
    const std::int32_t tag =
        it.tag == trace::kAny ? kTiAnyTag
        : losses_.several_communicators
            ? static_cast<std::int32_t>(static_cast<std::uint64_t>(it.tag) * trace_.communicators.size() +
                                        it.communicator)
            : it.tag;
    put(std::string(start ? "i" : "") + (send ? "send " : "recv ") + std::to_string(partner) + " " +
        std::to_string(tag) + " " + std::to_string(it.bytes));
    if (!start) return;
    begun_ += begins ? 1 : 0;
    open_.push_back(send ? Open{begun_, rank_, partner, tag, buffered} : Open{begun_, partner, rank_, tag});
  }

  /// Waits for all open requests at once. If only some are wanted, it waits for one after the other, because
  /// an action names one request.
  void wait(const std::vector<std::uint32_t>& requests) {
    std::vector<std::size_t> wanted;  // indices into open_, in the order in which the requests began
    for (auto ago = requests.rbegin(); ago != requests.rend(); ++ago) {
      const auto found =
          std::lower_bound(open_.begin(), open_.end(), begun_ + 1 - *ago,
                           [](const Open& each, std::uint64_t begun_as) { return each.begun_as < begun_as; });
      if (found != open_.end() && found->begun_as == begun_ + 1 - *ago && !found->buffered)
        wanted.push_back(static_cast<std::size_t>(found - open_.begin()));
    }
    if (wanted.empty()) return;
    const Open& only = open_[wanted.front()];
    // Replay cannot find a single request for a receive from any source.
    if (wanted.size() == open_.size() && (wanted.size() > 1 || only.source == kTiAnySource)) {
      put("waitall");
      return open_.clear();
    }
    if (wanted.size() > 1) ++losses_.split_waits;
    std::size_t gone = 0;
    for (const std::size_t each : wanted) wait_for(each - gone++);
  }

  void wait_for(std::size_t which) {
    const Open it = open_[which];
    const bool first = std::none_of(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(which),
                                    [&](const Open& each) { return each.same_names(it); });
    if (!first) ++losses_.doubtful_waits;
    if (it.source == kTiAnySource) ++losses_.open_waits;
    put("wait " + std::to_string(it.source) + " " + std::to_string(it.destination) + " " +
        std::to_string(it.tag));
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::string collective(const Operation& it, std::uint64_t size) const {
    const std::string bytes = std::to_string(size);
    const std::int32_t root =
        it.communicator == 0
            ? it.root
            : trace_.communicators[it.communicator].members[static_cast<std::size_t>(it.root)];
    const std::string to = " " + std::to_string(root);
    const auto ranks = static_cast<std::uint64_t>(trace_.ranks);
    const std::string part = std::to_string(size / ranks);
    switch (it.pattern) {
      case Pattern::barrier:
        return "barrier";
      case Pattern::broadcast:
        return "bcast " + bytes + to;
      case Pattern::reduce:
        return "reduce " + bytes + " 0" + to;
      case Pattern::allreduce:
        return "allreduce " + bytes + " 0";
      case Pattern::gather:
        return "gather " + bytes + " " + bytes + to;
      case Pattern::scatter:
        return "scatter " + bytes + " " + bytes + to;
      case Pattern::allgather:
        return "allgather " + bytes + " " + bytes;
      case Pattern::alltoall:
        return "alltoall " + part + " " + part;
      case Pattern::reduce_scatter:
        return reduce_scatter(size, ranks);
      case Pattern::scan:
        return "scan " + bytes + " 0";
      case Pattern::none:
      case Pattern::neighbourhood:
        break;  // refused earlier
    }
    return "barrier";
  }

  /// The first ranks get the remainder of the division.
  static std::string reduce_scatter(std::uint64_t bytes, std::uint64_t ranks) {
    std::string out = "reducescatter";
    for (std::uint64_t i = 0; i < ranks; ++i)
      out += " " + std::to_string(bytes / ranks + (i < bytes % ranks ? 1 : 0));
    return out + " 0";
  }

  const trace::Trace& trace_;
  const std::int32_t rank_;
  const double flops_per_second_;
  CollectiveSizes& sizes_;
  TiLosses& losses_;
  UnfinishedFile& file_;
  const std::string prefix_;
  std::uint64_t actions_ = 0, begun_ = 0;
  std::vector<Open> open_;  // in the order in which they began
};

std::vector<std::string> warnings_of(const trace::Trace& trace, const TiLosses& losses) {
  std::vector<std::string> out;
  const auto many = [](std::uint64_t count, const std::string& what) {
    return format_integer(static_cast<long long>(count)) + what;
  };
  if (losses.synchronous) out.push_back("synchronous sends are sends like any other");
  if (losses.several_communicators)
    out.push_back("communicators are distinguished by tags: a tag is " +
                  std::to_string(trace.communicators.size()) +
                  " times what it was, and the communicator's number");
  if (losses.probes)
    out.push_back(
        "probes have no action: they are left out, and the receive that follows waits for the message");
  if (losses.raised)
    out.push_back("collectives of which ranks take different sizes are of the largest for all ranks");
  if (losses.uneven) out.push_back("sizes of alltoall are rounded down to what each pair of ranks exchanges");
  if (losses.split_waits > 0)
    out.push_back(many(losses.split_waits,
                       " waits for several, but not all open requests are waits for one after the other"));
  if (losses.doubtful_waits > 0)
    out.push_back(many(losses.doubtful_waits,
                       " waits may be taken for waits for an earlier request with the same partner and tag"));
  if (losses.open_waits > 0)
    out.push_back(many(losses.open_waits,
                       " waits are for receives of any source; SimGrid's replay passes over them and waits "
                       "at the next waitall"));
  return out;
}

/// Checks that the names fit into an index, which has one name per line.
Result<void> can_be_listed(const fs::path& folder) {
  const std::string name = folder.string();
  if (name.find_first_of("\n\r") == std::string::npos) return {};
  return Error{"the index of SimGrid's traces cannot list files of a folder whose name has a line break",
               name, "name another one with --to"};
}

}  // namespace

Result<ExportedTi> write_time_independent(const trace::Trace& trace, const fs::path& to,
                                          double flops_per_second, const Progress& progress) {
  if (!(flops_per_second > 0) || !std::isfinite(flops_per_second))
    return Error{
        "the floating-point operations per second must be more than 0, not " + format_exact(flops_per_second),
        "", ""};
  PARCAST_TRY(trace::check(trace));
  PARCAST_ASSIGN(TiLosses losses, losses_of(trace));
  CollectiveSizes sizes(trace);
  losses.raised = sizes.raised();
  PARCAST_ASSIGN(UnfinishedFolder folder, UnfinishedFolder::beside(to));
  PARCAST_TRY(can_be_listed(folder.target()));
  ExportedTi out;
  out.ranks = trace.ranks;
  PARCAST_ASSIGN(UnfinishedFile index, UnfinishedFile::beside(folder.path() / "index.txt"));
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    const std::string name = "rank-" + std::to_string(rank) + ".txt";
    // replay looks in its working folder, not in that of the index
    index.write((folder.target() / name).string() + "\n");
    PARCAST_ASSIGN(UnfinishedFile file, UnfinishedFile::beside(folder.path() / name));
    out.actions += RankActions(trace, rank, flops_per_second, sizes, losses, file).run();
    PARCAST_TRY(file.finish());
    if (progress) progress((rank + 1.0) / trace.ranks, "rank " + std::to_string(rank));
  }
  PARCAST_TRY(index.finish());
  PARCAST_TRY(folder.finish());
  out.warnings = warnings_of(trace, losses);
  return out;
}

}  // namespace parcast::interchange
